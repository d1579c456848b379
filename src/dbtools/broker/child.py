"""One call in a process of its own: guard, engine and writer run here and then it ends."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import socket
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

from dbtools import caller
from dbtools.broker import wire
from dbtools.broker.operator import Operator
from dbtools.broker.remote import Client
from toolbelt import linux
from toolbelt.cli import Terminated
from toolbelt.envelope import write_failure
from toolbelt.errors import EXIT_CODES, ToolError
from toolbelt.settings import Secret, redact

COMMANDS = ("db-query", "db-schema")
_CHANNEL = 3
# The broker's own word for: the client is gone, end without a sound.
GONE = signal.SIGUSR1
# A password shorter than this may be an ordinary word of a message.
_TELLING = 8
# Held back from the fork until the process can answer them.
SIGNALS = (signal.SIGINT, signal.SIGTERM, GONE)


@dataclass(frozen=True, slots=True)
class Request:
    """A call as the client sent it. told: the variables it may pass on or tell."""

    command: str
    told: Mapping[str, str]
    arguments: tuple[str, ...]

    @classmethod
    def read(cls, body: bytes) -> Request:
        """Of a request's body; ValueError for what no client of ours sends."""
        command, told, arguments = wire.unpack(body)
        if command not in COMMANDS:
            raise ValueError("a command that no broker runs")
        return cls(command, told, tuple(arguments))


def run(
    request: Request, descriptors: tuple[int, ...], operator: Operator, parent: int
) -> NoReturn:
    """Be the command on the client's streams; never returns. Called in a fresh fork."""
    channel = _take_streams(descriptors)
    _own_signals(parent)
    client = Client(channel, operator, dict(request.told), _end)
    caller.become(client)
    os.environ.update(operator.env)
    os.environ.update({k: v for k, v in request.told.items() if _is_passed(k, v)})
    sys.argv = [request.command, *request.arguments]
    _open_streams(tuple(_hidden(request, operator)))
    code = _run_command(request.command)
    if not _Gone.seen:
        client.say("exit", str(code))
    _end(code)


def _run_command(command: str) -> int:
    try:
        code = _main(command)
    except KeyboardInterrupt:
        # Before the command could listen to signals itself.
        write_failure(ToolError("CANCELLED", "Stopped by an interrupt."), extra={})
        code = EXIT_CODES["CANCELLED"]
    # Whatever may still come must not undo an answer that is complete.
    for number in (GONE, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    return code


def _main(command: str) -> int:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    try:
        if command == "db-query":
            from dbtools.query_cli import main
        else:
            from dbtools.schema_cli import main
        main()
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 1


def _end(code: int) -> NoReturn:
    # Not sys.exit: what the broker wanted done at its end is not ours to do.
    os._exit(code)


def _take_streams(descriptors: tuple[int, ...]) -> socket.socket:
    """The client's streams as 0, 1, 2; the channel; no other descriptor of the broker's."""
    # First out of the way of the numbers they must have.
    high = [os.dup(fd) for fd in descriptors]
    while min(high) <= _CHANNEL:
        high = [os.dup(fd) for fd in high]
    for number, fd in enumerate(high):
        os.dup2(fd, number, inheritable=False)
    close_all_from(_CHANNEL + 1)
    return socket.socket(fileno=_CHANNEL)


def close_all_from(first: int) -> None:
    """Close every descriptor of this process from this number up."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 (the names alone are wanted)
        if int(name) >= first:
            # The listing's own descriptor is in the list and closed by now.
            with contextlib.suppress(OSError):
                os.close(int(name))


def _own_signals(parent: int) -> None:
    """The dispositions of a program just started, and the end of the broker as our own."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _terminate)
    signal.signal(GONE, _client_gone)
    linux.prctl(linux.PR_SET_PDEATHSIG, GONE)
    if os.getppid() != parent:
        _end(130)


class _Gone:
    """Set once nobody waits for this process any more."""

    seen = False


def _client_gone(_number: int, _frame: FrameType | None) -> NoReturn:
    """Stop the statement, but say nothing: whoever could hear it has gone or was told already."""
    _Gone.seen = True
    null = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(null, number)
    raise Terminated


def _terminate(_number: int, _frame: FrameType | None) -> NoReturn:
    raise Terminated


def _is_passed(key: str, value: str) -> bool:
    # A TZ that names a file would be read with the broker's rights.
    return key in wire.PASSED and not (key == "TZ" and (value[:1] in ":/." or ".." in value))


def _hidden(request: Request, operator: Operator) -> Iterator[Secret]:
    """What stderr must not show; short words in tracebacks only, as messages are clean anyway."""
    tracebacks = "--debug" in request.arguments or request.told.get("TOOLBELT_DEBUG")
    for secret in operator.secrets():
        if tracebacks or len(secret.reveal()) >= _TELLING:
            yield secret


def _open_streams(secrets: tuple[Secret, ...]) -> None:
    """sys.stdin, stdout and stderr on the client's descriptors, as Python makes them at a start."""
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    raw = open(2, "wb", buffering=0, closefd=False)  # noqa: SIM115
    sys.stderr = _Redacted(raw, secrets)


class _Redacted(io.TextIOWrapper):
    """stderr without the operator's secrets: a traceback may quote what a library was given."""

    def __init__(self, raw: io.FileIO, secrets: tuple[Secret, ...]) -> None:
        super().__init__(
            io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", line_buffering=True
        )
        self._secrets = secrets

    def write(self, text: str, /) -> int:
        super().write(redact(text, *self._secrets))
        return len(text)
