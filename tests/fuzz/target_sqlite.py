"""SQLite on a writable file, every text run to its end, with traps for functions of the shell."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from fuzz.targets import MARKER, Target

_SCHEMA = """
CREATE TABLE canary (id INTEGER PRIMARY KEY, secret TEXT); INSERT INTO canary VALUES (1, 'one'), (2, 'two');
CREATE TABLE t (a INT, b TEXT, id INT, total REAL, name TEXT, x REAL, v TEXT);
INSERT INTO t VALUES (1, 'b', 1, 2.5, 'n', 0.01, 'w'), (2, NULL, 2, 1, 'm', 0.02, 'w');
CREATE TABLE orders AS SELECT *, a AS customer_id, b AS status, b AS region, 'd' AS created_at FROM t;
CREATE TABLE customers AS SELECT *, b AS country, b AS email FROM t;
CREATE TABLE u AS SELECT * FROM t; CREATE TABLE x AS SELECT * FROM t; CREATE TABLE docs AS SELECT *, '{}' AS data FROM t;
PRAGMA user_version = 5;
"""
# Functions that the guard denies and this library lacks: traps that tell when they are called.
_TRAPS = (
    "readfile", "writefile", "edit", "eval", "exec", "fsdir", "zipfile", "load_extension", "sqlar_compress",
    "shell_add_schema", "sha3_query", "lsmode", "fts3_tokenizer",
)  # fmt: skip
_WATCHED = (
    "user_version", "application_id", "journal_mode", "query_only", "cache_size", "foreign_keys", "synchronous",
    "temp_store", "writable_schema", "locking_mode", "auto_vacuum", "page_size", "mmap_size", "recursive_triggers",
    "busy_timeout", "trusted_schema", "secure_delete", "database_list", "automatic_index", "case_sensitive_like",
)  # fmt: skip
_READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}


class SQLiteTarget(Target):
    """The authorizer only notes what a statement did besides reading; it forbids nothing."""

    dialect = "sqlite"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        (folder / "canary.txt").write_text(MARKER)
        self.path = folder / "fuzz.db"
        self.sprung: list[str] = []
        self.done: set[tuple[int, str]] = set()
        self.session = sqlite3.connect(self.path)
        self.reset()

    def fill(self) -> dict[str, str]:
        return {"file": str(self.folder / "canary.txt"), "dir": str(self.folder)}

    def reset(self) -> None:
        self.session.close()
        for path in self.folder.iterdir():
            if path.name != "canary.txt":
                path.unlink()
        self.session = sqlite3.connect(self.path, isolation_level=None)
        self.session.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1_000_000)  # randomblob(1000000000)
        self.session.executescript(_SCHEMA)
        for name in _TRAPS:
            self.session.create_function(name, -1, self._trap(name))
        self.sprung.clear()
        self.done.clear()
        self.session.set_authorizer(self._note)

    def _trap(self, name: str) -> object:
        def spring(*_arguments: object) -> None:
            self.sprung.append(name)

        return spring

    def _note(
        self, action: int, first: str | None, second: str | None, _db: str | None, _by: str | None
    ) -> int:
        # A PRAGMA without a value reads; virtual tables name themselves in sqlite_master at first use.
        reads = action in _READING or (action == sqlite3.SQLITE_PRAGMA and second is None)
        if not reads and not (action == sqlite3.SQLITE_UPDATE and first == "sqlite_master"):
            self.done.add((action, (first or "").lower()))
        return sqlite3.SQLITE_OK

    def run(self, statement: str) -> str:
        deadline = time.monotonic() + 0.25
        self.session.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
        try:
            self.session.executescript(statement)
        except (sqlite3.Error, ValueError, UnicodeEncodeError):
            self.errors += 1
        return ""

    def observed(self) -> Iterator[tuple[str, object]]:
        yield "traps", list(self.sprung)
        yield "actions", sorted(self.done - _ALLOWED_ACTIONS)
        self.session.set_progress_handler(None, 0)
        self.session.set_authorizer(None)
        yield "in transaction", self.session.in_transaction
        yield "changes", self.session.total_changes
        for name in _WATCHED:
            rows = self.session.execute(f"PRAGMA {name}").fetchall()
            # Looking for temporary tables makes the empty `temp` database show.
            yield name, [row for row in rows if row != (1, "temp", "")]
        yield "temporary", self.session.execute("SELECT name FROM sqlite_temp_master").fetchall()
        self.session.set_authorizer(self._note)

    def close(self) -> None:
        super().close()
        self.session.close()


# PRAGMAs that read with an argument.
_ALLOWED_ACTIONS = {
    (sqlite3.SQLITE_PRAGMA, name)
    for name in (
        "table_info",
        "table_xinfo",
        "table_list",
        "index_list",
        "index_info",
        "index_xinfo",
        "foreign_key_list",
        "foreign_key_check",
        "integrity_check",
        "quick_check",
        "database_list",
        "collation_list",
        "function_list",
        "module_list",
        "pragma_list",
        "compile_options",
    )
}
