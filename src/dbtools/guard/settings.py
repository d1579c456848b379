"""ClickHouse's SETTINGS clause: names by allow list, limits never lifted.

A name without a value switches the setting on, so that every name counts.
"""

from __future__ import annotations

from typing import NamedTuple

from dbtools.guard.lexer import Tokens
from dbtools.guard.model import Refused, Tables, words

# What may follow the clause.
_CLAUSE_ENDS = words(") format union except intersect into parallel settings")
_HIGHEST = 1e18


class Setting(NamedTuple):
    """One item of the clause: its name at token `at`; value: its token, -1 for a bare name."""

    name: str
    at: int
    value: int


def check_settings(tokens: Tokens, tables: Tables, i: int) -> bool:
    """Refuse the clause that the word SETTINGS, token i, opens if it sets what it may not.

    False where SETTINGS is only a name: nothing is set, and more follows than a clause may have.
    """
    items, end = _items(tokens, i + 1)
    if all(item.value < 0 for item in items):
        # Every switch has an underscore in its name, hardly an alias has.
        items = [item for item in items if "_" in item.name]
        if not items or (tokens.key(end) and tokens.key(end) not in _CLAUSE_ENDS):
            return False
    for name, at, value in items:
        if not tables.settings.has(name) or tables.settings_refused.has(name):
            raise Refused(f"setting {name}", tokens.starts[at], shown=name)
        if value >= 0 and tables.limit_settings.has(name) and not is_a_limit(tokens, value):
            reason = f"setting {name} without a limit"
            raise Refused(reason, tokens.starts[at], shown=name)
    return True


def _items(tokens: Tokens, i: int) -> tuple[list[Setting], int]:
    """`name [= value], ...` from token i on, and the token after them."""
    found = []
    while tokens.kind(i) in ("W", "Q"):
        name, at, value = tokens.exact(i), i, -1
        while tokens.key(i + 1) == "." and tokens.kind(i + 2) in ("W", "Q"):
            i += 2
            name += f".{tokens.exact(i)}"
        i += 1
        if tokens.key(i) == "=":
            value = i + 1
            i = _value_end(tokens, value)
        found.append(Setting(name, at, value))
        if tokens.key(i) != ",":
            break
        i += 1
    return found, i


def _value_end(tokens: Tokens, i: int) -> int:
    """The token after the value at token i: a literal with or without a sign, or brackets."""
    if tokens.key(i) in ("-", "+"):
        i += 1
    depth = 0
    while i < len(tokens.keys):
        key = tokens.keys[i]
        depth += (key in ("(", "[", "{")) - (key in (")", "]", "}"))
        i += 1
        if depth <= 0:
            break
    return i


def is_a_limit(tokens: Tokens, i: int) -> bool:
    """Is the value at token i a number from 1 on, or `auto`? 0 in any spelling means: no limit."""
    if tokens.kind(i) not in ("N", "S", "W"):
        return False
    text = tokens.exact(i)
    if text == "auto":
        return True
    number, _, exponent = text.rstrip("kmgtpib").replace("_", "").partition("e")
    digits = number.replace(".", "", 1)
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 40):
        return False
    if exponent and not (len(exponent) < 4 and exponent.isascii() and exponent.isdecimal()):
        return False
    return 1 <= float(f"{number}e{exponent or 0}") <= _HIGHEST
