"""Reading one table of a manifest field by field: types, unknown keys, sizes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final, NoReturn

_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class Invalid(ValueError):
    """A rule of the manifest is broken; the message says which."""


class Fields:
    """The keys of one table, each taken once; `done` refuses what nobody asked for."""

    def __init__(self, table: Mapping[str, object], where: str = "") -> None:
        self.table = table
        self.where = where
        self.known: set[str] = set()

    def fail(self, message: str) -> NoReturn:
        raise self.wrong(message)

    def wrong(self, message: str) -> Invalid:
        """The error for a broken rule of this table."""
        return Invalid(f"{self.where}{message}")

    def has(self, key: str) -> bool:
        return key in self.table

    def text(self, key: str, default: str = "") -> str:
        value = self._take(key, default)
        return self._string(key, value)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings; empty when the key is absent."""
        value = self._take(key, [])
        if not isinstance(value, list):
            self.fail(f"{key} must be a list of strings, not {_kind(value)}")
        return tuple(self._string(key, item) for item in value)

    def mapping(self, key: str) -> Mapping[str, object]:
        value = self._take(key, {})
        if not isinstance(value, Mapping):
            self.fail(f"{key} must be a table, not {_kind(value)}")
        return value

    def strings(self, key: str) -> dict[str, str]:
        """A table whose values are all strings."""
        return {name: self._string(f"{key}.{name}", v) for name, v in self.mapping(key).items()}

    def flag(self, key: str) -> bool:
        value = self._take(key, False)
        if not isinstance(value, bool):
            self.fail(f"{key} must be true or false, not {_kind(value)}")
        return value

    def integer(self, key: str, default: int) -> int:
        value = self._take(key, default)
        if not isinstance(value, int) or isinstance(value, bool):
            self.fail(f"{key} must be a whole number, not {_kind(value)}")
        return value

    def seconds(self, key: str, default: float) -> float:
        value = self._take(key, default)
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        if not fits or not math.isfinite(value) or not 0 < value <= 86400:  # type: ignore[arg-type, operator]
            self.fail(f"{key} must be a number of seconds above 0, not {value!r}")
        return float(value)  # type: ignore[arg-type]

    def size(self, key: str, default: int) -> int:
        """Bytes: a whole number, or text such as `50M`; 0 stands for no limit."""
        value = self._take(key, default)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        if isinstance(value, str):
            unit = value[-1:].upper() if value[-1:].isalpha() else ""
            digits = value[: len(value) - len(unit)]
            if unit in _UNITS and digits.isascii() and digits.isdecimal():
                return int(digits) * _UNITS[unit]
        raise self.wrong(f"{key} must be a size such as 50M, not {value!r}")

    def choice(self, key: str, allowed: Iterable[str], default: str) -> str:
        value = self.text(key, default)
        if value not in allowed:
            self.fail(f"{key} is {value!r}; it takes {', '.join(repr(a) for a in allowed)}")
        return value

    def done(self) -> None:
        """Refuse keys that nobody asked for."""
        unknown = [key for key in self.table if key not in self.known]
        if unknown:
            known = ", ".join(sorted(self.known))
            self.fail(f"unknown key {unknown[0]!r} (known: {known})")

    def _take(self, key: str, default: object) -> object:
        self.known.add(key)
        return self.table.get(key, default)

    def _string(self, key: str, value: object) -> str:
        if not isinstance(value, str):
            self.fail(f"{key} must be a string, not {_kind(value)}")
        if "\0" in value:
            self.fail(f"{key} holds a NUL character")
        return value


def _kind(value: object) -> str:
    names = {bool: "true/false", int: "a number", float: "a number", str: "a string"}
    return names.get(type(value), "a table" if isinstance(value, Mapping) else "a list")
