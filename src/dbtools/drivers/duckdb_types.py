"""DuckDB's types, nested ones too: what has to come as text, and cells as JSON-ready values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import duckdb

from dbtools.drivers import documents
from dbtools.drivers.columns import shortest
from dbtools.result import Converter
from toolbelt.jsonvalue import Encoder

# Types that Python's own cannot hold: infinity, years past 9999, months, nanoseconds.
_TEMPORAL: Final = ("date", "time", "timestamp", "interval")
_PLAIN: Final = frozenset((
    "varchar", "boolean", "bit", "enum", "tinyint", "smallint", "integer", "utinyint", "usmallint",
    "uinteger",
))  # fmt: skip
Read = Callable[[Any], object]
_UNITS: Final = {"year": "Y", "month": "M", "day": "D"}


def as_text(type_name: str) -> str:
    """The type to cast a column to so that its temporal parts come as text; '' for no need."""
    kind = _parsed(type_name)
    if kind is None:
        return ""
    wanted = _castable(kind)
    return wanted if wanted != str(kind) else ""


def converter(type_name: str, encoder: Encoder) -> Converter | None:
    """How one column's cells become JSON; None where they are it already."""
    kind = _parsed(type_name)
    return encoder if kind is None else _reader(kind, encoder)


def _parsed(type_name: str) -> Any | None:
    try:
        return duckdb.sqltype(type_name)
    except duckdb.Error:  # a type of its own making, such as "NULL"
        return None


def _castable(kind: Any) -> str:
    """The type as SQL, VARCHAR in the place of what is temporal."""
    name = kind.id
    if name.startswith(_TEMPORAL):
        return "VARCHAR"
    if name in ("list", "array"):
        children = dict(kind.children)
        return f"{_castable(children['child'])}[{children.get('size', '')}]"
    if name == "map":
        key, value = (_castable(child) for _, child in kind.children)
        return f"MAP({key}, {value})"
    if name in ("struct", "union"):
        parts = [(part, child) for part, child in kind.children if part]
        inside = ", ".join(f"{_quoted(part)} {_castable(child)}" for part, child in parts)
        return f"{name.upper()}({inside})" if _nests_temporal(kind) else str(kind)
    return str(kind)


def _nests_temporal(kind: Any) -> bool:
    if kind.id.startswith(_TEMPORAL):
        return True
    if kind.id not in ("list", "array", "map", "struct", "union"):
        return False
    return any(_nests_temporal(child) for _, child in kind.children if not isinstance(child, int))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _reader(kind: Any, encoder: Encoder) -> Read | None:
    name = kind.id
    if str(kind) == "JSON":
        return lambda value: documents.read(str(value), encoder)
    if name in _PLAIN:
        return None
    if name.startswith(_TEMPORAL):
        return _moment_reader(name)
    if name == "float":
        return lambda value: None if encoder(value) is None else shortest(value)
    return _nested(kind, encoder) or encoder


def _moment_reader(name: str) -> Read:
    return str if name == "date" else interval if name == "interval" else moment


def _nested(kind: Any, encoder: Encoder) -> Read | None:
    """The reader of a list, a map or a struct; None of anything else."""
    if kind.id in ("list", "array"):
        one = _part(dict(kind.children)["child"], encoder)
        return lambda value: [one(cell) for cell in value]
    if kind.id == "map":
        key, of_value = (_part(child, encoder) for _, child in kind.children)
        plain = Encoder(numbers_as_number=encoder.numbers_as_number)
        return lambda value: {_key(plain(key(k))): of_value(v) for k, v in value.items()}
    if kind.id == "struct":
        parts = {part: _part(child, encoder) for part, child in kind.children}
        return lambda value: {part: parts[part](cell) for part, cell in value.items()}
    return None


def _key(made: object) -> str:
    return made if isinstance(made, str) else "null" if made is None else str(made)


def _part(kind: Any, encoder: Encoder) -> Read:
    """The same for a cell within one, which may be NULL."""
    read = _reader(kind, encoder)
    return lambda cell: cell if cell is None or read is None else read(cell)


def moment(text: str) -> str:
    """`2024-01-01 10:00:00+02` as ISO 8601; infinity and years past 9999 as DuckDB has them."""
    text = text.replace(" ", "T", 1) if text[:1].isdigit() and "(" not in text else text
    head, sign, zone = text.partition("+") if "+" in text else text.rpartition("-")
    if sign and ":" in head and len(zone) == 2:
        return f"{head}{sign}{zone}:00"
    return text


def interval(text: str) -> str:
    """DuckDB's `1 year 2 months 00:00:03.5` as an ISO 8601 duration."""
    words = text.split()
    date_part, clock = "", ""
    for number, unit in zip(words, [*words[1:], ""], strict=False):
        key = unit.rstrip("s")
        if key in _UNITS:
            date_part += number + _UNITS[key]
    if words and ":" in words[-1]:
        sign = "-" if words[-1].startswith("-") else ""
        hours, minutes, seconds = words[-1].lstrip("-").split(":")
        seconds = seconds.rstrip("0").rstrip(".") if "." in seconds else seconds
        for value, letter in ((hours, "H"), (minutes, "M"), (seconds, "S")):
            if value.strip("0."):
                stripped = value.lstrip("0") or "0"
                clock += f"{sign}{'0' if stripped.startswith('.') else ''}{stripped}{letter}"
    return f"P{date_part}" + (f"T{clock}" if clock else "") if date_part or clock else "PT0S"
