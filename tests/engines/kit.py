"""Short ways to a session of ours with any engine, in tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

from dbtools import connection as connections
from dbtools import drivers
from dbtools.connection import Connection
from dbtools.drivers.base import Execution, Placeholder, Session
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
) -> Iterator[Session]:
    """An open session, closed at the end."""
    described = connection(server, login, **options)
    opened = drivers.load(described.engine).connect(described, timeout)
    try:
        yield opened
    finally:
        opened.close()


def cells(result: ResultSet) -> list[list[object]]:
    """All rows, each cell as JSON would print it."""
    return [
        [
            cell if c is None or cell is None else c(cell)
            for c, cell in zip(result.converters, row, strict=True)
        ]
        for row in result.rows
    ]


def query(
    server: Server,
    *segments: str | Placeholder,
    login: Login | None = None,
    parameters: Mapping[str, object] | None = None,
    **options: str,
) -> list[list[object]]:
    """The rows of one statement in a session of its own."""
    with session(server, login, **options) as opened:
        return cells(opened.execute(Execution(segments, parameters or {})))


def failure(
    server: Server, *segments: str | Placeholder, timeout: float = 20.0, **parameters: object
) -> ToolError:
    """What a statement that must fail fails with, at once or while its rows are read."""
    with session(server, timeout=timeout) as opened, pytest.raises(ToolError) as caught:
        cells(opened.execute(Execution(segments, parameters)))
    return caught.value


def refusal(server: Server, login: Login | None = None, **options: str) -> ToolError:
    """What a connection that must fail fails with."""
    with pytest.raises(ToolError) as caught, session(server, login, **options):
        pass
    return caught.value
