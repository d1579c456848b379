"""Strict JSON: what Python's reader lets pass is refused here, with line and JSON pointer.

NaN and Infinity, numbers beyond a double, keys given twice, nesting without end and numbers of
thousands of digits are BAD_DATA. The fast reader is tried first; only when it objects is the text
walked token by token to say where.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from json.decoder import py_scanstring  # type: ignore[attr-defined]
from typing import Final, NoReturn

from reporttools.problems import Problem, bad_data, pointer
from toolbelt.errors import ToolError
from toolbelt.nesting import too_deep

MAX_DIGITS: Final = 4000


class Refused(ValueError):
    """The fast reader met something that is JSON only by Python's leave."""


def _constant(name: str) -> NoReturn:
    raise Refused(name)


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise Refused(text)
    return number


def _pairs(items: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(items)
    if len(made) != len(items):
        raise Refused("key")
    return made


STRICT: Final = json.JSONDecoder(
    parse_constant=_constant, parse_float=_float, object_pairs_hook=_pairs
)


def decode(raw: bytes, what: str) -> str:
    """Bytes as text: UTF-8 (with or without BOM) or UTF-16 with BOM; else BAD_DATA with line."""
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ToolError(
            "BAD_DATA",
            f"{what} is not UTF-8 text: byte {error.start} (line {line}) is not valid.",
            hint="save it as UTF-8",
            detail={"path": "", "line": line},
        ) from error


def parse(text: str, what: str = "The data", first_line: int = 1) -> object:
    """One JSON document. first_line: the number of the text's first line, for messages."""
    try:
        value: object = STRICT.decode(text)
        if too_deep(text):
            raise RecursionError
        return value
    except json.JSONDecodeError as error:
        line = error.lineno + first_line - 1
        raise ToolError(
            "BAD_DATA",
            f"{what} is not valid JSON: {_reason(error)} at line {line}, column {error.colno}.",
            hint=_advice(text, error),
            detail={"path": "", "line": line, "column": error.colno},
        ) from error
    except RecursionError:
        raise ToolError(
            "BAD_DATA",
            f"{what} is nested too deeply to be read.",
            hint="a report needs no more than a few levels of lists and objects",
            detail={"path": ""},
        ) from None
    except (Refused, ValueError) as error:
        raise _located(text, what, first_line) from error


def _reason(error: json.JSONDecodeError) -> str:
    reason = error.msg[0].lower() + error.msg[1:]
    return reason.replace("extra data", "something follows the end of the document")


def _advice(text: str, error: json.JSONDecodeError) -> str:
    if not text.strip():
        return "the data is empty: pipe JSON in, or name a file with --data FILE"
    near = text[max(0, error.pos - 20) : error.pos + 20].replace("\n", " ")
    if text[error.pos : error.pos + 1] == "'":
        return f"JSON strings take double quotes; it stands near {near!r}"
    return f"it stands near {near!r}"


_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS: Final = ("true", "false", "null", "NaN", "Infinity", "-Infinity")


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """Tokens of valid JSON text with their offsets; strings come decoded behind a quote."""
    at = 0
    while at < len(text):
        char = text[at]
        if char in " \t\r\n":
            at += 1
        elif char == '"':
            value, end = py_scanstring(text, at + 1, False)
            yield '"' + value, at
            at = end
        elif char in "{}[],:":
            yield char, at
            at += 1
        else:
            word = next((w for w in _WORDS if text.startswith(w, at)), "")
            number = None if word else _NUMBER.match(text, at)
            piece = word or (number.group() if number else char)
            yield piece, at
            at += len(piece)


def _located(text: str, what: str, first_line: int) -> ToolError:
    """The place of the first refused token, as an error."""
    stack: list[tuple[str, set[str] | None, int]] = []
    path, key, expect_key = "", "", False
    for piece, at in _tokens(text):
        if piece in "{[" and len(piece) == 1:
            parent = _here(stack, path, key)
            stack.append((path, set() if piece == "{" else None, 0))
            path, expect_key = parent, piece == "{"
        elif piece in "}]":
            path, expect_key = stack.pop()[0], False
        elif piece == ",":
            owner, keys, index = stack[-1]
            stack[-1] = (owner, keys, index + 1)
            expect_key = keys is not None
        elif expect_key and piece.startswith('"'):
            key, expect_key = piece[1:], False
            keys = stack[-1][1]
            if keys is not None and key in keys:
                return _at(text, at, what, first_line, path, f"key {key!r} is given twice")
            if keys is not None:
                keys.add(key)
        else:
            problem = _bad_number(piece)
            if problem:
                here = _here(stack, path, key)
                return _at(text, at, what, first_line, here, problem)
    return bad_data([Problem("", f"{what} cannot be read as JSON.")])


def _here(stack: list[tuple[str, set[str] | None, int]], path: str, key: str) -> str:
    if not stack:
        return ""
    _, keys, index = stack[-1]
    return pointer(path, index if keys is None else key)


def _bad_number(piece: str) -> str:
    if piece in ("NaN", "Infinity", "-Infinity"):
        return f"{piece} is not a JSON number; use null for a missing value"
    if piece[:1] in "-0123456789":
        digits = piece.lstrip("-")
        if digits.isdigit():
            return f"a number of {len(digits)} digits is too long" if len(digits) > 4000 else ""
        if math.isinf(float(piece)):
            return f"the number {piece[:40]} is too large"
    return ""


def _at(text: str, at: int, what: str, first_line: int, path: str, message: str) -> ToolError:
    line = text.count("\n", 0, at) + first_line
    return ToolError(
        "BAD_DATA",
        f"{path}: {message} (line {line})." if path else f"{what}: {message} (line {line}).",
        detail={"path": path, "line": line},
    )
