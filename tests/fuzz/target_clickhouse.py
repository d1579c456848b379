"""ClickHouse (chDB) as a login that may write, read files and reach the network; one text a request."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from pathlib import Path

from fuzz.targets import MARKER, Target
from servers import Server
from servers.clickhouse import execute

_DATABASE = "canaries"
_COLUMNS = "a Int32, b Nullable(String), id Int32, total Float64, name String, x Float64, v String"
_ROWS = "(1, 'b', 1, 2.5, 'n', 0.01, 'w'), (2, NULL, 2, 1, 'm', 0.02, 'w')"
_SCHEMA = (
    f"DROP DATABASE IF EXISTS {_DATABASE} SYNC",
    f"CREATE DATABASE {_DATABASE}",
    f"CREATE TABLE {_DATABASE}.canary (id Int32, secret String) ENGINE = MergeTree ORDER BY id",
    f"INSERT INTO {_DATABASE}.canary VALUES (1, 'one'), (2, 'two')",
    *(
        statement
        for name in ("t", "orders", "customers", "u", "x", "docs")
        for statement in (
            f"CREATE TABLE {_DATABASE}.{name} ({_COLUMNS}) ENGINE = MergeTree ORDER BY id",
            f"INSERT INTO {_DATABASE}.{name} VALUES {_ROWS}",
        )
    ),
)
_SETTINGS = {
    "max_execution_time": "0.5",
    "max_result_rows": "100000",
    "http_max_tries": "1",
    "http_connection_timeout": "1",
    "http_receive_timeout": "1",
    "max_memory_usage": "500000000",
    "max_threads": "1",
}
_WATCHED = {
    "canary": "SELECT * FROM canary ORDER BY id",
    "rows": f"SELECT name, total_rows FROM system.tables WHERE database = '{_DATABASE}' ORDER BY name",
    "tables": "SELECT database, name, uuid, metadata_modification_time FROM system.tables"
    " WHERE database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema') ORDER BY 1, 2",
    "databases": "SELECT name FROM system.databases ORDER BY name",
    "functions": "SELECT name FROM system.functions WHERE origin = 'SQLUserDefined' ORDER BY name",
    "mutations": "SELECT count() FROM system.mutations",
    "dictionaries": "SELECT count() FROM system.dictionaries",
    # Counters of what a read never does.
    "counters": "SELECT event, value FROM system.events WHERE event IN ('InsertQuery',"
    " 'InsertedRows', 'SleepFunctionCalls', 'AsyncInsertQuery', 'MergeTreeDataWriterRows',"
    " 'Merge', 'MutatedRows', 'DiskS3PutObject') ORDER BY event",
}


class ClickHouseTarget(Target):
    """Settings stick to a request only, so that state can only show in tables, files and counters."""

    dialect = "clickhouse"

    def __init__(self, folder: Path, server: Server) -> None:
        super().__init__(folder)
        self.maker = server  # its database is never dropped
        self.server = server.with_database(_DATABASE)
        (folder / "canary.txt").write_text(MARKER)
        self.reset()

    def fill(self) -> dict[str, str]:
        return {
            "file": str(self.folder / "canary.txt"),
            "dir": str(self.folder),
            "port": str(self.listener.port),
        }

    def _execute(self, statement: str, **settings: str) -> str:
        return execute(self.server, statement, **settings)

    def reset(self) -> None:
        for statement in _SCHEMA:
            execute(self.maker, statement)
        for name in self._execute(_WATCHED["functions"]).split():
            self._execute(f"DROP FUNCTION `{name}`")
        for path in self.folder.iterdir():
            if path.name != "canary.txt":
                path.unlink()

    def run(self, statement: str) -> str:
        try:
            return self._execute(statement, **_SETTINGS)[:100_000]
        except ConnectionRefusedError:
            return "session lost"
        except (RuntimeError, UnicodeEncodeError, TimeoutError, http.client.HTTPException) as error:
            self.errors += 1  # the engine refused it, or cut the answer off
            return str(error)

    def observed(self) -> Iterator[tuple[str, object]]:
        for name, question in _WATCHED.items():
            try:
                yield name, self._execute(question)
            except RuntimeError as error:  # a dropped canary is a state, too
                yield name, str(error)[:200]
