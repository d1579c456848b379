"""What the API tells of tables for nothing: all names, and the columns of a few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from dbtools.catalog import Catalog, Table, TableColumn
from dbtools.drivers.base import CatalogRequest
from dbtools.drivers.bigquery import shards, values
from dbtools.drivers.bigquery.dialling import Config

if TYPE_CHECKING:
    from google.cloud import bigquery

_KINDS: Final = {
    "VIEW": "view", "MATERIALIZED_VIEW": "materialized view", "EXTERNAL": "foreign table",
}  # fmt: skip
_MOST_NAMES: Final = 10_000
_MOST_DATASETS: Final = 4
_MOST_LOOKS: Final = 8


def read(client: bigquery.Client, config: Config, request: CatalogRequest, retry: Any) -> Catalog:
    """The tables of the connection's dataset and of those that request.tables name.

    request.tables: dotted names as a statement has them. One request a dataset, and one for each
    named table that there is.
    """
    from google.api_core.exceptions import ClientError

    found: list[Table] = []
    looks = trips = 0
    for dataset in _datasets(config, request.tables):
        trips += 1
        try:
            listed = client.list_tables(
                dataset, max_results=_MOST_NAMES, retry=retry, timeout=request.timeout_seconds
            )
            tables = [_named(item) for item in listed]
        except ClientError:
            # One that is not there or not ours has no names to offer.
            continue
        for at in _looked_at(tables, request.tables)[: _MOST_LOOKS - looks]:
            looks += 1
            place = f"{dataset}.{tables[at].name}"
            tables[at] = _filled(
                tables[at], client.get_table(place, retry=retry, timeout=request.timeout_seconds)
            )
        found += shards.fold(tables)
    return Catalog(
        tuple(found), config.dataset.rpartition(".")[2], round_trips=trips + looks,
        server="BigQuery",
    )  # fmt: skip


def _datasets(config: Config, names: Sequence[str]) -> list[str]:
    """The connection's dataset, then those before the names' last dot."""
    given = [config.dataset, *(name.rpartition(".")[0] for name in names)]
    return list(dict.fromkeys(filter(None, given)))[:_MOST_DATASETS]


def _looked_at(tables: Sequence[Table], names: Sequence[str]) -> list[int]:
    """Places of the tables that are named, a row of shards by its last."""
    wanted = {name.rpartition(".")[2].lower() for name in names}
    last = shards.newest(table.name for table in tables)
    return [
        at
        for at, table in enumerate(tables)
        if table.name.lower() in wanted
        or ((start := shards.prefix(table.name)) and last.get(start) == table.name
            and any(name.startswith(start.lower()) for name in wanted))
    ]  # fmt: skip


def _named(item: Any) -> Table:
    return Table(
        name=item.table_id, schema=item.dataset_id, kind=_KINDS.get(item.table_type, "table")
    )


def _filled(table: Table, about: bigquery.Table) -> Table:
    columns = tuple(
        TableColumn(
            name=field.name,
            type=values.type_name(field),
            nullable=field.mode != "REQUIRED",
            comment=field.description or "",
        )
        for field in about.schema
    )
    return replace(table, columns=columns, comment=about.description or "")
