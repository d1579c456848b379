"""Cells of ClickHouse's types into JSON-ready values, a column of a block at a time.

DateTime is ISO 8601 with the offset its zone has at that instant; intervals are ISO 8601; a named
Tuple is an object, and so is a Map unless a key comes twice in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, tzinfo
from functools import lru_cache
from typing import Any, Final

from dbtools.drivers import columns
from dbtools.drivers.clickhouse.blocks import ColumnHead
from toolbelt.jsonvalue import NOT_UTF8, SAFE_INTEGER, Encoder, base64_text, decimal_text

Change = Callable[[Any], object]

_TWICE: Final = "a map with a key twice in it was given as a list of [key, value]"
_WIDE: Final = ("Int64", "UInt64", "Int128", "UInt128", "Int256", "UInt256")
_INTERVALS: Final = {
    "Year": ("P{}Y", 1), "Quarter": ("P{}M", 3), "Month": ("P{}M", 1), "Week": ("P{}W", 1),
    "Day": ("P{}D", 1), "Hour": ("PT{}H", 1), "Minute": ("PT{}M", 1), "Second": ("PT{}S", 1),
}  # fmt: skip
_FRACTIONS: Final = {"Millisecond": 3, "Microsecond": 6, "Nanosecond": 9}
# What JSON holds as it is, whatever the value.
_PLAIN: Final = frozenset((
    "Int8", "Int16", "Int32", "UInt8", "UInt16", "UInt32", "Bool", "Enum8", "Enum16", "UUID",
    "IPv4", "IPv6", "Nothing",
))  # fmt: skip


class Converters:
    """Converters for the columns of one result; zone is that of DateTime without one."""

    def __init__(self, encoder: Encoder, zone: tzinfo) -> None:
        self._encoder = encoder
        self._zone = zone

    def of(self, head: ColumnHead) -> columns.Change | None:
        """The converter of a whole column, None where its cells are JSON-ready."""
        if not head.exact:
            return columns.each(self._object)
        name = head.kind.base_type
        if name in _WIDE and not self._encoder.numbers_as_number:
            return columns.integers
        if name == "String":
            return columns.texts(self._text)
        if name == "Float64":
            return columns.floats(self._encoder)
        if name in ("Date", "Date32"):
            return columns.pure(date.isoformat)
        if name.startswith("Decimal") and not self._encoder.numbers_as_number:
            return columns.each(decimal_text)
        change = self._of(head.kind)
        return None if change is None else columns.each(change)

    def _of(self, kind: Any) -> Change | None:
        name = kind.base_type
        if name in _PLAIN:
            return None
        if name in _WIDE:
            return None if self._encoder.numbers_as_number else _safe_integer
        built = {
            "Array": self._array, "Tuple": self._tuple, "Map": self._map,
            "Nested": self._nested, "Variant": self._variant,
        }  # fmt: skip
        if name in built:
            return built[name](kind)
        if name == "SimpleAggregateFunction":
            return self._of(kind.element_type)
        simple: dict[str, Change] = {
            "String": self._text, "FixedString": self._fixed, "Float32": self._float32,
            "BFloat16": self._float32,
        }  # fmt: skip
        return simple.get(name) or self._timed(kind) or self._encoder

    def _timed(self, kind: Any) -> Change | None:
        name = kind.base_type
        if name == "DateTime":
            return _instant(kind.tzinfo or self._zone, 0)
        if name == "DateTime64":
            return _instant(kind.tzinfo or self._zone, kind.scale)
        if name in ("Time", "Time64"):
            return _clock(kind.scale if name == "Time64" else 0)
        if name.startswith("Interval"):
            return _interval(name.removeprefix("Interval"))
        return None

    def _text(self, raw: Any) -> object:
        try:
            return str(raw, "utf-8")
        except UnicodeDecodeError:
            self._encoder.warnings[NOT_UTF8] = None
            return base64_text(bytes(raw))

    def _fixed(self, raw: Any) -> object:
        """Text without the zeros that only fill it up, or all bytes when it is no text."""
        filled = bytes(raw).rstrip(b"\0")
        try:
            text = str(filled, "utf-8")
        except UnicodeDecodeError:
            return base64_text(bytes(raw))
        return text if "\0" not in text else base64_text(bytes(raw))

    def _float32(self, value: float) -> object:
        """The shortest decimal that is this 32-bit number."""
        wide = self._encoder(value)
        if wide is None:
            return None
        return columns.shortest(value)

    def _array(self, kind: Any) -> Change | None:
        change = self._of(kind.element_type)
        if change is None:
            return list
        return lambda cells: [None if cell is None else change(cell) for cell in cells]

    def _tuple(self, kind: Any) -> Change:
        changes = [self._of(element) or _same for element in kind.element_types]
        names = kind.element_names

        def convert(cells: Sequence[Any]) -> object:
            made = [
                None if cell is None else change(cell)
                for cell, change in zip(cells, changes, strict=True)
            ]
            return dict(zip(names, made, strict=True)) if names else made

        return convert

    def _nested(self, kind: Any) -> Change:
        changes = {
            name: self._of(element) or _same
            for name, element in zip(kind.element_names, kind.element_types, strict=True)
        }

        def convert(rows: Sequence[dict[str, Any]]) -> object:
            return [
                {name: None if c is None else changes[name](c) for name, c in row.items()}
                for row in rows
            ]

        return convert

    def _map(self, kind: Any) -> Change:
        key_change = self._of(kind.key_type) or _same
        value_change = self._of(kind.value_type) or _same

        def convert(pairs: Sequence[tuple[Any, Any]]) -> object:
            made = [
                [key_change(key), None if value is None else value_change(value)]
                for key, value in pairs
            ]
            named = {key if isinstance(key, str) else _key(key): value for key, value in made}
            if len(named) == len(made):
                return named
            self._encoder.warnings[_TWICE] = None
            return made

        return convert

    def _variant(self, kind: Any) -> Change:
        changes = {element.name: self._of(element) or _same for element in kind.element_types}
        return lambda cell: changes[cell.type_name](cell.value)

    def _object(self, cell: Any) -> object:
        """A cell of Dynamic or JSON, which only its Python type tells anything of."""
        if isinstance(cell, dict):
            return {str(key): self._object(value) for key, value in cell.items()}
        if isinstance(cell, (list, tuple)):
            return [self._object(value) for value in cell]
        if isinstance(cell, datetime):
            return cell.astimezone(cell.tzinfo or self._zone).isoformat()
        if isinstance(cell, (bytes, bytearray, memoryview)):
            return self._text(bytes(cell))
        return self._encoder(cell)


def _same(cell: object) -> object:
    return cell


def _key(key: object) -> str:
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    return str(key)


def _safe_integer(value: int) -> object:
    return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else str(value)


def _instant(zone: tzinfo, scale: int) -> Change:
    """Ticks since 1970 into ISO 8601 with the zone's offset; every digit of the fraction."""

    @lru_cache(maxsize=4096)
    def second(ticks: int) -> str:
        return datetime.fromtimestamp(ticks, zone).isoformat()

    if not scale:
        return second
    ticks_a_second = 10**scale

    def convert(ticks: int) -> str:
        whole, fraction = divmod(ticks, ticks_a_second)
        text = second(whole)
        return f"{text[:19]}.{fraction:0{scale}d}{text[19:]}"

    return convert


def _clock(scale: int) -> Change:
    """A time of day or longer, as the server writes it: `-12:00:01.5`, `100:00:00`."""
    ticks_a_second = 10**scale

    def convert(ticks: int) -> str:
        sign, rest = ("-", -ticks) if ticks < 0 else ("", ticks)
        seconds, fraction = divmod(rest, ticks_a_second)
        minutes, second = divmod(seconds, 60)
        hour, minute = divmod(minutes, 60)
        tail = f".{fraction:0{scale}d}" if scale else ""
        return f"{sign}{hour:02d}:{minute:02d}:{second:02d}{tail}"

    return convert


def _interval(unit: str) -> Change:
    if unit in _FRACTIONS:
        scale = _FRACTIONS[unit]

        def small(count: int) -> str:
            sign, rest = ("-", -count) if count < 0 else ("", count)
            whole, fraction = divmod(rest, 10**scale)
            tail = f".{fraction:0{scale}d}".rstrip("0").rstrip(".")
            return f"{sign}PT{whole}{tail}S"

        return small
    pattern, factor = _INTERVALS[unit]

    def convert(count: int) -> str:
        sign = "-" if count < 0 else ""
        return sign + pattern.format(abs(count) * factor)

    return convert
