"""A catalog as lines of JSON: a head that lists all tables, then a line a table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dbtools.catalog import Catalog, ForeignKey, Index, Table, TableColumn
from dbtools.search.families import shape
from dbtools.search.model import Key


@dataclass(frozen=True, slots=True)
class Listing:
    """All tables by name, without their columns, and how many columns they have together.

    shapes: equal for tables with equal columns. structure: a hash of everything but row counts.
    """

    tables: tuple[Table, ...]
    shapes: dict[Key, str]
    columns: int
    structure: str
    default_schema: str = ""
    missing: tuple[str, ...] = ()
    server: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    """A listing with the lines behind it; a table is read from its line when it is asked for."""

    listing: Listing
    lines: Sequence[bytes] = field(repr=False)

    def catalog(self) -> Catalog:
        """All tables in full."""
        listing = self.listing
        tables = tuple(map(_table, self.lines))
        return Catalog(tables, listing.default_schema, listing.missing, 0, listing.server)

    def tables(self, wanted: set[Key]) -> list[Table]:
        """Some of the tables in full."""
        pairs = zip(self.listing.tables, self.lines, strict=True)
        return [_table(line) for table, line in pairs if (table.schema, table.name) in wanted]


def dump(catalog: Catalog, head: dict[str, object]) -> bytes:
    """The lines of a catalog; `head` joins what stands in the first."""
    import hashlib

    lines = [_line(t) for t in catalog.tables]
    structure = hashlib.sha256()
    shapes: dict[object, int] = {}
    names = []
    for table in catalog.tables:
        number = shapes.setdefault(shape(table), len(shapes))
        about = [table.kind, table.row_count, table.comment, table.partitions]
        names.append([table.schema, table.name, number if table.columns else -1, *about])
        structure.update(_line(table, count=False))
    first = {
        **head,
        "names": names,
        "columns": sum(len(t.columns) for t in catalog.tables),
        "structure": structure.hexdigest()[:32],
        "defaultSchema": catalog.default_schema,
        "missing": catalog.missing,
        "server": catalog.server,
    }
    return b"\n".join([_json(first), *lines])


def head_of(data: bytes) -> dict[str, Any]:
    """The first line; ValueError where there is none."""
    head = json.loads(data.partition(b"\n")[0])
    if not isinstance(head, dict):
        raise ValueError("no head")
    return head


def load(data: bytes, head: dict[str, Any]) -> Stored:
    """What dump() wrote; KeyError, TypeError or ValueError for anything else."""
    names, lines = head["names"], data.split(b"\n")[1:]
    if len(names) != len(lines):
        raise ValueError("cut short")
    tables, shapes = [], {}
    for schema, name, number, kind, rows, comment, partitions in names:
        tables.append(
            Table(name, schema, kind, row_count=rows, comment=comment, partitions=partitions)
        )
        shapes[schema, name] = str(number) if number >= 0 else ""
    listing = Listing(
        tuple(tables), shapes, head["columns"], head["structure"], head["defaultSchema"],
        tuple(head["missing"]), head["server"],
    )  # fmt: skip
    return Stored(listing, lines)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def _line(table: Table, *, count: bool = True) -> bytes:
    return _json([
        table.name, table.schema, table.kind,
        [
            [c.name, c.type, c.nullable, c.primary_key, c.default, c.comment, c.generated,
             c.identity, c.values, dict(c.extra)]
            for c in table.columns
        ],
        [[i.name, i.columns, i.unique, i.where, i.method] for i in table.indexes],
        [[k.name, k.columns, k.schema, k.table, k.target_columns, k.on_delete]
         for k in table.foreign_keys],
        table.row_count if count else None,
        table.comment, table.definition, table.partitions, dict(table.extra),
    ])  # fmt: skip


def _table(line: bytes) -> Table:
    name, schema, kind, columns, indexes, keys, rows, comment, definition, parts, more = json.loads(
        line
    )
    return Table(
        name, schema, kind,
        tuple(
            TableColumn(n, t, null, key, default, about, made, identity, tuple(values), extra)
            for n, t, null, key, default, about, made, identity, values, extra in columns
        ),
        tuple(Index(n, tuple(cols), u, w, m) for n, cols, u, w, m in indexes),
        tuple(ForeignKey(n, tuple(a), s, t, tuple(b), d) for n, a, s, t, b, d in keys),
        rows, comment, definition, parts, more,
    )  # fmt: skip
