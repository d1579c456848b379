"""The catalog of a MySQL or MariaDB server: four statements, then plain reading of their rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pymysql.converters import escape_string

from dbtools.catalog import Catalog, ForeignKey, Index, Table, TableColumn
from dbtools.drivers.base import CatalogRequest
from dbtools.drivers.mysql import declared
from dbtools.drivers.mysql.wire import Wire

Row = Sequence[Any]
_Rows = Mapping[tuple[str, str], Sequence[Row]]

_SYSTEM: Final = ("information_schema", "mysql", "performance_schema", "sys")
_KINDS: Final = {
    "BASE TABLE": "table", "VIEW": "view", "SYSTEM VERSIONED": "table", "SYSTEM VIEW": "view",
    "TEMPORARY": "table",
}  # fmt: skip
_FOREIGN: Final = ("FEDERATED", "CONNECT", "SPIDER")
# Display widths say nothing of the values, but for the tinyint(1) that a boolean is.
_WIDTH: Final = re.compile(
    r"^(tinyint(?!\(1\))|smallint|mediumint|int|bigint|year)\(\d+\)(?!.*zerofill)"
)
_QUOTED_DEFAULTS: Final = frozenset(
    "char varchar text tinytext mediumtext longtext enum set date time datetime timestamp "
    "binary varbinary".split()
)
_BROKEN_VIEW: Final = "references invalid table"


def read(wire: Wire, request: CatalogRequest, default_schema: str, server: str) -> Catalog:
    """Tables and views of the schemas asked for, else of the connection's database."""
    schemas = request.schemas or ((default_schema,) if default_schema else ())
    texts = _statements(schemas, request.tables, server)
    if request.detail == "names":
        texts = texts[:1]
    shown = [row for row in wire.rows(texts[0]) if row[2] in _KINDS]
    parts = [_grouped(wire.rows(text)) for text in texts[1:]]
    columns, indexes, keys = parts or ({}, {}, {})
    build = _Builder(columns, indexes, keys, server.startswith("MariaDB"))
    return Catalog(
        tables=tuple(build.table(row) for row in shown),
        default_schema=default_schema,
        missing=tuple(
            f"the view {row[1]} cannot be read: {row[5]}"
            for row in shown
            if _BROKEN_VIEW in (row[5] or "")
        ),
        round_trips=len(texts),
        server=server,
    )


def version(server: str) -> tuple[int, ...]:
    """The numbers of `MariaDB 10.11.19`."""
    return tuple(int(part) for part in re.findall(r"\d+", server)[:3])


def _statements(schemas: Sequence[str], tables: Sequence[str], server: str) -> list[str]:
    """Tables, columns, indexes, keys: as this server spells them."""
    mariadb, number = server.startswith("MariaDB"), version(server)
    expressions = not mariadb and number >= (8, 0, 13)
    checks = ""
    if mariadb and number >= (10, 3, 10):
        checks = _text("checks_mariadb.sql")
    elif not mariadb and number >= (8, 0, 16):
        checks = _text("checks_mysql.sql")
    texts = (
        _text("tables.sql"),
        _text("columns.sql"),
        _text("indexes.sql").replace("{expression}", "s.EXPRESSION" if expressions else "NULL"),
        _text("keys.sql").replace("{checks}", checks),
    )

    def condition(match: re.Match[str]) -> str:
        return _condition(match[1], schemas) + (
            f" AND {match[2]} IN ({', '.join(map(_quoted, tables))})" if tables else ""
        )

    return [re.sub(r"\{where (\S+) (\S+)\}", condition, text) for text in texts]


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _condition(column: str, schemas: Sequence[str]) -> str:
    # A plain `=` lets the server open only that database's files.
    if len(schemas) == 1:
        return f"{column} = {_quoted(schemas[0])}"
    if schemas:
        return f"{column} IN ({', '.join(map(_quoted, schemas))})"
    return f"{column} NOT IN ({', '.join(map(_quoted, _SYSTEM))})"


def _quoted(text: str) -> str:
    return f"'{escape_string(text)}'"


def _grouped(rows: Sequence[Row]) -> _Rows:
    """Rows by (schema, table), which stand in their first two cells."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row[0], row[1]), []).append(row)
    return found


@dataclass(frozen=True, slots=True)
class _Builder:
    """Tables out of the rows of the other three statements."""

    columns: _Rows
    indexes: _Rows
    keys: _Rows
    mariadb: bool

    def table(self, row: Row) -> Table:
        schema, name, kind, engine, count, comment, definition, method, expression, parts = row
        key = (schema, name)
        primary = {r[5] for r in self.indexes.get(key, ()) if r[2] == "PRIMARY"}
        checks = [r[3] for r in self.keys.get(key, ()) if r[9] == "check"]
        documents = {declared.json_column(clause) for clause in checks}
        values = dict(map(declared.value_list, checks))
        view = kind in ("VIEW", "SYSTEM VIEW")
        return Table(
            name=name,
            schema=schema,
            kind="foreign table" if (engine or "").upper() in _FOREIGN else _KINDS[kind],
            columns=tuple(
                self._column(r, primary, documents, values) for r in self.columns.get(key, ())
            ),
            indexes=_indexes(self.indexes.get(key, ())),
            foreign_keys=_foreign_keys(self.keys.get(key, ())),
            row_count=None if view or count is None else int(count),
            comment="" if view else comment or "",
            definition=definition or "",
            partitions=int(parts or 0),
            extra=_table_facts(kind, engine, method, expression),
        )

    def _column(
        self, row: Row, primary: set[str], documents: set[str], values: Mapping[str, Any]
    ) -> TableColumn:
        _, _, name, kind, nullable, default, more, comment, expression = row
        more = (more or "").lower()
        stored = "stored" in more or "persistent" in more
        generated = ("stored" if stored else "virtual") if expression else ""
        facts = {"expression": expression} if expression else {}
        if "on update " in more:
            facts["onUpdate"] = more.partition("on update ")[2].partition(" invisible")[0]
        if "invisible" in more:
            facts["invisible"] = True
        return TableColumn(
            name=name,
            type="json" if name in documents else _WIDTH.sub(r"\1", kind),
            nullable=nullable == "YES",
            primary_key=name in primary,
            default=None if generated else self._default(kind, default, more),
            comment=comment or "",
            generated=generated,
            identity="auto increment" if "auto_increment" in more else "",
            values=declared.labels(kind) or values.get(name, ()),
            extra=facts,
        )

    def _default(self, kind: str, default: str | None, more: str) -> str | None:
        """The default as SQL: MariaDB gives SQL (and NULL for none), MySQL a bare value."""
        if default is None or (self.mariadb and default == "NULL"):
            return None
        bare = kind.partition("(")[0].lower() in _QUOTED_DEFAULTS
        if self.mariadb or not bare or "default_generated" in more:
            return default
        return "'" + default.replace("'", "''") + "'"


def _table_facts(kind: str, engine: str, method: str, expression: str) -> dict[str, object]:
    facts: dict[str, object] = {"engine": engine} if engine else {}
    if method:
        facts["partitionBy"] = f"{method} ({expression})" if expression else method
    if kind == "SYSTEM VERSIONED":
        facts["systemVersioned"] = True
    return facts


def _indexes(rows: Sequence[Row]) -> tuple[Index, ...]:
    parts: dict[str, list[Row]] = {}
    for row in rows:
        parts.setdefault(row[2], []).append(row)
    return tuple(
        Index(
            name=name,
            columns=tuple(_index_part(row) for row in found),
            unique=found[0][3] == "0",
            method="" if found[0][4] == "BTREE" else found[0][4].lower(),
        )
        for name, found in parts.items()
    )


def _index_part(row: Row) -> str:
    column, length, order = row[5:8]
    if column is None:
        return f"({row[8]})"
    # A FULLTEXT or SPATIAL index always has a length, which says nothing.
    prefix = f"({length})" if length and row[4] in ("BTREE", "HASH") else ""
    return f"{column}{prefix}{' DESC' if order == 'D' else ''}"


def _foreign_keys(rows: Sequence[Row]) -> tuple[ForeignKey, ...]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row[9] == "key":
            found.setdefault(row[2], []).append(row)
    made = []
    for name, parts in found.items():
        schema, table, rule = parts[0][4], parts[0][5], parts[0][7]
        made.append(
            ForeignKey(
                name=name,
                columns=tuple(r[3] for r in parts),
                schema=schema,
                table=table,
                target_columns=tuple(r[6] for r in parts),
                on_delete="" if rule in ("RESTRICT", "NO ACTION") else rule.lower(),
            )
        )
    return tuple(made)
