"""The client's side of files: opened with the rights of who asked, handed over as descriptors."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

from dbtools.broker import wire
from toolbelt.errors import ToolError
from toolbelt.workspace import Workspace

if TYPE_CHECKING:
    import _socket

    from toolbelt.publish import Output


class Files:
    """Answers the requests of one call; at most one output is open at a time."""

    def __init__(self, channel: _socket.socket) -> None:
        self._channel = socket.socket(fileno=socket.dup(channel.fileno()))
        self._output: Output | None = None

    def answer(self, word: str, rest: list[str]) -> None:
        """Do what one packet asks for and answer it; every refusal goes back as its error."""
        try:
            if word == "input":
                self._input(rest[0], _option(rest[1]))
            elif word == "open":
                self._open(rest[0], _option(rest[1]), force=rest[2] == "1")
            elif word == "publish":
                self._publish()
            elif word == "drop":
                self.drop()
        except ToolError as error:
            self._say("error", json.dumps([error.code, error.message, error.hint, error.detail]))

    def _input(self, path: str, workspace: str | None) -> None:
        with Workspace.find(workspace).resolve_input(path) as source:
            facts = (str(source.path), source.relative, str(source.size))
            self._say("ok", *facts, *map(str, source.identity), descriptor=source.file.fileno())

    def _open(self, path: str, workspace: str | None, *, force: bool) -> None:
        self.drop()
        output = Workspace.find(workspace).output(path, force=force)
        self._output = output.__enter__()
        self._say("ok", str(output.path), descriptor=output.file.fileno())

    def _publish(self) -> None:
        output, self._output = self._output, None
        if output is not None:
            output.__exit__(None, None, None)
        self._say("ok")

    def drop(self) -> None:
        """Forget an output that was never published."""
        output, self._output = self._output, None
        if output is not None:
            unfinished = ToolError("CANCELLED", "The output was not finished.")
            output.__exit__(ToolError, unfinished, None)

    def _say(self, *texts: str, descriptor: int | None = None) -> None:
        message = wire.fields(*texts)
        try:
            socket.send_fds(self._channel, [message], [] if descriptor is None else [descriptor])
        except (BrokenPipeError, ConnectionResetError):
            # The call's process ended meanwhile; the wait for the exit code will see it.
            return


def _option(text: str) -> str | None:
    """`=value`, or nothing for an option that was not given."""
    return text[1:] if text else None
