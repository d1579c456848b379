"""JSON-typed parameters as PostgreSQL's: `$1` in the text, a type and a text for each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dbtools.drivers.base import Placeholder
from toolbelt.errors import ToolError

_UNKNOWN: Final = 0
_BOOL: Final = 16
_INT8: Final = 20
_INT4: Final = 23
_TEXT: Final = 25
_NUMERIC: Final = 1700
_JSONB: Final = 3802
_ARRAY_OF = {_BOOL: 1000, _INT8: 1016, _INT4: 1007, _TEXT: 1009, _NUMERIC: 1231}
# SQLSTATEs that say "I cannot tell the type": another typing of the parameters may do.
UNTYPABLE: Final = frozenset(("42725", "42883", "42P18", "42P08", "42804", "42846"))


@dataclass(frozen=True, slots=True)
class Bound:
    """A statement ready to send.

    values: one text each `$n`. typings: lists of type oids to try in turn (0: the server infers).
    """

    text: str
    values: tuple[bytes | None, ...]
    typings: tuple[tuple[int, ...], ...]
    locate: Callable[[int], int | None]


def bind(segments: Sequence[str | Placeholder], parameters: Mapping[str, object]) -> Bound:
    """Number the placeholders and turn their values into text.

    Numbers, booleans and documents carry their type; a string takes the type of what it meets
    (a date, a uuid), so it is sent untyped first, as text where that is ambiguous, and last of
    all everything is left to the server (a number that meets a text column).
    """
    names: list[str] = []
    pieces: list[str] = []
    marks: list[tuple[int, int]] = []
    sent = told = 0
    for segment in segments:
        if isinstance(segment, Placeholder):
            if segment.name not in names:
                names.append(segment.name)
            piece = f"${names.index(segment.name) + 1}"
            told_length = len(segment.name) + 1
        else:
            piece, told_length = segment, len(segment)
        pieces.append(piece)
        marks.append((sent, told))
        sent += len(piece)
        told += told_length
    encoded = [_encode(name, parameters[name]) for name in names]
    return Bound(
        "".join(pieces),
        tuple(text for _, text in encoded),
        tuple(_typings([oid for oid, _ in encoded], [parameters[n] for n in names])),
        _locator(marks, sent),
    )


def _locator(marks: Sequence[tuple[int, int]], length: int) -> Callable[[int], int | None]:
    """From a 1-based position in the sent text to one in the caller's, None when out of range."""

    def locate(position: int) -> int | None:
        if not 1 <= position <= length + 1:
            return None
        sent, told = next(mark for mark in reversed(marks) if mark[0] < position)
        return told + position - sent

    return locate


def _typings(oids: list[int], values: list[object]) -> Iterator[tuple[int, ...]]:
    first = tuple(oids)
    second = tuple(oid or _text_type(value) for oid, value in zip(oids, values, strict=True))
    made = dict.fromkeys((first, second, (_UNKNOWN,) * len(oids)))
    yield from made


def _text_type(value: object) -> int:
    return _ARRAY_OF[_TEXT] if isinstance(value, list) else _TEXT


def _encode(name: str, value: object) -> tuple[int, bytes | None]:
    oid, text = _typed(value)
    if text is None:
        return oid, None
    if "\0" in text:
        raise ToolError(
            "USAGE", f"Parameter :{name} holds a NUL character, which PostgreSQL text cannot.",
            hint="remove the character U+0000 from the value",
        )  # fmt: skip
    try:
        return oid, text.encode()
    except UnicodeEncodeError as error:
        raise ToolError(
            "USAGE", f"Parameter :{name} holds half a surrogate pair, which is no text.",
            hint="give the whole character",
        ) from error  # fmt: skip


def _typed(value: object) -> tuple[int, str | None]:
    if value is None:
        return _UNKNOWN, None
    if isinstance(value, bool):
        return _BOOL, "true" if value else "false"
    if isinstance(value, int):
        return _integer_type(value), str(value)
    if isinstance(value, float):
        return _NUMERIC, repr(value)
    if isinstance(value, str):
        return _UNKNOWN, value
    if isinstance(value, list) and not _holds_documents(value):
        return _array_type(value), _array_text(value)
    return _JSONB, json.dumps(value, ensure_ascii=False)


def _integer_type(value: int) -> int:
    if -(2**31) <= value < 2**31:
        return _INT4
    return _INT8 if -(2**63) <= value < 2**63 else _NUMERIC


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _holds_documents(value: list[object]) -> bool:
    """Whether a list is a JSON document rather than an array: mixed, ragged or with objects."""
    kinds = {int if type(leaf) is float else type(leaf) for leaf in _leaves(value)}
    if len(kinds - {type(None)}) > 1:
        return True
    return any(isinstance(leaf, dict) for leaf in _leaves(value)) or _shape(value) is None


def _shape(value: object) -> tuple[int, ...] | None:
    """The dimensions of nested lists, None when they are ragged."""
    if not isinstance(value, list):
        return ()
    shapes = {_shape(item) for item in value}
    if len(shapes) > 1 or None in shapes:
        return None
    inner = shapes.pop() if shapes else ()
    return None if inner is None else (len(value), *inner)


def _array_type(value: list[object]) -> int:
    kinds = {_typed(leaf)[0] for leaf in _leaves(value) if leaf is not None}
    if kinds <= {_INT4, _INT8, _NUMERIC} and kinds:
        widest = next(kind for kind in (_NUMERIC, _INT8, _INT4) if kind in kinds)
        return _ARRAY_OF[widest]
    return _ARRAY_OF[_BOOL] if kinds == {_BOOL} else _UNKNOWN


def _array_text(value: object) -> str:
    if isinstance(value, list):
        return "{" + ",".join(_array_text(item) for item in value) + "}"
    text = _typed(value)[1]
    if text is None:
        return "NULL"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
