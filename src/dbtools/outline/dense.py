"""A table in as few words as say everything needed to write SQL on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from dbtools.catalog import Table, TableColumn
from dbtools.outline.joins import Graph, Key
from dbtools.spelling import Naming

LEGEND: Final = "* primary key, ! not null, -> references, {a|b} values"
_VALUES_SHOWN: Final = 12
_REFERRERS_SHOWN: Final = 4
_COMMENT_LENGTH: Final = 120


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known beside the catalog: titles by table key, values by (table key, column)."""

    titles: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)


def dense_json(
    table: Table, naming: Naming, graph: Graph, knowledge: Knowledge, most_columns: int = 0
) -> dict[str, object]:
    """The table as one JSON object, a string a column. most_columns: cut behind it, 0 for none."""
    key = naming.key(table.schema, table.name)
    lines = dense_columns(table, naming, graph, knowledge)
    body: dict[str, object] = {"name": table.name}
    if naming.of(table) != table.name:
        body["sqlName"] = naming.of(table)
    if table.schema not in ("", naming.default_schema):
        body["schema"] = table.schema
    if table.kind != "table":
        body["kind"] = table.kind
    about = {
        "title": knowledge.titles.get(key, ""),
        "comment": shortened(table.comment),
        "approximateRowCount": table.row_count,
        "partitions": table.partitions,
    }
    body |= {k: v for k, v in about.items() if v not in ("", 0, None) or k.endswith("RowCount")}
    shown = most_columns or len(lines)
    body["columns"] = lines[:shown]
    if len(lines) > shown:
        body["columnsOmitted"] = len(lines) - shown
    return body | _table_facts(table, naming, graph)


def dense_text(table: Table, naming: Naming, graph: Graph, knowledge: Knowledge) -> str:
    """The table as one line: `orders(*id integer, total numeric(12,2)) ~125k`."""
    lines = dense_columns(table, naming, graph, knowledge)
    text = f"{naming.of(table)}({', '.join(lines)})"
    if table.kind != "table":
        text = f"{table.kind} {text}"
    if table.row_count is not None:
        text += f" ~{table.row_count}"
    for key, value in _table_facts(table, naming, graph).items():
        shown = value if isinstance(value, str) else "; ".join(map(str, value))  # type: ignore[call-overload]
        text += f" {key}: {shown}."
    about = knowledge.titles.get(naming.key(table.schema, table.name)) or shortened(table.comment)
    return f"{text} -- {about}" if about else text


def dense_columns(table: Table, naming: Naming, graph: Graph, knowledge: Knowledge) -> list[str]:
    """One string a column."""
    targets: dict[str, list[str]] = {}
    me: Key = (table.schema, table.name)
    for link in graph.of(me):
        if link.source == me and len(link.columns) == 1:
            target = f"{naming.table(*link.target)}.{naming.column(link.target_columns[0])}"
            targets.setdefault(link.columns[0], []).append(target)
    key = naming.key(table.schema, table.name)
    return [
        _column(c, naming, targets.get(c.name, []), knowledge.values.get((key, c.name), ()))
        for c in table.columns
    ]


def _column(column: TableColumn, naming: Naming, targets: list[str], known: tuple[str, ...]) -> str:
    kind = column.type.lower() if column.type.isupper() else column.type
    text = f"{'*' if column.primary_key else ''}{naming.column(column.name)} {kind}"
    if not column.nullable and not column.primary_key:
        text += "!"
    if targets:
        text += f" -> {', '.join(targets)}"
    values = known or column.values
    if values:
        more = "|…" if len(values) > _VALUES_SHOWN else ""
        text += " {" + "|".join(values[:_VALUES_SHOWN]) + more + "}"
    if column.generated:
        text += " (generated)"
    if column.comment:
        text += f" -- {shortened(column.comment)}"
    return text


def _table_facts(table: Table, naming: Naming, graph: Graph) -> dict[str, object]:
    """Unique keys, references of several columns, and who points here."""
    facts: dict[str, object] = {}
    primary = {c.name for c in table.columns if c.primary_key}
    unique = [
        f"({', '.join(map(naming.column, i.columns))})"
        for i in table.indexes
        if i.unique and not i.where and set(i.columns) != primary
    ]
    if unique:
        facts["unique"] = unique
    me: Key = (table.schema, table.name)
    wide = [k for k in graph.of(me) if k.source == me and len(k.columns) > 1]
    if wide:
        facts["foreignKeys"] = [
            f"({', '.join(k.columns)}) -> {naming.table(*k.target)}({', '.join(k.target_columns)})"
            for k in wide
        ]
    incoming = graph.incoming(me)
    if incoming:
        names = list(dict.fromkeys(naming.table(*k.source) for k in incoming))
        more = ", …" if len(names) > _REFERRERS_SHOWN else ""
        facts["referencedBy"] = f"{len(incoming)}: {', '.join(names[:_REFERRERS_SHOWN])}{more}"
    return facts


def shortened(text: str) -> str:
    """A comment on one line, cut at 120 characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _COMMENT_LENGTH else flat[: _COMMENT_LENGTH - 1].rstrip() + "…"
