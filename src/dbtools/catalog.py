"""What a database holds, in any engine: the data behind `db-schema`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table or view. `type` is the engine's full spelling, e.g. numeric(10,2).

    generated: 'stored' | 'virtual'; identity: 'always' | 'by default' | 'auto increment'.
    values: the labels of an enum type or of a declared value list, else empty.
    extra: engine facts in camelCase (MongoDB `share`, ClickHouse `codec`, BigQuery `mode`).
    """

    name: str
    type: str
    nullable: bool = True
    primary_key: bool = False
    default: str | None = None
    comment: str = ""
    generated: str = ""
    identity: str = ""
    values: tuple[str, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Index:
    """An index; an expression stands in `columns` as its text. `where`: a partial index's."""

    name: str
    columns: tuple[str, ...]
    unique: bool = False
    where: str = ""
    method: str = ""


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A reference to another table; `schema` is empty on engines without schemas."""

    name: str
    columns: tuple[str, ...]
    schema: str
    table: str
    target_columns: tuple[str, ...]
    on_delete: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table, view or collection.

    kind: 'table' | 'view' | 'materialized view' | 'foreign table' | 'partitioned table' |
    'virtual table' | 'collection'. row_count: the engine's estimate, None when it has none.
    partitions: number of partitions folded into this entry. extra: engine facts in camelCase.
    """

    name: str
    schema: str = ""
    kind: str = "table"
    columns: tuple[TableColumn, ...] = ()
    indexes: tuple[Index, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    row_count: int | None = None
    comment: str = ""
    definition: str = ""
    partitions: int = 0
    extra: Mapping[str, object] = field(default_factory=dict)

    def holds(self, name: str) -> bool:
        """Whether this is an entry as `events_*` and the name that of one of its partitions."""
        start = self.name[:-1].lower()
        if not self.partitions or not self.name.endswith("*"):
            return False
        rest = name[len(start) :].removesuffix("*")
        return name.lower().startswith(start) and rest.isdigit()


@dataclass(frozen=True, slots=True)
class Catalog:
    """All tables the login may see, in schema and name order.

    default_schema: names in it need no prefix. missing: human lines on what could not be read.
    round_trips: statements sent to read it (a test holds it constant). server: name and version.
    """

    tables: tuple[Table, ...]
    default_schema: str = ""
    missing: tuple[str, ...] = ()
    round_trips: int = 1
    server: str = ""
