"""Values as JSON without loss: the rules every command follows.

Exact numbers as strings where JSON would round them, ISO 8601 dates, durations as ISO 8601,
bytes as `base64:` text, NaN and the infinities as null (with a warning).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Final
from uuid import UUID

SAFE_INTEGER: Final = 2**53
NOT_FINITE: Final = "NaN or infinity became null"
NOT_UTF8: Final = "text that is not UTF-8 became base64"


def base64_text(raw: bytes) -> str:
    """`base64:` and the bytes in standard base64."""
    from base64 import b64encode

    return "base64:" + b64encode(raw).decode("ascii")


def duration_text(value: timedelta) -> str:
    """ISO 8601 duration of a timedelta: `P1DT2H3.5S`, `-PT1S`, `PT0S`."""
    micros = (value.days * 86400 + value.seconds) * 1_000_000 + value.microseconds
    sign, micros = ("-", -micros) if micros < 0 else ("", micros)
    seconds, fraction = divmod(micros, 1_000_000)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    tail = f"{second}.{fraction:06d}".rstrip("0").rstrip(".") if fraction else str(second)
    clock = (f"{hour}H" if hour else "") + (f"{minute}M" if minute else "")
    clock += f"{tail}S" if tail != "0" else ""
    day = f"{days}D" if days else ""
    if not day and not clock:
        return "PT0S"
    return f"{sign}P{day}" + (f"T{clock}" if clock else "")


def decimal_text(value: Decimal) -> str:
    """Plain digits, no exponent, no digit lost or added."""
    return format(value, "f")


class Encoder:
    """Turns Python values into JSON-ready ones and gathers what had to change on the way.

    numbers_as_number: print decimals and big integers as JSON numbers all the same.
    warnings: kept in order, each once.
    """

    def __init__(self, *, numbers_as_number: bool = False) -> None:
        self.numbers_as_number = numbers_as_number
        self.warnings: dict[str, None] = {}

    def __call__(self, value: object) -> object:
        if value is None or value is True or value is False or type(value) is str:
            return value
        rule = _RULES.get(type(value))
        if rule is None:
            rule = next((r for t, r in _RULES.items() if isinstance(value, t)), _other)
        return rule(self, value)

    def number_text(self, text: str) -> object:
        """An exact number given as text: a string, or a JSON number when asked for."""
        if not self.numbers_as_number:
            return text
        number = Decimal(text)
        if not number.is_finite():
            return self.not_finite()
        return int(number) if number == number.to_integral_value() else float(number)

    def not_finite(self) -> object:
        """null, and a warning that says so."""
        self.warnings[NOT_FINITE] = None
        return None


def _integer(encoder: Encoder, value: int) -> object:
    if -SAFE_INTEGER <= value <= SAFE_INTEGER or encoder.numbers_as_number:
        return int(value)
    return str(value)


def _float(encoder: Encoder, value: float) -> object:
    return value if math.isfinite(value) else encoder.not_finite()


def _decimal(encoder: Encoder, value: Decimal) -> object:
    return encoder.number_text(decimal_text(value)) if value.is_finite() else encoder.not_finite()


def _mapping(encoder: Encoder, value: Mapping[object, object]) -> object:
    return {_key(encoder, k): encoder(v) for k, v in value.items()}


def _key(encoder: Encoder, key: object) -> str:
    if isinstance(key, str):
        return key
    made = encoder(key)
    return made if isinstance(made, str) else "null" if made is None else str(made)


def _items(encoder: Encoder, value: list[object] | tuple[object, ...]) -> object:
    return [encoder(item) for item in value]


def _other(_encoder: Encoder, value: object) -> object:
    return str(value)


_RULES: dict[type, Callable[..., object]] = {
    int: _integer,
    float: _float,
    str: lambda _e, v: str(v),
    Decimal: _decimal,
    datetime: lambda _e, v: v.isoformat(),
    date: lambda _e, v: v.isoformat(),
    time: lambda _e, v: v.isoformat(),
    timedelta: lambda _e, v: duration_text(v),
    UUID: lambda _e, v: str(v),
    bytes: lambda _e, v: base64_text(v),
    bytearray: lambda _e, v: base64_text(bytes(v)),
    memoryview: lambda _e, v: base64_text(v.tobytes()),
    dict: _mapping,
    list: _items,
    tuple: _items,
    set: lambda e, v: _items(e, sorted(v, key=repr)),
    frozenset: lambda e, v: _items(e, sorted(v, key=repr)),
    Enum: lambda e, v: e(v.value),
}
