"""The TDS protocol from the server's side: packets, the login, requests, reply tokens."""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from servers.tds_types import COLLATION, Column, type_info, value

BATCH, RPC, ATTENTION, TRANSACTION, LOGIN7, PRELOGIN = 1, 3, 6, 14, 16, 18
_REPLY = 4
_PACKET = 4096
_SP_EXECUTESQL = 10
DONE_SIZE = 13
VERSION = b"\x0f\x00\x07\xd0"  # 15.0.2000
MORE, ERROR_BIT, COUNT, ATTENTION_BIT = 0x01, 0x02, 0x10, 0x20


class Channel(Protocol):
    """What packets go over: a socket, or TLS above one."""

    def recv(self, size: int, /) -> bytes: ...
    def sendall(self, data: bytes, /) -> None: ...


@dataclass(frozen=True, slots=True)
class LoginRequest:
    """What a client said of itself in LOGIN7."""

    user: str
    password: str
    database: str
    application: str
    host: str
    server: str
    read_only_intent: bool


@dataclass(frozen=True, slots=True)
class Call:
    """A statement as it arrived. kind: `batch`, `rpc`, `begin`, `commit`, `rollback`, `attention`.

    parameters: what sp_executesql was given after the statement, name -> raw value.
    """

    kind: str
    text: str = ""
    parameters: dict[str, bytes | None] = field(default_factory=dict)


def read_message(channel: Channel) -> tuple[int, bytes] | None:
    """A whole message (type, body), its packets joined; None when the client left."""
    body = b""
    while True:
        header = read_exactly(channel, 8)
        if header is None:
            return None
        kind, status, length = struct.unpack(">BBH", header[:4])
        part = read_exactly(channel, length - 8)
        if part is None:
            return None
        body += part
        if status & 1:
            return kind, body


def read_exactly(channel: Channel, size: int) -> bytes | None:
    """So many bytes, or None at the end of the stream."""
    data = b""
    while len(data) < size:
        more = channel.recv(size - len(data))
        if not more:
            return None
        data += more
    return data


def packets(body: bytes, kind: int = _REPLY, *, final: bool = True) -> bytes:
    """A message cut into packets. final: whether the last one says that the message ends."""
    room = _PACKET - 8
    parts = [body[i : i + room] for i in range(0, len(body), room)] or [b""]
    out = []
    for number, part in enumerate(parts, start=1):
        last = final and number == len(parts)
        out.append(struct.pack(">BBHHBB", kind, last, len(part) + 8, 51, number % 256, 0) + part)
    return b"".join(out)


def prelogin_reply(encryption: int) -> bytes:
    """PRELOGIN answer: our version, and whether we speak TLS (0 off, 1 on, 2 not, 3 required)."""
    options = [(0, VERSION + b"\x00\x00"), (1, bytes([encryption])), (4, b"\x00")]
    offset = 5 * len(options) + 1
    head = data = b""
    for token, text in options:
        head += struct.pack(">BHH", token, offset + len(data), len(text))
        data += text
    return packets(head + b"\xff" + data)


def prelogin_encryption(body: bytes) -> int:
    """What the client said about encryption in its PRELOGIN."""
    at = 0
    while body[at] != 0xFF:
        token, offset, _length = struct.unpack(">BHH", body[at : at + 5])
        if token == 1:
            return int(body[offset])
        at += 5
    return 2


def parse_login(body: bytes) -> LoginRequest:
    """LOGIN7 taken apart; the password's disguise is taken off."""

    def text(index: int) -> bytes:
        offset, length = struct.unpack("<HH", body[36 + 4 * index : 40 + 4 * index])
        return body[offset : offset + 2 * length]

    hidden = (byte ^ 0xA5 for byte in text(2))
    plain = bytes((byte << 4 & 0xF0) | (byte >> 4) for byte in hidden)
    host, user, application, server = (text(n).decode("utf-16-le") for n in (0, 1, 3, 4))
    # The client id is six bytes and comes after the database's entry.
    return LoginRequest(
        user=user,
        password=plain.decode("utf-16-le"),
        database=text(8).decode("utf-16-le"),
        application=application,
        host=host,
        server=server,
        read_only_intent=bool(body[26] & 0x20),
    )


def parse_call(kind: int, body: bytes) -> Call:
    """A request message as a Call."""
    if kind == ATTENTION:
        return Call("attention")
    (headers,) = struct.unpack("<I", body[:4])
    rest = body[headers:]
    if kind == BATCH:
        return Call("batch", rest.decode("utf-16-le"))
    if kind == TRANSACTION:
        (number,) = struct.unpack("<H", rest[:2])
        return Call({5: "begin", 7: "commit", 8: "rollback"}.get(number, f"transaction {number}"))
    return _parse_rpc(rest)


def _parse_rpc(body: bytes) -> Call:
    (length,) = struct.unpack("<H", body[:2])
    if length == 0xFFFF:
        (number,) = struct.unpack("<H", body[2:4])
        name, at = f"sp {number}", 6
    else:
        name, at = body[2 : 2 + 2 * length].decode("utf-16-le"), 4 + 2 * length
        number = _SP_EXECUTESQL if name.lower().endswith("sp_executesql") else 0
    values: list[tuple[str, bytes | None]] = []
    while at < len(body):
        size = body[at]
        label = body[at + 1 : at + 1 + 2 * size].decode("utf-16-le")
        cell, at = _parse_value(body, at + 2 + 2 * size)
        values.append((label, cell))
    if number == _SP_EXECUTESQL and values:
        statement = (values[0][1] or b"").decode("utf-16-le")
        return Call("rpc", statement, dict(values[2:]))
    return Call("rpc", name, dict(values))


def _parse_value(body: bytes, at: int) -> tuple[bytes | None, int]:
    """A parameter's TYPE_INFO and value: the raw bytes, and where the next one starts."""
    token = body[at]
    if token in (0xE7, 0xA7, 0xA5, 0xAD, 0xAF, 0xEF):
        (room,) = struct.unpack("<H", body[at + 1 : at + 3])
        at += 3 + (5 if token in (0xE7, 0xA7, 0xAF, 0xEF) else 0)
        if room == 0xFFFF:
            return _parse_chunks(body, at)
        (size,) = struct.unpack("<H", body[at : at + 2])
        if size == 0xFFFF:
            return None, at + 2
        return body[at + 2 : at + 2 + size], at + 2 + size
    # decimal has size, precision and scale; date nothing; the rest one byte of size or scale.
    at += {0x6A: 4, 0x6C: 4, 0x28: 1}.get(token, 2)
    size = body[at]
    return (body[at + 1 : at + 1 + size] if size else None), at + 1 + size


def _parse_chunks(body: bytes, at: int) -> tuple[bytes | None, int]:
    if body[at : at + 8] == b"\xff" * 8:
        return None, at + 8
    at, out = at + 8, b""
    while True:
        (size,) = struct.unpack("<I", body[at : at + 4])
        at += 4
        if size == 0:
            return out, at
        out, at = out + body[at : at + size], at + size


def login_reply(database: str) -> bytes:
    """What a server says after a good login."""
    name = _short("Microsoft SQL Server")
    ack = b"\x01\x74\x00\x00\x04" + name + VERSION
    return b"".join((
        _change(1, _short(database), _short("master")),
        _change(7, bytes([len(COLLATION)]) + COLLATION, b"\x00"),
        _change(4, _short(str(_PACKET)), _short("4096")),
        b"\xad" + struct.pack("<H", len(ack)) + ack,
        done(),
    ))  # fmt: skip


def transaction_reply(kind: str) -> bytes:
    """The change of transaction that goes with begin, commit and rollback."""
    descriptor = b"\x08" + b"\x01" + b"\x00" * 7
    if kind == "begin":
        return _change(8, descriptor, b"\x00") + done()
    return _change(9 if kind == "commit" else 10, b"\x00", descriptor) + done()


def error(number: int, message: str, severity: int, line: int, state: int = 1) -> bytes:
    """An ERROR token."""
    text = message.encode("utf-16-le")
    body = struct.pack("<IBB", number, state, severity) + struct.pack("<H", len(message)) + text
    body += _short("FAKE") + _short("") + struct.pack("<I", line)
    return b"\xaa" + struct.pack("<H", len(body)) + body


def metadata(columns: Sequence[Column]) -> bytes:
    """A COLMETADATA token."""
    out = b"\x81" + struct.pack("<H", len(columns))
    for column in columns:
        flags = 0x08 | (1 if column.nullable else 0)
        out += struct.pack("<IH", column.usertype, flags) + type_info(column.type)
        out += _short(column.name)
    return out


def row(columns: Sequence[Column], cells: Sequence[object]) -> bytes:
    """A ROW token."""
    pairs = zip(columns, cells, strict=True)
    return b"\xd1" + b"".join(value(column.type, cell) for column, cell in pairs)


def done(status: int = 0, count: int = 0, *, token: int = 0xFD) -> bytes:
    """A DONE token (0xFD), DONEPROC (0xFE) or DONEINPROC (0xFF)."""
    return struct.pack("<BHHQ", token, status, 0xC1, count)


def _short(text: str) -> bytes:
    return bytes([len(text)]) + text.encode("utf-16-le")


def _change(kind: int, new: bytes, old: bytes) -> bytes:
    body = bytes([kind]) + new + old
    return b"\xe3" + struct.pack("<H", len(body)) + body


def hang_up(connection: socket.socket) -> None:
    """Close at once, with a reset rather than a farewell."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
