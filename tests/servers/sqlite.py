"""SQLite: no server, but the same face, so that tests treat it like the others."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from servers import flights, process
from servers.base import Engine, Login, Server

_TYPES = {"text": "TEXT", "int": "INTEGER", "float": "REAL", "time": "TIMESTAMP"}
_NOBODY = Login("", "")


class SQLite(Engine):
    """A folder with an empty database file `toolbelt.db`."""

    engine = "sqlite"
    title = "SQLite"
    install_hint = "SQLite comes with Python"

    def __init__(self) -> None:
        self.folder = Path()

    def start(self) -> Server:
        self.folder = process.scratch_folder("sqlite", process.Identity())
        path = self.folder / "toolbelt.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("VACUUM")
        return Server(
            self.engine, sqlite3.sqlite_version, database=str(path), owner=_NOBODY, reader=_NOBODY
        )

    def load_flights(self, server: Server) -> Server:
        path = self.folder / "flights.db"
        load_flights(path)
        return server.with_database(str(path))

    def stop(self) -> None:
        if self.folder != Path():
            process.remove_folder(self.folder)
            self.folder = Path()


def load_flights(path: Path) -> None:
    """Write the five tables into a new SQLite file."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=OFF")
        connection.execute("PRAGMA synchronous=OFF")
        for table in flights.TABLES:
            create, *indexes = flights.ddl(table, _TYPES)
            connection.execute("BEGIN")
            connection.execute(create)
            marks = ", ".join("?" * len(table.columns))
            connection.executemany(
                f"INSERT INTO {table.name} VALUES ({marks})", flights.text_rows(table)
            )
            for index in indexes:
                connection.execute(index)
            connection.execute("COMMIT")
        connection.execute("ANALYZE")
