"""The engine's own name of a result column's type, from what the protocol says of it."""

from __future__ import annotations

from typing import Final

from dbtools.drivers.mysql.wire import Column

BINARY: Final = 63
_UNSIGNED: Final = 32
_ZEROFILL: Final = 64
_ENUM: Final = 256
_SET: Final = 2048
_BYTES_A_CHARACTER: Final = 4
# The number of decimals that stands for "as many as there are".
_ANY_DECIMALS: Final = 31

TINY, SHORT, LONG, LONGLONG, INT24, YEAR = 1, 2, 3, 8, 9, 13
FLOAT, DOUBLE, NULL, DECIMALS = 4, 5, 6, (0, 246)
TIMESTAMP, DATE, TIME, DATETIME, NEWDATE = 7, 10, 11, 12, 14
BIT, VECTOR, JSON, ENUM, SET, GEOMETRY = 16, 242, 245, 247, 248, 255
BLOBS: Final = (249, 250, 251, 252)
VARIABLE: Final = (15, 253)
FIXED: Final = 254

INTEGERS: Final = {
    TINY: "tinyint", SHORT: "smallint", INT24: "mediumint", LONG: "int", LONGLONG: "bigint",
}  # fmt: skip
_PLAIN: Final = {
    NULL: "null", DATE: "date", NEWDATE: "date", YEAR: "year", JSON: "json", ENUM: "enum",
    SET: "set", GEOMETRY: "geometry", VECTOR: "vector",
}  # fmt: skip
_FRACTIONS: Final = {TIMESTAMP: "timestamp", TIME: "time", DATETIME: "datetime"}
_SIZES: Final = ((0xFF, "tiny"), (0xFFFF, ""), (0xFFFFFF, "medium"))


def name(column: Column) -> str:
    """`decimal(10,2)`, `varchar(40)`, `bigint unsigned`, `json`, `inet6`; `int` has no width."""
    if column.kind:
        return column.kind
    if column.format == "json":
        return "json"
    code, flags = column.type_code, column.flags
    if code in INTEGERS:
        return _integer(column)
    if code in DECIMALS:
        return f"decimal({_precision(column)},{column.scale})" + _sign(flags)
    if code in (FLOAT, DOUBLE):
        return _float(column) + _sign(flags)
    if code in _FRACTIONS:
        scale = column.scale
        return _FRACTIONS[code] + (f"({scale})" if 0 < scale < _ANY_DECIMALS else "")
    if code == BIT:
        return f"bit({column.length})"
    if flags & (_ENUM | _SET):
        return "enum" if flags & _ENUM else "set"
    return _PLAIN.get(code) or _string(column)


def is_binary(column: Column) -> bool:
    """Whether the cells are bytes, not text."""
    return bool(column.charsetnr == BINARY)


def _sign(flags: int) -> str:
    return (" unsigned" if flags & _UNSIGNED else "") + (" zerofill" if flags & _ZEROFILL else "")


def _integer(column: Column) -> str:
    made = INTEGERS[column.type_code]
    if column.flags & _ZEROFILL or (column.type_code == TINY and column.length == 1):
        made += f"({column.length})"
    return made + _sign(column.flags)


def _precision(column: Column) -> int:
    sign = 0 if column.flags & _UNSIGNED else 1
    return int(column.length) - sign - (1 if column.scale else 0)


def _float(column: Column) -> str:
    made = "float" if column.type_code == FLOAT else "double"
    declared = column.org_table and column.scale < _ANY_DECIMALS
    return f"{made}({column.length},{column.scale})" if declared else made


def _string(column: Column) -> str:
    binary = is_binary(column)
    size = column.length if binary else column.length // _BYTES_A_CHARACTER
    if column.type_code in BLOBS:
        prefix = next((word for limit, word in _SIZES if size <= limit), "long")
        return prefix + ("blob" if binary else "text")
    varying = "var" if column.type_code in VARIABLE else ""
    return f"{varying}{'binary' if binary else 'char'}({size})"
