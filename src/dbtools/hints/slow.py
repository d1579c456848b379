"""After a time limit: how large the tables are, and what an index would find quickly."""

from __future__ import annotations

from collections.abc import Sequence

from dbtools.catalog import Table
from dbtools.outline.names import short_count
from dbtools.spelling import Naming

_TABLES_SHOWN = 4
_INDEXES_SHOWN = 6


def sizes(tables: Sequence[Table], naming: Naming) -> dict[str, object]:
    """`tables`: a line for each, its estimated rows and the columns that its indexes begin with."""
    told = {
        naming.key(t.schema, t.name): f"{_rows(t)}; {_indexed(t, naming)}"
        for t in tables[:_TABLES_SHOWN]
    }
    return {"tables": told} if told else {}


def _rows(table: Table) -> str:
    return "size unknown" if table.row_count is None else f"~{short_count(table.row_count)} rows"


def _indexed(table: Table, naming: Naming) -> str:
    keys = [[c.name for c in table.columns if c.primary_key]]
    keys += [list(i.columns) for i in table.indexes]
    shown = list(dict.fromkeys(", ".join(map(naming.column, key)) for key in keys if key))
    if not shown:
        return "no index"
    return "indexed by " + " | ".join(f"({key})" for key in shown[:_INDEXES_SHOWN])
