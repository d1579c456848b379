"""A server that speaks just enough of MySQL's protocol to say what no server here would.

Not an engine: it answers recorded packets, for the behaviour of MySQL 8 (which cannot be had
here), of proxies, and of servers that mean harm.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from servers import Server

PLUGIN_AUTH = 1 << 19
SECURE = 1 << 15
PROTOCOL_41 = 1 << 9
LONG_PASSWORD = 1
EOF = b"\xfe\x00\x00\x02\x00"
OK = b"\x00\x00\x00\x02\x00\x00\x00"

Answer = Callable[[str], list[bytes]]


def lenenc(raw: bytes) -> bytes:
    return bytes([len(raw)]) + raw


def error(number: int, state: str, message: str) -> list[bytes]:
    """An error packet as the only answer."""
    return [b"\xff" + struct.pack("<H", number) + b"#" + state.encode() + message.encode()]


def column(name: str, code: int, length: int = 80, charset: int = 255, flags: int = 0) -> bytes:
    """A column description as MySQL sends it."""
    names = (b"def", b"", b"", b"", name.encode(), b"")
    fixed = struct.pack("<BHIBHBxx", 12, charset, length, code, flags, 0)
    return b"".join(map(lenenc, names)) + fixed


def result(columns: list[bytes], *rows: list[bytes | None]) -> list[bytes]:
    """The packets of a result set."""
    made = [b"".join(b"\xfb" if c is None else lenenc(c) for c in row) for row in rows]
    return [bytes([len(columns)]), *columns, EOF, *made, EOF]


@dataclass
class Fake:
    """How it behaves and what it saw. plugin_asked: an auth switch sent behind the login."""

    version: str = "8.0.36"
    answer: Answer = lambda text: [OK]
    plugin_asked: str = ""
    flags: int = PLUGIN_AUTH | SECURE | PROTOCOL_41 | LONG_PASSWORD
    statements: list[str] = field(default_factory=list)
    login: bytes = b""
    after_login: list[bytes] = field(default_factory=list)
    port: int = 0

    def server(self) -> Server:
        """How a client sees it."""
        return Server("mysql", self.version, port=self.port, database="shop")


def answers(text: str) -> list[bytes]:
    """What a MySQL 8 in UTC says to our first statements."""
    if text.startswith("SELECT @@version"):
        three = [column("a", 253), column("b", 253), column("c", 253)]
        return result(three, [b"8.0.36", b"SYSTEM", b"UTC"])
    return [OK]


@contextmanager
def running(fake: Fake) -> Iterator[Fake]:
    """The server on a free loopback port, for one client after the other."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        fake.port = listening.getsockname()[1]
        serving = threading.Thread(target=_serve, args=(fake, listening), daemon=True)
        serving.start()
        yield fake
        listening.shutdown(socket.SHUT_RDWR)
        serving.join(5)


def _serve(fake: Fake, listening: socket.socket) -> None:
    while True:
        try:
            client, _ = listening.accept()
        except OSError:
            return
        with client, client.makefile("rb") as reading:
            _talk(fake, client, reading)


def _talk(fake: Fake, client: socket.socket, reading: object) -> None:
    def send(packets: list[bytes], number: int) -> None:
        for packet in packets:
            client.sendall(struct.pack("<I", len(packet))[:3] + bytes([number % 256]) + packet)
            number += 1

    def read() -> tuple[bytes, int]:
        head = reading.read(4)  # type: ignore[attr-defined]
        if len(head) < 4:
            return b"", 0
        size = int.from_bytes(head[:3], "little")
        return reading.read(size), head[3]  # type: ignore[attr-defined]

    send([_greeting(fake)], 0)
    fake.login, number = read()
    if fake.plugin_asked:
        send([b"\xfe" + fake.plugin_asked.encode() + b"\0"], number + 1)
        packet, number = read()
        fake.after_login.append(packet)
    send([OK], number + 1)
    while True:
        packet, _ = read()
        if packet[:1] != b"\x03":
            return
        text = packet[1:].decode()
        fake.statements.append(text)
        send(fake.answer(text), 1)


def _greeting(fake: Fake) -> bytes:
    made = b"\x0a" + fake.version.encode() + b"\0" + struct.pack("<I", 7) + b"saltsalt\0"
    made += struct.pack("<HBHHB", fake.flags & 0xFFFF, 255, 2, fake.flags >> 16, 21)
    return made + b"\0" * 10 + b"moresaltmore\0" + b"mysql_native_password\0"
