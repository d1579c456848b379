"""The catalog of a ClickHouse server: three statements, then plain reading of their rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dbtools.catalog import Catalog, Index, Table, TableColumn
from dbtools.connection import Connection
from dbtools.drivers.base import CatalogRequest

Row = Sequence[str]
_Rows = Mapping[tuple[str, str], Sequence[Row]]
Ask = Callable[[str], Sequence[Row]]

_SYSTEM: Final = ("system", "information_schema", "INFORMATION_SCHEMA")
_VIEWS: Final = {
    "View": "view", "LiveView": "view", "WindowView": "view",
    "MaterializedView": "materialized view",
}  # fmt: skip
# Engines whose rows live elsewhere.
_FOREIGN: Final = re.compile(
    r"MySQL|PostgreSQL|MongoDB|SQLite|ODBC|JDBC|Redis|S3|S3Queue|AzureBlobStorage|AzureQueue|HDFS|"
    r"Hive|URL|File|Executable|ExecutablePool|Kafka|RabbitMQ|NATS|Iceberg\w*|DeltaLake\w*|Hudi|"
    r"MaterializedPostgreSQL|ArrowFlight|YTsaurus"
)
_GENERATED: Final = {"MATERIALIZED": "stored", "ALIAS": "virtual"}
_STRING: Final = re.compile(r"'((?:[^'\\]|\\.|'')*)'")
_ESCAPE: Final = re.compile(r"\\(.)")


def read(ask: Ask, request: CatalogRequest, connection: Connection) -> Catalog:
    """Tables and views of the databases asked for, else of the connection's."""
    ours = connection.database or connection.schema
    schemas = request.schemas or ((ours,) if ours else ())
    rows = ask(_statement("tables.sql", schemas, request.tables))
    head, *found = sorted(rows, key=lambda row: (row[0], row[1]))
    if request.detail == "names":
        build = _Builder({}, {}, {})
        trips = 1
    else:
        columns = ask(_statement("columns.sql", schemas, request.tables))
        more = _text("clusters.sql") if any(row[2] == "Distributed" for row in found) else ""
        others = ask(_statement("indexes.sql", schemas, request.tables, more))
        clusters = {r[2]: (int(r[3]), int(r[4])) for r in others if not r[1]}
        build = _Builder(_grouped(columns), _grouped([r for r in others if r[1]]), clusters)
        trips = 3
    return Catalog(
        tables=tuple(build.table(row) for row in found),
        default_schema=ours or head[2],
        round_trips=trips,
        server=f"ClickHouse {head[1]}",
    )


def _statement(name: str, schemas: Sequence[str], tables: Sequence[str], more: str = "") -> str:
    """A statement of this folder with its filter filled in."""

    def condition(match: re.Match[str]) -> str:
        made = (
            f"{match[1]} IN ({', '.join(map(_quoted, schemas))})"
            if schemas
            else f"{match[1]} NOT IN ({', '.join(map(_quoted, _SYSTEM))})"
        )
        return made + (f" AND {match[2]} IN ({', '.join(map(_quoted, tables))})" if tables else "")

    return re.sub(r"\{where (\S+) (\S+)\}", condition, _text(name)) + more


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _grouped(rows: Sequence[Row]) -> _Rows:
    """Rows by (database, table), which stand in their first two cells."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row[0], row[1]), []).append(row)
    return found


@dataclass(frozen=True, slots=True)
class _Builder:
    """Tables out of the rows of the other statements. clusters: name -> (shards, replicas)."""

    columns: _Rows
    indexes: _Rows
    clusters: Mapping[str, tuple[int, int]]

    def table(self, row: Row) -> Table:
        database, name, engine, _, rows, comment, definition = row[:7]
        key = (database, name)
        view = engine in _VIEWS
        foreign = bool(_FOREIGN.fullmatch(engine))
        return Table(
            name=name,
            schema=database,
            kind=_VIEWS.get(engine, "foreign table" if foreign else "table"),
            columns=tuple(map(_column, self.columns.get(key, ()))),
            indexes=tuple(Index(r[2], (r[4],), method=r[3]) for r in self.indexes.get(key, ())),
            row_count=int(rows) if rows and not view else None,
            comment=comment,
            definition=definition if view else "",
            extra=self._facts(row),
        )

    def _facts(self, row: Row) -> dict[str, object]:
        engine, full = row[2:4]
        partition, sorting, primary, sampling = row[7:11]
        facts: dict[str, object] = {} if engine in _VIEWS else {"engine": engine}
        facts |= {"partitionBy": partition} if partition else {}
        facts |= {"sortingKey": sorting} if sorting else {}
        facts |= {"primaryKey": primary} if primary and primary != sorting else {}
        facts |= {"samplingKey": sampling} if sampling else {}
        if engine == "Distributed":
            facts |= self._distributed(full)
        return facts

    def _distributed(self, full: str) -> dict[str, object]:
        """`Distributed('cluster', 'database', 'table', key)`: where its rows are."""
        names = [_unquoted(text) for text in _STRING.findall(full)]
        if len(names) < 3:
            return {}
        facts: dict[str, object] = {"cluster": names[0], "distributes": f"{names[1]}.{names[2]}"}
        if names[0] in self.clusters:
            shards, replicas = self.clusters[names[0]]
            facts |= {"shards": shards, "replicas": replicas}
        return facts


def _column(row: Row) -> TableColumn:
    name, kind, default_kind, expression, comment, key, codec = row[2:9]
    generated = _GENERATED.get(default_kind, "")
    facts: dict[str, object] = {"expression": expression} if generated else {}
    facts |= {"ephemeral": True} if default_kind == "EPHEMERAL" else {}
    facts |= {"codec": codec} if codec else {}
    return TableColumn(
        name=name,
        type=kind,
        nullable=kind.startswith(("Nullable(", "LowCardinality(Nullable(")),
        primary_key=key == "1",
        default=expression if default_kind == "DEFAULT" else None,
        comment=comment,
        generated=generated,
        values=_labels(kind),
        extra=facts,
    )


def _labels(kind: str) -> tuple[str, ...]:
    """The labels of `Enum8('a' = 1, 'b' = 2)`, Nullable or not."""
    inner = kind.removeprefix("LowCardinality(").removeprefix("Nullable(")
    if not inner.startswith(("Enum8(", "Enum16(")):
        return ()
    return tuple(_unquoted(text) for text in _STRING.findall(inner))


def _unquoted(text: str) -> str:
    return _ESCAPE.sub(r"\1", text.replace("''", "'"))
