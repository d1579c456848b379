"""The suite for a real SQL Server; `sh docker/test-mssql.sh` starts one and runs this.

Its name keeps it out of `make test`, which has no SQL Server to run it on.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytds
import pytest

from cli.commands import Answer, run
from dbtools import connection as connections
from dbtools import drivers
from dbtools.drivers.base import Execution
from servers import flights
from test_flights import CASES, like, wanted_rows

DATABASE = "toolbelt_flights"
HOST, PORT = os.environ.get("MSSQL_HOST", "127.0.0.1"), os.environ.get("MSSQL_PORT", "14330")
PASSWORD = os.environ.get("MSSQL_SA_PASSWORD", "")
KINDS = {"text": "nvarchar(200)", "int": "int", "float": "float", "time": "datetime2(0)"}
CHUNK = 20_000
# Sent one by one: the client library reads a batch's first answer only.
SHOP = (
    "CREATE TABLE dbo.cust (id int IDENTITY PRIMARY KEY, name nvarchar(50) DEFAULT N'x', vip AS (id % 2))",
    "EXEC sp_addextendedproperty N'MS_Description', N'customers', N'SCHEMA', N'dbo', N'TABLE', N'cust'",
    "CREATE TABLE dbo.ord (cust int NOT NULL REFERENCES dbo.cust (id) ON DELETE CASCADE, net decimal(10,2))",
    "CREATE INDEX ix ON dbo.ord (net) WHERE net IS NOT NULL",
    "CREATE VIEW dbo.named AS SELECT name FROM dbo.cust WHERE name IS NOT NULL",
    "INSERT INTO dbo.cust (name) VALUES (N'a'), (NULL)",
    "CREATE LOGIN toolbelt_reader WITH PASSWORD = N'Only.Reads1', CHECK_POLICY = OFF",
    "CREATE USER toolbelt_reader FOR LOGIN toolbelt_reader",
    "ALTER ROLE db_datareader ADD MEMBER toolbelt_reader",
)
TYPES = {
    "bit": ("CAST(1 AS bit)", True), "tinyint": ("CAST(255 AS tinyint)", 255),
    "smallint": ("CAST(-1 AS smallint)", -1), "int": ("42", 42),
    "bigint": ("CAST(9007199254740993 AS bigint)", "9007199254740993"),
    "real": ("CAST(0.1 AS real)", 0.1), "float": ("CAST(0.1 AS float)", 0.1),
    "decimal(10,2)": ("CAST(1.10 AS decimal(10,2))", "1.10"),
    "money": ("CAST(1.1 AS money)", "1.1000"), "char(3)": ("CAST('abc' AS char(3))", "abc"),
    "varchar(max)": ("CAST('x' AS varchar(max))", "x"),
    "nvarchar(20)": ("CAST(N'Привет' AS nvarchar(20))", "Привет"),
    "varbinary(2)": ("CAST(0x00FF AS varbinary(2))", "base64:AP8="),
    "uniqueidentifier": (
        "CAST('6F9619FF-8B86-D011-B42D-00C04FC964FF' AS uniqueidentifier)",
        "6f9619ff-8b86-d011-b42d-00c04fc964ff",
    ),
    "date": ("CAST('2024-02-29' AS date)", "2024-02-29"),
    "time(7)": ("CAST('10:00:00.0000001' AS time(7))", "10:00:00.0000001"),
    "datetime": ("CAST('2024-01-01T10:00:00' AS datetime)", "2024-01-01T10:00:00"),
    "datetime2(7)": (
        "CAST('2024-01-01T10:00:00.1234567' AS datetime2(7))",
        "2024-01-01T10:00:00.1234567",
    ),
    "datetimeoffset(7)": (
        "CAST('2024-01-01T10:00:00+05:30' AS datetimeoffset(7))",
        "2024-01-01T10:00:00+05:30",
    ),
    "xml": ("CAST('<a/>' AS xml)", "<a/>"), "sql_variant": ("CAST(5 AS sql_variant)", 5),
    "geography": ("geography::Point(1, 2, 4326)", None),
}  # fmt: skip


def connect(database: str = "master") -> Any:
    return pytds.connect(
        HOST, database, "sa", PASSWORD, port=int(PORT), autocommit=True, login_timeout=30
    )


def env(**more: str) -> dict[str, str]:
    keys = {
        "TYPE": "mssql", "HOST": HOST, "PORT": PORT, "NAME": DATABASE, "USER": "sa",
        "PASS": PASSWORD, "SSLMODE": "require", **more,
    }  # fmt: skip
    return {f"DB_{key}": value for key, value in keys.items()}


def query(statement: str, *options: str, **more: str) -> Answer:
    return run("db-query", "-q", statement, *options, env=env(**more))


@pytest.fixture(scope="module", autouse=True)
def database() -> Iterator[None]:
    """A database of our own with a small shop and the flights; it is dropped at the end."""
    assert PASSWORD, "set MSSQL_SA_PASSWORD, and MSSQL_HOST and MSSQL_PORT for a server of yours"
    with connect() as client, client.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {DATABASE}")
        cursor.execute("IF SUSER_ID('toolbelt_reader') IS NOT NULL DROP LOGIN toolbelt_reader")
        cursor.execute(f"CREATE DATABASE {DATABASE}")
    with connect(DATABASE) as client, client.cursor() as cursor:
        for statement in SHOP:
            cursor.execute(statement)
        for table in flights.TABLES:
            load(cursor, table)
    yield
    with connect() as client, client.cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {DATABASE} SET SINGLE_USER WITH ROLLBACK IMMEDIATE")
        cursor.execute(f"DROP DATABASE {DATABASE}")
        cursor.execute("DROP LOGIN toolbelt_reader")


def load(cursor: Any, table: flights.Table) -> None:
    for statement in flights.ddl(table, KINDS):
        cursor.execute(statement)
    listed = ", ".join(f"[{name}]" for name in table.columns)
    shape = ", ".join(f"[{name}] {KINDS[kind]}" for name, kind in table.columns.items())
    into = f"INSERT INTO {table.name} ({listed}) SELECT {listed} FROM OPENJSON(%s) WITH ({shape})"
    rows = [dict(zip(table.columns, row, strict=True)) for row in flights.typed_rows(table)]
    for start in range(0, len(rows), CHUNK):
        cursor.execute(into, (json.dumps(rows[start : start + CHUNK]),))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_flights_questions(case: dict[str, Any]) -> None:
    statement = case["sql"].get("mssql", case["sql"].get("any"))
    bound = {k: v for k, v in case.get("params", {}).items() if f":{k}" in statement}
    answer = query(statement, "--params", json.dumps(bound))
    assert answer.code == 0, answer.stdout + answer.stderr
    wanted = wanted_rows(case, "mssql")
    rows = [list(row.values()) for row in answer.json()["rows"]]
    assert [
        [like(got, want) for got, want in zip(row, line, strict=True)]
        for row, line in zip(rows, wanted, strict=True)
    ] == wanted


@pytest.mark.parametrize("kind", TYPES)
def test_types(kind: str) -> None:
    expression, wanted = TYPES[kind]
    body = query(f"SELECT {expression} AS v, CAST(NULL AS int) AS n").json()
    assert body["columns"][0]["type"] == kind
    value = body["rows"][0]["v"]
    assert value == wanted if wanted is not None else value.startswith("base64:")


def test_the_catalog() -> None:
    asked = [word for name in ("cust", "ord", "named", "flights") for word in ("--table", name)]
    answer = run("db-schema", "--detail", "full", "--format", "json", *asked, env=env())
    tables = {table["name"]: table for table in answer.json()["tables"]}
    cust, order = tables["cust"], tables["ord"]
    assert cust["comment"] == "customers" and cust["columns"][0]["primaryKey"] is True
    assert order["foreignKeys"][0]["references"].endswith("cust")
    assert [index["name"] for index in order["indexes"]] == ["ix"]
    assert tables["flights"]["approximateRowCount"] == 336_776
    assert tables["named"]["kind"] == "view" and "IS NOT NULL" in tables["named"]["definition"]


def test_a_reader_is_told_what_its_login_may_not_see() -> None:
    reader = {"USER": "toolbelt_reader", "PASS": "Only.Reads1"}
    body = run("db-schema", "--detail", "names", env=env(**reader)).json()
    assert any("VIEW DEFINITION" in warning for warning in body["warnings"])
    live = query("SELECT 1 AS a", "--check=live", **reader)
    assert "sysadmin" not in live.stdout and "may INSERT" not in live.stdout


def test_text_of_a_utf8_collation() -> None:
    text = "CAST(N'Ж🙂' COLLATE Latin1_General_100_CI_AS_SC_UTF8 AS varchar(20))"
    assert query(f"SELECT {text} AS v").json()["rows"] == [{"v": "Ж🙂"}]


def test_the_text_limit_and_the_row_limit() -> None:
    assert (
        len(
            query("SELECT REPLICATE(CAST('x' AS varchar(max)), 100000) AS v").json()["rows"][0]["v"]
        )
        == 100_000
    )
    body = query("SELECT id FROM cust ORDER BY id", "--limit", "1").json()
    assert (body["rows"], body["truncated"]) == ([{"id": 1}], True)


def test_nothing_stays_written_as_owner() -> None:
    """What the guard would refuse, sent by the driver itself: the transaction is rolled back."""
    described = connections.find(None, env())
    session = drivers.load("mssql").connect(described, 10.0)
    try:
        list(
            session.execute(
                Execution(["INSERT INTO cust (name) OUTPUT inserted.id VALUES (N'no')"])
            ).rows
        )
    finally:
        session.close()
    assert query("SELECT COUNT(*) AS n FROM cust").json()["rows"] == [{"n": 2}]


def test_parameters_null_and_lists() -> None:
    statement = "SELECT COUNT(*) AS n FROM cust WHERE :a IS NULL OR id = :a"
    assert query(statement, "--params", '{"a": null}').json()["rows"] == [{"n": 2}]
    statement = "SELECT id FROM cust WHERE id IN (SELECT value FROM OPENJSON(:ids)) ORDER BY id"
    assert query(statement, "--params", '{"ids": [2, 9]}').json()["rows"] == [{"id": 2}]


def test_a_plan_is_shown_and_nothing_runs() -> None:
    for options in ((), ("--params", '{"a": 1}')):
        where = " WHERE id = :a" if options else ""
        rows = query(f"SELECT * FROM cust{where}", "--explain", *options).json()["rows"]
        assert any("Scan" in str(row) or "Seek" in str(row) for row in rows)


@pytest.mark.parametrize(
    ("statement", "number"),
    [("SELECT * FROM nope", 208), ("SELECT nope FROM cust", 207), ("SELECT 1 AS a FROM", 102)],
)
def test_errors_have_numbers_and_positions(statement: str, number: int) -> None:
    error = query(statement).json()["error"]
    assert (error["code"], error["engineCode"]) == ("QUERY_FAILED", number)
    assert error["position"] >= 1


@pytest.mark.parametrize(
    ("change", "code"),
    [({"PASS": "wrong"}, "AUTH_FAILED"), ({"NAME": "nowhere"}, "CONNECTION_FAILED")],
)
def test_refused_logins(change: dict[str, str], code: str) -> None:
    assert query("SELECT 1", **change).json()["error"]["code"] == code


def test_a_long_statement_is_gone_from_the_server() -> None:
    heavy = "SELECT COUNT_BIG(*) AS marked FROM flights a CROSS JOIN flights b CROSS JOIN flights c"
    assert query(heavy, "--timeout", "2").json()["error"]["code"] == "TIMEOUT"
    time.sleep(1)
    running = (
        "SELECT COUNT(*) FROM sys.dm_exec_requests r CROSS APPLY sys.dm_exec_sql_text(r.sql_handle) t"
        " WHERE t.text LIKE %s AND r.session_id <> @@SPID"
    )
    with connect() as client, client.cursor() as cursor:
        cursor.execute(running, ("SELECT COUNT_BIG(*) AS marked%",))
        assert cursor.fetchone() == (0,)


def test_a_lock_held_by_another_is_told() -> None:
    done = threading.Event()

    def hold() -> None:
        with connect(DATABASE) as client, client.cursor() as cursor:
            cursor.execute("BEGIN TRAN")
            cursor.execute("UPDATE dbo.cust SET name = N'locked'")
            done.wait(20)
            cursor.execute("ROLLBACK")

    holder = threading.Thread(target=hold)
    holder.start()
    time.sleep(1)
    try:
        error = query("SELECT * FROM cust", "--timeout", "3").json()["error"]
    finally:
        done.set()
        holder.join()
    assert error["engineCode"] == 1222


def test_what_sa_could_do_is_told() -> None:
    answer = query("SELECT 1", "--check=live")
    assert "sysadmin" in answer.stdout
