"""A cell's bytes, as the text protocol brings them, into a JSON-ready value.

A TIME stays the server's text (it may be negative and above 24 hours), as does a date with zeros
in it. BIT is a number. Geometry is WKT.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Final

from dbtools.drivers import documents
from dbtools.drivers.mysql import geometry, types
from dbtools.drivers.mysql.wire import Column, long_size
from toolbelt.jsonvalue import SAFE_INTEGER, Encoder, base64_text

Reader = Callable[[bytes], object]

_NOT_UTF8: Final = "text that is not UTF-8 became base64"
_FIXED_OFFSETS: Final = {"UTC": "+00:00", "Etc/UTC": "+00:00", "Zulu": "+00:00"}


class Readers:
    """Readers for one result; what had to change gathers in encoder.warnings.

    zone: the session's time zone, '' while it need not be known.
    """

    def __init__(self, encoder: Encoder, zone: str) -> None:
        self._encoder = encoder
        self._zone = zone
        self._offset = fixed_offset(zone)

    def reader(self, column: Column) -> Reader:
        """The reader of one column."""
        code = column.type_code
        if code == types.LONGLONG and not self._encoder.numbers_as_number:
            return _big_integer
        if code in types.INTEGERS or code == types.YEAR:
            return int
        if code in (types.FLOAT, types.DOUBLE):
            return float
        if code in types.DECIMALS:
            return self._decimal if self._encoder.numbers_as_number else _ascii
        if code == types.DATETIME:
            return _datetime
        if code == types.TIMESTAMP:
            return self._timestamp_reader()
        if code == types.BIT:
            return self._bit
        return self._special(column) or (base64_text if types.is_binary(column) else self._text)

    def _special(self, column: Column) -> Reader | None:
        code = column.type_code
        if code == types.JSON or column.format == "json":
            return self._document
        if code == types.GEOMETRY:
            return self._geometry
        if code == types.VECTOR or column.kind == "vector":
            return _vector
        # Numbers and dates in MariaDB's own types are text, whatever character set they claim.
        return _ascii if column.kind in ("uuid", "inet6", "inet4") or code in _AS_TEXT else None

    def _timestamp_reader(self) -> Reader:
        if self._offset:
            offset = self._offset
            return lambda raw: _datetime(raw) + ("" if raw.startswith(b"0000") else offset)
        self._encoder.warnings[
            f"timestamp values are in the session's time zone, {self._zone}; "
            "export DB_TIME_ZONE=+00:00 for values with an offset"
        ] = None
        return _datetime

    def _text(self, raw: bytes) -> object:
        try:
            return str(raw, "utf-8")
        except UnicodeDecodeError:
            self._encoder.warnings[_NOT_UTF8] = None
            return base64_text(raw)

    def _decimal(self, raw: bytes) -> object:
        return self._encoder.number_text(str(raw, "ascii"))

    def _bit(self, raw: bytes) -> object:
        return self._encoder(int.from_bytes(raw, "big"))

    def _document(self, raw: bytes) -> object:
        text = self._text(raw)
        return documents.read(text, self._encoder) if isinstance(text, str) else text

    def _geometry(self, raw: bytes) -> object:
        return geometry.text(raw) or base64_text(raw)


_AS_TEXT = (types.DATE, types.NEWDATE, types.TIME, types.NULL)


def fixed_offset(zone: str) -> str:
    """`+02:00` of a zone that always has it; '' of one that has not."""
    if zone[:1] in ("+", "-"):
        return zone if len(zone) == 6 else f"{zone[0]}0{zone[1:]}"
    return _FIXED_OFFSETS.get(zone, "")


def row(data: bytes, readers: Sequence[Reader]) -> list[object]:
    """One row packet as JSON-ready cells."""
    cells: list[object] = []
    add = cells.append
    at = 0
    for reader in readers:
        size = data[at]
        at += 1
        if size < 251:
            end = at + size
            add(reader(data[at:end]))
            at = end
        elif size == 251:
            add(None)
        else:
            size, at = long_size(data, at)
            add(reader(data[at : at + size]))
            at += size
    return cells


def _ascii(raw: bytes) -> str:
    return str(raw, "ascii")


def _big_integer(raw: bytes) -> object:
    number = int(raw)
    return number if -SAFE_INTEGER <= number <= SAFE_INTEGER else str(number)


def _datetime(raw: bytes) -> str:
    return str(raw, "ascii").replace(" ", "T", 1)


def _vector(raw: bytes) -> object:
    """The shortest decimals that are these 32-bit numbers."""
    if len(raw) % 4:
        return base64_text(raw)
    return [_shortest(number) for number in struct.unpack(f"<{len(raw) // 4}f", raw)]


def _shortest(number: float) -> float | None:
    if number != number or number in (float("inf"), float("-inf")):
        return None
    wanted = struct.pack("<f", number)
    for digits in range(6, 9):
        made = float(f"{number:.{digits}g}")
        if struct.pack("<f", made) == wanted:
            return made
    return float(f"{number:.9g}")
