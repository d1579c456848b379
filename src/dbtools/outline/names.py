"""The first answer on an unknown database: all names, small enough for a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dbtools.catalog import Table
from dbtools.outline.size import how_many_fit
from dbtools.search.families import Family, collapse
from dbtools.spelling import Naming
from toolbelt.envelope import dumps

# From this estimate on a table counts as big, and its name says so.
BIG_ROWS: Final = 10_000
_TITLE_LENGTH: Final = 60
_TWINS_SHOWN: Final = 2
_KINDS: Final = {
    "view": "view", "materialized view": "matview", "foreign table": "foreign",
    "virtual table": "virtual", "partitioned table": "partitioned",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in the list. after: the key that paging goes on from behind this entry."""

    schema: str
    text: str
    tables: int
    after: str


@dataclass(frozen=True, slots=True)
class NamesPage:
    """The entries of one answer; more: entries that did not fit."""

    entries: tuple[Entry, ...]
    more: int

    @property
    def tables(self) -> int:
        """How many tables the entries stand for."""
        return sum(e.tables for e in self.entries)


def names_page(
    tables: Sequence[Table],
    shapes: Mapping[tuple[str, str], str],
    naming: Naming,
    cap: int,
    after: str,
    titles: Mapping[str, str],
) -> NamesPage:
    """All names in the fullest way that fits `cap` tokens; else the first page of the tightest.

    shapes: by (schema, name), equal for tables with equal columns. titles: by the key of a
    table. after: the `after` of the last entry already seen.
    """
    tables = sorted(tables, key=naming.order)
    entries: list[Entry] = []
    count = 0
    for families, told in _ways(tables, shapes):
        entries = [_entry(f, naming, titles if told else {}, comment=told) for f in families]
        count = how_many_fit(_texts(entries), cap)
        if count == len(entries):
            break
    if after:
        entries = _behind(entries, tables, naming, after)
        count = how_many_fit(_texts(entries), cap)
    return NamesPage(tuple(entries[:count]), len(entries) - count)


def _ways(
    tables: Sequence[Table], shapes: Mapping[tuple[str, str], str]
) -> Iterator[tuple[list[Family], bool]]:
    """(families, whether titles and comments are told), from the fullest to the tightest."""
    folded = collapse(tables, shapes)
    yield folded, True
    yield folded, False
    yield collapse(tables, shapes, braces=True), False


def _texts(entries: Sequence[Entry]) -> list[str]:
    return [dumps(e.text) for e in entries]


def _entry(family: Family, naming: Naming, titles: Mapping[str, str], *, comment: bool) -> Entry:
    head = family.head
    same = family.pattern == head.name
    text = naming.column(head.name) if same else family.pattern
    marks = [_KINDS[head.kind]] if head.kind in _KINDS else []
    if head.partitions:
        marks.append(f"{head.partitions} partitions")
    if family.twins:
        marks.append(_copies(family.twins))
    rows = max((t.row_count or 0) for t in family.members)
    if rows >= BIG_ROWS:
        marks.append(f"~{short_count(rows)} rows")
    if marks:
        text += f" ({', '.join(marks)})"
    key = naming.key(head.schema, head.name)
    title = titles.get(key) or (_cut(head.comment) if comment else "")
    if title:
        text += f" — {title}"
    return Entry(head.schema, text, len(family.members), key)


def _copies(twins: Sequence[str]) -> str:
    if len(twins) <= _TWINS_SHOWN:
        return "also " + " ".join(twins)
    return f"{len(twins)} copies, e.g. {twins[0]}"


def _cut(comment: str) -> str:
    flat = " ".join(comment.split())
    return flat if len(flat) <= _TITLE_LENGTH else flat[: _TITLE_LENGTH - 1].rstrip() + "…"


def short_count(rows: int) -> str:
    """12345 as `12k`, for a reader who only needs the size."""
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if rows >= size:
            value = rows / size
            return (
                f"{value:.1f}".rstrip("0").rstrip(".") + unit
                if value < 10
                else f"{value:.0f}{unit}"
            )
    return str(rows)


def _behind(
    entries: list[Entry], tables: Sequence[Table], naming: Naming, after: str
) -> list[Entry]:
    """The entries that come after the one already seen, though it may be gone by now."""
    for at, entry in enumerate(entries):
        if entry.after == after:
            return entries[at + 1 :]
    place = {naming.key(t.schema, t.name): naming.order(t) for t in tables}
    seen = place.get(after) or key_order(after, tables, naming)
    return [e for e in entries if place[e.after] > seen]


def key_order(key: str, tables: Sequence[Table], naming: Naming) -> tuple[bool, str, str]:
    """Where a table of this key would stand if it still existed."""
    schema, dot, name = key.partition(".")
    if dot and any(t.schema == schema for t in tables):
        return naming.order(Table(name, schema))
    return naming.order(Table(key, naming.default_schema))


def names_json(page: NamesPage, naming: Naming) -> dict[str, object]:
    """`tables` of the default schema, and `schemas` for the others, by their name."""
    own = [e.text for e in page.entries if e.schema in ("", naming.default_schema)]
    others: dict[str, list[str]] = {}
    for entry in page.entries:
        if entry.schema not in ("", naming.default_schema):
            others.setdefault(entry.schema, []).append(entry.text)
    return {"tables": own, **({"schemas": others} if others else {})}


def names_text(page: NamesPage, naming: Naming) -> str:
    """The same as lines of text, a heading before every schema but the default one."""
    lines: list[str] = []
    schema = naming.default_schema
    for entry in page.entries:
        if entry.schema not in ("", schema):
            schema = entry.schema
            lines.append(f"[{schema}]")
        lines.append(entry.text)
    return "".join(f"{line}\n" for line in lines)
