"""Short ways to a PostgreSQL session of ours in tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import pytest

from dbtools import connection as connections
from dbtools.connection import Connection
from dbtools.drivers.base import Execution, Placeholder
from dbtools.drivers.postgres import connect
from dbtools.drivers.postgres.session import PostgresSession
from dbtools.result import ResultSet
from servers import Login, Server
from toolbelt.errors import ToolError


def connection(server: Server, login: Login | None = None, **options: str) -> Connection:
    """The connection that the DB_* variables of a server describe; the owner's unless told."""
    extra = {f"DB_{key.upper()}": value for key, value in options.items()}
    return connections.find(None, {**server.env(login or server.owner), **extra})


@contextmanager
def session(
    server: Server, login: Login | None = None, timeout: float = 20.0, **options: str
) -> Iterator[PostgresSession]:
    opened = connect(connection(server, login, **options), timeout)
    try:
        yield opened
    finally:
        opened.close()


def cells(result: ResultSet) -> list[list[object]]:
    """All rows, each cell as JSON would print it."""
    return [
        [
            c(cell) if c and cell is not None else cell
            for c, cell in zip(result.converters, row, strict=True)
        ]
        for row in result.rows
    ]


def query(
    server: Server, *segments: str | Placeholder, login: Login | None = None, **parameters: object
) -> list[list[object]]:
    """The rows of one statement in a session of its own."""
    with session(server, login) as opened:
        return cells(opened.execute(Execution(segments, parameters)))


def execution(text: str, **more: object) -> Execution:
    return replace(Execution((text,)), **more)


def failure(
    server: Server,
    *segments: str | Placeholder,
    parameters: Mapping[str, object] | None = None,
    timeout: float = 20.0,
) -> ToolError:
    """What a statement that must fail fails with, at once or while its rows are read."""
    with session(server, timeout=timeout) as opened, pytest.raises(ToolError) as caught:
        cells(opened.execute(Execution(segments, parameters or {})))
    return caught.value


def refusal(wanted: Connection, *secrets: str) -> ToolError:
    """Why a session cannot be opened: one line, and never a secret."""
    with pytest.raises(ToolError) as caught:
        connect(wanted, 5).close()
    told = str(caught.value.body())
    assert "\n" not in caught.value.message
    assert not any(secret in told for secret in secrets)
    return caught.value


def answer(wanted: Connection, text: str = "SELECT 1") -> object:
    opened = connect(wanted, 5)
    try:
        return cells(opened.execute(execution(text)))[0][0]
    finally:
        opened.close()
