"""What MariaDB itself refuses in our sessions, as the owner, whom nothing else would stop.

The guard is not asked here: each statement goes straight to a session. What the engine lets
through all the same is asked of the built command, where the guard must stop it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit import cells, failure, query, session

from cli.commands import run
from dbtools.drivers.base import Execution
from dbtools.guard import check
from servers import Server
from servers.mariadb import connect, create_database

SETUP = """
CREATE TABLE items (id int PRIMARY KEY, name varchar(20)) ENGINE=InnoDB;
INSERT INTO items VALUES (1, 'kept'), (2, 'kept');
CREATE TABLE logs (id int) ENGINE=MyISAM;
INSERT INTO logs VALUES (1);
CREATE SEQUENCE numbers;
CREATE VIEW shown AS SELECT * FROM items;
CREATE FUNCTION adds() RETURNS int MODIFIES SQL DATA
  BEGIN INSERT INTO items VALUES (99, 'added'); RETURN 1; END;
CREATE FUNCTION doubles(n int) RETURNS int DETERMINISTIC NO SQL RETURN n * 2;
CREATE PROCEDURE clears() MODIFIES SQL DATA DELETE FROM items;
"""

WRITES = """
INSERT INTO items VALUES (3, 'x')
INSERT INTO logs VALUES (3)
REPLACE INTO items VALUES (1, 'x')
UPDATE items SET name = 'x'
UPDATE shown SET name = 'x'
DELETE FROM items
DELETE FROM logs
/*!50000 DELETE FROM items */
/*M! DELETE FROM items */
TRUNCATE items
CREATE TABLE made (id int)
CREATE OR REPLACE TABLE items (id int)
CREATE TABLE made AS SELECT * FROM items
CREATE TEMPORARY TABLE made (id int)
DROP TABLE items
DROP VIEW shown
DROP DATABASE guarded
ALTER TABLE items ADD c int
RENAME TABLE items TO others
CREATE INDEX i ON items (name)
CREATE VIEW made AS SELECT 1
CREATE TRIGGER t BEFORE INSERT ON items FOR EACH ROW SET @a = 1
CREATE USER made IDENTIFIED BY 'x'
GRANT ALL ON *.* TO reader@'127.0.0.1'
SELECT adds()
CALL clears()
SELECT NEXTVAL(numbers)
SELECT NEXT VALUE FOR numbers
SELECT SETVAL(numbers, 100)
SELECT * FROM items FOR UPDATE
LOAD DATA INFILE '/etc/hostname' INTO TABLE items
OPTIMIZE TABLE items
LOCK TABLES items WRITE
EXPLAIN DELETE FROM items
ANALYZE DELETE FROM items
SELECT 1; DELETE FROM items
""".strip().splitlines()

# Harmless to the data, or run by the server in any session: the guard's to stop.
PASSED_ON = """
SELECT * FROM items INTO OUTFILE '/tmp/toolbelt-guard-test'
SELECT LOAD_FILE('/etc/hostname')
SELECT SLEEP(1)
SELECT BENCHMARK(1, 1)
SELECT GET_LOCK('x', 1)
SELECT @a := 1
SELECT 1 INTO @a
SELECT * FROM items LOCK IN SHARE MODE
SET GLOBAL max_connections = 61
SET SESSION TRANSACTION READ WRITE
START TRANSACTION READ WRITE
SET STATEMENT max_statement_time = 0 FOR SELECT 1
HANDLER items OPEN
FLUSH TABLES
KILL 1
DO SLEEP(0)
PREPARE p FROM 'DELETE FROM items'
COMMIT
USE mysql
""".strip().splitlines()


@pytest.fixture(scope="module")
def guarded(mariadb: Server) -> Server:
    server = create_database(mariadb, "guarded")
    with connect(server) as owner, owner.cursor() as cursor:
        text = SETUP.replace("added'); RETURN 1; END", "added')\x01 RETURN 1\x01 END")
        for statement in text.split(";\n"):
            if statement.strip():
                cursor.execute(statement.replace("\x01", ";"))
    return server


@pytest.fixture(autouse=True)
def unchanged(guarded: Server) -> Iterator[None]:
    """Every test leaves the data as it was."""
    yield
    found = query(guarded, "SELECT (SELECT GROUP_CONCAT(id, name) FROM items), COUNT(*) FROM logs")
    assert found == [["1kept,2kept", 1]]
    assert query(guarded, "SELECT next_not_cached_value FROM numbers") == [[1]]
    assert not Path("/tmp/toolbelt-guard-test").exists()


@pytest.mark.parametrize("statement", WRITES)
def test_the_engine_refuses(guarded: Server, statement: str) -> None:
    error = failure(guarded, statement)
    assert error.code in ("BLOCKED", "QUERY_FAILED")
    if error.code == "BLOCKED":
        assert error.detail["engineCode"] == 1792 and error.exit_code == 1
        assert error.message.startswith("MariaDB refused to write: Cannot execute statement in a")
    else:
        # A syntax error, or words that no transaction may hold.
        assert error.detail["engineCode"] in (1064, 1568, 1223, 1100)


@pytest.mark.parametrize("statement", [*WRITES, *PASSED_ON])
def test_the_guard_refuses(statement: str) -> None:
    if statement == "SELECT adds()":
        # Only the server knows what a function of the user's own does.
        assert check(statement, "mysql").allowed
    else:
        assert not check(statement, "mysql").allowed


def test_the_command_says_who_refused(guarded: Server) -> None:
    env = guarded.env(guarded.owner)
    by_guard = run("db-query", "-q", "DELETE FROM items", env=env)
    assert by_guard.code == 1 and "engineCode" not in by_guard.json()["error"]
    by_engine = run("db-query", "-q", "SELECT adds()", env=env)
    assert by_engine.code == 1 and by_engine.json()["error"]["engineCode"] == 1792
    assert {a.json()["error"]["code"] for a in (by_guard, by_engine)} == {"BLOCKED"}


def test_reads_that_are_plain_run(guarded: Server) -> None:
    for statement, wanted in (
        ("SELECT doubles(id) FROM items ORDER BY id", [[2], [4]]),
        ("SELECT COUNT(*) FROM shown", [[2]]),
        ("SELECT LASTVAL(numbers)", [[None]]),
        ("SELECT id FROM items -- all of them", [[1], [2]]),
        ("SELECT /*+ NO_RANGE_OPTIMIZATION(items) */ id FROM items", [[1], [2]]),
    ):
        assert query(guarded, statement) == wanted, statement
    assert query(guarded, "EXPLAIN SELECT * FROM items")
    assert query(guarded, "SHOW CREATE TABLE items")[0][0] == "items"
    assert query(guarded, "SHOW FULL COLUMNS FROM items")[0][0] == "id"


def test_the_mode_of_the_server_cannot_change_how_text_is_read(guarded: Server) -> None:
    """ANSI_QUOTES and NO_BACKSLASH_ESCAPES would end strings elsewhere than the guard does."""
    with connect(guarded) as owner, owner.cursor() as cursor:
        cursor.execute("SELECT @@GLOBAL.sql_mode")
        (before,) = cursor.fetchone()
        modes = "ANSI_QUOTES,NO_BACKSLASH_ESCAPES,IGNORE_SPACE,PIPES_AS_CONCAT,ONLY_FULL_GROUP_BY"
        cursor.execute(f"SET GLOBAL sql_mode = '{modes}'")
        try:
            (row,) = query(guarded, r"""SELECT "a\"b", 'c\'d', 'e' || 'f', @@sql_mode""")
            with session(guarded) as opened:
                bound = opened.execute(Execution(("SELECT 'it''s'",)))
                assert cells(bound) == [["it's"]]
        finally:
            cursor.execute("SET GLOBAL sql_mode = %s", (before,))
    assert row[:3] == ['a"b', "c'd", "ef"]
    assert row[3] == (
        "PIPES_AS_CONCAT,ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO"
    )


def test_the_session_is_read_only_twice(guarded: Server) -> None:
    """The transaction, and whatever would come behind it."""
    assert query(guarded, "SELECT @@tx_read_only, @@in_transaction") == [[1, 1]]
    with session(guarded) as opened:
        cells(opened.execute(Execution(("COMMIT",))))
        wire = opened._wire  # type: ignore[attr-defined]
        assert wire.rows("SELECT @@tx_read_only, @@in_transaction") == [["1", "0"]]
