"""The broker's loop: who asks, in what order, and how each call's process ended. One thread.

It reads no statement and holds no connection: a call is forked once its request is complete, and
all that is done for it is done in that process.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import struct
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from dbtools.broker import wire
from dbtools.broker.child import GONE, SIGNALS, Request
from dbtools.broker.spare import LARGEST, RunCall, Spare

_REQUEST_SECONDS: Final = 5.0
_KILL_SECONDS: Final = 5.0
_PAUSE_SECONDS: Final = 0.05
_CREDENTIALS: Final = struct.Struct("3i")
_SIGNALS: Final = {wire.INTERRUPT: signal.SIGINT, wire.TERMINATE: signal.SIGTERM}


@dataclass(frozen=True, slots=True)
class Rules:
    """uids: users that are served. running: calls at a time. waiting: further ones kept."""

    uids: frozenset[int]
    running: int = 16
    waiting: int = 100


@dataclass(slots=True, eq=False)
class Call:
    """A client's connection. pid: of its process, 0 until it runs. until: a moment to act at."""

    control: socket.socket
    until: float
    data: bytearray = field(default_factory=bytearray)
    descriptors: tuple[int, ...] = ()
    body: bytes = b""
    pid: int = 0

    def close_descriptors(self) -> None:
        for fd in self.descriptors:
            os.close(fd)
        self.descriptors = ()


class Broker:
    """Serves one listening socket until `stop`.

    run_call: what the forked process does. rehearse: what one forked ahead does while it waits.
    """

    def __init__(
        self,
        listener: socket.socket,
        rules: Rules,
        run_call: RunCall,
        rehearse: Callable[[], None],
    ) -> None:
        self.rules = rules
        self._listener = listener
        self._run_call = run_call
        self._rehearse = rehearse
        self._spare: Spare | None = None
        self._spares = True
        self._selector = selectors.DefaultSelector()
        self._calls: dict[int, Call] = {}
        self._waiting: deque[Call] = deque()
        self._running: dict[int, Call] = {}
        self._stopping = False

    def serve(self) -> None:
        """Until SIGTERM or SIGINT."""
        self._listener.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        wakeup, woken = socket.socketpair()
        for end in (wakeup, woken):
            end.setblocking(False)
        signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda _number, _frame: self.stop())
        self._selector.register(wakeup, selectors.EVENT_READ, lambda: wakeup.recv(4096))
        while not self._stopping:
            for key, _ in self._selector.select(self._patience()):
                key.data()
            self._bury()
            self._act_in_time()
            self._start_waiting()
            self._make_spare()
        for pid in self._running:
            os.kill(pid, GONE)

    def stop(self) -> None:
        """End the loop; running calls are cancelled."""
        self._stopping = True

    def _accept(self) -> None:
        try:
            control, _ = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError:
            # No descriptor or no memory left: whoever waits for us is served once there is.
            time.sleep(_PAUSE_SECONDS)
            return
        control.setblocking(False)
        asked = control.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        # The kernel's word for who connected; nothing in a request can change it.
        uid = _CREDENTIALS.unpack(asked)[1]
        call = Call(control, time.monotonic() + _REQUEST_SECONDS)
        if uid not in self.rules.uids:
            said = f"The broker does not serve uid {uid}."
            self._refuse(call, "AUTH_FAILED", "broker_user", said, "run it as the sandbox's user")
        elif len(self._calls) >= self.rules.running + self.rules.waiting:
            most = f"{self.rules.running} calls at a time and {self.rules.waiting} that wait"
            said = f"The broker is busy: it takes {most}."
            self._refuse(
                call, "CONNECTION_FAILED", "broker_busy", said, "run fewer, or this one later"
            )
        else:
            self._calls[control.fileno()] = call
            self._selector.register(control, selectors.EVENT_READ, lambda: self._read(call))

    def _read(self, call: Call) -> None:
        try:
            if call.descriptors or call.body:
                data = call.control.recv(wire.PACKET)
            else:
                data, descriptors, _, _ = socket.recv_fds(
                    call.control, wire.PACKET, wire.DESCRIPTORS
                )
                call.descriptors = tuple(descriptors)
        except BlockingIOError:
            return
        except ConnectionResetError:
            data = b""
        if not data:
            self._client_left(call)
        elif not call.body:
            self._take_in(call, data)
        else:
            self._signals(call, data)

    def _take_in(self, call: Call, data: bytes) -> None:
        """More of a request; complete, it waits for its turn."""
        call.data += data
        head = bytes(call.data[: wire.HEADER])
        size = int.from_bytes(head[len(wire.MAGIC) :], "big")
        wrong = not wire.MAGIC.startswith(head[: len(wire.MAGIC)]) or size > wire.LARGEST_REQUEST
        if not wrong and len(call.data) < wire.HEADER + size:
            return
        try:
            if wrong or len(call.descriptors) != wire.DESCRIPTORS:
                raise ValueError("no request of ours")
            body = bytes(call.data[wire.HEADER : wire.HEADER + size])
            Request.read(body)
        except ValueError:
            self._refuse(call, "CONNECTION_FAILED", "broker_protocol",
                         "The broker did not understand the request.",
                         "client and broker must be of one version")  # fmt: skip
            return
        call.body = body
        behind = bytes(call.data[wire.HEADER + size :])
        call.data.clear()
        call.until = 0.0
        with contextlib.suppress(BrokenPipeError, BlockingIOError):
            call.control.send(wire.ACCEPTED)
        self._waiting.append(call)
        self._signals(call, behind)

    def _start_waiting(self) -> None:
        while self._waiting and len(self._running) < self.rules.running:
            call = self._waiting.popleft()
            try:
                call.pid = self._fork(call)
            except OSError as error:
                said = f"The broker cannot start a process: {error.strerror}."
                self._refuse(call, "CONNECTION_FAILED", "broker_busy", said, "run it again later")
                continue
            call.close_descriptors()
            self._running[call.pid] = call

    def _fork(self, call: Call) -> int:
        """The process for a call, which never returns here."""
        spare, self._spare = self._spare, None
        if spare is not None:
            if len(call.body) <= LARGEST and spare.give(call.body, call.descriptors):
                return spare.pid
            spare.mouth.close()
        with _signals_held():
            pid = os.fork()
            if pid == 0:
                try:
                    self._run_call(Request.read(call.body), call.descriptors)
                finally:
                    os._exit(70)
        return pid

    def _make_spare(self) -> None:
        """Between calls: while some run, the processors are theirs."""
        if self._spares and self._spare is None and not (self._running or self._waiting):
            with _signals_held(), contextlib.suppress(OSError):
                self._spare = Spare.fork(self._run_call, self._rehearse)

    def _signals(self, call: Call, data: bytes) -> None:
        """What the client's user sent it: to the process, or the end of a call that waits."""
        for byte in data:
            number = _SIGNALS.get(bytes((byte,)))
            if number is None:
                continue
            if not call.pid:
                by = "SIGTERM" if number == signal.SIGTERM else "an interrupt"
                self._refuse(call, "CANCELLED", "", f"Stopped by {by}.", "")
                return
            os.kill(call.pid, number)

    def _client_left(self, call: Call) -> None:
        self._selector.unregister(call.control)
        if call.pid in self._running:
            os.kill(call.pid, GONE)
            call.until = time.monotonic() + _KILL_SECONDS
        else:
            self._forget(call)

    def _bury(self) -> None:
        """Collect processes that ended; tell the client of one that could not finish."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if self._spare is not None and pid == self._spare.pid:
                # It could not wait; the next ones could not either.
                self._spare, self._spares = None, False
            call = self._running.pop(pid, None)
            code = os.waitstatus_to_exitcode(status)
            if call is None:
                continue
            if code < 0:
                self._refuse(call, "CONNECTION_FAILED", "broker_process",
                             f"The broker's process for this call was ended by signal {-code}.",
                             "run it again; ask for less if memory is short")  # fmt: skip
            else:
                self._forget(call)

    def _act_in_time(self) -> None:
        """Drop requests that do not arrive; kill processes that do not end."""
        now = time.monotonic()
        for call in [c for c in self._calls.values() if 0 < c.until <= now]:
            if call.pid:
                os.kill(call.pid, signal.SIGKILL)
                call.until = 0.0
            else:
                self._forget(call)

    def _patience(self) -> float | None:
        moments = [call.until for call in self._calls.values() if call.until]
        return max(0.0, min(moments) - time.monotonic()) if moments else None

    def _refuse(self, call: Call, code: str, reason: str, message: str, hint: str) -> None:
        """Tell the client why its call did not (fully) run, and let it go."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError, BlockingIOError):
            call.control.send(wire.fields("refused", code, reason, message, hint))
        self._forget(call)

    def _forget(self, call: Call) -> None:
        if call in self._waiting:
            self._waiting.remove(call)
        number = call.control.fileno()
        if self._calls.get(number) is call:
            del self._calls[number]
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(call.control)
        call.close_descriptors()
        call.control.close()


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Signals to a process just forked wait until it can answer them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
