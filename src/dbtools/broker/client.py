"""The client: hands a call with its streams to the broker and waits for the exit code.

The process behind the broker writes to our own stdout and stderr; files are opened here, with our
rights. Imports the C modules below `socket` and `signal`, because those two bring `enum` with
them and double the time of a call.
"""

from __future__ import annotations

import _signal
import _socket
import os
import select
import sys

from dbtools.broker import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from dbtools.broker.files import Files

CONNECT_SECONDS = 20.0
# Once the broker is gone, so long may its process take to notice and to tell how it ended.
ORPHAN_MILLISECONDS = 2000
_INT_BYTES = 4


def ask(path: str, command: str, arguments: Sequence[str]) -> None:
    """Leave this process with the call's exit code; return only if it is to be run here."""
    _fill_standard_streams()
    control = _connect(path)
    ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    _send(control, wire.pack(command, os.environ, arguments), (0, 1, 2, theirs.fileno()))
    theirs.close()
    for number, byte in ((_signal.SIGINT, wire.INTERRUPT), (_signal.SIGTERM, wire.TERMINATE)):
        _pass_on(number, byte, control)
    Conversation(path, control, ours).run()


class Conversation:
    """The wait for the end of a call, with whatever is asked of us meanwhile."""

    def __init__(self, path: str, control: _socket.socket, channel: _socket.socket) -> None:
        self.path = path
        self.control = control
        self.channel = channel
        self.said = b""
        self.rows_only = False
        self.files: Files | None = None
        self.here = False

    def run(self) -> None:
        """Until the exit code is known, or the call turns out to be ours."""
        poll = select.poll()
        poll.register(self.control.fileno(), select.POLLIN)
        poll.register(self.channel.fileno(), select.POLLIN)
        while not self.here:
            ready = {fd for fd, _ in poll.poll(self._patience())}
            if not ready:
                self._no_answer("it does not answer")
            if self.channel.fileno() in ready and not self._hear_process():
                poll.unregister(self.channel.fileno())
            if self.control.fileno() in ready and not self._hear_broker():
                break
        if not self.here:
            self._broker_ended()

    def _patience(self) -> int | None:
        return None if self.said else int(CONNECT_SECONDS * 1000)

    def _hear_broker(self) -> bool:
        """Take in what the broker says; False at its end."""
        try:
            data = self.control.recv(wire.PACKET)
        except ConnectionResetError:
            return False
        self.said += data
        return bool(data)

    def _hear_process(self) -> bool:
        """Take one packet from the call's process and do what it says; False at its end."""
        packet = self.channel.recv(wire.PACKET)
        if not packet:
            return False
        word, *rest = wire.split(packet)
        if word == "exit":
            self._leave(int(rest[0]))
        elif word == "rows":
            self.rows_only = True
        elif word == "here":
            _take_over(rest)
            self.here = True
        else:
            if self.files is None:
                from dbtools.broker.files import Files

                self.files = Files(self.channel)
            self.files.answer(word, rest)
        return True

    def _broker_ended(self) -> NoReturn:
        """The broker closed the connection: how did the call end?"""
        poll = select.poll()
        poll.register(self.channel.fileno(), select.POLLIN)
        while poll.poll(ORPHAN_MILLISECONDS):
            if not self._hear_process():
                break
        answer = self.said.removeprefix(wire.ACCEPTED)
        if answer:
            _, code, reason, message, hint = wire.split(answer)
            self._fail(code, reason, message, hint)
        self._no_answer("it ended before the call did")

    def _no_answer(self, why: str) -> NoReturn:
        hint = "the operator must start it again (for a container: restart it)"
        self._fail("CONNECTION_FAILED", "broker", f"No answer from the broker: {why}.", hint)

    def _fail(self, code: str, reason: str, message: str, hint: str) -> NoReturn:
        self._leave(_report(code, reason, message, hint, rows_only=self.rows_only))

    def _leave(self, code: int) -> NoReturn:
        if self.files is not None:
            self.files.drop()
        # Nothing of ours is buffered, and the interpreter's own end would cost as much as we do.
        os._exit(code)


def _connect(path: str) -> _socket.socket:
    control = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    control.settimeout(CONNECT_SECONDS)
    try:
        control.connect(path)
    except OSError as error:
        why = error.strerror or str(error)
        message = f"The broker at {path!r} cannot be reached: {why}."
        hint = "the operator must start it again; TOOLBELT_BROKER=off runs without it"
        os._exit(_report("CONNECTION_FAILED", "broker", message, hint, rows_only=False))
    control.settimeout(None)
    return control


def _send(control: _socket.socket, request: bytes, descriptors: Sequence[int]) -> None:
    packed = b"".join(fd.to_bytes(_INT_BYTES, sys.byteorder) for fd in descriptors)
    try:
        sent = control.sendmsg([request], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, packed)])
        control.sendall(request[sent:])
    except (BrokenPipeError, ConnectionResetError):
        # It did not want to hear us out; what it said is read next.
        return


def _fill_standard_streams() -> None:
    """A stream that was closed becomes /dev/null: its number must not go to one of our sockets."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _pass_on(number: int, byte: bytes, control: _socket.socket) -> None:
    """Let a signal to us reach the process that runs the call, which answers as we would."""
    if number == _signal.SIGINT and _signal.getsignal(number) == _signal.SIG_IGN:
        return

    def tell(_number: int, _frame: object) -> None:
        try:
            control.send(byte, _socket.MSG_DONTWAIT)
        except OSError:
            # The broker is gone or full; its end is noticed where we wait.
            return

    _signal.signal(number, tell)


def _take_over(variables: Sequence[str]) -> None:
    """Run the call in this process, on the connection that the broker described, if it did."""
    if _signal.getsignal(_signal.SIGINT) != _signal.SIG_IGN:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    if not variables:
        return
    for key in list(os.environ):
        if key.startswith("DB_") or key == "DATABASE_URL":
            del os.environ[key]
    for text in variables:
        key, _, value = text.partition("=")
        os.environ[key] = value


def _report(code: str, reason: str, message: str, hint: str, *, rows_only: bool) -> int:
    """Print the failure as the command would; its exit code."""
    from toolbelt.envelope import write_failure
    from toolbelt.errors import ToolError

    error = ToolError(code, message, hint=hint, detail={"reason": reason} if reason else {})
    try:
        write_failure(error, on_stderr=rows_only, extra={})
    except BrokenPipeError:
        return 141
    return error.exit_code
