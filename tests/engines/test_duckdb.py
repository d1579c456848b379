"""DuckDB: a database file, and CSV, Parquet and JSON files as tables."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import duckdb
import pytest

from cli.commands import BIN, Answer, clean_environment, run
from dbtools import connection as connections
from dbtools import drivers
from dbtools.drivers.base import Execution
from dbtools.guard import check
from toolbelt.errors import ToolError

GOLDEN = Path(__file__).parent.parent / "golden" / "types_duckdb.json"
SETUP = """
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE cust (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, m mood);
COMMENT ON TABLE cust IS 'customers';
CREATE TABLE ord (a INT UNIQUE, cust INT REFERENCES cust (id), ts TIMESTAMPTZ, total DECIMAL(10,2));
CREATE INDEX ix ON ord (total);
CREATE VIEW v AS SELECT id FROM cust;
INSERT INTO cust VALUES (1, 'x', 'ok');
INSERT INTO ord VALUES (1, 1, '2024-01-01 10:00+05', 1.10), (2, 1, NULL, -3);
"""
TYPES = {
    "BOOLEAN": "true", "TINYINT": "1::TINYINT", "BIGINT": "9223372036854775807",
    "UBIGINT": "18446744073709551615::UBIGINT", "HUGEINT": "170141183460469231731687303715884105727",
    "FLOAT": "1.5::FLOAT", "DOUBLE": "'nan'::DOUBLE", "DECIMAL": "1234567890.1234567890::DECIMAL(38,10)",
    "VARCHAR": "'Привет'", "BLOB": "'\\xDE\\xAD'::BLOB", "BIT": "'101'::BIT", "UUID": "'00000000-0000-0000-0000-000000000001'::UUID",
    "DATE": "DATE '2024-02-29'", "DATE infinity": "'infinity'::DATE", "DATE far": "DATE '12000-01-01'",
    "TIME": "TIME '10:00:00.5'", "TIMESTAMP": "TIMESTAMP '2024-01-01 10:00:00'",
    "TIMESTAMP infinity": "'-infinity'::TIMESTAMP", "TIMESTAMP_NS": "TIMESTAMP_NS '2024-01-01 10:00:00.123456789'",
    "TIMESTAMPTZ": "TIMESTAMPTZ '2024-01-01 10:00+05'", "INTERVAL": "INTERVAL '1 month 2 days 3.5 seconds'",
    "INTERVAL zero": "INTERVAL '0 s'", "STRUCT": "{'a': 1, 'b': [1, NULL]}", "MAP": "MAP {'k': 1.5}",
    "LIST": "[1, 2, NULL]", "ARRAY": "[1, 2]::INTEGER[2]", "ENUM": "'x'::ENUM('x', 'y')",
    "UNION": "union_value(n := 1)", "JSON": "'{\"a\": [1.10]}'::JSON", "NULL": "NULL",
}  # fmt: skip


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("duckdb")
    with duckdb.connect(str(folder / "shop.duckdb")) as db:
        db.execute(SETUP)
    files = folder / "files"
    files.mkdir()
    (files / "orders.csv").write_text("id,day\n1,2024-01-01\n2,2024-02-01\n", encoding="utf-8")
    (files / "events.jsonl").write_text('{"a": 1, "b": {"c": 2}}\n', encoding="utf-8")
    with duckdb.connect() as db:
        db.execute(f"COPY (SELECT 7 AS n) TO '{files}/facts.parquet'")
    (folder / "secret.csv").write_text("password\nhunter2\n", encoding="utf-8")
    return folder


def query(path: Path, statement: str, *options: str) -> Answer:
    return run(
        "db-query", "-q", statement, *options, env={"DB_TYPE": "duckdb", "DB_NAME": str(path)}
    )


def test_every_type_as_json(shop: Path) -> None:
    picked = ", ".join(f'{sql} AS "{name}"' for name, sql in TYPES.items())
    body = query(shop / "shop.duckdb", f"SELECT {picked}").json()
    types = {c["name"]: c["type"] for c in body["columns"]}
    got = {name: {"type": types[name], "json": value} for name, value in body["rows"][0].items()}
    assert got == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_what_is_within_a_list_or_struct_is_as_exact(shop: Path) -> None:
    """Python's own types would make the year 9999 of infinity, and 30 days of a month."""
    statement = """SELECT ['infinity'::DATE, DATE '2024-02-29', NULL] AS l,
      {'i': INTERVAL '1 month', 'n b': TIMESTAMP_NS '2024-01-01 10:00:00.123456789'} AS s,
      MAP {1: TIMESTAMPTZ '2024-01-01 10:00+00'} AS m, MAP {DATE '2024-01-01': [0.1::FLOAT]} AS k,
      [[TIME '24:00:00']]::TIME[1][] AS a, [1.10::DECIMAL(5,2)] AS d, 0.1::FLOAT AS f,
      '10:00:00+05'::TIMETZ AS z, [9007199254740993] AS b, ['nan'::FLOAT] AS n"""
    [row] = query(shop / "shop.duckdb", statement).json()["rows"]
    assert row == {
        "l": ["infinity", "2024-02-29", None],
        "s": {"i": "P1M", "n b": "2024-01-01T10:00:00.123456789"},
        "m": {"1": "2024-01-01T10:00:00+00:00"},
        "k": {"2024-01-01": [0.1]},
        "a": [["24:00:00"]],
        "d": ["1.10"],
        "f": 0.1,
        "z": "10:00:00+05:00",
        "b": ["9007199254740993"],
        "n": [None],
    }


def test_a_json_document_loses_no_digit_and_no_name(shop: Path) -> None:
    statement = """SELECT '{"n": 12345678901234567890.5}'::JSON AS n, '{"a":1,"a":2}'::JSON AS t"""
    row = query(shop / "shop.duckdb", statement).json()["rows"][0]
    assert row == {"n": {"n": "12345678901234567890.5"}, "t": '{"a":1,"a":2}'}


def test_tables_with_keys_comments_and_a_view(shop: Path) -> None:
    env = {"DB_TYPE": "duckdb", "DB_NAME": str(shop / "shop.duckdb")}
    body = run("db-schema", "--detail", "full", "--format", "json", env=env).json()
    tables = {t["name"]: t for t in body["tables"]}
    assert tables["cust"]["comment"] == "customers"
    assert tables["cust"]["columns"][2]["values"] == ["sad", "ok"]
    assert tables["ord"]["foreignKeys"][0]["references"] == "cust"
    assert {i["name"]: i["unique"] for i in tables["ord"]["indexes"]}["ix"] is False
    assert tables["v"]["kind"] == "view" and tables["ord"]["approximateRowCount"] == 2


def test_parameters_and_limits(shop: Path) -> None:
    path = shop / "shop.duckdb"
    done = query(
        path, "SELECT total FROM ord WHERE a = :a AND ts > :ts", "-p", "a=1", "-p", "ts=2020-01-01"
    )
    assert done.json()["rows"] == [{"total": "1.10"}]
    body = query(path, "SELECT * FROM range(5000)").json()
    assert (body["rowCount"], body["truncated"]) == (1000, True)
    assert (
        len(query(path, "SELECT * FROM range(5000)", "--format", "csv").stdout.splitlines()) == 5001
    )


def test_files_of_a_folder_are_tables_and_nothing_else_is(shop: Path) -> None:
    files = shop / "files"
    body = query(files, "SELECT o.id, e.b, f.n FROM orders o, events e, facts f ORDER BY 1").json()
    assert body["rows"][0] == {"id": 1, "b": {"c": 2}, "n": 7}
    assert query(files / "orders.csv", "FROM orders").json()["rowCount"] == 2
    for statement in (f"SELECT * FROM '{shop}/secret.csv'", "SELECT * FROM '/etc/passwd'"):
        assert query(files, statement).error["code"] == "BLOCKED"
        # The engine refuses it too.
        described = connections.find(None, {"DB_TYPE": "duckdb", "DB_NAME": str(files)})
        session = drivers.load("duckdb").connect(described, 10.0)
        with pytest.raises(ToolError) as caught:
            session.execute(Execution([statement]))
        session.close()
        assert caught.value.code == "QUERY_FAILED"
    assert query(files, f"SELECT * FROM read_csv('{shop}/secret.csv')").error["code"] == "BLOCKED"


def test_a_damaged_file_and_a_link_out_take_no_other_table_with_them(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "good.csv").write_text("a\n1\n", encoding="utf-8")
    (folder / "broken.parquet").write_bytes(b"PAR1 no")
    (tmp_path / "secret").write_text("hunter2\nhunter2\n", encoding="utf-8")
    (folder / "out.csv").symlink_to(tmp_path / "secret")
    (folder / "also.csv").symlink_to("good.csv")
    assert query(folder, "SELECT * FROM good, also").json()["rows"] == [{"a": 1, "a_2": 1}]
    done = query(folder, "SELECT * FROM broken")
    assert "broken.parquet cannot be read" in done.error["hint"]
    assert "hunter2" not in query(folder, "SELECT * FROM out").stdout
    env = {"DB_TYPE": "duckdb", "DB_NAME": str(folder)}
    warnings = run("db-schema", env=env).json()["warnings"]
    assert len(warnings) == 2 and "out.csv is a link that leads out of the folder" in warnings


PAST_THE_GUARD = [
    "SELECT * FROM read_csv('{secret}')", "SELECT * FROM '{secret}'", "ATTACH '{secret}.db' AS x",
    "COPY (SELECT 1) TO '{secret}.out'", "SET enable_external_access = true", "INSTALL httpfs", "LOAD httpfs",
    "SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM glob('/etc/*')", "CREATE TABLE t (a INT)",
    "INSERT INTO cust VALUES (9, 'y', 'ok')", "EXPORT DATABASE '{secret}.d'", "PRAGMA enable_profiling='json'",
]  # fmt: skip


@pytest.mark.parametrize("statement", PAST_THE_GUARD)
def test_the_engine_refuses_what_the_guard_would(shop: Path, statement: str) -> None:
    from dbtools import connection
    from dbtools.drivers.base import Execution
    from dbtools.drivers.duckdb import connect
    from toolbelt.errors import ToolError

    text = statement.format(secret=shop / "secret.csv")
    assert not check(text, "duckdb").allowed or "FROM '" in text
    env = {"DB_TYPE": "duckdb", "DB_NAME": str(shop / "shop.duckdb")}
    session = connect(connection.find(None, env), 5)
    before = sorted(p.name for p in shop.iterdir())
    try:
        with pytest.raises(ToolError):
            list(session.execute(Execution([text], kind="SHOW")).rows)
    finally:
        session.close()
    assert sorted(p.name for p in shop.iterdir()) == before


ENDLESS = "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = 3"

# One call that heeds no interrupt.
ONE_CALL = "SELECT 1 WHERE regexp_matches(repeat('a', 30000000), '(a?){1000}b')"


def test_the_time_limit_and_an_interrupt(shop: Path) -> None:
    path = shop / "shop.duckdb"
    assert query(path, ENDLESS, "--timeout", "1").error["code"] == "TIMEOUT"
    assert query(path, ONE_CALL, "--timeout", "1").error["code"] == "TIMEOUT"
    child = subprocess.Popen(
        [str(BIN / "db-query"), "-q", ENDLESS],
        env=clean_environment({"DB_TYPE": "duckdb", "DB_NAME": str(path)}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(3)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=20)
    assert child.returncode == 130


def test_errors_say_where(shop: Path) -> None:
    error = query(shop / "shop.duckdb", "SELECT nope FROM ord").error
    assert (error["code"], error["position"]) == ("QUERY_FAILED", 8)
    missing = query(shop / "none.duckdb", "SELECT 1")
    assert (missing.code, missing.error["code"]) == (3, "CONNECTION_FAILED")
    (shop / "junk.duckdb").write_bytes(b"junk" * 5000)
    assert query(shop / "junk.duckdb", "SELECT 1").error["code"] == "CONNECTION_FAILED"
    (shop / "junk.duckdb").unlink()
