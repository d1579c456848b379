"""JSON documents that an engine gives as text, read without losing a digit."""

from __future__ import annotations

import json
from decimal import Decimal
from math import isfinite
from typing import Final

from toolbelt.jsonvalue import SAFE_INTEGER, Encoder

# A document nested deeper than this is given as its text: Python's own limit is not far above.
_DEEPEST: Final = 400
_TOO_DEEP: Final = "a JSON document nested too deeply was given as its text"
_TWINS: Final = "a JSON document with a name twice in one object was given as its text"


class _Twins(ValueError):
    pass


def read(text: str, encoder: Encoder) -> object:
    """The document, its numbers by the rules of all values; its text where it cannot be read."""
    if text.count("{") + text.count("[") > _DEEPEST and _depth(text) > _DEEPEST:
        encoder.warnings[_TOO_DEEP] = None
        return text
    try:
        if encoder.numbers_as_number:
            return json.loads(text, object_pairs_hook=_distinct)
        return json.loads(
            text, parse_int=exact_integer, parse_float=exact_float, object_pairs_hook=_distinct
        )
    except _Twins:
        encoder.warnings[_TWINS] = None
        return text
    except ValueError:
        return text


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _Twins
    return made


def exact_integer(text: str) -> object:
    """An int, or its digits where JSON readers would round it."""
    # int() refuses some thousands of digits; such a number is beyond the safe ones anyway.
    if len(text) > 17:
        return text
    number = int(text)
    return number if -SAFE_INTEGER <= number <= SAFE_INTEGER else text


def exact_float(text: str) -> object:
    """A float when it is the same number, else the digits as text."""
    number = float(text)
    return number if isfinite(number) and Decimal(repr(number)) == Decimal(text) else text


def _depth(text: str) -> int:
    """How deeply a JSON text is nested."""
    depth = deepest = 0
    quoted = escaped = False
    for character in text:
        if escaped:
            escaped = False
        elif quoted:
            escaped, quoted = character == "\\", character != '"'
        elif character == '"':
            quoted = True
        elif character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest
