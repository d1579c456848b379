"""SQL Server's column types on the wire: TYPE_INFO and values, as a server sends them."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Context, Decimal
from typing import TypeVar

# Latin1_General_CI_AS, as a default installation sends it.
COLLATION = b"\x09\x04\xd0\x00\x34"
_FRACTION_BYTES = (3, 3, 3, 4, 4, 5, 5, 5)
_MAX = -1
T = TypeVar("T")
Encoder = Callable[[object], bytes]


@dataclass(frozen=True, slots=True)
class Column:
    """A result column. type: as T-SQL spells it, `decimal(10,2)`, `nvarchar(max)`, `datetime2(3)`.

    usertype and nullable go into the metadata as they are.
    """

    name: str
    type: str
    nullable: bool = True
    usertype: int = 0


def _parts(text: str) -> tuple[str, list[int]]:
    base, _, rest = text.lower().partition("(")
    numbers = [_MAX if n.strip() == "max" else int(n) for n in rest.rstrip(")").split(",") if n]
    return base.strip(), numbers


def type_info(text: str) -> bytes:
    """TYPE_INFO of a type."""
    base, numbers = _parts(text)
    if base in _FIXED:
        token, size, _ = _FIXED[base]
        return bytes([token, size])
    if base in ("decimal", "numeric"):
        precision, scale = (*numbers, 0)[:2] if numbers else (18, 0)
        token = 0x6A if base == "decimal" else 0x6C
        return bytes([token, _decimal_size(precision), precision, scale])
    if base == "date":
        return b"\x28"
    if base in _SCALED:
        return bytes([_SCALED[base], numbers[0] if numbers else 7])
    if base == "xml":
        return b"\xf1\x00"
    token, collated, unit = _SIZED[base]
    size = numbers[0] if numbers else 1
    length = 0xFFFF if size == _MAX else size * unit
    return bytes([token]) + struct.pack("<H", length) + (COLLATION if collated else b"")


def value(text: str, cell: object) -> bytes:
    """One cell as a ROW token holds it; None is NULL."""
    base, numbers = _parts(text)
    if base == "xml" or numbers[:1] == [_MAX]:
        return b"\xff" * 8 if cell is None else _chunked(_raw(base, cell))
    if base in _SIZED:
        if cell is None:
            return b"\xff\xff"
        raw = _raw(base, cell)
        return struct.pack("<H", len(raw)) + raw
    if cell is None:
        return b"\x00"
    raw = _small(base, numbers, cell)
    return bytes([len(raw)]) + raw


def _chunked(raw: bytes) -> bytes:
    """PLP: total length, one chunk, end."""
    chunk = struct.pack("<I", len(raw)) + raw if raw else b""
    return struct.pack("<Q", len(raw)) + chunk + b"\x00\x00\x00\x00"


def _raw(base: str, cell: object) -> bytes:
    if isinstance(cell, bytes):
        return cell
    return str(cell).encode("utf-16-le" if base in ("nvarchar", "nchar", "xml") else "cp1252")


def _small(base: str, numbers: list[int], cell: object) -> bytes:
    if base in _FIXED:
        encode: Encoder = _FIXED[base][2]
        return encode(cell)
    if base in ("decimal", "numeric"):
        precision, scale = (*numbers, 0)[:2] if numbers else (18, 0)
        return _decimal(Decimal(str(cell)), precision, scale)
    scale = numbers[0] if numbers else 7
    if base == "date":
        return _days(_as(cell, date))
    if base == "time":
        return _ticks(_as(cell, time), scale)
    moment = _as(cell, datetime)
    if base == "datetime2":
        return _ticks(moment.time(), scale) + _days(moment.date())
    offset = moment.utcoffset()
    if offset is None:
        raise ValueError("datetimeoffset needs a moment with a zone")
    utc = moment - offset
    minutes = int(offset.total_seconds()) // 60
    return _ticks(utc.time(), scale) + _days(utc.date()) + struct.pack("<h", minutes)


def _as(cell: object, kind: type[T]) -> T:
    if not isinstance(cell, kind):
        raise TypeError(f"{cell!r} is no {kind.__name__}")
    return cell


def _decimal_size(precision: int) -> int:
    return 5 if precision <= 9 else 9 if precision <= 19 else 13 if precision <= 28 else 17


def _decimal(number: Decimal, precision: int, scale: int) -> bytes:
    digits = int(number.scaleb(scale, Context(prec=60)))
    size = _decimal_size(precision) - 1
    return bytes([digits >= 0]) + abs(digits).to_bytes(size, "little")


def _days(day: date) -> bytes:
    return (day.toordinal() - 1).to_bytes(3, "little")


def _ticks(clock: time, scale: int) -> bytes:
    micros = (clock.hour * 3600 + clock.minute * 60 + clock.second) * 10**6 + clock.microsecond
    ticks = int(micros * 10**scale // 10**6)
    return ticks.to_bytes(_FRACTION_BYTES[scale], "little")


def _datetime(cell: object) -> bytes:
    moment = _as(cell, datetime)
    days = moment.toordinal() - date(1900, 1, 1).toordinal()
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
    return struct.pack("<iI", days, seconds * 300 + round(moment.microsecond * 300 / 10**6))


def _smalldatetime(cell: object) -> bytes:
    moment = _as(cell, datetime)
    days = moment.toordinal() - date(1900, 1, 1).toordinal()
    return struct.pack("<HH", days, moment.hour * 60 + moment.minute)


def _money(cell: object) -> bytes:
    units = int(Decimal(str(cell)).scaleb(4))
    return struct.pack("<iI", units >> 32, units & 0xFFFFFFFF)


def _packed(form: str) -> Encoder:
    packer = struct.Struct(form)
    return lambda cell: packer.pack(cell)


# name -> token, size, encoder.
_FIXED: dict[str, tuple[int, int, Encoder]] = {
    "tinyint": (0x26, 1, _packed("<B")),
    "smallint": (0x26, 2, _packed("<h")),
    "int": (0x26, 4, _packed("<i")),
    "bigint": (0x26, 8, _packed("<q")),
    "bit": (0x68, 1, _packed("<?")),
    "real": (0x6D, 4, _packed("<f")),
    "float": (0x6D, 8, _packed("<d")),
    "smallmoney": (0x6E, 4, lambda cell: struct.pack("<i", int(Decimal(str(cell)).scaleb(4)))),
    "money": (0x6E, 8, _money),
    "smalldatetime": (0x6F, 4, _smalldatetime),
    "datetime": (0x6F, 8, _datetime),
    "uniqueidentifier": (0x24, 16, lambda cell: uuid.UUID(str(cell)).bytes_le),
}
_SCALED = {"time": 0x29, "datetime2": 0x2A, "datetimeoffset": 0x2B}
# name -> token, has a collation, bytes a unit of length.
_SIZED = {
    "varchar": (0xA7, True, 1),
    "char": (0xAF, True, 1),
    "nvarchar": (0xE7, True, 2),
    "nchar": (0xEF, True, 2),
    "varbinary": (0xA5, False, 1),
    "binary": (0xAD, False, 1),
    "rowversion": (0xAD, False, 8),
}
