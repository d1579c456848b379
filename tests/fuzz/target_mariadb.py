"""MariaDB with every right and FILE, several statements a text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pymysql
from pymysql.constants import CLIENT

from fuzz.targets import MARKER, Target
from servers import Server

_SCHEMA = """
DROP DATABASE IF EXISTS canaries; CREATE DATABASE canaries; USE canaries;
CREATE TABLE canary (id int primary key, secret varchar(20)); INSERT INTO canary VALUES (1, 'one'), (2, 'two');
CREATE SEQUENCE canary_seq START 5;
CREATE PROCEDURE canary_proc() DELETE FROM canary;
CREATE TABLE t (a int, b text, id int, total decimal(9,2), name text, x double, v text);
INSERT INTO t VALUES (1, 'b', 1, 2.5, 'n', 0.01, 'w'), (2, NULL, 2, 1, 'm', 0.02, 'w');
CREATE TABLE orders AS SELECT t.*, a AS customer_id, b AS status, b AS region, now() AS created_at FROM t;
CREATE TABLE customers AS SELECT t.*, b AS country, b AS email FROM t;
CREATE TABLE u AS SELECT * FROM t; CREATE TABLE x AS SELECT * FROM t;
CREATE TABLE docs AS SELECT t.*, '{}' AS data FROM t
"""
_SESSION = (
    "SET SESSION max_statement_time = 0.25",
    "SET SESSION lock_wait_timeout = 1",
    "SET SESSION innodb_lock_wait_timeout = 1",
    "SET @canary = 'untouched'",
    "SELECT LAST_INSERT_ID(4242)",
)
# Counters of commands that only read. Everything else that the server counts must stand still.
_READS = (
    "Com_select", "Com_show", "Com_explain", "Com_help", "Com_admin_commands", "Com_empty_query", "Com_analyze",
)  # fmt: skip
# Variables that a read may change, or that tell the time.
_MOVING = {
    "error_count", "warning_count", "timestamp", "rand_seed1", "rand_seed2", "last_gtid", "in_transaction",
    "pseudo_thread_id", "insert_id", "identity", "gtid_binlog_state",
}  # fmt: skip
_COUNTERS = (
    "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Com\\_%' OR Variable_name LIKE 'Innodb_rows\\_%'"
)
_OWN = "SELECT @canary, LAST_INSERT_ID(), @@in_transaction, DATABASE(), IS_USED_LOCK('canary')"
_TABLES = (
    "SELECT table_schema, table_name FROM information_schema.tables"
    " WHERE table_schema NOT IN ('information_schema', 'performance_schema') ORDER BY 1, 2"
)


class MariaDBTarget(Target):
    """max_statement_time bounds each statement; what sleeps is cut, not waited for."""

    dialect = "mysql"

    def __init__(self, folder: Path, server: Server) -> None:
        super().__init__(folder)
        self.server = server
        (folder / "canary.txt").write_text(MARKER)
        (folder / "canary.txt").chmod(0o644)
        self.guard_dog = self._connect()
        self.watcher = self._connect()
        self.session = self._connect()
        self.reset()

    def _connect(self) -> pymysql.Connection:
        return pymysql.connect(
            host=self.server.host, port=self.server.port, user=self.server.owner.user,
            password=self.server.owner.password.encode(), charset="utf8mb4", autocommit=True,
            client_flag=CLIENT.MULTI_STATEMENTS, connect_timeout=5, local_infile=True,
        )  # fmt: skip

    def fill(self) -> dict[str, str]:
        return {
            "file": str(self.folder / "canary.txt"),
            "dir": str(self.folder),
            "pid": str(self.guard_dog.thread_id()),
        }

    def _all(self, connection: pymysql.Connection, text: str) -> list[tuple[object, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(text)
            rows = list(cursor.fetchall())
            while cursor.nextset():
                rows += cursor.fetchall()
            return rows

    def reset(self) -> None:
        if self.session.open:
            self.session.close()
        if not self._alive():
            self.guard_dog = self._connect()
        maker = self._connect()
        self._all(maker, _SCHEMA)
        maker.close()
        for path in self.folder.iterdir():
            if path.name != "canary.txt":
                path.unlink()
        self.session = self._connect()
        self.session.select_db("canaries")
        for statement in _SESSION:
            self._all(self.session, statement)
        self._all(self.watcher, "USE canaries")

    def run(self, statement: str) -> str:
        try:
            rows = self._all(self.session, statement)
        except pymysql.err.Error as error:
            self.errors += 1
            if not self.session.open or error.args[0] in (2006, 2013):
                return "session lost"
            return ""
        except UnicodeEncodeError:
            return ""
        return " ".join(str(value) for row in rows[:20] for value in row)

    def _state(self, connection: pymysql.Connection, question: str) -> object:
        """Rows, or the error: a dropped canary is a state, too."""
        try:
            return self._all(connection, question)
        except pymysql.err.Error as error:
            return error.args

    def observed(self) -> Iterator[tuple[str, object]]:
        yield "guard dog", self._alive()
        counters = self._all(self.watcher, _COUNTERS)
        reads = (*_READS, "Innodb_rows_read")
        yield "commands", [row for row in counters if not str(row[0]).startswith(reads)]
        session = self._all(self.session, "SHOW SESSION VARIABLES")
        yield "variables", hash(tuple(row for row in session if row[0] not in _MOVING))
        yield "own", self._state(self.session, _OWN)
        yield "canary", self._state(self.watcher, "SELECT * FROM canaries.canary ORDER BY id")
        yield "tables", self._state(self.watcher, _TABLES)
        yield "sequence", self._state(self.watcher, "SELECT * FROM canaries.canary_seq")
        yield "sessions", len(self._all(self.watcher, "SHOW PROCESSLIST"))

    def _alive(self) -> bool:
        """Does the other session still live?"""
        try:
            self.guard_dog.ping(reconnect=False)
        except pymysql.err.Error:
            return False
        return True

    def close(self) -> None:
        super().close()
        for connection in (self.session, self.watcher, self.guard_dog):
            if connection.open:
                connection.close()
