"""Text that is a number or a date, and stays the same text when written back."""

from __future__ import annotations

from datetime import date, datetime
from typing import Final

_DIGITS: Final = 15


def typed(content: str) -> object:
    """An int, float, date or datetime that is written exactly like this text; else the text."""
    if not content or len(content) > 26 or not content.isascii():
        return content
    first = content[1:2] if content[0] == "-" else content[0]
    if not first.isdecimal():
        return content
    if content.removeprefix("-").isdecimal():
        number = int(content)
        return number if str(number) == content and len(content) <= _DIGITS else content
    if content[4:5] == "-" and len(content) >= 10:
        return _date(content)
    return _float(content)


def _float(content: str) -> object:
    try:
        number = float(content)
    except ValueError:
        return content
    return number if repr(number) == content and len(content) <= _DIGITS + 2 else content


def _date(content: str) -> object:
    kind = date if len(content) == 10 else datetime
    try:
        value = kind.fromisoformat(content)
    except ValueError:
        return content
    zoned = isinstance(value, datetime) and value.tzinfo is not None
    return content if zoned or value.isoformat() != content or value.year < 1900 else value
