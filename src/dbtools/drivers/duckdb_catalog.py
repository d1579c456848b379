"""DuckDB's catalog: tables and columns, constraints, indexes; three statements."""

from __future__ import annotations

from typing import Any

from dbtools.catalog import Catalog, ForeignKey, Index, Table, TableColumn
from dbtools.drivers.base import CatalogRequest

_OBJECTS = """
SELECT schema_name, table_name, 'table', estimated_size, comment, NULL AS sql
FROM duckdb_tables() WHERE NOT internal AND database_name = current_database()
UNION ALL
SELECT schema_name, view_name, 'view', NULL, comment, sql
FROM duckdb_views() WHERE NOT internal AND database_name = current_database()
ORDER BY 1, 2
"""
_COLUMNS = """
SELECT schema_name, table_name, column_name, data_type, is_nullable, column_default, comment
FROM duckdb_columns() WHERE NOT internal AND database_name = current_database()
ORDER BY schema_name, table_name, column_index
"""
_CONSTRAINTS = """
SELECT schema_name, table_name, constraint_type, constraint_name, constraint_column_names,
       referenced_table, referenced_column_names, NULL AS is_unique, NULL AS sql
FROM duckdb_constraints() WHERE database_name = current_database()
UNION ALL
SELECT schema_name, table_name, 'INDEX', index_name, string_split(trim(expressions, '[]'), ', '),
       NULL, NULL, is_unique, sql
FROM duckdb_indexes() WHERE database_name = current_database()
"""
_DEFAULT_SCHEMA = "main"


def read(db: Any, request: CatalogRequest, version: str) -> Catalog:
    """The whole catalog, or the schemas and tables asked for."""
    objects = db.execute(_OBJECTS).fetchall()
    columns = _grouped(db.execute(_COLUMNS).fetchall())
    constraints = _grouped(db.execute(_CONSTRAINTS).fetchall())
    tables = tuple(
        _table(row, columns.get(row[:2], []), constraints.get(row[:2], []))
        for row in objects
        if (not request.schemas or row[0] in request.schemas)
        and (not request.tables or row[1] in request.tables)
    )
    return Catalog(
        tables, default_schema=_DEFAULT_SCHEMA, round_trips=3, server=f"DuckDB {version}"
    )


def _grouped(rows: list[tuple[Any, ...]]) -> dict[tuple[Any, ...], list[tuple[Any, ...]]]:
    groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for row in rows:
        groups.setdefault(row[:2], []).append(row[2:])
    return groups


def _table(
    row: tuple[Any, ...], columns: list[tuple[Any, ...]], constraints: list[tuple[Any, ...]]
) -> Table:
    schema, name, kind, size, comment, sql = row
    primary = next((tuple(c[2]) for c in constraints if c[0] == "PRIMARY KEY"), ())
    return Table(
        name=name,
        schema=schema,
        kind=kind,
        columns=tuple(_column(c, primary) for c in columns),
        indexes=_indexes(name, constraints),
        foreign_keys=tuple(
            ForeignKey(c[1] or "", tuple(c[2]), schema, c[3], tuple(c[4] or ()))
            for c in constraints
            if c[0] == "FOREIGN KEY"
        ),
        row_count=size,
        comment=comment or "",
        definition=(sql or "").strip() if kind == "view" else "",
    )


def _column(row: tuple[Any, ...], primary: tuple[str, ...]) -> TableColumn:
    name, type_name, nullable, default, comment = row
    labels: tuple[str, ...] = ()
    if type_name.startswith("ENUM("):
        labels = tuple(part.strip(" '") for part in type_name[5:-1].split(","))
    return TableColumn(
        name=name,
        type=type_name,
        nullable=bool(nullable) and name not in primary,
        primary_key=name in primary,
        default=default,
        comment=comment or "",
        values=labels,
    )


def _indexes(table: str, constraints: list[tuple[Any, ...]]) -> tuple[Index, ...]:
    made = []
    for kind, name, columns, _target, _to, unique, _sql in constraints:
        if kind == "PRIMARY KEY":
            made.append(Index(name or f"{table}_pkey", tuple(columns), unique=True))
        elif kind == "UNIQUE":
            made.append(Index(name or f"{table}_unique", tuple(columns), unique=True))
        elif kind == "INDEX":
            made.append(Index(name, tuple(c.strip("'\"") for c in columns), unique=bool(unique)))
    return tuple(sorted(made, key=lambda i: i.name))
