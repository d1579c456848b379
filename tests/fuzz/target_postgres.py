"""PostgreSQL as superuser, by the simple protocol (several statements a text), autocommit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg

from fuzz.targets import MARKER, Target
from servers import Server
from servers.postgres import connect

_SCHEMA = """
CREATE TABLE canary (id int, secret text); INSERT INTO canary VALUES (1, 'one'), (2, 'two');
CREATE INDEX canary_brin ON canary USING brin (id);
CREATE SEQUENCE canary_seq START 5;
CREATE PROCEDURE canary_proc() LANGUAGE sql AS 'DELETE FROM canary';
CREATE TABLE t (a int, b text, id int, total numeric, name text, x float8, v text);
INSERT INTO t VALUES (1, 'b', 1, 2.5, 'n', 0.01, '{file}'), (2, NULL, 2, 1, 'm', 0.02, 'w');
CREATE TABLE orders AS SELECT *, a AS customer_id, b AS status, b AS region, now() AS created_at FROM t;
CREATE TABLE customers AS SELECT *, b AS country, b AS email FROM t;
CREATE TABLE u AS SELECT * FROM t; CREATE TABLE x AS SELECT * FROM t; CREATE TABLE docs AS SELECT *, '{{}}'::jsonb AS data FROM t;
SELECT lo_from_bytea(4242, 'large');
"""
_EXTENSIONS = (
    "dblink",
    "tablefunc",
    "pg_prewarm",
    "hstore",
    "pg_trgm",
    "vector",
    "ltree",
    "cube",
    "fuzzystrmatch",
)
_WATCHED = {
    "canary": "SELECT count(*), md5(string_agg(id || secret, ',' ORDER BY id)) FROM canary",
    "tables": "SELECT md5(string_agg(concat_ws(' ', oid, relname, relpersistence, relnatts, relfilenode), ',' ORDER BY oid)) FROM pg_class",
    "functions": "SELECT count(*) FROM pg_proc",
    "roles": "SELECT count(*) FROM pg_authid",
    "sequence": "SELECT last_value, is_called FROM canary_seq",
    "next transaction": "SELECT pg_snapshot_xmax(pg_current_snapshot())",
    "large objects": "SELECT count(*), sum(length(data)) FROM pg_largeobject",
    "advisory locks": "SELECT locktype, objid, pid = pg_backend_pid() FROM pg_locks WHERE locktype = 'advisory' ORDER BY 2, 3",
    "settings": "SELECT name || '=' || setting FROM pg_settings WHERE source IN ('session', 'interactive') ORDER BY name",
    "own setting": "SELECT current_setting('canary.x', true)",
    "prepared": "SELECT count(*) FROM pg_prepared_statements",
    "cursors": "SELECT count(*) FROM pg_cursors",
    "listening": "SELECT count(*) FROM pg_listening_channels()",
    "slots": "SELECT count(*) FROM pg_replication_slots",
    "sessions": "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'canary'",
    "configuration loaded": "SELECT pg_conf_load_time()",
    "log file": "SELECT pg_walfile_name(pg_current_wal_insert_lsn())",
    "statistics reset": "SELECT (SELECT stats_reset FROM pg_stat_database WHERE datname = current_database()),"
    " (SELECT stats_reset FROM pg_stat_bgwriter), (SELECT stats_reset FROM pg_stat_wal),"
    " (SELECT max(stats_reset) FROM pg_stat_slru), (SELECT stats_reset FROM pg_stat_archiver)",
    "connections out": "SELECT coalesce(array_length(dblink_get_connections(), 1), 0)",
}


class PostgresTarget(Target):
    """Extensions that reach out are installed, so that only the guard keeps them shut."""

    dialect = "postgres"

    def __init__(self, folder: Path, server: Server) -> None:
        super().__init__(folder)
        self.server = server
        (folder / "canary.txt").write_text(MARKER)
        self._post_guard_dog()
        self.watcher = self._connect("watcher")
        self.watcher.execute("ALTER SYSTEM SET autovacuum = off")
        self.watcher.execute("SELECT pg_reload_conf()")
        for name in _EXTENSIONS:
            self.watcher.execute(f"CREATE EXTENSION IF NOT EXISTS {name}".encode())
        self.session = self._connect("fuzz")
        self.reset()

    def _connect(self, name: str) -> psycopg.Connection:
        connection = connect(self.server)
        connection.execute(f"SET application_name = '{name}'".encode())
        return connection

    def _post_guard_dog(self) -> None:
        """Another session, which holds a lock of its own and must stay alive."""
        self.guard_dog = self._connect("canary")
        self.guard_dog.execute("SELECT pg_advisory_lock(4242)")

    def fill(self) -> dict[str, str]:
        return {
            "file": str(self.folder / "canary.txt"),
            "dir": str(self.folder),
            "pid": str(self.guard_dog.info.backend_pid),
            "dsn": f"host=127.0.0.1 port={self.listener.port} user=x connect_timeout=1",
        }

    def reset(self) -> None:
        self.session.close()
        if self.guard_dog.closed or self.guard_dog.broken:
            self._post_guard_dog()
        with self._connect("maker") as maker:
            maker.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
            for name in _EXTENSIONS:
                maker.execute(f"CREATE EXTENSION IF NOT EXISTS {name}".encode())
            maker.execute("SELECT lo_unlink(oid) FROM pg_largeobject_metadata")
            maker.pgconn.exec_(_SCHEMA.format(file=self.folder / "canary.txt").encode())
            for slot in maker.execute("SELECT slot_name FROM pg_replication_slots").fetchall():
                maker.execute("SELECT pg_drop_replication_slot(%s)", slot)
        for path in self.folder.iterdir():
            if path.name != "canary.txt":
                path.unlink()
        self.session = self._connect("fuzz")
        self.session.execute("SET statement_timeout = '250ms'")
        self.session.execute("SET lock_timeout = '100ms'")
        self.session.execute("SET canary.x = 'untouched'")

    def run(self, statement: str) -> str:
        wire = self.session.pgconn
        result = wire.exec_(statement.encode())
        if result.status in (psycopg.pq.ExecStatus.FATAL_ERROR, psycopg.pq.ExecStatus.BAD_RESPONSE):
            self.errors += 1
            if wire.status != psycopg.pq.ConnStatus.OK:
                return "session lost"
            return ""
        if result.status in (psycopg.pq.ExecStatus.COPY_OUT, psycopg.pq.ExecStatus.COPY_IN):
            return "copy"
        rows = (
            result.get_value(r, c)
            for r in range(min(result.ntuples, 20))
            for c in range(result.nfields)
        )
        return " ".join(value.decode(errors="replace") for value in rows if value is not None)

    def observed(self) -> Iterator[tuple[str, object]]:
        yield "guard dog", self._alive()
        yield "in transaction", self.session.info.transaction_status
        for name, question in _WATCHED.items():
            yield name, self._ask(question)

    def _alive(self) -> bool:
        """Does the other session still live?"""
        try:
            self.guard_dog.execute("SELECT 1")
        except psycopg.Error:
            return False
        return True

    def _ask(self, question: str) -> list[bytes | None]:
        """Rows of the fuzzed session, without the driver's own prepared statements."""
        result = self.session.pgconn.exec_(question.encode())
        if result.status != psycopg.pq.ExecStatus.TUPLES_OK:
            return [result.error_message]  # a dropped canary is a state, too
        return [
            result.get_value(r, c) for r in range(result.ntuples) for c in range(result.nfields)
        ]

    def close(self) -> None:
        super().close()
        for connection in (self.session, self.watcher, self.guard_dog):
            connection.close()
