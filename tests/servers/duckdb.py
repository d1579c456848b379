"""DuckDB: no server, but the same face, so that tests treat it like the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from servers import flights, process
from servers.base import Engine, Login, Server

_TYPES = {"text": "VARCHAR", "int": "INTEGER", "float": "DOUBLE", "time": "TIMESTAMP"}
_NOBODY = Login("", "")


class DuckDB(Engine):
    """A folder with an empty database file `toolbelt.duckdb`."""

    engine = "duckdb"
    title = "DuckDB"
    install_hint = "pip install duckdb (the duckdb extra has it)"

    def __init__(self) -> None:
        self.folder = Path()

    def start(self) -> Server:
        import duckdb

        self.folder = process.scratch_folder("duckdb", process.Identity())
        path = str(self.folder / "toolbelt.duckdb")
        connect(path).close()
        return Server(self.engine, duckdb.__version__, database=path, owner=_NOBODY, reader=_NOBODY)

    def load_flights(self, server: Server) -> Server:
        path = str(self.folder / "flights.duckdb")
        with connect(path) as connection:
            for table in flights.TABLES:
                create, *indexes = flights.ddl(table, _TYPES)
                connection.execute(create)
                source = self.folder / f"{table.name}.csv"
                source.write_bytes(flights.csv_bytes(table))
                connection.execute(
                    f"COPY {table.name} FROM '{source}' (HEADER, NULLSTR '{flights.NULL}')"
                )
                source.unlink()
                for index in indexes:
                    connection.execute(index)
        return server.with_database(path)

    def stop(self) -> None:
        if self.folder != Path():
            process.remove_folder(self.folder)
            self.folder = Path()


def connect(path: str) -> Any:
    """A connection that may write."""
    import duckdb

    return duckdb.connect(path)
