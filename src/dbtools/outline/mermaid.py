"""A neighbourhood of tables as a Mermaid entity-relationship diagram."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from dbtools.catalog import Table, TableColumn
from dbtools.outline.joins import Graph, Key, Link
from toolbelt.errors import ToolError

# Beyond this a picture helps nobody, and the tools that draw it give up.
MOST_TABLES: Final = 60
_MOST_COLUMNS: Final = 12


def neighbourhood(graph: Graph, start: Iterable[Key], depth: int) -> list[Key]:
    """The tables at most `depth` references away from the start."""
    found = dict.fromkeys(start)
    edge = list(found)
    for _ in range(depth):
        edge = [n for table in edge for n in graph.neighbours(table) if n not in found]
        edge = list(dict.fromkeys(edge))
        found |= dict.fromkeys(edge)
    return list(found)


def refuse_large(count: int, *, chosen: bool) -> None:
    """USAGE when the picture would hold more tables than anyone can read."""
    if count <= MOST_TABLES:
        return
    hint = "lower --depth, or name fewer tables" if chosen else "--table NAME --depth 1"
    raise ToolError(
        "USAGE", f"A diagram of {count} tables is too large to read (at most {MOST_TABLES}).",
        hint=hint, detail={"tables": count},
    )  # fmt: skip


def mermaid(tables: Sequence[Table], graph: Graph) -> str:
    """The diagram: entities with their keys first, and the references among them."""
    inside = {(t.schema, t.name) for t in tables}
    lines = ["erDiagram"]
    lines += [
        f"  {_entity(k.target)} ||--o{{ {_entity(k.source)} : {_quoted(', '.join(k.columns))}"
        for k in graph.links
        if k.source in inside and k.target in inside
    ]
    for table in tables:
        lines.append(f"  {_entity((table.schema, table.name))} {{")
        lines += _columns(table, graph)
        lines.append("  }")
    return "\n".join(lines) + "\n"


def _columns(table: Table, graph: Graph) -> list[str]:
    me: Key = (table.schema, table.name)
    own: list[Link] = [k for k in graph.of(me) if k.source == me]
    foreign = {c for k in own for c in k.columns}

    def rank(column: TableColumn) -> int:
        return 0 if column.primary_key else 1 if column.name in foreign else 2

    shown = sorted(table.columns, key=rank)
    lines = []
    for column in shown[:_MOST_COLUMNS]:
        marks = ["PK"] if column.primary_key else []
        marks += ["FK"] if column.name in foreign else []
        lines.append(f"    {_word(column.type)} {_word(column.name)} {', '.join(marks)}".rstrip())
    if len(shown) > _MOST_COLUMNS:
        lines.append(f"    more and_{len(shown) - _MOST_COLUMNS}_columns")
    return lines


def _entity(key: Key) -> str:
    return _quoted(".".join(part for part in key if part))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', "'") + '"'


def _word(text: str) -> str:
    """Mermaid's attribute words: letters, digits, underscores; they start with a letter."""
    word = "".join(c if c.isalnum() or c in "_-" else "_" for c in text).strip("_") or "x"
    return word if word[0].isalpha() else f"_{word}"
