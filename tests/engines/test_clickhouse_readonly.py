"""What ClickHouse refuses in our sessions, as the owner, and both kinds of read-only login.

The guard is not asked where a session is used directly; what readonly=1 lets through all the same
is asked of the guard.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit import failure, query, session

from cli.commands import run
from dbtools.drivers.base import Execution
from dbtools.guard import check
from servers import Server
from servers.clickhouse import execute, requests
from toolbelt.errors import ToolError

WRITES = """
INSERT INTO items VALUES (3, 'x')
INSERT INTO items SELECT 3, 'x'
INSERT INTO FUNCTION file('/tmp/toolbelt-guard-test', 'TSV', 'n UInt8') SELECT 1
INSERT INTO FUNCTION null('n UInt8') SELECT 1
ALTER TABLE items DELETE WHERE 1
ALTER TABLE items UPDATE name = 'x' WHERE 1
ALTER TABLE items ADD COLUMN c Int8
DELETE FROM items WHERE 1
TRUNCATE TABLE items
OPTIMIZE TABLE items FINAL
DROP TABLE items
DROP VIEW shown
DROP DATABASE toolbelt
CREATE TABLE made (id Int8) ENGINE = Memory
CREATE TEMPORARY TABLE made (id Int8)
CREATE VIEW made AS SELECT 1
CREATE DATABASE made
CREATE FUNCTION made AS x -> x
CREATE USER made
CREATE ROLE made
GRANT SELECT ON *.* TO reader
RENAME TABLE items TO others
EXCHANGE TABLES items AND shown
DETACH TABLE items
SET max_threads = 1
SET readonly = 0
SYSTEM FLUSH LOGS
SYSTEM RELOAD CONFIG
SELECT 1 SETTINGS readonly = 0
SELECT * FROM file('/etc/hostname', 'LineAsString')
SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')
SELECT * FROM executable('id', 'TSV', 'x String')
SELECT * FROM mysql('127.0.0.1:1', 'd', 't', 'u', 'p')
EXPLAIN SELECT * FROM file('/etc/hostname', 'LineAsString')
""".strip().splitlines()

PASSED_ON = """
DESCRIBE TABLE file('/etc/hostname', 'LineAsString')
DESCRIBE TABLE url('http://127.0.0.1:1/', 'LineAsString')
SELECT file('/etc/hostname')
SELECT 'x' IN file('/etc/hostname', 'LineAsString')
SELECT 1 INTO OUTFILE '/tmp/toolbelt-guard-test'
SELECT sleep(1)
SELECT 1; SELECT 2
USE system
KILL QUERY WHERE 1
SELECT 1 SETTINGS max_execution_time = 0
SELECT * FROM remote('127.0.0.1', 'toolbelt', 'items')
SELECT * FROM sqlite('/tmp/x', 'y')
""".strip().splitlines()


@pytest.fixture(scope="module")
def guarded(clickhouse: Server) -> Server:
    execute(clickhouse, "CREATE DATABASE guarded")
    server = clickhouse.with_database("guarded")
    for statement in (
        "CREATE TABLE items (id UInt32, name String) ENGINE = MergeTree ORDER BY id",
        "INSERT INTO items VALUES (1, 'kept'), (2, 'kept')",
        "CREATE VIEW shown AS SELECT * FROM items",
    ):
        execute(server, statement)
    return server


@pytest.fixture(autouse=True)
def unchanged(guarded: Server) -> Iterator[None]:
    """Every test leaves the data as it was."""
    yield
    assert execute(guarded, "SELECT * FROM items ORDER BY id") == "1\tkept\n2\tkept\n"
    assert execute(guarded, "SHOW TABLES") == "items\nshown\n"
    assert not Path("/tmp/toolbelt-guard-test").exists()


def last(server: Server, word: str) -> list[dict[str, object]]:
    """The requests whose statement contains the word."""
    return [r for r in requests(server) if word in str(r["sql"])]


@pytest.mark.parametrize("statement", WRITES)
def test_the_engine_refuses(guarded: Server, statement: str) -> None:
    error = failure(guarded, statement, timeout=5)
    assert error.code in ("BLOCKED", "QUERY_FAILED"), error.body()
    if error.code == "BLOCKED":
        assert error.detail["engineCode"] == 164 and error.exit_code == 1
        assert error.message.startswith("ClickHouse refused to write: ")


@pytest.mark.parametrize("statement", [*WRITES, *PASSED_ON])
def test_the_guard_refuses(statement: str) -> None:
    assert not check(statement, "clickhouse").allowed


def test_the_command_says_blocked(guarded: Server) -> None:
    done = run("db-query", "-q", "DROP TABLE items", env=guarded.env(guarded.owner))
    assert (done.code, done.json()["error"]["code"]) == (1, "BLOCKED")


def test_every_statement_is_sent_with_its_limits(guarded: Server) -> None:
    with session(guarded, timeout=2.5) as opened:
        opened.execute(Execution(("SELECT 1 AS with_its_limits",), fetch_rows=11))
    (sent,) = last(guarded, "with_its_limits")
    assert sent["settings"] == {
        "readonly": "1", "max_execution_time": "2.500", "timeout_overflow_mode": "throw",
        "max_block_size": "8192", "log_comment": "sandbox-toolbelt", "limit": "11",
    }  # fmt: skip
    assert sent["query_id"]


def test_an_explain_is_not_shown_with_our_row_cap(guarded: Server) -> None:
    with session(guarded) as opened:
        plan = opened.execute(
            Execution(("EXPLAIN SELECT * FROM items",), fetch_rows=1001, kind="EXPLAIN")
        )
        assert not any("Limit" in str(row) for row in plan.rows)


def test_a_login_that_may_set_nothing_is_asked_bare(guarded: Server) -> None:
    """Its own profile says readonly=1, which is looked at before."""
    text = "SELECT 1 AS asked_bare"
    with session(guarded, guarded.reader) as opened:
        assert [*opened.execute(Execution((text,), fetch_rows=5)).rows] == [(1,)]
    tried, bare = last(guarded, "asked_bare")
    assert tried["settings"] and not bare["settings"]
    (looked,) = [r for r in last(guarded, "name = 'readonly'") if r["query_id"] == bare["query_id"]]
    assert not looked["settings"]


def test_the_reader_reads_and_cannot_write(guarded: Server) -> None:
    assert query(guarded, "SELECT count() FROM items", login=guarded.reader) == [[2]]
    with session(guarded, guarded.reader) as opened, pytest.raises(ToolError) as caught:
        opened.execute(Execution(("INSERT INTO items VALUES (3, 'x')",)))
    assert caught.value.code in ("BLOCKED", "QUERY_FAILED")
    done = run("db-query", "-q", "SELECT * FROM items", "--limit", "1", env=guarded.env())
    assert done.json()["rows"] == [{"id": 1, "name": "kept"}] and done.json()["truncated"]


@pytest.mark.parametrize("setting", ["max_threads = 1", "max_block_size = 100"])
def test_a_statement_may_tune_itself_but_not_lift_its_limits(guarded: Server, setting: str) -> None:
    """The second is one that we send too."""
    tuned = f"SELECT count() AS tuned{len(setting)} FROM items SETTINGS {setting}"
    assert check(tuned, "clickhouse").allowed
    assert query(guarded, tuned) == [[2]]
    first, second = last(guarded, f"AS tuned{len(setting)}")
    assert (first["settings"]["readonly"], second["settings"]["readonly"]) == ("1", "2")
    assert not check("SELECT 1 SETTINGS max_execution_time = 0", "clickhouse").allowed


def test_reads_that_are_plain_run(guarded: Server) -> None:
    for statement, wanted in (
        ("SELECT * FROM shown ORDER BY id", [[1, "kept"], [2, "kept"]]),
        ("WITH x AS (SELECT 5 AS n) SELECT n FROM x", [[5]]),
        ("SELECT id FROM items ORDER BY id LIMIT 1", [[1]]),
        ("SELECT number FROM numbers(3)", [[0], [1], [2]]),
        ("SHOW TABLES", [["items"], ["shown"]]),
        ("EXISTS TABLE items", [[1]]),
    ):
        assert query(guarded, statement) == wanted, statement
    assert query(guarded, "DESCRIBE TABLE items")[0][:2] == ["id", "UInt32"]
    assert "CREATE TABLE" in str(query(guarded, "SHOW CREATE TABLE items"))


def test_what_each_login_could_do(guarded: Server) -> None:
    with session(guarded) as opened:
        owner = opened.privileges()
    assert any("INSERT" in line and "DROP" in line for line in owner.can_write)
    assert owner.grants[0].startswith("CREATE SETTINGS PROFILE")
    assert owner.grants[-1] == "GRANT SELECT ON `guarded`.* TO sandbox_reader;"
    with session(guarded, guarded.reader) as opened:
        reader = opened.privileges()
    assert (reader.can_write, reader.grants) == ((), ())
