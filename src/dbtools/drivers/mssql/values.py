"""SQL Server's types by name, and its cells as JSON-ready values."""

from __future__ import annotations

import struct
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from pytds import tds_base, tds_types

from dbtools.drivers.columns import shortest
from dbtools.result import Converter
from toolbelt.jsonvalue import Encoder

if TYPE_CHECKING:
    from dbtools.drivers.mssql.wire import WireColumn

_ROWVERSION: Final = 80
_SYSNAME: Final = 256
# Number on the wire -> name; the nullable forms tell the type by its size.
_FIXED: Final = {
    0x30: "tinyint", 0x32: "bit", 0x34: "smallint", 0x38: "int", 0x3A: "smalldatetime",
    0x3B: "real", 0x3C: "money", 0x3D: "datetime", 0x3E: "float", 0x7A: "smallmoney",
    0x7F: "bigint", 0x24: "uniqueidentifier", 0x68: "bit", 0x28: "date", 0x62: "sql_variant",
    0xF1: "xml", 0x22: "image", 0x23: "text", 0x63: "ntext", 0xF4: "json", 0xF5: "vector",
}  # fmt: skip
_BY_SIZE: Final = {
    0x26: {1: "tinyint", 2: "smallint", 4: "int", 8: "bigint"}, 0x6D: {4: "real", 8: "float"},
    0x6E: {4: "smallmoney", 8: "money"}, 0x6F: {4: "smalldatetime", 8: "datetime"},
}  # fmt: skip
_SIZED: Final = {
    0xA7: "varchar", 0xAF: "char", 0xE7: "nvarchar", 0xEF: "nchar", 0xA5: "varbinary",
    0xAD: "binary",
}  # fmt: skip
_SCALED: Final = {0x29: "time", 0x2A: "datetime2", 0x2B: "datetimeoffset"}
_DECIMALS: Final = {0x6A: "decimal", 0x6C: "numeric", 0x37: "decimal", 0x3F: "numeric"}
_UDT: Final = 0xF0
_PLAIN: Final = frozenset((
    "tinyint", "smallint", "int", "bit", "varchar", "char", "nvarchar", "nchar", "text", "ntext",
    "xml", "sysname",
))  # fmt: skip


def type_name(column: WireColumn) -> str:
    """The type as T-SQL spells it: `decimal(10,2)`, `nvarchar(max)`, `datetime2(3)`."""
    number = column.number
    if column.usertype == _ROWVERSION:
        return "rowversion"
    if column.usertype == _SYSNAME:
        return "sysname"
    if number in _BY_SIZE:
        return _BY_SIZE[number].get(column.size, "int")
    if number in _SIZED:
        return f"{_SIZED[number]}({'max' if column.size < 0 else column.size})"
    if number in _DECIMALS:
        return f"{_DECIMALS[number]}({column.precision},{column.scale})"
    if number in _SCALED:
        return f"{_SCALED[number]}({column.precision})"
    if number == _UDT:
        return column.udt or "udt"
    return _FIXED.get(number, f"type {number:#04x}")


def converter(type_text: str, encoder: Encoder) -> Converter | None:
    """How one column's cells become JSON; None where they are it already."""
    base = type_text.partition("(")[0]
    if base in _PLAIN:
        return None
    if base in ("decimal", "numeric"):
        return _decimal(encoder, int(type_text.rpartition(",")[2].rstrip(")")))
    if base in ("money", "smallmoney"):
        return _decimal(encoder, 4)
    return _real(encoder) if base == "real" else encoder


def _decimal(encoder: Encoder, scale: int) -> Converter:
    """All digits of the scale: the library leaves the zeros at the end out."""
    return lambda cell: encoder.number_text(f"{cell:.{scale}f}")


def _real(encoder: Encoder) -> Converter:
    """A 4-byte float with the fewest digits that are still the same number."""

    def convert(cell: object) -> object:
        finite = isinstance(cell, float) and isfinite(cell)
        return encoder(shortest(cell) if finite else cell)  # type: ignore[arg-type]

    return convert


def exact(serializer: Any) -> Any:
    """The reader of a column, one that keeps the seventh digit where there may be one."""
    kind = _EXACT.get(type(serializer))
    if kind is None or serializer.precision != 7:
        return serializer
    return kind(serializer._typ)


def _digit(nanoseconds: int) -> str:
    """The seventh digit of a second's fraction, '' where it is zero."""
    digit = nanoseconds // 100 % 10
    return str(digit) if digit else ""


class _Time(tds_types.MsTimeSerializer):  # type: ignore[misc]
    def read_fixed(self, r: Any, size: int) -> object:
        time = self._read_time(r, size, 7)
        digit = _digit(time.nsec)
        value = time.to_pytime()
        return f"{value.isoformat('microseconds')}{digit}" if digit else value


class _DateTime2(tds_types.DateTime2Serializer):  # type: ignore[misc]
    def read_fixed(self, r: Any, size: int) -> object:
        time = self._read_time(r, size - 3, 7)
        value = tds_types.DateTime2(date=self._read_date(r), time=time).to_pydatetime()
        digit = _digit(time.nsec)
        return f"{value.isoformat('T', 'microseconds')}{digit}" if digit else value


class _DateTimeOffset(tds_types.DateTimeOffsetSerializer):  # type: ignore[misc]
    def read_fixed(self, r: Any, size: int) -> object:
        time = self._read_time(r, size - 5, 7)
        date = self._read_date(r)
        offset = r.get_smallint()
        made = tds_types.DateTimeOffset(date=date, time=time, offset=offset)
        value, digit = made.to_pydatetime(), _digit(time.nsec)
        if not digit:
            return value
        text = value.isoformat("T", "microseconds")
        return f"{text[:-6]}{digit}{text[-6:]}"


_EXACT: Final = {
    tds_types.MsTimeSerializer: _Time,
    tds_types.DateTime2Serializer: _DateTime2,
    tds_types.DateTimeOffsetSerializer: _DateTimeOffset,
}
# What the library raises, and what its reading of a broken stream ends in.
ERRORS: Final = (tds_base.Error, OSError, UnicodeDecodeError, struct.error)
