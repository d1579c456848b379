"""Aligned tables for people, and Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator

from dbtools.result import ResultSet
from dbtools.writers.cells import Rows, ready_rows
from toolbelt.envelope import safe_text


def table(result: ResultSet, rows: Rows) -> Iterator[str]:
    """psql's look: header, rule, rows, count; numbers to the right; NULL spelled out."""
    cells = [[_text(v) for v in row] for row in ready_rows(result, rows)]
    names = [safe_text(c.name) for c in result.columns]
    numeric = _numeric(cells, len(names))
    widths = [
        max([_width(name), *(_width(row[i]) for row in cells)]) for i, name in enumerate(names)
    ]
    yield _line([_pad(n, w, False) for n, w in zip(names, widths, strict=True)], " | ")
    yield _line(["-" * w for w in widths], "-+-")
    for row in cells:
        padded = [_pad(c, w, n) for c, w, n in zip(row, widths, numeric, strict=True)]
        yield _line(padded, " | ")
    yield f"({len(cells)} row{'' if len(cells) == 1 else 's'})\n"


def markdown(result: ResultSet, rows: Rows) -> Iterator[str]:
    """A GitHub-flavoured Markdown table."""
    cells = [[_escaped(_text(v)) for v in row] for row in ready_rows(result, rows)]
    numeric = _numeric(cells, len(result.columns))
    yield "| " + " | ".join(_escaped(safe_text(c.name)) for c in result.columns) + " |\n"
    yield "|" + "|".join(" ---: " if n else " --- " for n in numeric) + "|\n"
    for row in cells:
        yield "| " + " | ".join(row) + " |\n"


def _numeric(cells: list[list[str]], count: int) -> list[bool]:
    def every(i: int) -> bool:
        return bool(cells) and all(row[i] == "NULL" or _is_number(row[i]) for row in cells)

    return [every(i) for i in range(count)]


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).replace("e", "", 1).replace("+", "", 1).isdigit()


def _text(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, dict)):
        value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return safe_text(str(value))


def _escaped(text: str) -> str:
    return text.replace("\\n", "<br>").replace("|", "\\|")


def _line(parts: list[str], joint: str) -> str:
    return joint.join(parts).rstrip() + "\n"


def _pad(text: str, width: int, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(c) or c in "\u200b\u200d\ufe0f" else 2 if east_asian_width(c) in "WF" else 1
        for c in text
    )
