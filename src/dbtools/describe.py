"""What is in a database: catalog, choice of tables, and the seeds' JSON shape."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from dbtools import connection as connections
from dbtools.catalog import Catalog, ForeignKey, Index, Table, TableColumn
from dbtools.deadline import Deadline, DeadlineReached
from dbtools.drivers import load
from dbtools.drivers.base import CatalogRequest, timeout_error
from toolbelt.envelope import write_success
from toolbelt.errors import ToolError, nearest


@dataclass(frozen=True, slots=True)
class SchemaRequest:
    """What the command line asked for. tables: names or globs, empty for all."""

    connection: str | None = None
    tables: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    timeout_seconds: float | None = None
    pretty: bool = False


def run_describe(request: SchemaRequest) -> None:
    """Print the tables asked for."""
    connection = connections.find(request.connection)
    catalog = read_catalog(request, connection)
    tables = choose(catalog, request.tables)
    body: dict[str, object] = {
        "tables": [table_json(t, catalog.default_schema) for t in tables],
        "connection": connection.name,
    }
    if catalog.server:
        body["server"] = catalog.server
    if catalog.missing:
        body["warnings"] = list(catalog.missing)
    write_success(body, pretty=request.pretty, rows_key="tables")


def read_catalog(request: SchemaRequest, connection: connections.Connection) -> Catalog:
    """The whole catalog of the schemas asked for, within the connection's time limit."""
    seconds = connection.limits.query_timeout_ms / 1000
    if request.timeout_seconds is not None:
        seconds = min(seconds, request.timeout_seconds)
    exact = () if any(_is_glob(t) for t in request.tables) else request.tables
    wanted = CatalogRequest(
        schemas=request.schemas,
        tables=() if any("." in t for t in exact) else exact,
        timeout_seconds=seconds,
    )
    session = load(connection.engine).connect(connection, seconds)
    try:
        with Deadline(seconds):
            catalog = session.catalog(wanted)
            if request.tables and not catalog.tables and wanted.tables:
                # Nothing of that name: read the rest, to say what there is.
                catalog = session.catalog(replace(wanted, tables=()))
            return catalog
    except DeadlineReached:
        session.cancel()
        raise timeout_error(seconds) from None
    finally:
        session.close()


def choose(catalog: Catalog, patterns: Iterable[str]) -> list[Table]:
    """The tables that match; every pattern must name at least one."""
    wanted = list(patterns)
    if not wanted:
        return list(catalog.tables)
    chosen: dict[tuple[str, str], Table] = {}
    for pattern in wanted:
        found = [t for t in catalog.tables if _matches(t, pattern, catalog.default_schema)]
        if not found:
            raise _unknown(catalog, pattern)
        chosen |= {(t.schema, t.name): t for t in found}
    return list(chosen.values())


def _is_glob(pattern: str) -> bool:
    return any(c in pattern for c in "*?[")


def _matches(table: Table, pattern: str, default_schema: str) -> bool:
    names = {table.name, f"{table.schema}.{table.name}"}
    if pattern in names:
        return True
    folded = pattern.lower()
    return any(n.lower() == folded or fnmatchcase(n.lower(), folded) for n in names)


def _unknown(catalog: Catalog, pattern: str) -> ToolError:
    names = [_shown(t, catalog.default_schema) for t in catalog.tables]
    close = nearest(pattern, names, 5)
    if close:
        hint = f"did you mean {', '.join(close)}?"
    elif names:
        hint = f"there are {len(names)} tables: {', '.join(names[:20])}"
    else:
        hint = "the login sees no tables in this database"
    return ToolError("USAGE", f"No table matches {pattern!r}.", hint=hint)


def _shown(table: Table, default_schema: str) -> str:
    plain = not table.schema or table.schema == default_schema
    return table.name if plain else f"{table.schema}.{table.name}"


def table_json(table: Table, default_schema: str) -> dict[str, object]:
    """The seeds' keys first, then ours; empty facts are left out."""
    body: dict[str, object] = {"name": table.name}
    if table.schema and table.schema != default_schema:
        body["schema"] = table.schema
    if table.kind != "table":
        body["kind"] = table.kind
    if table.comment:
        body["comment"] = table.comment
    body["columns"] = [_column_json(c) for c in table.columns]
    body["indexes"] = [_index_json(i) for i in table.indexes]
    if table.foreign_keys:
        body["foreignKeys"] = [_foreign_key_json(f, default_schema) for f in table.foreign_keys]
    body["approximateRowCount"] = table.row_count
    if table.partitions:
        body["partitions"] = table.partitions
    if table.definition:
        body["definition"] = table.definition
    return body | dict(table.extra)


def _column_json(column: TableColumn) -> dict[str, object]:
    body: dict[str, object] = {
        "name": column.name,
        "type": column.type,
        "nullable": column.nullable,
    }
    if column.primary_key:
        body["primaryKey"] = True
    optional: dict[str, object] = {
        "default": column.default,
        "generated": column.generated,
        "identity": column.identity,
        "values": list(column.values),
        "comment": column.comment,
    }
    return body | {k: v for k, v in optional.items() if v} | dict(column.extra)


def _index_json(index: Index) -> dict[str, object]:
    body: dict[str, object] = {
        "name": index.name,
        "columns": list(index.columns),
        "unique": index.unique,
    }
    return body | {k: v for k, v in (("where", index.where), ("method", index.method)) if v}


def _foreign_key_json(key: ForeignKey, default_schema: str) -> dict[str, object]:
    target = key.table if key.schema in ("", default_schema) else f"{key.schema}.{key.table}"
    body: dict[str, object] = {
        "columns": list(key.columns),
        "references": target,
        "referencedColumns": list(key.target_columns),
    }
    return body | ({"onDelete": key.on_delete} if key.on_delete else {})
