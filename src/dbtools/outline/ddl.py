"""A table as the CREATE TABLE statement that says what we know of it."""

from __future__ import annotations

from dbtools.catalog import Table, TableColumn
from dbtools.outline.dense import Knowledge, shortened
from dbtools.outline.joins import Graph, Key
from dbtools.spelling import Naming


def ddl(table: Table, naming: Naming, graph: Graph, knowledge: Knowledge) -> str:
    """One statement with its comments; meant to be read, not to rebuild the table by."""
    about = knowledge.titles.get(naming.key(table.schema, table.name)) or shortened(table.comment)
    head = f"-- {about}\n" if about else ""
    if table.row_count is not None:
        head += f"-- about {table.row_count} rows\n"
    if "view" in table.kind and table.definition:
        body = table.definition.rstrip().rstrip(";")
        created = body.lstrip().lower().startswith("create")
        what = "" if created else f"CREATE {table.kind.upper()} {naming.of(table)} AS\n"
        return f"{head}{what}{body};\n"
    lines = [_column(c, naming) for c in table.columns]
    lines += _keys(table, naming, graph)
    kind = {"table": "TABLE", "partitioned table": "TABLE"}.get(table.kind, table.kind.upper())
    return f"{head}CREATE {kind} {naming.of(table)} (\n  " + ",\n  ".join(lines) + "\n);\n"


def _column(column: TableColumn, naming: Naming) -> str:
    text = f"{naming.column(column.name)} {column.type}"
    if column.generated:
        text += f" GENERATED {column.generated.upper()}"
    if column.identity:
        text += f" GENERATED {column.identity.upper()} AS IDENTITY"
    if not column.nullable:
        text += " NOT NULL"
    if column.default is not None and not column.identity:
        text += f" DEFAULT {column.default}"
    remarks = [f"one of {', '.join(column.values)}"] if column.values else []
    if column.comment:
        remarks.append(shortened(column.comment))
    # A block comment, because the comma that follows must not become part of it.
    return f"{text} /* {'; '.join(remarks).replace('*/', '* /')} */" if remarks else text


def _keys(table: Table, naming: Naming, graph: Graph) -> list[str]:
    def columns(names: tuple[str, ...]) -> str:
        return ", ".join(map(naming.column, names))

    lines = []
    primary = tuple(c.name for c in table.columns if c.primary_key)
    if primary:
        lines.append(f"PRIMARY KEY ({columns(primary)})")
    for index in table.indexes:
        if index.unique and not index.where and set(index.columns) != set(primary):
            lines.append(f"UNIQUE ({columns(index.columns)})")
    me: Key = (table.schema, table.name)
    for link in graph.of(me):
        if link.source == me:
            target = f"{naming.table(*link.target)} ({columns(link.target_columns)})"
            lines.append(f"FOREIGN KEY ({columns(link.columns)}) REFERENCES {target}")
    return lines
