"""DuckDB: a database file, or CSV, Parquet and JSON files as tables, closed to everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from dbtools.connection import Connection
from dbtools.drivers import duckdb_types
from dbtools.drivers.base import (
    CatalogRequest,
    Execution,
    Placeholder,
    Privileges,
    timeout_error,
)
from dbtools.result import Column, ResultSet, Row
from toolbelt.envelope import one_line
from toolbelt.errors import ToolError
from toolbelt.jsonvalue import Encoder

if TYPE_CHECKING:
    from dbtools.catalog import Catalog

Answer = TypeVar("Answer")

_FETCH_ROWS = 1000
_DESCRIBE = "DESCRIBE "
_READERS = {
    ".csv": "read_csv", ".tsv": "read_csv", ".parquet": "read_parquet", ".json": "read_json",
    ".jsonl": "read_json", ".ndjson": "read_json",
}  # fmt: skip
_MOST_FILES = 1000
# Everything that could reach past the tables, shut before the first statement.
_CLOSED = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "temp_directory": "",
    "memory_limit": "1GB",
    "threads": "2",
}


def connect(connection: Connection, timeout_seconds: float) -> DuckSession:
    """Open a database file read-only, or an empty database with a view for each data file."""
    path = Path(connection.database)
    if not path.exists():
        raise ToolError(
            "CONNECTION_FAILED", f"No DuckDB file or folder is at {connection.database!r}.",
            hint=f"check {connection.source}{'NAME' if connection.source == 'DB_' else 'DB'}",
        )  # fmt: skip
    return DuckSession(connection, path, timeout_seconds)


class DuckSession:
    """One database in this process; a worker thread runs it, so that signals reach us."""

    def __init__(self, connection: Connection, path: Path, timeout_seconds: float) -> None:
        self._connection = connection
        self._path = path
        self._timeout = timeout_seconds
        self._cancelled = False
        self._unread: list[str] = []
        try:
            self._db = self._open(path)
        except duckdb.Error as error:
            raise self.map_error(error, opening=True) from error

    def _open(self, path: Path) -> Any:
        if path.is_dir() or path.suffix.lower() in _READERS:
            db = duckdb.connect(":memory:", config=dict(_CLOSED))
            files = self._views(db, _data_files(path, self._unread))
            db.execute(f"SET allowed_paths = [{', '.join(_text(f) for f in files.values())}]")
        else:
            db = duckdb.connect(str(path), read_only=True, config=dict(_CLOSED))
            # A second session of one process shares the first one's instance, closed already.
            if db.execute("SELECT current_setting('lock_configuration')").fetchall()[0][0]:
                return db
        db.execute("SET enable_external_access = false")
        db.execute("SET lock_configuration = true")
        return db

    def _views(self, db: Any, files: dict[str, Path]) -> dict[str, Path]:
        """A view for each file; one that cannot be read is left out and told of."""
        made: dict[str, Path] = {}
        for name, file in files.items():
            source = f"{_READERS[file.suffix.lower()]}({_text(file)})"
            try:
                db.execute(f"CREATE VIEW {_quoted(name)} AS SELECT * FROM {source}")  # noqa: S608
            except duckdb.Error as error:
                if len(files) == 1:
                    raise
                self._unread.append(f"{file.name} cannot be read: {one_line(str(error))}")
            else:
                made[name] = file
        return made

    def execute(self, execution: Execution) -> ResultSet:
        """Run one statement; temporal columns come back as DuckDB's own text."""
        text, parameters = _bound(execution)
        try:
            columns = self._described(execution, text, parameters)
            sent = text if columns is None else _wrapped(text, columns)
            cursor = self._run(lambda: self._db.execute(sent, parameters or None))
            if columns is None:
                columns = [Column(d[0], _type(d[1])) for d in cursor.description or ()]
            first: list[Row] = self._run(lambda: cursor.fetchmany(_FETCH_ROWS))
        except duckdb.Error as error:
            raise self.map_error(error) from error
        encoder = Encoder(numbers_as_number=execution.numbers_as_number)
        return ResultSet(
            columns=columns,
            rows=chain(first, chain.from_iterable(self._rest(cursor))),
            converters=[duckdb_types.converter(c.type, encoder) for c in columns],
            warnings=encoder.warnings,
        )

    def _described(
        self, execution: Execution, text: str, parameters: dict[str, object]
    ) -> list[Column] | None:
        """The statement's columns where some of them need DuckDB's own text, else None."""
        if execution.kind not in ("SELECT", "VALUES", "TABLE"):
            return None
        try:
            described = self._run(
                lambda: self._db.execute(_DESCRIBE + text, parameters or None).fetchall()
            )
        except duckdb.Error as error:
            raise self.map_error(error, shift=len(_DESCRIBE)) from error
        columns = [Column(str(row[0]), _type(row[1])) for row in described]
        return columns if any(duckdb_types.as_text(c.type) for c in columns) else None

    def _run(self, call: Callable[[], Answer]) -> Answer:
        """Call in a thread: DuckDB looks at no signal while it works."""
        done = Event()
        outcome: dict[str, Any] = {}

        def work() -> None:
            try:
                outcome["value"] = call()
            except BaseException as error:
                outcome["error"] = error
            done.set()

        Thread(target=work, daemon=True).start()
        try:
            while not done.wait(0.05):
                continue
        except BaseException:
            self._db.interrupt()
            done.wait(1.0)
            raise
        if "error" in outcome:
            raise outcome["error"]
        value: Answer = outcome["value"]
        return value

    def _rest(self, cursor: Any) -> Iterator[list[Row]]:
        try:
            while rows := self._run(lambda: cursor.fetchmany(_FETCH_ROWS)):
                yield rows
        except duckdb.Error as error:
            raise self.map_error(error) from error

    def catalog(self, request: CatalogRequest) -> Catalog:
        """Tables, views and the files given as tables, in three statements."""
        from dbtools.drivers import duckdb_catalog

        try:
            found = self._run(lambda: duckdb_catalog.read(self._db, request, duckdb.__version__))
        except duckdb.Error as error:
            raise self.map_error(error) from error
        return replace(found, missing=(*found.missing, *self._unread))

    def privileges(self) -> Privileges:
        """A file has no logins; the database is open read-only and closed to other files."""
        return Privileges(login="this process")

    def cancel(self) -> None:
        self._cancelled = True
        self._db.interrupt()

    def close(self) -> None:
        # A call that heeds no interrupt still holds the handle; it ends with the process.
        with suppress(duckdb.Error):
            self._db.close()

    def map_error(self, error: Exception, *, opening: bool = False, shift: int = 0) -> ToolError:
        """A DuckDB exception as our error, with the position its caret marks.

        shift: characters we put before the caller's text.
        """
        kind, text = type(error).__name__, str(error)
        if isinstance(error, duckdb.InterruptException):
            return timeout_error(self._timeout)
        message = one_line(text.partition("\n\nLINE ")[0].partition("\n\n")[0])
        if opening:
            return ToolError(
                "CONNECTION_FAILED", f"The file {str(self._path)!r} cannot be opened: {message}",
                hint="it must be a DuckDB database, or CSV, Parquet or JSON files",
            )  # fmt: skip
        detail: dict[str, object] = {"engineCode": kind}
        position = _position(text) - shift
        if position > 0:
            detail["position"] = position
        hint = ""
        if self._unread and isinstance(error, duckdb.CatalogException):
            hint = f"not all files are tables: {'; '.join(self._unread[:3])}"
        return ToolError("QUERY_FAILED", f"DuckDB: {message}", hint=hint, detail=detail)


def _data_files(path: Path, unread: list[str]) -> dict[str, Path]:
    """Table name -> file, for one file or the data files of a folder (not of its subfolders).

    A link in the folder that leads out of it is no table; `unread` says so.
    """
    if path.is_file():
        return {path.stem: path.resolve()}
    folder = path.resolve()
    found: dict[str, Path] = {}
    for file in sorted(folder.iterdir()):
        if file.suffix.lower() not in _READERS or not file.is_file():
            continue
        if file.is_symlink() and file.resolve().parent != folder:
            unread.append(f"{file.name} is a link that leads out of the folder")
            continue
        found[file.stem if file.stem not in found else file.name] = file
    if not found:
        raise ToolError(
            "CONNECTION_FAILED", f"The folder {str(path)!r} holds no CSV, Parquet or JSON file.",
            hint=f"file name endings: {', '.join(_READERS)}",
        )  # fmt: skip
    if len(found) > _MOST_FILES:
        raise ToolError(
            "CONNECTION_FAILED", f"The folder {str(path)!r} holds {len(found)} data files.",
            hint=f"at most {_MOST_FILES} become tables: name a smaller folder",
        )  # fmt: skip
    return found


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _bound(execution: Execution) -> tuple[str, dict[str, object]]:
    """The text with `$name` for each placeholder, and the values DuckDB takes."""
    text = "".join(f"${s.name}" if isinstance(s, Placeholder) else s for s in execution.segments)
    return text, dict(execution.parameters)


def _type(described: object) -> str:
    return str(described).strip('"') if str(described) == '"NULL"' else str(described)


def _wrapped(text: str, columns: list[Column]) -> str:
    """The approved text as a subquery, its temporal columns cast to text on the way out."""
    names = [f"c{i}" for i in range(len(columns))]
    picked = ", ".join(
        f"CAST({n} AS {wanted})" if (wanted := duckdb_types.as_text(c.type)) else n
        for n, c in zip(names, columns, strict=True)
    )
    return f"SELECT {picked} FROM ({text}\n) AS q({', '.join(names)})"  # noqa: S608


def _position(text: str) -> int:
    """1-based offset of the caret under `LINE 1: ...`, 0 when the excerpt was cut."""
    lines = text.split("\n")
    for i, line in enumerate(lines[:-1]):
        if line.startswith("LINE 1: ") and "..." not in line[:12] and "^" in lines[i + 1]:
            return lines[i + 1].index("^") - len("LINE 1: ") + 1
    return 0
