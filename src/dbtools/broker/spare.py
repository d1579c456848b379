"""A process forked ahead of its call, so that what a fork costs is paid while nobody waits.

It serves one call like any other: nothing of an earlier one is in it.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NoReturn

from dbtools.broker import wire
from dbtools.broker.child import Request, close_all_from

# Larger requests are rare; they get a process of their own the ordinary way.
LARGEST: Final = 1 << 16
_EAR: Final = 3

RunCall = Callable[[Request, tuple[int, ...]], NoReturn]


@dataclass(slots=True)
class Spare:
    """pid: of the process. mouth: where it hears of its call; closing it ends the process."""

    pid: int
    mouth: socket.socket

    @classmethod
    def fork(cls, run_call: RunCall, rehearse: Callable[[], None]) -> Spare:
        """A new one; OSError where no process can be started. Signals must be held back."""
        mouth, ear = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            pid = os.fork()
        except OSError:
            mouth.close()
            ear.close()
            raise
        if pid == 0:
            try:
                _live(ear, run_call, rehearse)
            finally:
                os._exit(70)
        ear.close()
        return cls(pid, mouth)

    def give(self, body: bytes, descriptors: tuple[int, ...]) -> bool:
        """Let it run this request; False if it is gone."""
        try:
            socket.send_fds(self.mouth, [body], descriptors)
        except OSError:
            return False
        finally:
            self.mouth.close()
        return True


def _live(ear: socket.socket, run_call: RunCall, rehearse: Callable[[], None]) -> NoReturn:
    # Another client's connection held here would hide from that client that its call has ended.
    os.dup2(ear.fileno(), _EAR, inheritable=False)
    ear.detach()
    close_all_from(_EAR + 1)
    rehearse()
    heard = socket.socket(fileno=_EAR)
    body, descriptors, _, _ = socket.recv_fds(heard, LARGEST, wire.DESCRIPTORS)
    if not body:
        os._exit(0)
    run_call(Request.read(body), tuple(descriptors))
