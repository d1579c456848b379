"""SQLite: a file opened so that nothing can be written, attached or loaded through it."""

from __future__ import annotations

import json
import math
import os
import re
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from dbtools.connection import Connection
from dbtools.drivers.base import CatalogRequest, Execution, Privileges, timeout_error
from dbtools.result import Column, ResultSet, Row
from toolbelt.errors import ToolError
from toolbelt.jsonvalue import NOT_FINITE, NOT_UTF8, SAFE_INTEGER, base64_text

if TYPE_CHECKING:
    from dbtools.catalog import Catalog

_LENGTH = 64_000_000
_BUSY_SECONDS = 5.0
# The first of these chunks is looked at for a column's type: SQLite types cells, not columns.
_FETCH_ROWS = 100
_NOT_TEXT = "Could not decode to UTF-8"
_DENIED_FUNCTIONS = frozenset(
    ("load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "sqlite_dbpage")
)
# The guard's lists, once more: pragmas that only tell, without and with an argument.
_PRAGMAS = frozenset(
    "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list "
    "database_list collation_list function_list module_list pragma_list compile_options "
    "foreign_key_check integrity_check quick_check user_version application_id schema_version "
    "data_version encoding journal_mode page_count page_size freelist_count foreign_keys "
    "cache_size synchronous auto_vacuum query_only busy_timeout temp_store locking_mode "
    "max_page_count mmap_size automatic_index cache_spill cell_size_check "
    "checkpoint_fullfsync default_cache_size defer_foreign_keys fullfsync hard_heap_limit "
    "ignore_check_constraints journal_size_limit legacy_alter_table read_uncommitted "
    "recursive_triggers reverse_unordered_selects secure_delete soft_heap_limit threads "
    "trusted_schema wal_autocheckpoint writable_schema analysis_limit full_column_names "
    "short_column_names count_changes".split()
)
_PRAGMAS_WITH_ARGUMENT = frozenset(
    "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list "
    "database_list collation_list function_list module_list pragma_list compile_options "
    "foreign_key_check integrity_check quick_check".split()
)
# Tables that SQLite makes when they are first named, and then asks to UPDATE sqlite_master.
# Those of full-text search and R-trees prepare writing statements, too, when they are first read.
_MADE_WHEN_NAMED = re.compile(
    r"(?i)pragma_[a-z_]+|json_each|json_tree|jsonb_each|jsonb_tree|dbstat"
)
_VIRTUAL = "SELECT name FROM sqlite_master WHERE type='table' AND sql LIKE 'CREATE VIRTUAL TABLE%'"
_TYPE_NAMES = {int: "integer", float: "real", str: "text", bytes: "blob"}


def connect(connection: Connection, timeout_seconds: float) -> SQLiteSession:
    """Open the database file read-only; a missing file is never created."""
    path = Path(connection.database)
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise ToolError(
            "CONNECTION_FAILED", f"The SQLite file {connection.database!r} {what}.",
            hint=f"check {connection.source}{'NAME' if connection.source == 'DB_' else 'DB'}",
        )  # fmt: skip
    return SQLiteSession(connection, path, timeout_seconds)


class SQLiteSession:
    """One read-only handle on a database file."""

    def __init__(self, connection: Connection, path: Path, timeout_seconds: float) -> None:
        self._path = path
        self._deadline = time.monotonic() + timeout_seconds
        self._timeout = timeout_seconds
        self._stopped: BaseException | None = None
        self.warnings: dict[str, None] = {}
        self._columns_read: set[str] = set()
        try:
            self._db = self._open()
        except sqlite3.Error as error:
            raise self.map_error(error, opening=True) from error

    def _open(self) -> sqlite3.Connection:
        db = self._handle("mode=ro")
        try:
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            db.close()
            if _name(error) not in ("SQLITE_CANTOPEN", "SQLITE_READONLY_CANTINIT"):
                raise
            # WAL in a folder we may not write. Without pending WAL pages the file itself is whole.
            wal = Path(f"{self._path}-wal")
            if not os.access(self._path, os.R_OK) or (wal.exists() and wal.stat().st_size > 0):
                raise
            db = self._handle("mode=ro&immutable=1")
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return db

    def _handle(self, mode: str) -> sqlite3.Connection:
        db = sqlite3.connect(
            f"file:{quote(str(self._path.resolve()))}?{mode}",
            uri=True,
            timeout=min(_BUSY_SECONDS, self._timeout),
            isolation_level=None,
        )
        for pragma in ("query_only=on", "trusted_schema=off", "cell_size_check=on"):
            db.execute(f"PRAGMA {pragma}")
        db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LENGTH)
        db.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 4_000_000)
        if hasattr(db, "enable_load_extension"):
            db.enable_load_extension(False)
        db.set_progress_handler(self._tick, 10_000)
        return db

    def _tick(self) -> int:
        # Python signal handlers run in here: keep what they raise, sqlite3 would swallow it.
        try:
            return int(time.monotonic() > self._deadline)
        except BaseException as stop:
            self._stopped = stop
            return 1

    def _text(self, raw: bytes) -> str:
        try:
            return str(raw, "utf-8")
        except UnicodeDecodeError:
            self.warnings[NOT_UTF8] = None
            return base64_text(raw)

    def _restrict(self, text: str) -> None:
        names = {found.lower() for found in _MADE_WHEN_NAMED.findall(text)}
        names.update(str(row[0]).replace('"', '""') for row in self._db.execute(_VIRTUAL))
        for name in names:
            with suppress(sqlite3.Error):  # an unknown one is told of when the statement runs
                self._db.execute(f'SELECT 1 FROM "{name}" LIMIT 0')  # noqa: S608
        self._db.set_authorizer(self._authorize)

    def _authorize(
        self, action: int, first: str | None, second: str | None, database: str | None,
        source: str | None,
    ) -> int:  # fmt: skip
        if action == sqlite3.SQLITE_READ and second:
            self._columns_read.add(second.lower())
        return _authorize(action, first, second, database, source)

    def execute(self, execution: Execution) -> ResultSet:
        """Run one statement; cells arrive one a step, nothing is buffered."""
        self._restrict(execution.text())
        try:
            cursor = self._db.execute(execution.text(), _bindings(execution.parameters))
            first = self._fetch(cursor)
        except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
            raise self.map_error(error) from error
        names = [d[0] for d in cursor.description or ()]
        columns = [Column(n, _sampled_type(first, i)) for i, n in enumerate(names)]
        cell = self._cell_numbers if execution.numbers_as_number else self._cell
        return ResultSet(
            columns=columns,
            rows=chain(first, chain.from_iterable(self._rest(cursor))),
            converters=[cell] * len(columns),
            raw_is_json=True,
            warnings=self.warnings,
            columns_read=self._columns_read,
        )

    def _rest(self, cursor: sqlite3.Cursor) -> Iterator[list[Row]]:
        try:
            while rows := self._fetch(cursor):
                yield rows
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise self.map_error(error) from error

    def _fetch(self, cursor: sqlite3.Cursor) -> list[Row]:
        """The next rows. Text is read the library's fast way until one cell is not UTF-8.

        The row with that cell is then read again: the library steps on behind a whole row only,
        and what a list was extended by stays in it.
        """
        rows: list[Row] = []
        try:
            rows.extend(islice(cursor, _FETCH_ROWS))
        except sqlite3.OperationalError as error:
            if not str(error).startswith(_NOT_TEXT) or self._db.text_factory == self._text:
                raise
            self._db.text_factory = self._text
            rows.extend(islice(cursor, _FETCH_ROWS - len(rows)))
        return rows

    def _cell(self, value: object) -> object:
        kind = type(value)
        if kind is str or value is None:
            return value
        if kind is int:
            return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else str(value)  # type: ignore[operator]
        return self._rare_cell(value)

    def _cell_numbers(self, value: object) -> object:
        return value if type(value) is int else self._cell(value)

    def _rare_cell(self, value: object) -> object:
        if isinstance(value, float):
            if math.isfinite(value):
                return value
            self.warnings[NOT_FINITE] = None
            return None
        return base64_text(value) if isinstance(value, bytes) else value

    def catalog(self, request: CatalogRequest) -> Catalog:
        """Tables, views, keys and indexes; estimates from ANALYZE or the highest rowid."""
        from dbtools.drivers import sqlite_catalog

        # Names need not be UTF-8 either.
        self._db.text_factory = self._text
        try:
            return sqlite_catalog.read(self._db, request)
        except sqlite3.Error as error:
            raise self.map_error(error) from error

    def privileges(self) -> Privileges:
        """A file has no logins: what counts is whether this process may write it."""
        if not os.access(self._path, os.W_OK):
            return Privileges(login="this process")
        why = f"the file {self._path} is writable for this process"
        return Privileges("this process", (why,), (f"chmod a-w '{self._path}'",))

    def cancel(self) -> None:
        self._db.interrupt()

    def close(self) -> None:
        self._db.close()

    def map_error(self, error: Exception, *, opening: bool = False) -> ToolError:
        """A sqlite3 exception as our error, with SQLite's own result code name."""
        if self._stopped is not None:
            stopped, self._stopped = self._stopped, None
            raise stopped
        name, text = _name(error), str(error)
        detail: dict[str, object] = {"engineCode": name} if name else {}
        if name == "SQLITE_INTERRUPT" or text == "interrupted":
            if time.monotonic() <= self._deadline:
                # A signal arrived before _tick could keep it: only Ctrl-C comes this early.
                raise KeyboardInterrupt from error
            return timeout_error(self._timeout, detail)
        if name in ("SQLITE_NOTADB", "SQLITE_CANTOPEN") or opening:
            other = name != "SQLITE_NOTADB"
            why = f"cannot be read: {text}" if other else "is not an SQLite database"
            return ToolError(
                "CONNECTION_FAILED", f"The file {str(self._path)!r} {why}.",
                hint="check the path, its permissions, and that it is an SQLite 3 file",
                detail=detail,
            )  # fmt: skip
        hints = {
            "SQLITE_CORRUPT": "the file is damaged: restore it, or try sqlite3's .recover",
            "SQLITE_BUSY": "a writer holds the database: try again",
            "SQLITE_TOOBIG": f"a cell may hold {_LENGTH // 1_000_000} MB at most: use substr()",
        }
        hint = hints.get(name, "")
        if text.startswith("unsafe use of virtual table"):
            hint = "a view may not read a virtual table here: query that table itself"
        return ToolError("QUERY_FAILED", f"SQLite: {text}", hint=hint, detail=detail)


def _name(error: Exception) -> str:
    return str(getattr(error, "sqlite_errorname", "") or "")


def _bindings(parameters: Mapping[str, object]) -> dict[str, object]:
    return {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value
        for name, value in parameters.items()
    }


def _sampled_type(rows: list[Row], index: int) -> str:
    kinds = {type(row[index]) for row in rows} - {type(None)}
    if not kinds:
        return "null"
    return _TYPE_NAMES[kinds.pop()] if len(kinds) == 1 else "any"


def _authorize(
    action: int, first: str | None, second: str | None, _database: str | None, _source: str | None
) -> int:
    """Deny by default: reading, functions that only compute, and pragmas that only tell."""
    if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE):
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION:
        denied = (second or "").lower() in _DENIED_FUNCTIONS
        return sqlite3.SQLITE_DENY if denied else sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA:
        pragma = (first or "").lower()
        known = _PRAGMAS if second is None else _PRAGMAS_WITH_ARGUMENT
        return sqlite3.SQLITE_OK if pragma in known else sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_DENY
