"""BigQuery through the emulator: types, catalog, errors. The recording stub has the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import servers.bigquery
from cli.commands import run
from dbtools import drivers
from dbtools.drivers.base import CatalogRequest, Execution
from engines import kit
from servers import Server

GOLDEN = Path(__file__).parent.parent / "golden" / "types_bigquery.json"
SETUP = (
    """CREATE TABLE shop.cust (id INT64 NOT NULL OPTIONS (description = 'the id'), name STRING,
       addr STRUCT<street STRING, n INT64>, tags ARRAY<STRING>, PRIMARY KEY (id) NOT ENFORCED)
       OPTIONS (description = 'our "customers"')""",
    """CREATE TABLE shop.event (d DATE, cust INT64,
       FOREIGN KEY (cust) REFERENCES shop.cust (id) NOT ENFORCED) PARTITION BY d CLUSTER BY cust""",
    "CREATE VIEW shop.names AS SELECT name FROM shop.cust",
    "INSERT INTO shop.cust (id, name) VALUES (1, 'a'), (2, NULL)",
    "CREATE TABLE daily.events_20240101 (old INT64)",
    "CREATE TABLE daily.events_20240102 (id INT64, what STRING) OPTIONS (description = 'all')",
    "CREATE TABLE daily.events_20240103 (id INT64, what STRING, at TIMESTAMP)",
    "CREATE TABLE daily.events_live_20240103 (id INT64)",
    "CREATE TABLE daily.part_12345678 (n INT64)",
    "CREATE TABLE daily.part_99999999 (n INT64)",
    "CREATE VIEW daily.v_20240101 AS SELECT 1 AS n",
    "CREATE VIEW daily.v_20240102 AS SELECT 2 AS n",
    "INSERT INTO daily.events_20240101 VALUES (1)",
    "INSERT INTO daily.events_20240103 (id) VALUES (7), (8)",
)
TYPES = {
    "INT64": "9007199254740993", "FLOAT64": "0.1", "FLOAT64 NaN": "CAST('nan' AS FLOAT64)",
    "NUMERIC": "NUMERIC '12345678901234567890.123456789'",
    "BIGNUMERIC": "BIGNUMERIC '1234567890123456789.0123456789'", "BOOL": "true",
    "STRING": "'Привет'", "BYTES": "b'ab'", "DATE": "DATE '2024-02-29'",
    "TIME": "TIME '10:00:00.5'", "DATETIME": "DATETIME '2024-01-01 10:00:00.25'",
    "TIMESTAMP": "TIMESTAMP '2024-01-01 10:00:00.123456+05'",
    "INTERVAL": "INTERVAL '1-2 3 4:5:6.5' YEAR TO SECOND",
    "JSON": "JSON '{\"a\": [1.5, null, \"x\"]}'", "GEOGRAPHY": "ST_GEOGPOINT(1, 2)",
    "RANGE DATE": "RANGE(DATE '2024-01-01', NULL)",
    "RANGE TIMESTAMP": "RANGE(TIMESTAMP '2024-01-01 00:00:00+00', TIMESTAMP '2024-01-02 00:00:00+00')",
    "ARRAY": "[1, 2]", "STRUCT": "STRUCT(1 AS a, [STRUCT('x' AS b)] AS c)", "NULL": "NULL",
}  # fmt: skip


@pytest.fixture(scope="module")
def shop(bigquery: Server) -> Iterator[Server]:
    client = servers.bigquery.connect(bigquery)
    client.create_dataset("shop")
    client.create_dataset("daily")
    for statement in SETUP:
        client.query_and_wait(statement)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in bigquery.environment.items():
            patch.setenv(name, value)
        yield bigquery.with_database("shop")


def test_every_type_as_json(shop: Server) -> None:
    picked = ", ".join(f"{sql} AS c{i}" for i, sql in enumerate(TYPES.values()))
    body = run("db-query", "-q", f"SELECT {picked}", env=shop.env()).json()
    columns, row = body["columns"], list(body["rows"][0].values())
    got = {
        name: {"type": column["type"], "json": value}
        for name, column, value in zip(TYPES, columns, row, strict=True)
    }
    assert got == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_the_catalog_takes_five_statements(shop: Server) -> None:
    with kit.session(shop, timeout=60) as session:
        catalog = session.catalog(CatalogRequest())
    assert (catalog.round_trips, catalog.missing, catalog.default_schema) == (5, (), "shop")
    cust, event, names = catalog.tables
    assert (cust.comment, cust.row_count) == ('our "customers"', 2)
    assert [(c.name, c.type, c.nullable, c.primary_key) for c in cust.columns] == [
        ("id", "INT64", False, True),
        ("name", "STRING", True, False),
        ("addr", "STRUCT<street STRING, n INT64>", True, False),
        ("tags", "ARRAY<STRING>", True, False),
    ]
    assert cust.columns[0].comment == "the id"
    [reference] = event.foreign_keys
    assert (reference.columns, reference.table, reference.target_columns) == (
        ("cust",),
        "cust",
        ("id",),
    )
    assert (event.extra["partitionBy"], event.extra["clusterBy"]) == ("d", ["cust"])
    assert names.kind == "view" and "name" in names.definition


def test_tables_of_one_day_each_are_one(shop: Server, tmp_path: Path) -> None:
    with kit.session(shop.with_database("daily"), timeout=60) as session:
        catalog = session.catalog(CatalogRequest())
        again = session.catalog(CatalogRequest(tables=("events_*", "events_20240102")))
        free = session.catalog(CatalogRequest(tables=("daily.events_20240101",), free=True))
    assert {t.name: len(t.columns) for t in catalog.tables} == {
        "events_*": 3, "events_live_20240103": 1, "part_12345678": 1, "part_99999999": 1,
        "v_20240101": 1, "v_20240102": 1,
    }  # fmt: skip
    events = catalog.tables[0]
    assert (events.row_count, events.partitions) == (3, 3)
    assert "20240101 … 20240103" in events.comment and "_TABLE_SUFFIX" in events.comment
    assert (events.extra["firstShard"], events.extra["lastShard"]) == (
        "events_20240101",
        "events_20240103",
    )
    # Asked for by its own name a table stays one.
    assert [(t.name, t.partitions, len(t.columns)) for t in again.tables] == [
        ("events_*", 2, 3),
        ("events_20240102", 0, 2),
    ]
    assert {t.name: len(t.columns) for t in free.tables if t.columns} == {"events_*": 3}
    env = {**shop.with_database("daily").env(), "XDG_CACHE_HOME": str(tmp_path)}
    options = ("--table", "events_20240102", "--format", "json")
    [shown] = run("db-schema", *options, env=env).json()["tables"]
    assert (shown["name"], shown["sqlName"]) == ("events_*", "`events_*`")


def test_named_tables_and_datasets_are_filtered(shop: Server) -> None:
    with kit.session(shop.with_database(""), timeout=60) as session:
        request = CatalogRequest(schemas=("shop",), tables=("cust",), detail="names")
        catalog = session.catalog(request)
    assert [(t.schema, t.name) for t in catalog.tables] == [("shop", "cust")]
    assert catalog.round_trips == 2


def test_rows_are_capped_by_the_fetch(shop: Server) -> None:
    with kit.session(shop) as session:
        execution = Execution(["SELECT x FROM UNNEST(GENERATE_ARRAY(1, 50)) AS x"], fetch_rows=7)
        assert len(kit.cells(session.execute(execution))) == 7


def test_nothing_and_only_nulls(shop: Server) -> None:
    assert kit.query(shop, "SELECT id FROM cust WHERE false") == []
    assert kit.query(shop, "SELECT name FROM cust WHERE id = 2") == [[None]]


@pytest.mark.parametrize(
    "statement",
    ["INSERT INTO cust (id) VALUES (9)", "CREATE TABLE shop.x (a INT64)", "SELECT 1; SELECT 2"],
)
def test_the_dry_run_is_a_second_guard(shop: Server, statement: str) -> None:
    assert kit.failure(shop, statement, timeout=60).code == "BLOCKED"


def test_an_unknown_table_is_named(shop: Server) -> None:
    error = kit.failure(shop, "SELECT 1 FROM nowhere", timeout=60)
    assert error.code == "QUERY_FAILED" and "nowhere" in error.message


def test_an_unknown_dataset_is_refused_at_once(shop: Server) -> None:
    error = kit.refusal(shop.with_database("nowhere"))
    assert error.code == "CONNECTION_FAILED" and "nowhere" in error.message


def test_the_driver_names_itself() -> None:
    assert drivers.load("bigquery").__name__ == "dbtools.drivers.bigquery"  # type: ignore[attr-defined]
