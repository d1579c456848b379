"""A table as Markdown, for documents that people read."""

from __future__ import annotations

from dbtools.catalog import Table
from dbtools.outline.dense import Knowledge, shortened
from dbtools.outline.joins import Graph, Key
from dbtools.spelling import Naming


def markdown(table: Table, naming: Naming, graph: Graph, knowledge: Knowledge) -> str:
    """A heading, what is known of the table, and a line a column."""
    key = naming.key(table.schema, table.name)
    lines = [f"## {_cell(key)}", ""]
    about = knowledge.titles.get(key) or shortened(table.comment)
    facts = [table.kind] if table.kind != "table" else []
    if table.row_count is not None:
        facts.append(f"about {table.row_count} rows")
    lines += [" ".join(filter(None, [_cell(about), f"({', '.join(facts)})" if facts else ""])), ""]
    lines += ["| column | type | null | key | about |", "| --- | --- | --- | --- | --- |"]
    me: Key = (table.schema, table.name)
    targets = {
        c: f"{naming.table(*k.target)}.{naming.column(t)}"
        for k in graph.of(me)
        if k.source == me
        for c, t in zip(k.columns, k.target_columns, strict=False)
    }
    for column in table.columns:
        keys = ["PK"] if column.primary_key else []
        if column.name in targets:
            keys.append(f"-> {targets[column.name]}")
        values = knowledge.values.get((key, column.name)) or column.values
        notes = [shortened(column.comment)] if column.comment else []
        notes += [f"one of {', '.join(values)}"] if values else []
        null = "yes" if column.nullable else "no"
        cells = [column.name, column.type, null, ", ".join(keys), "; ".join(notes)]
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
