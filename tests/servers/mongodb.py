"""A MongoDB wire server (SecantusDB, on WiredTiger) from a pinned environment of its own."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any

import pymongo
from pymongo.errors import OperationFailure, PyMongoError

from servers import flights, process, venvs
from servers.base import DEADLINE_SECONDS, OWNER, READER, Login, ProcessEngine, Server

_DATABASE = "toolbelt"
_INDEXES = {
    "airlines": ("carrier",),
    "airports": ("faa",),
    "flights": ("carrier",),
    "planes": ("tailnum",),
}

Document = dict[str, Any]


class MongoDB(ProcessEngine):
    """One standalone server with authentication; the owner is root, the reader may read."""

    engine = "mongodb"
    title = "MongoDB (SecantusDB)"
    install_hint = "make engines (PyPI's secantusdb, in an environment of its own)"

    def prepare(self) -> None:
        """Create the two users while nobody has to log in."""
        self.program()
        port = process.free_port()
        first = process.ServerProcess(
            [*self.command(port)[:-1]], self.folder, self.identity(), stop_signal=self.stop_signal
        )
        try:
            self._create_users(first, port)
        finally:
            first.stop()

    def program(self) -> str:
        place = venvs.locate("mongodb")
        if place is None:
            raise self.failure("is not installed")
        return str(place / "bin" / "secantusd-py")

    def command(self, port: int) -> list[str]:
        return [
            self.program(), "--host", "127.0.0.1", "--port", str(port),
            "--storage-path", str(self.folder / "data"), "--standalone", "--cache-size", "256M",
            "--auth",
        ]  # fmt: skip

    def _create_users(self, server: process.ServerProcess, port: int) -> None:
        deadline = time.monotonic() + DEADLINE_SECONDS
        while True:
            try:
                with _client(port, None) as client:
                    for login, role in ((OWNER, "root"), (READER, "readAnyDatabase")):
                        client.admin.command(
                            "createUser", login.user, pwd=login.password, roles=[role]
                        )
                return
            except OperationFailure as error:
                raise self.failure(f"refused to create a user: {error}") from error
            except PyMongoError as error:
                if server.ended() or time.monotonic() > deadline:
                    raise self.failure("did not start", server.log_tail()) from error
                time.sleep(0.05)

    def probe(self, port: int) -> Server | None:
        server = Server(
            self.engine, "", port=port, database=_DATABASE, extra={"AUTH_SOURCE": "admin"}
        )
        try:
            with connect(server) as client:
                client.admin.command("listDatabases")
                version = client.server_info()["version"]
        except OperationFailure as error:
            raise self.failure(f"refused its own owner: {error}") from error
        except PyMongoError:
            return None
        return server.with_version(str(version))

    def load_flights(self, server: Server) -> Server:
        loaded = server.with_database(flights.DATABASE)
        with connect(loaded) as client:
            database = client[flights.DATABASE]
            for table in flights.TABLES:
                for batch in _batches(_documents(table), 10_000):
                    database[table.name].insert_many(batch, ordered=False)
                for field in _INDEXES.get(table.name, ()):
                    database[table.name].create_index(field)
        return loaded


def connect(server: Server, login: Login | None = None) -> Any:
    """A client for set-up and checks; as owner unless a login is given."""
    return _client(server.port, login or server.owner)


def _client(port: int, login: Login | None) -> Any:
    return pymongo.MongoClient(
        "127.0.0.1", port, directConnection=True, serverSelectionTimeoutMS=1000,
        username=login.user if login else None, password=login.password if login else None,
    )  # fmt: skip


def _documents(table: flights.Table) -> Iterator[Document]:
    """One document a row; NULL stays null, times become dates."""
    times = [name for name, kind in table.columns.items() if kind == "time"]
    for row in flights.typed_rows(table):
        document: Document = dict(zip(table.columns, row, strict=True))
        for name in times:
            document[name] = datetime.fromisoformat(str(document[name]))
        yield document


def _batches(documents: Iterable[Document], size: int) -> Iterator[list[Document]]:
    iterator = iter(documents)
    while batch := list(islice(iterator, size)):
        yield batch
