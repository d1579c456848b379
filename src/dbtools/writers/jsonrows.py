"""JSON lines, and the row texts of a JSON document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from json.encoder import encode_basestring as quoted
from typing import cast

from dbtools.result import Column, ResultSet, Row
from dbtools.writers.cells import Cells, Rows, ready_chunks, ready_rows
from toolbelt.envelope import escape_invisible


def _encoder() -> Callable[[object], str]:
    return json.JSONEncoder(
        ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False
    ).encode


def lines(result: ResultSet, rows: Iterable[Row], *, arrays: bool = False) -> Iterator[str]:
    """Each row as one line of JSON: an object by column name, or an array."""
    encode = _encoder()
    names = [c.name for c in result.columns]
    if result.documents:
        yield from (escape_invisible(encode(row[0])) for row in ready_rows(result, rows))
        return
    for row in ready_rows(result, rows):
        text = encode(list(row) if arrays else dict(zip(names, row, strict=True)))
        yield escape_invisible(text)


def jsonl(result: ResultSet, rows: Rows, *, arrays: bool = False) -> Iterator[str]:
    """JSON lines, a chunk of rows at a time."""
    if result.documents:
        yield from (f"{line}\n" for line in lines(result, rows))
        return
    encode = _encoder()
    fill = _template(result.columns, arrays).__mod__
    if not result.columns:
        yield from (fill(()) + "\n" for _ in rows)
        return
    for columns in ready_chunks(result, rows):
        texts = zip(*(_texts(cells, encode) for cells in columns), strict=True)
        yield escape_invisible("\n".join(map(fill, texts))) + "\n"


def _template(columns: list[Column], arrays: bool) -> str:
    """A row's JSON with %s for each value."""
    if arrays:
        return "[" + ",".join("%s" for _ in columns) + "]"
    return "{" + ",".join(quoted(c.name).replace("%", "%%") + ":%s" for c in columns) + "}"


def _texts(cells: Cells, encode: Callable[[object], str]) -> Iterable[object]:
    """What to put for %s; a plain int prints as itself."""
    kinds = set(map(type, cells))
    if kinds == {str}:
        return map(quoted, cast("list[str]", cells))
    if kinds == {int}:
        return cells
    if kinds == {int, type(None)}:
        return ["null" if c is None else c for c in cells]
    return ["null" if c is None else quoted(c) if c.__class__ is str else encode(c) for c in cells]
