"""JSON lines, and the row texts of a JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from dbtools.result import Column, Row
from toolbelt.envelope import escape_invisible

_CHUNK_ROWS = 256


def lines(columns: list[Column], rows: Iterable[Row], *, arrays: bool = False) -> Iterator[str]:
    """Each row as one line of JSON: an object by column name, or an array."""
    encode = json.JSONEncoder(
        ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False
    ).encode
    names = [c.name for c in columns]
    for row in rows:
        text = encode(list(row) if arrays else dict(zip(names, row, strict=True)))
        yield escape_invisible(text)


def jsonl(columns: list[Column], rows: Iterable[Row], *, arrays: bool = False) -> Iterator[str]:
    """JSON lines, a chunk of rows at a time."""
    chunk: list[str] = []
    for line in lines(columns, rows, arrays=arrays):
        chunk.append(line)
        if len(chunk) == _CHUNK_ROWS:
            yield "\n".join(chunk) + "\n"
            chunk.clear()
    if chunk:
        yield "\n".join(chunk) + "\n"
