"""A man in the middle: passes bytes on, changes what the server says, hangs up in time."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

Change = Callable[[bytes], bytes]


@dataclass
class Between:
    """port: where to connect to. change: what becomes of the server's bytes from now on.

    most: bytes of the server's after which both sides are hung up.
    """

    target: int
    most: int | None = None
    change: Change | None = None
    port: int = 0
    _sent: int = 0
    _ends: list[socket.socket] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)

    def accept(self, listener: socket.socket) -> None:
        """Serve whoever connects, until the listener is shut."""
        while True:
            try:
                near, _ = listener.accept()
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            self._ends += [near, far]
            self.spawn(self._pump, near, far, False)
            self.spawn(self._pump, far, near, True)

    def spawn(self, target: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _pump(self, source: socket.socket, sink: socket.socket, of_server: bool) -> None:
        with suppress(OSError):  # either side may leave
            while data := source.recv(4096):
                if of_server:
                    self._sent += len(data)
                    if self.most is not None and self._sent > self.most:
                        break
                    data = self.change(data) if self.change is not None else data
                sink.sendall(data)
        self.hang_up(source, sink)

    @staticmethod
    def hang_up(*ends: socket.socket) -> None:
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def stop(self) -> None:
        self.hang_up(*self._ends)
        for thread in self._threads:
            thread.join(5)
        for end in self._ends:
            end.close()


@contextmanager
def between(target: int, most: int | None = None) -> Iterator[Between]:
    """One for as long as the block lasts."""
    made = Between(target, most)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        made.port = listener.getsockname()[1]
        made.spawn(made.accept, listener)
        try:
            yield made
        finally:
            Between.hang_up(listener)
            made.stop()


def noise(seed: int) -> Change:
    """Changes a few bytes of every piece, the same ones for the same seed."""
    chosen = random.Random(seed)  # noqa: S311 - no secret is made of it

    def change(data: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(chosen.choice((1, 2, 4))):
            changed[chosen.randrange(len(changed))] = chosen.randrange(256)
        return bytes(changed)

    return change
