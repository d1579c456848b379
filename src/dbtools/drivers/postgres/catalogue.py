"""The catalog of a PostgreSQL database: one statement, then plain reading of its rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from dbtools.catalog import Catalog, ForeignKey, Index, Table, TableColumn
from dbtools.drivers.base import CatalogRequest
from dbtools.drivers.postgres.checks import allowed_values
from dbtools.drivers.postgres.types import short_name
from dbtools.drivers.postgres.wire import Wire

_KINDS = {
    "r": "table", "v": "view", "m": "materialized view", "f": "foreign table",
    "p": "partitioned table",
}  # fmt: skip
_GENERATED = {"s": "stored", "v": "virtual"}
_IDENTITY = {"a": "always", "d": "by default"}
_ON_DELETE = {"c": "cascade", "n": "set null", "d": "set default", "r": "restrict"}
_NAMES_SHOWN: Final = 5

Cells = Sequence[str | None]


def read(wire: Wire, request: CatalogRequest) -> Catalog:
    """All tables, views and the rest that the login may read; round_trips is always 1."""
    before = wire.round_trips
    text = Path(__file__).with_name("catalog.sql").read_text(encoding="utf-8")
    detailed = b"false" if request.detail == "names" else b"true"
    rows = wire.query(text, [_names(request.schemas), _names(request.tables), detailed])
    tables = tuple(_table(row) for row in rows if row[3] == "true")
    version = wire.raw.pgconn.parameter_status(b"server_version") or b""
    return Catalog(
        tables=tables,
        default_schema=rows[0][0] or "",
        missing=tuple(_missing(rows)),
        round_trips=wire.round_trips - before,
        server=f"PostgreSQL {version.decode().split()[0]}",
    )


def _names(names: Sequence[str]) -> bytes:
    """An array literal of names."""
    quoted = (name.replace("\\", "\\\\").replace('"', '\\"') for name in names)
    return ("{" + ",".join(f'"{name}"' for name in quoted) + "}").encode()


def _missing(rows: Sequence[Cells]) -> list[str]:
    """One line a schema whose tables the login may not read."""
    hidden: dict[str, list[str]] = {}
    for row in rows:
        if row[3] == "false":
            hidden.setdefault(row[1] or "", []).append(row[2] or "")
    lines = []
    for schema, names in hidden.items():
        shown = ", ".join(names[:_NAMES_SHOWN]) + (", …" if len(names) > _NAMES_SHOWN else "")
        what = "1 table" if len(names) == 1 else f"{len(names)} tables"
        lines.append(f"{schema}: {what} this login may not read ({shown})")
    return lines


def _table(row: Cells) -> Table:
    _, schema, name, _, kind, count, partitions, comment, row_security, definition = row[:10]
    columns, indexes, keys, checks = (json.loads(cell or "[]") for cell in row[10:14])
    primary = {column for index in indexes if index[3] for column in index[1]}
    values = _declared_values(checks)
    return Table(
        name=name or "",
        schema=schema or "",
        kind=_KINDS[kind or "r"],
        columns=tuple(_column(column, primary, values) for column in columns),
        indexes=tuple(
            Index(index, tuple(parts), unique, where or "", method)
            for index, parts, unique, _, where, method in indexes
        ),
        foreign_keys=tuple(
            ForeignKey(key, tuple(own), other, table, tuple(theirs), _ON_DELETE.get(rule, ""))
            for key, own, other, table, theirs, rule in keys
        ),
        row_count=None if count is None else int(count),
        comment=comment or "",
        definition=(definition or "").strip(),
        partitions=int(partitions or 0),
        extra={"rowSecurity": True} if row_security == "true" else {},
    )


def _declared_values(checks: Sequence[Any]) -> dict[str, tuple[str, ...]]:
    found = {}
    for column, expression in checks:
        values = allowed_values(column, expression)
        if values:
            found[column] = values
    return found


def _column(
    cells: Sequence[Any], primary: set[str], values: dict[str, tuple[str, ...]]
) -> TableColumn:
    name, kind, nullable, default, comment, generated, identity, labels, base = cells
    extra = {"baseType": short_name(base)} if base else {}
    if generated:
        extra["expression"] = default
    return TableColumn(
        name=name,
        type=short_name(kind),
        nullable=nullable,
        primary_key=name in primary,
        default=None if generated else default,
        comment=comment or "",
        generated=_GENERATED.get(generated, ""),
        identity=_IDENTITY.get(identity, ""),
        values=tuple(labels) if labels else values.get(name, ()),
        extra=extra,
    )
