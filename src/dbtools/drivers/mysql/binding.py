"""JSON-typed parameters as literals in the statement, and places in it for error messages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pymysql.converters import escape_string

from dbtools.drivers.base import Placeholder
from toolbelt.errors import ToolError

_NEAR = re.compile(r"(?s)near '(.*)' at line (\d+)$")
_IN_BEFORE = re.compile(r"(?i)\bin\s*\(\s*$")
_IN_AFTER = re.compile(r"\s*\)")
# What IN takes for an empty list: no rows, so that both IN and NOT IN mean what they say.
_NOTHING = "SELECT NULL FROM DUAL WHERE FALSE"


@dataclass(frozen=True, slots=True)
class Bound:
    """A statement ready to send. marks: (place in the text sent, place in the caller's)."""

    text: str
    marks: tuple[tuple[int, int], ...]

    def position(self, message: str) -> int | None:
        """The 1-based place, in the caller's text, that a syntax error's message points to."""
        match = _NEAR.search(message)
        if match is None:
            return None
        at = self._find(match[1].removesuffix("..."), int(match[2]))
        if at is None:
            return None
        sent, told = next(mark for mark in reversed(self.marks) if mark[0] <= at)
        return told + at - sent + 1

    def _find(self, near: str, line: int) -> int | None:
        if self.text.endswith(near):
            return len(self.text) - len(near)
        start = 0
        for _ in range(line - 1):
            start = self.text.find("\n", start) + 1
        at = self.text.find(near, start)
        return at if at >= 0 else None


def bind(segments: Sequence[str | Placeholder], parameters: Mapping[str, object]) -> Bound:
    """The statement with each placeholder replaced by its value as a literal.

    The session pins sql_mode so that a backslash escapes, as these literals assume. A list is
    its items where it stands alone in `IN (…)`, and JSON text elsewhere. A value stands between
    spaces: `:a.x` must not become the number `5.`, nor `:a'x'` one string.
    """
    pieces: list[str] = []
    marks: list[tuple[int, int]] = []
    sent = told = 0
    for index, segment in enumerate(segments):
        marks.append((sent, told))
        if isinstance(segment, str):
            piece = segment
            told += len(segment)
        else:
            listed = _stands_in_list(segments, index)
            piece = f" {_literal(segment.name, parameters[segment.name], listed=listed)} "
            told += len(segment.name) + 1
        pieces.append(piece)
        sent += len(piece)
    return Bound("".join(pieces), tuple(marks) or ((0, 0),))


def _stands_in_list(segments: Sequence[str | Placeholder], index: int) -> bool:
    before = segments[index - 1] if index else ""
    after = segments[index + 1] if index + 1 < len(segments) else ""
    if not isinstance(before, str) or not isinstance(after, str):
        return False
    return bool(_IN_BEFORE.search(before) and _IN_AFTER.match(after))


def _literal(name: str, value: object, *, listed: bool) -> str:
    if isinstance(value, list) and listed and not any(isinstance(v, (list, dict)) for v in value):
        return ", ".join(_literal(name, item, listed=False) for item in value) or _NOTHING
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        # In brackets where it begins with a sign: `- -1` must not become a comment.
        return repr(value) if value >= 0 else f"({value!r})"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{escape_string(_whole(name, text))}'"


def _whole(name: str, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ToolError(
            "USAGE", f"Parameter :{name} holds half a surrogate pair, which is no text.",
            hint="give the whole character",
        ) from error  # fmt: skip
    return text
