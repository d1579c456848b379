"""JSON and JSON Lines as tables: numbers exact, columns in the order they are first seen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from convert.steps.grid import Grid, Number
from convert.steps.told import Problem, Warnings
from toolbelt.nesting import too_deep

_VALUE: Final = "value"


def _constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _parsed(content: str) -> object:
    value = json.loads(content, parse_float=Number, parse_int=Number, parse_constant=_constant)
    if too_deep(content):
        raise RecursionError
    return value


def read(path: Path, warnings: Warnings) -> Grid:
    """A JSON document: a list of objects, of lists or of values, or one object."""
    content = path.read_text(encoding="utf-8")
    try:
        value = _parsed(content)
    except json.JSONDecodeError as error:
        raise _broken(error, at_end=error.pos >= len(content.rstrip())) from error
    except ValueError as error:
        raise Problem("bad_input", f"{error}.") from error
    except RecursionError as error:
        raise Problem("bad_input", "The document is nested too deep.") from error
    value = _clean(value, content, warnings)
    if isinstance(value, dict):
        lists = [v for v in value.values() if isinstance(v, list)]
        if len(lists) == 1 and lists[0] and all(isinstance(item, dict) for item in lists[0]):
            others = [k for k, v in value.items() if not isinstance(v, list)]
            if others:
                warnings.add(f"beside the list there is more, left out: {', '.join(others[:5])}")
            value = lists[0]
        else:
            value = [value]
    if not isinstance(value, list):
        value = [value]
    if not value:
        raise Problem("empty", "The document holds no rows.")
    return _grid(value)


def read_lines(path: Path, warnings: Warnings) -> Grid:
    """One JSON value a line; empty lines count for nothing."""
    items = []
    with path.open(encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                items.append(_clean(_parsed(line), line, warnings))
            except json.JSONDecodeError as error:
                cut = not line.endswith("\n") and error.pos >= len(line.rstrip())
                where = f"line {number}, column {error.colno}"
                raise _broken(error, at_end=cut, where=where) from error
            except (ValueError, RecursionError) as error:
                raise Problem("bad_input", f"line {number}: {error}.") from error
    if not items:
        raise Problem("empty", "The file holds no rows.")
    return _grid(items)


def _clean(value: object, source: str, warnings: Warnings) -> object:
    """The value with the characters that no text can hold replaced; most have none."""
    escapes = source.lower() if "\\u" in source else ""
    if "\\ud" not in escapes and "\\u0000" not in escapes:
        return value
    return _replaced(value, warnings)


def _replaced(value: object, warnings: Warnings) -> object:
    if isinstance(value, str) and not isinstance(value, Number):
        good = "".join("\ufffd" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in value)
        if good != value:
            warnings.add(
                "characters that no text can hold (\\u0000, halves of pairs) became U+FFFD"
            )
        return good
    if isinstance(value, dict):
        return {str(_replaced(k, warnings)): _replaced(v, warnings) for k, v in value.items()}
    if isinstance(value, list):
        return [_replaced(item, warnings) for item in value]
    return value


def _broken(error: json.JSONDecodeError, *, at_end: bool, where: str = "") -> Problem:
    where = where or f"line {error.lineno}, column {error.colno}"
    if at_end or error.msg.startswith("Unterminated"):
        return Problem("truncated", f"The JSON is cut off at {where}.")
    return Problem("bad_input", f"It is not JSON at {where}: {error.msg}.")


def _grid(items: list[object]) -> Grid:
    if all(isinstance(item, dict) for item in items):
        header = list(dict.fromkeys(key for item in items for key in _keys(item)))
        return Grid("", header, _objects(items, header))
    if all(isinstance(item, list) for item in items):
        return _lists(items)
    return Grid("", [_VALUE], ([item] for item in items))


def _keys(item: object) -> list[str]:
    return list(item) if isinstance(item, dict) else []


def _objects(items: list[object], header: list[str]) -> Iterator[list[object]]:
    for item in items:
        if isinstance(item, dict):
            yield [item.get(key) for key in header]


def _lists(items: list[object]) -> Grid:
    """Lists of values: the first is the header when it is all text."""
    rows = [list(item) for item in items if isinstance(item, list)]
    width = max(len(row) for row in rows)
    first = rows[0]
    named = bool(first) and all(isinstance(v, str) and not isinstance(v, Number) for v in first)
    header = [str(v) for v in rows.pop(0)] if named else []
    header += [f"column_{place}" for place in range(len(header) + 1, width + 1)]
    return Grid("", header, (row + [None] * (width - len(row)) for row in rows))
