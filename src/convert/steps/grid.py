"""Tables in passing: a header and rows of values, and the text of a value."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from convert.steps.told import Warnings
from toolbelt.jsonvalue import Encoder, decimal_text


class Number(str):
    """A number as its document wrote it: exact, whatever its size."""

    __slots__ = ()


@dataclass(slots=True)
class Grid:
    """One table. name: of its sheet; empty when it has none. rows: read once."""

    name: str
    header: list[str]
    rows: Iterator[list[object]]


def text(value: object) -> str:
    """A value as the text of a cell: ISO 8601 dates, plain digits, JSON for what is nested."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return clock(value)
    if isinstance(value, dict | list | tuple):
        return json.dumps(plain(value), ensure_ascii=False)
    return str(Encoder()(value))


def float_text(value: float) -> str:
    """The shortest digits that give the number back; whole ones without a point."""
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def clock(value: timedelta) -> str:
    """Hours, minutes and seconds, as a sheet shows a duration: `255:10:10`."""
    seconds = round(value.total_seconds())
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def plain(value: object) -> object:
    """A value as JSON has it; exact numbers stay numbers where JSON can hold them."""
    if isinstance(value, Number):
        return _number(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, timedelta):
        return clock(value)
    return value if isinstance(value, bool | int | float | None) else text(value)


def _number(value: Number) -> object:
    """The number itself; its digits as text where a float would lose some of them."""
    if value.removeprefix("-").isdecimal():
        return int(value)
    number = float(value)
    same = math.isfinite(number) and Decimal(repr(number)) == Decimal(value)
    return number if same else str(value)


def unique(names: list[str], warnings: Warnings) -> list[str]:
    """Column names fit for keys: none empty (`column_3`), none twice (`name_2`)."""
    seen: set[str] = set()
    out = []
    for place, name in enumerate(names, 1):
        wanted = name or f"column_{place}"
        if not name:
            warnings.add(f"column {place} has no name; it is called {wanted!r}")
        candidate, number = wanted, 2
        while candidate in seen:
            candidate = f"{wanted}_{number}"
            number += 1
        if candidate != wanted:
            warnings.add(f"the column name {wanted!r} stands twice; the second is {candidate!r}")
        seen.add(candidate)
        out.append(candidate)
    return out
