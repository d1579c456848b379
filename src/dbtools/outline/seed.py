"""The seeds' JSON of a table: every fact, the seeds' own keys first."""

from __future__ import annotations

from dbtools.catalog import ForeignKey, Index, Table, TableColumn


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
