"""The caller of a call that runs behind the broker: its files are the client's to open."""

from __future__ import annotations

import io
import json
import os
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import NoReturn

from dbtools import connection as connections
from dbtools.broker import wire
from dbtools.broker.operator import Operator
from dbtools.caller import Target
from dbtools.engines import ENGINES
from toolbelt.errors import ToolError
from toolbelt.publish import CheckedFile
from toolbelt.workspace import Input

_BUFFER = 256 * 1024


class Client:
    """The client at the other end of the channel.

    operator: what the broker was configured with. told: the client's own non-secret variables.
    leave: ends this process at once.
    """

    def __init__(
        self,
        channel: socket.socket,
        operator: Operator,
        told: dict[str, str],
        leave: Callable[[int], NoReturn],
    ) -> None:
        self._channel = channel
        self._operator = operator
        self._told = told
        self._leave = leave

    def begin(self, connection: str | None) -> None:
        """Hand the call back if its database is a file, or a connection of the client's own.

        A file's engine needs no secret, and its rights must be the client's.
        """
        if self._operator.is_foreign(self._told, connection):
            self._run_there()
        try:
            found = connections.find(connection)
        except ToolError:
            # The command meets it again and tells it in its own order.
            return
        if ENGINES[found.engine].files:
            self._run_there(*self._operator.variables(found))

    def _run_there(self, *variables: str) -> NoReturn:
        self.say("here", *variables)
        self._leave(0)

    def input(self, path: str, workspace: str | None) -> Input:
        facts, descriptor = self._ask("input", path, _option(workspace))
        where, relative, size, device, inode = facts
        return Input(
            path=Path(where),
            relative=relative,
            size=int(size),
            identity=(int(device), int(inode)),
            file=os.fdopen(descriptor, "rb"),
        )

    def output(
        self, path: str, workspace: str | None, *, force: bool
    ) -> AbstractContextManager[Target]:
        facts, descriptor = self._ask("open", path, _option(workspace), "1" if force else "")
        return RemoteOutput(self, Path(facts[0]), descriptor, path)

    def say(self, *texts: str) -> None:
        """One packet; a client that has gone away is noticed by its signal, not here."""
        try:
            self._channel.send(wire.fields(*texts))
        except (BrokenPipeError, ConnectionResetError):
            return

    def publish(self) -> None:
        """Give the open output its name, as the client would; raises what it raised there."""
        self._ask("publish")

    def rows_only(self) -> None:
        self.say("rows")

    def _ask(self, *texts: str) -> tuple[list[str], int]:
        self._channel.send(wire.fields(*texts))
        answer, descriptors, _, _ = socket.recv_fds(self._channel, wire.PACKET, 1)
        word, *rest = wire.split(answer)
        if word == "error":
            code, message, hint, detail = json.loads(rest[0])
            raise ToolError(code, message, hint=hint, detail=detail)
        if word != "ok":
            raise ToolError("CANCELLED", "The caller went away.")
        return rest, descriptors[0] if descriptors else -1


class RemoteOutput:
    """An output file of the client's: written here, published or dropped there."""

    def __init__(self, client: Client, path: Path, descriptor: int, shown: str) -> None:
        raw = CheckedFile(descriptor, "r+b")
        raw.shown = shown
        self._client = client
        self._raw = raw
        self._file = io.BufferedRandom(raw, _BUFFER)
        self._path = path

    @property
    def file(self) -> io.BufferedRandom:
        return self._file

    @property
    def path(self) -> Path:
        return self._path

    def __enter__(self) -> RemoteOutput:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        _error: BaseException | None,
        _where: TracebackType | None,
    ) -> None:
        # Whoever ends without publishing drops: the client forgets the file when we are gone.
        if kind is None:
            self._file.flush()
            self._client.publish()
        self._raw.discard = True
        self._file.close()


def _option(text: str | None) -> str:
    return "" if text is None else f"={text}"
