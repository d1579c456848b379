"""The catalog of a database: one batch of five results, then plain reading of their rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dbtools.catalog import Catalog, ForeignKey, Index, Table, TableColumn
from dbtools.connection import Connection
from dbtools.drivers.base import CatalogRequest

Row = Sequence[Any]
_Grouped = Mapping[tuple[str, str], Sequence[Row]]
Ask = Callable[[str], Sequence[Sequence[Row]]]

_KINDS: Final = {"U": "table", "V": "view", "ET": "foreign table"}
_WHERE: Final = re.compile(r"\{where (\S+) (\S+)\}")
_TWO_BYTES: Final = ("nchar", "nvarchar")
_ONE_BYTE: Final = ("char", "varchar", "binary", "varbinary")
_FRACTIONS: Final = ("time", "datetime2", "datetimeoffset")


def read(ask: Ask, request: CatalogRequest, connection: Connection) -> Catalog:
    """Tables and views of the schemas asked for, else of the connection's, else of all."""
    schemas = request.schemas or ((connection.schema,) if connection.schema else ())
    text = Path(__file__).with_name("catalog.sql").read_text(encoding="utf-8")

    def condition(match: re.Match[str]) -> str:
        parts = ((match[1], schemas), (match[2], request.tables))
        made = [
            f"{column} IN ({', '.join(map(_quoted, names))})" for column, names in parts if names
        ]
        return " AND ".join(made) or "1 = 1"

    head, tables, columns, indexes, keys = ask(_WHERE.sub(condition, text))
    build = _Builder(_group(columns), _group(indexes), _group(keys))
    ordered = sorted(tables, key=lambda row: (row[0], row[1]))
    hidden = [row for row in ordered if str(row[2]).strip() == "V" and row[4] is None]
    return Catalog(
        tables=tuple(build.table(row) for row in ordered),
        default_schema=connection.schema or str(head[0][1] or "dbo"),
        missing=("the text of views: the login lacks VIEW DEFINITION",) if hidden else (),
        round_trips=1,
        server=f"SQL Server {head[0][0]}",
    )


def _quoted(name: str) -> str:
    return "N'" + name.replace("'", "''") + "'"


def _group(rows: Sequence[Row]) -> _Grouped:
    """Rows by (schema, table), which stand in their first two cells."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row[0], row[1]), []).append(row)
    return found


def _runs(rows: Sequence[Row]) -> list[list[Row]]:
    """Rows of one name, which stands in their third cell, together."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row[2], []).append(row)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _Builder:
    """Tables out of the rows of the other results."""

    columns: _Grouped
    indexes: _Grouped
    keys: _Grouped

    def table(self, row: Row) -> Table:
        schema, name, kind, comment, definition, rows, partitions = row
        kind, place = str(kind).strip(), (schema, name)
        found = _runs(self.indexes.get(place, ()))
        primary = {r[7] for run in found if run[0][4] for r in run}
        split = int(partitions or 0)
        return Table(
            name=name,
            schema=schema,
            kind="partitioned table" if kind == "U" and split > 1 else _KINDS[kind],
            columns=tuple(_column(c, primary) for c in self.columns.get(place, ())),
            indexes=tuple(_index(run) for run in found if not run[0][4]),
            foreign_keys=tuple(_reference(run) for run in _runs(self.keys.get(place, ()))),
            row_count=int(rows) if kind == "U" and rows is not None else None,
            comment=comment or "",
            definition=definition or "",
            partitions=split if split > 1 else 0,
        )


def _column(row: Row, primary: set[str]) -> TableColumn:
    name, kind, length, precision, scale, nullable, identity, default = row[2:10]
    computed, persisted, comment = row[10:13]
    generated = "" if computed is None else "stored" if persisted else "virtual"
    return TableColumn(
        name=name,
        type=spelled(kind, int(length), int(precision), int(scale)),
        nullable=bool(nullable),
        primary_key=name in primary,
        default=computed if computed is not None else default,
        comment=comment or "",
        generated=generated,
        identity="always" if identity else "",
    )


def spelled(kind: str, length: int, precision: int, scale: int) -> str:
    """A column's type from sys.columns: its length is in bytes, -1 for `max`."""
    if kind in _TWO_BYTES or kind in _ONE_BYTE:
        unit = 2 if kind in _TWO_BYTES else 1
        return f"{kind}({'max' if length < 0 else length // unit})"
    if kind in ("decimal", "numeric"):
        return f"{kind}({precision},{scale})"
    if kind in _FRACTIONS:
        return f"{kind}({scale})"
    return kind


def _index(run: Sequence[Row]) -> Index:
    _, _, name, unique, _, method, where, _ = run[0]
    return Index(
        name=name,
        columns=tuple(row[7] for row in run),
        unique=bool(unique),
        where=where or "",
        method=str(method).lower(),
    )


def _reference(run: Sequence[Row]) -> ForeignKey:
    _, _, name, _, schema, table, _, action = run[0]
    return ForeignKey(
        name=name,
        columns=tuple(row[3] for row in run),
        schema=schema,
        table=table,
        target_columns=tuple(row[6] for row in run),
        on_delete="" if action == "NO_ACTION" else str(action).replace("_", " "),
    )
