"""The catalog of datasets from INFORMATION_SCHEMA: five statements a region, for any tables."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from dbtools.catalog import Catalog, ForeignKey, Table, TableColumn
from dbtools.drivers.base import CatalogRequest
from dbtools.drivers.bigquery import shards
from dbtools.drivers.bigquery.dialling import Config
from dbtools.drivers.bigquery.shards import DAY
from toolbelt.errors import ToolError

Record = Mapping[str, Any]
# (what it tells, region) of a statement; the region is '' where BigQuery finds it out.
Part = tuple[str, str]
Ask = Callable[[Mapping[Part, str]], Mapping[Part, Sequence[Record] | ToolError]]
_Grouped = Mapping[tuple[str, str], Sequence[Record]]

_KINDS: Final = {
    "BASE TABLE": "table", "CLONE": "table", "SNAPSHOT": "table", "VIEW": "view",
    "MATERIALIZED VIEW": "materialized view", "EXTERNAL": "foreign table",
}  # fmt: skip
_SHARDED: Final = tuple(name for name, kind in _KINDS.items() if kind == "table")
_NAMES: Final = ("tables", "sizes")
# {s} is the dataset's INFORMATION_SCHEMA, {d} the dataset, {in x} the tables asked for, {last x}
# no shard but the last of its row.
_STATEMENTS: Final = {
    "tables": """SELECT t.table_schema, t.table_name, t.table_type, o.option_value AS description
FROM {s}.TABLES AS t LEFT JOIN {s}.TABLE_OPTIONS AS o
  ON o.table_name = t.table_name AND o.option_name = 'description' WHERE {in t.table_name}""",
    "sizes": """SELECT dataset_id AS table_schema, table_id AS table_name, row_count, size_bytes
FROM {d}.__TABLES__ WHERE {in table_id}""",
    "columns": """SELECT c.*, p.description FROM {s}.COLUMNS AS c
LEFT JOIN {s}.COLUMN_FIELD_PATHS AS p
  ON p.table_name = c.table_name AND p.field_path = c.column_name
WHERE {in c.table_name} AND {last c.table_name}""",
    "views": """SELECT table_schema, table_name, view_definition FROM {s}.VIEWS
WHERE {in table_name}""",
    "keys": """SELECT k.table_schema, k.table_name, k.constraint_name, c.constraint_type,
  k.column_name, k.ordinal_position, k.position_in_unique_constraint,
  u.table_schema AS target_schema, u.table_name AS target_table
FROM {s}.KEY_COLUMN_USAGE AS k
JOIN {s}.TABLE_CONSTRAINTS AS c
  ON c.constraint_name = k.constraint_name AND c.table_name = k.table_name
LEFT JOIN (SELECT DISTINCT constraint_name, table_schema, table_name
           FROM {s}.CONSTRAINT_COLUMN_USAGE) AS u ON u.constraint_name = k.constraint_name""",
}
_FILTER: Final = re.compile(r"\{(in|last) ([\w.]+)\}")
_SHARD: Final = f"table_type IN {_SHARDED} AND REGEXP_CONTAINS(table_name, r'{DAY}')"
_LAST: Final = """{column} IN (SELECT MAX(table_name) FROM {s}.TABLES GROUP BY {shard},
  IF({shard}, SUBSTR(table_name, 1, LENGTH(table_name) - 8), table_name))""".replace(
    "{shard}", _SHARD
)
_LACKING: Final = {
    "tables": "tables", "sizes": "row counts", "columns": "columns", "views": "the text of views",
    "keys": "keys",
}  # fmt: skip


def read(
    ask: Ask,
    datasets: Callable[[], Mapping[str, str]],
    request: CatalogRequest,
    config: Config,
) -> Catalog:
    """Tables of the datasets asked for, else of the connection's, else of all in the project.

    datasets: name -> region of all in the project. One statement cannot reach two regions.
    """
    chosen = list(request.schemas) or ([config.dataset] if config.dataset else [])
    regions: Mapping[str, str] = {}
    trips = 0
    if len(chosen) != 1:
        regions, trips = datasets(), 1
        chosen = chosen or list(regions)
    if not chosen:
        return Catalog((), round_trips=trips, server="BigQuery")
    by_region: dict[str, list[str]] = {}
    for dataset in chosen:
        by_region.setdefault(regions.get(dataset, ""), []).append(dataset)
    names = _NAMES if request.detail == "names" else tuple(_STATEMENTS)
    found = ask({
        (name, region): _statement(_STATEMENTS[name], same, request.tables)
        for name in names
        for region, same in by_region.items()
    })  # fmt: skip
    rows, missing = _sorted_out(found, names)
    build = _Builder(*(_group(rows.get(n, ())) for n in ("sizes", "columns", "views", "keys")))
    tables = [build.table(row) for row in rows["tables"]]
    folded = shards.fold(sorted(tables, key=lambda t: (t.schema, t.name)), request.tables)
    return Catalog(
        tables=tuple(folded),
        default_schema=config.dataset.rpartition(".")[2],
        missing=missing,
        round_trips=trips + len(found),
        server="BigQuery",
    )


def _sorted_out(
    found: Mapping[Part, Sequence[Record] | ToolError], names: Sequence[str]
) -> tuple[dict[str, list[Record]], tuple[str, ...]]:
    """All regions' rows of each statement, and what is missing; no region at all is an error."""
    rows: dict[str, list[Record]] = {name: [] for name in names}
    missing: dict[str, None] = {}
    for (name, region), answer in found.items():
        if not isinstance(answer, ToolError):
            rows[name] += answer
            continue
        if name == "tables" and not any(
            part[0] == "tables" and not isinstance(one, ToolError) for part, one in found.items()
        ):
            raise answer
        where = f" of {region}" if region else ""
        missing[f"{_LACKING[name]}{where} could not be read: {answer.message}"] = None
    return rows, tuple(missing)


def _statement(template: str, datasets: Sequence[str], tables: Sequence[str]) -> str:
    """One statement over all datasets, its filters filled in."""
    parts = []
    for dataset in datasets:
        quoted = ".".join(f"`{part}`" for part in dataset.replace("`", "").rsplit(".", 1))
        schema = f"{quoted}.INFORMATION_SCHEMA"

        def filled(match: re.Match[str], schema: str = schema) -> str:
            if match[1] == "in":
                return _named(match[2], tables)
            return _last_shard(match[2], tables, schema)

        text = _FILTER.sub(filled, template)
        parts.append(text.replace("{s}", schema).replace("{d}", quoted))
    return "\nUNION ALL\n".join(parts)


def _named(column: str, tables: Sequence[str]) -> str:
    """The condition for the tables asked for; `events_*` is all the shards behind that name."""
    plain = [_literal(name) for name in tables if not name.endswith("*")]
    either = [f"{column} IN ({', '.join(plain)})"] if plain else []
    for start in (name[:-1] for name in tables if name.endswith("*")):
        either.append(
            f"STARTS_WITH({column}, {_literal(start)}) AND LENGTH({column}) = {len(start) + 8}"
            f" AND REGEXP_CONTAINS({column}, r'{DAY}')"
        )
    return f"({' OR '.join(either)})" if either else "TRUE"


def _last_shard(column: str, tables: Sequence[str], schema: str) -> str:
    """The condition for tables that are no shards, asked for by name, or the last of their row."""
    ones = _LAST.replace("{column}", column).replace("{s}", schema)
    plain = [name for name in tables if not name.endswith("*")]
    return f"({ones} OR {_named(column, plain)})" if plain else ones


def _literal(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _group(rows: Sequence[Record]) -> _Grouped:
    found: dict[tuple[str, str], list[Record]] = {}
    for row in rows:
        found.setdefault((row["table_schema"], row["table_name"]), []).append(row)
    return found


@dataclass(frozen=True, slots=True)
class _Builder:
    """Tables out of the rows of the other statements."""

    sizes: _Grouped
    columns: _Grouped
    views: _Grouped
    keys: _Grouped

    def table(self, row: Record) -> Table:
        place = (row["table_schema"], row["table_name"])
        kind = _KINDS.get(row["table_type"], "table")
        columns = self.columns.get(place, ())
        size = next(iter(self.sizes.get(place, ())), None)
        view = next(iter(self.views.get(place, ())), None)
        primary = [key["column_name"] for key in self._keys(place, "PRIMARY KEY")]
        shown = sorted(
            (c for c in columns if c.get("is_hidden") != "YES"), key=lambda c: c["ordinal_position"]
        )
        counted = size is not None and kind not in ("view", "foreign table")
        return Table(
            name=place[1],
            schema=place[0],
            kind=kind,
            columns=tuple(_column(c, primary) for c in shown),
            foreign_keys=self._foreign(place),
            row_count=int(size["row_count"]) if size is not None and counted else None,
            comment=_text(row["description"]),
            definition=str(view["view_definition"]) if view is not None else "",
            extra=_facts(columns, size if counted else None),
        )

    def _keys(self, place: tuple[str, str], kind: str) -> list[Record]:
        keys = [k for k in self.keys.get(place, ()) if k["constraint_type"] == kind]
        return sorted(keys, key=lambda k: (k["constraint_name"], k["ordinal_position"]))

    def _foreign(self, place: tuple[str, str]) -> tuple[ForeignKey, ...]:
        named: dict[str, list[Record]] = {}
        for key in self._keys(place, "FOREIGN KEY"):
            named.setdefault(key["constraint_name"], []).append(key)
        return tuple(self._reference(name, keys) for name, keys in named.items())

    def _reference(self, name: str, keys: Sequence[Record]) -> ForeignKey:
        target = (keys[0]["target_schema"] or "", keys[0]["target_table"] or "")
        columns = {
            k["ordinal_position"]: k["column_name"] for k in self._keys(target, "PRIMARY KEY")
        }
        pointed = (columns.get(k["position_in_unique_constraint"], "") for k in keys)
        return ForeignKey(
            name=name.rpartition(".")[2],
            columns=tuple(k["column_name"] for k in keys),
            schema=target[0],
            table=target[1],
            target_columns=tuple(filter(None, pointed)),
        )


def _column(row: Record, primary: Sequence[str]) -> TableColumn:
    default = row.get("column_default")
    generated = row.get("is_generated", "NEVER") == "ALWAYS"
    return TableColumn(
        name=row["column_name"],
        type=row["data_type"],
        nullable=row["is_nullable"] == "YES",
        primary_key=row["column_name"] in primary,
        default=None if default in (None, "NULL") else str(default),
        comment=row["description"] or "",
        generated="stored" if generated else "",
    )


def _facts(columns: Sequence[Record], size: Record | None) -> dict[str, object]:
    """What makes a query cheap or dear: partitions, clusters, bytes."""
    facts: dict[str, object] = {}
    partition = [c["column_name"] for c in columns if c.get("is_partitioning_column") == "YES"]
    clusters = sorted(
        (c["clustering_ordinal_position"], c["column_name"])
        for c in columns
        if c.get("clustering_ordinal_position") is not None
    )
    if partition:
        facts["partitionBy"] = partition[0]
    if clusters:
        facts["clusterBy"] = [name for _, name in clusters]
    if size is not None and size.get("size_bytes") is not None:
        facts["bytes"] = int(size["size_bytes"])
    return facts


def _text(literal: str | None) -> str:
    """An option's value, which INFORMATION_SCHEMA gives as a string literal."""
    if not literal:
        return ""
    try:
        return str(json.loads(literal))
    except ValueError:
        return literal.strip('"')
