"""JSON-typed parameters as the server's own: `{name:Type}` in the text, values beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from dbtools.drivers.base import Placeholder
from toolbelt.errors import ToolError

# In front of our names, which may be words that mean something inside braces.
_PREFIX: Final = "p_"
_ESCAPES: Final = str.maketrans({
    "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\\0", "\b": "\\b", "\f": "\\f",
    "'": "\\'",
})  # fmt: skip
_NULL: Final = "\\N"
_VALUE: Final = r"\w+\s*=\s*(?:[\w.]+|'[^'\\]*')"
# No string or name can be open at the end, so these are the clause's words; SETTINGS may follow.
_FORMAT: Final = re.compile(
    rf"(?i)\bFORMAT\s+[a-z]\w*(?=\s*$|\s+SETTINGS\s+{_VALUE}(?:\s*,\s*{_VALUE})*\s*$)"
)


@dataclass(frozen=True, slots=True)
class Bound:
    """A statement ready to send. parameters: `param_…` of the request.

    marks: (place in the text sent, place in the caller's), in characters. format: the FORMAT
    clause that was left out, '' when there was none.
    """

    text: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    marks: tuple[tuple[int, int], ...] = ((0, 0),)
    format: str = ""

    def position(self, byte: int) -> int | None:
        """The 1-based character of the caller's text at a 1-based byte of the text sent."""
        raw = self.text.encode()
        if not 1 <= byte <= len(raw) + 1:
            return None
        at = len(raw[: byte - 1].decode("utf-8", "ignore"))
        sent, told = next(mark for mark in reversed(self.marks) if mark[0] <= at)
        return told + at - sent + 1


def bind(segments: Sequence[str | Placeholder], parameters: Mapping[str, object]) -> Bound:
    """The statement with each placeholder as `{p_name:Type}`, its type inferred from the value.

    A FORMAT at the end becomes blanks: how rows are given is the caller's option, and we read one.
    """
    pieces: list[str] = []
    marks: list[tuple[int, int]] = [(0, 0)]
    values: dict[str, str] = {}
    sent = told = 0
    for segment in segments:
        marks.append((sent, told))
        if isinstance(segment, str):
            piece = segment
            told += len(segment)
        else:
            name = segment.name
            kind, text = _typed(name, parameters[name])
            values[f"param_{_PREFIX}{name}"] = text
            piece = f"{{{_PREFIX}{name}:{kind}}}"
            told += len(name) + 1
        pieces.append(piece)
        sent += len(piece)
    text = "".join(pieces)
    found = _FORMAT.search(text)
    if found is not None:
        text = text[: found.start()] + " " * len(found[0]) + text[found.end() :]
    return Bound(text, values, tuple(marks), found[0] if found else "")


def _typed(name: str, value: object) -> tuple[str, str]:
    """(type, text as the server reads it)."""
    if isinstance(value, list) and (element := _element(value)):
        return f"Array({element})", f"[{', '.join(_quoted(name, item) for item in value)}]"
    if value is None:
        return "Nullable(String)", _NULL
    if isinstance(value, (list, dict)):
        value = json.dumps(value, ensure_ascii=False)
    if isinstance(value, str):
        return "String", _whole(name, value).translate(_ESCAPES)
    return _scalar(value), _text(value)


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return "Bool"
    if isinstance(value, int):
        return _integer(value, value)
    return "Float64" if isinstance(value, float) else "String"


def _integer(low: int, high: int) -> str:
    """The smallest type, of 64 bits at least, that holds the range."""
    for bits in (64, 128, 256):
        if -(2 ** (bits - 1)) <= low and high < 2 ** (bits - 1):
            return f"Int{bits}"
        if low >= 0 and high < 2**bits:
            return f"UInt{bits}"
    return "Float64"


def _element(items: Sequence[object]) -> str:
    """The one type of a list's items, '' when they have none in common."""
    known = [item for item in items if item is not None]
    integers = [item for item in known if isinstance(item, int) and not isinstance(item, bool)]
    if known and len(integers) == len(known):
        kind = _integer(min(integers), max(integers))
    elif known and all(type(item) in (int, float) for item in known):
        kind = "Float64"
    elif len({type(item) for item in known}) > 1 or any(type(i) in (list, dict) for i in known):
        return ""
    else:
        kind = _scalar(known[0]) if known else "String"
    return f"Nullable({kind})" if len(known) < len(items) else kind


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


def _quoted(name: str, item: object) -> str:
    """An item as an array's text has it."""
    if item is None:
        return "NULL"
    if isinstance(item, str):
        return f"'{_whole(name, item).translate(_ESCAPES)}'"
    return _text(item)


def _whole(name: str, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ToolError(
            "USAGE", f"Parameter :{name} holds half a surrogate pair, which is no text.",
            hint="give the whole character",
        ) from error  # fmt: skip
    return text
