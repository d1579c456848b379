"""What `db-schema` reads of a ClickHouse database."""

from __future__ import annotations

import pytest
from kit import session

from cli.commands import run
from dbtools.catalog import Catalog, Index, Table
from dbtools.drivers.base import CatalogRequest
from servers import Login, Server
from servers.clickhouse import execute, requests

SETUP = r"""
CREATE TABLE events (
  id UInt64 COMMENT 'the event''s number',
  level Enum8('info' = 1, 'it\'s bad' = 2),
  note Nullable(String) DEFAULT 'none',
  upper_note String MATERIALIZED upper(note),
  lower_note String ALIAS lower(note),
  raw String EPHEMERAL,
  at DateTime('UTC') CODEC(Delta, ZSTD),
  tag LowCardinality(Nullable(String)),
  INDEX by_note note TYPE bloom_filter GRANULARITY 2,
  INDEX by_both (id, at) TYPE minmax
) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(at) PRIMARY KEY id ORDER BY (id, at)
  COMMENT 'what happened';
INSERT INTO events (id, level, note, at) VALUES (1, 'info', 'a', 0), (2, 'info', 'b', 0);
CREATE VIEW names AS SELECT id, note FROM events;
CREATE MATERIALIZED VIEW daily ENGINE = SummingMergeTree ORDER BY day
  AS SELECT toDate(at) AS day, count() AS n FROM events GROUP BY day;
CREATE TABLE elsewhere (id UInt64) ENGINE = MySQL('127.0.0.1:1', 'd', 't', 'u', 'secret');
CREATE TABLE gone (id UInt64) ENGINE = Memory;
CREATE VIEW broken AS SELECT id FROM gone;
DROP TABLE gone;
"""


@pytest.fixture(scope="module")
def shop(clickhouse: Server) -> Server:
    execute(clickhouse, "CREATE DATABASE catalog")
    server = clickhouse.with_database("catalog")
    for statement in filter(str.strip, SETUP.split(";\n")):
        execute(server, statement)
    return server


def read(server: Server, login: Login | None = None, **request: object) -> Catalog:
    with session(server, login) as opened:
        return opened.catalog(CatalogRequest(**request))  # type: ignore[arg-type]


def tables(catalog: Catalog) -> dict[str, Table]:
    return {table.name: table for table in catalog.tables}


def test_tables_and_views_of_the_connections_database(shop: Server) -> None:
    catalog = read(shop)
    assert {t.name: t.kind for t in catalog.tables} == {
        "broken": "view", "daily": "materialized view", "elsewhere": "foreign table",
        "events": "table", "names": "view",
    }  # fmt: skip
    assert catalog.default_schema == "catalog" and catalog.round_trips == 3
    assert catalog.server == f"ClickHouse {shop.version}"


def test_a_table(shop: Server) -> None:
    table = tables(read(shop))["events"]
    assert (table.comment, table.row_count) == ("what happened", 2)
    assert table.extra == {
        "engine": "ReplacingMergeTree", "partitionBy": "toYYYYMM(at)", "sortingKey": "id, at",
        "primaryKey": "id",
    }  # fmt: skip
    assert table.indexes == (
        Index("by_both", ("id, at",), method="minmax"),
        Index("by_note", ("note",), method="bloom_filter"),
    )


def test_columns(shop: Server) -> None:
    columns = {c.name: c for c in tables(read(shop))["events"].columns}
    assert list(columns)[:3] == ["id", "level", "note"]
    assert columns["id"].primary_key and columns["id"].comment == "the event's number"
    assert not columns["id"].nullable and not columns["at"].primary_key
    assert columns["level"].values == ("info", "it's bad")
    assert columns["note"].nullable and columns["note"].default == "'none'"
    assert columns["tag"].nullable
    assert columns["upper_note"].generated == "stored" and columns["upper_note"].default is None
    assert columns["upper_note"].extra == {"expression": "upper(note)"}
    assert columns["lower_note"].generated == "virtual"
    assert columns["raw"].extra == {"ephemeral": True}
    assert columns["at"].type == "DateTime('UTC')"
    assert "ZSTD" in str(columns["at"].extra["codec"])


def test_views_and_tables_elsewhere(shop: Server) -> None:
    found = tables(read(shop))
    assert found["names"].definition == "SELECT id, note FROM catalog.events"
    assert found["names"].row_count is None and found["names"].extra == {}
    assert "GROUP BY day" in found["daily"].definition
    assert [c.name for c in found["daily"].columns] == ["day", "n"]
    assert found["elsewhere"].extra == {"engine": "MySQL"}
    assert "secret" not in str(found)


def test_a_broken_view_is_told_by_the_query(shop: Server) -> None:
    done = run("db-query", "-q", "SELECT * FROM broken", env=shop.env())
    found = done.json()["error"]
    assert (done.code, found["code"]) == (4, "QUERY_FAILED"), found
    assert "gone" in found["message"]


def test_clusters_are_described() -> None:
    """No cluster can be configured here, so from the row that system.tables would have."""
    from dbtools.drivers.clickhouse.catalogue import _Builder

    full = "Distributed('all', 'shop', 'ev\\'ents', rand())"
    row = ["shop", "e", "Distributed", full, "", "", "", "", "", "", ""]
    table = _Builder({}, {}, {"all": (3, 6)}).table(row)
    assert table.extra == {
        "engine": "Distributed", "cluster": "all", "distributes": "shop.ev'ents",
        "shards": 3, "replicas": 6,
    }  # fmt: skip


def test_asking_for_less(shop: Server) -> None:
    assert [t.name for t in read(shop, tables=("events", "no'thing\\")).tables] == ["events"]
    assert read(shop, schemas=("no_such",)).tables == ()
    names = read(shop, detail="names")
    assert names.round_trips == 1 and names.tables[0].columns == ()
    elsewhere = read(shop.with_database("toolbelt"), schemas=("catalog",))
    assert len(elsewhere.tables) == 5
    everything = read(shop.with_database(""))
    assert "catalog" in {t.schema for t in everything.tables}
    assert not {t.schema for t in everything.tables} & {"system", "information_schema"}


def test_the_reader_sees_the_same(shop: Server) -> None:
    assert tables(read(shop, shop.reader)) == tables(read(shop))


def test_the_command(shop: Server) -> None:
    body = run("db-schema", "--detail", "full", "--table", "events", env=shop.env()).json()
    (table,) = body["tables"]
    assert table["engine"] == "ReplacingMergeTree" and table["approximateRowCount"] == 2
    assert body["server"] == f"ClickHouse {shop.version}"


def test_round_trips_do_not_grow(clickhouse: Server) -> None:
    execute(clickhouse, "CREATE DATABASE many")
    server = clickhouse.with_database("many")
    for number in range(200):
        execute(server, f"CREATE TABLE t{number} (id UInt8) ENGINE = Memory")
    before = len(requests(server))
    catalog = read(server)
    assert len(catalog.tables) == 200
    assert catalog.round_trips == len(requests(server)) - before == 3
