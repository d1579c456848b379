"""The client library's connection, as we need it: rows one packet at a time, nothing buffered.

PyMySQL's own cursors either hold a whole result or read it to its end when closed. This class
uses the library's packets, logins and errors, and adds MariaDB's extended metadata, which alone
tells a JSON, UUID or INET6 column from plain text.
"""

from __future__ import annotations

import struct
from typing import Any, Final

import pymysql
from pymysql.connections import Connection as Library
from pymysql.constants import CLIENT, COMMAND, CR
from pymysql.protocol import FieldDescriptorPacket, MysqlPacket

from dbtools.drivers import network

_EXTENDED_METADATA: Final = 1 << 3
# What a packet begins with that ends a result; a longer one is a row with a huge cell.
_EOF: Final = 0xFE
_LONGEST_EOF: Final = 9
_ERROR: Final = 0xFF
_LONGEST_PACKET: Final = 0xFFFFFF
# Flags, packet size, character set, 19 reserved bytes, MariaDB's own flags.
_INTRODUCTION: Final = struct.Struct("<iIB19sI")


class Column(FieldDescriptorPacket):  # type: ignore[misc]
    """A result column's description. kind, format: MariaDB's extended metadata, else empty."""

    kind = ""
    format = ""


class ExtendedColumn(Column):
    """The same with one more field, between the names and the fixed part."""

    def _parse_field_descriptor(self, encoding: str) -> None:
        names = [self.read_length_coded_string() or b"" for _ in range(6)]
        _, _, self.table_name, self.org_table, self.name, self.org_name = (
            name.decode(encoding, "backslashreplace") for name in names
        )
        extended = self.read_length_coded_string() or b""
        self.charsetnr, self.length, self.type_code, self.flags, self.scale = self.read_struct(
            "<xHIBHBxx"
        )
        at = 0
        while at + 1 < len(extended):
            what, size = extended[at], extended[at + 1]
            text = extended[at + 2 : at + 2 + size].decode("ascii", "replace")
            if what == 0:
                self.kind = text
            elif what == 1:
                self.format = text
            at += 2 + size


class Wire(Library):  # type: ignore[misc]
    """One connection. warning_count: of the last result, known when it has ended."""

    warning_count = 0
    ended = False
    _rfile: Any
    _next_seq_id: int
    _greeting: bytes = b""
    _extended = False
    _introductions = 0

    @property
    def is_mariadb(self) -> bool:
        """What the greeting says; a proxy may say something else than its server."""
        return "mariadb" in self.server_version.lower()

    def start(self, text: str) -> list[Column]:
        """Send a statement and read its columns; an empty list when it gives no result."""
        try:
            return self._start(text)
        except network.GARBLED as error:
            raise self._lost(network.unreadable(error)) from error

    def _start(self, text: str) -> list[Column]:
        self._execute_command(COMMAND.COM_QUERY, text.encode("utf-8"))
        first = self._read_packet()
        self.warning_count = 0
        self.ended = False
        if first.is_ok_packet():
            return []
        if first.is_load_local_packet():
            self.drop()
            raise pymysql.err.OperationalError(1148, "the server asked for a local file")
        count = first.read_length_encoded_integer()
        kind = ExtendedColumn if self._extended else Column
        columns = [self._read_packet(kind) for _ in range(count)]
        self._read_packet()
        return columns

    def some_rows(self, most: int, most_bytes: int) -> list[bytes]:
        """The next rows' packets, as many as asked for but for the last time.

        most_bytes: roughly, where rows are long. Raises the library's errors.
        """
        packets: list[bytes] = []
        size = 0
        try:
            while len(packets) < most and size < most_bytes:
                data = self._payload()
                if data[0] == _EOF and len(data) < _LONGEST_EOF:
                    self.warning_count = struct.unpack_from("<H", data, 1)[0]
                    self.ended = True
                    break
                if data[0] == _ERROR:
                    MysqlPacket(data, self.encoding).raise_for_error()
                packets.append(data)
                size += len(data)
        except OSError as error:
            raise self._lost(str(error)) from error
        except network.GARBLED as error:
            raise self._lost(network.unreadable(error)) from error
        return packets

    def _payload(self) -> bytes:
        """A packet's payload; the library's own way to it costs as much as reading the cells."""
        if self._rfile is None:
            raise self._lost("it is closed")
        read = self._rfile.read
        data = b""
        while True:
            head = read(4)
            if len(head) < 4:
                raise self._lost()
            size = head[0] | head[1] << 8 | head[2] << 16
            part: bytes = read(size)
            # A server that shuts down sends its farewell out of sequence.
            if len(part) < size or head[3] != self._next_seq_id:
                raise self._lost()
            self._next_seq_id = (head[3] + 1) & 0xFF
            if size < _LONGEST_PACKET and not data:
                return part
            data += part
            if size < _LONGEST_PACKET:
                return data

    def _lost(self, why: str = "the server hung up") -> pymysql.err.OperationalError:
        self._force_close()
        return pymysql.err.OperationalError(CR.CR_SERVER_LOST, f"Lost connection to server ({why})")

    def rows(self, text: str) -> list[list[str | None]]:
        """All rows of a short result, as text; none of a statement that gives no result."""
        columns = self.start(text)
        if not columns:
            return []
        found: list[list[str | None]] = []
        while not self.ended:
            found += [
                [None if c is None else c.decode("utf-8", "backslashreplace") for c in cells(data)]
                for data in self.some_rows(1000, 1 << 20)
            ]
        if any(len(row) != len(columns) for row in found):
            raise self._lost("its rows are not of the columns it told")
        return found

    def one(self, text: str) -> list[str | None]:
        """The one row of such a result."""
        found = self.rows(text)
        if len(found) != 1:
            raise self._lost("its answer is to another question")
        return found[0]

    def drop(self) -> None:
        """Disconnect at once, whatever is still on its way; may be called twice."""
        if self.open:
            self.close()

    def set_character_set(self, charset: str, collation: str | None = None) -> None:
        """Nothing: the session's settings are sent together, with SET NAMES among them."""

    def _read_packet(self, packet_type: type[Any] = MysqlPacket) -> Any:
        packet = super()._read_packet(packet_type)
        if not self._greeting:
            self._greeting = packet.get_all_data()
        return packet

    def _request_authentication(self) -> None:
        self._extended = bool(_mariadb_flags(self._greeting) & _EXTENDED_METADATA)
        self._introductions = 1
        super()._request_authentication()
        self._introductions = 0

    def write_packet(self, payload: bytes) -> None:
        """Send a packet; in the one that introduces us, ask for MariaDB's extended metadata."""
        if self._introductions:
            # With TLS the introduction goes twice: alone in the clear, then again encrypted.
            self._introductions = 1 if len(payload) == _INTRODUCTION.size else 0
            if self._extended:
                payload = _introduce(payload)
        super().write_packet(payload)


def _mariadb_flags(greeting: bytes) -> int:
    """MariaDB's extended capabilities in a greeting; 0 from MySQL."""
    # Behind the version: thread 4, salt 8, filler 1, flags 2, charset 1, status 2, flags 2,
    # salt length 1, reserved 6.
    flags_at = greeting.find(b"\0", 1) + 14
    if len(greeting) < flags_at + 18:
        return 0
    (flags,) = struct.unpack_from("<H", greeting, flags_at)
    if flags & CLIENT.LONG_PASSWORD:
        return 0
    return int(struct.unpack_from("<I", greeting, flags_at + 14)[0])


def _introduce(payload: bytes) -> bytes:
    flags, size, charset, reserved, _ = _INTRODUCTION.unpack_from(payload)
    head = _INTRODUCTION.pack(
        flags & ~CLIENT.LONG_PASSWORD, size, charset, reserved, _EXTENDED_METADATA
    )
    return head + payload[_INTRODUCTION.size :]


def cells(data: bytes) -> list[bytes | None]:
    """A row packet cut into its cells."""
    found: list[bytes | None] = []
    at, end = 0, len(data)
    while at < end:
        size = data[at]
        at += 1
        if size == 251:
            found.append(None)
            continue
        if size > 251:
            size, at = long_size(data, at)
        found.append(data[at : at + size])
        at += size
    return found


def long_size(data: bytes, at: int) -> tuple[int, int]:
    """The length of a cell above 250 bytes, and where the cell starts; `at` is behind the mark."""
    width = {252: 2, 253: 3, 254: 8}[data[at - 1]]
    return int.from_bytes(data[at : at + width], "little"), at + width
