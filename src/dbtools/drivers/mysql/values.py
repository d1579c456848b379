"""A cell's bytes, as the text protocol brings them, into a JSON-ready value.

A TIME stays the server's text (it may be negative and above 24 hours), as does a date with zeros
in it. BIT is a number. Geometry is WKT.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Final

from dbtools.drivers import columns, documents
from dbtools.drivers.columns import Change
from dbtools.drivers.mysql import geometry, types
from dbtools.drivers.mysql.wire import Column, cells
from toolbelt.jsonvalue import NOT_UTF8, Encoder, base64_text

_FIXED_OFFSETS: Final = {"UTC": "+00:00", "Etc/UTC": "+00:00", "Zulu": "+00:00"}


class Readers:
    """Readers for one result; what had to change gathers in encoder.warnings.

    zone: the session's time zone, '' while it need not be known.
    """

    def __init__(self, encoder: Encoder, zone: str) -> None:
        self._encoder = encoder
        self._zone = zone
        self._offset = fixed_offset(zone)

    def reader(self, column: Column) -> Change:
        """The reader of one column's cells."""
        code = column.type_code
        if code == types.LONGLONG and not self._encoder.numbers_as_number:
            return lambda cells: columns.integers(_integers(cells))
        if code in types.INTEGERS or code == types.YEAR:
            return _integers
        if code in (types.FLOAT, types.DOUBLE):
            return _floats
        if code in types.DECIMALS:
            return columns.each(self._decimal) if self._encoder.numbers_as_number else _asciis
        if code == types.DATETIME:
            return _datetimes
        if code == types.TIMESTAMP:
            return self._timestamps()
        if code == types.BIT:
            return columns.each(self._bit)
        return self._special(column) or self._strings(column)

    def _strings(self, column: Column) -> Change:
        if types.is_binary(column):
            return columns.each(base64_text)
        return columns.texts(self._text)

    def _special(self, column: Column) -> Change | None:
        code = column.type_code
        if code == types.JSON or column.format == "json":
            return columns.each(self._document)
        if code == types.GEOMETRY:
            return columns.each(self._geometry)
        if code == types.VECTOR or column.kind == "vector":
            return columns.each(_vector)
        # Numbers and dates in MariaDB's own types are text, whatever character set they claim.
        plain = column.kind in ("uuid", "inet6", "inet4") or code in _AS_TEXT
        return _asciis if plain else None

    def _timestamps(self) -> Change:
        if self._offset:
            offset = self._offset
            return columns.each(
                lambda raw: _datetime(raw) + ("" if raw.startswith(b"0000") else offset)
            )
        self._encoder.warnings[
            f"timestamp values are in the session's time zone, {self._zone}; "
            "export DB_TIME_ZONE=+00:00 for values with an offset"
        ] = None
        return _datetimes

    def _text(self, raw: bytes) -> object:
        try:
            return str(raw, "utf-8")
        except UnicodeDecodeError:
            self._encoder.warnings[NOT_UTF8] = None
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


def rows(packets: Sequence[bytes], readers: Sequence[Change]) -> Iterator[Sequence[object]]:
    """Row packets as rows of JSON-ready cells."""
    raw = zip(*map(cells, packets), strict=True)
    return zip(*(read(column) for read, column in zip(readers, raw, strict=True)), strict=True)


def _ascii(raw: bytes) -> str:
    return str(raw, "ascii")


def _datetime(raw: bytes) -> str:
    return str(raw, "ascii").replace(" ", "T", 1)


_asciis = columns.texts(_ascii)
_datetimes = columns.pure(_datetime)
_integers = columns.pure(int)
_floats = columns.pure(float)


def _vector(raw: bytes) -> object:
    """The shortest decimals that are these 32-bit numbers."""
    if len(raw) % 4:
        return base64_text(raw)
    numbers = struct.unpack(f"<{len(raw) // 4}f", raw)
    return [columns.shortest(n) if isfinite(n) else None for n in numbers]
