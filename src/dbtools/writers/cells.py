"""Cells made JSON-ready: row by row, or a column of many rows at a time where speed counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import cast

from dbtools.result import Column, Converter, ResultSet, Row
from toolbelt.jsonvalue import SAFE_INTEGER

_CHUNK_ROWS = 256
_NONE = type(None)

Cells = Sequence[object]


class Rows:
    """The rows on their way out, one by one or in chunks: counted, and stopped at the cap.

    truncated: known once they were read: there was at least one row more than the cap.
    """

    def __init__(self, source: Iterable[Row], cap: int | None = None) -> None:
        self._source = iter(source)
        self._cap = cap
        self.count = 0
        self.truncated = False

    def __iter__(self) -> Iterator[Row]:
        for row in self._source:
            if self.count == self._cap:
                self.truncated = True
                return
            self.count += 1
            yield row

    def chunks(self) -> Iterator[list[Row]]:
        """A few hundred rows at a time."""
        while chunk := list(islice(self._source, _CHUNK_ROWS)):
            if self._cap is not None and self.count + len(chunk) > self._cap:
                self.truncated = True
                chunk = chunk[: self._cap - self.count]
            self.count += len(chunk)
            if chunk:
                yield chunk
            if self.truncated:
                return


def tabular(result: ResultSet) -> ResultSet:
    """A result of documents as a table: a column a field, `_other` for fields met too late."""
    names = [c.name for c in result.columns]
    known, make = set(names), result.converters[0]
    spill = not result.all_fields_known

    def cells() -> Iterator[Row]:
        for (document,) in result.rows:
            made = cast("dict[str, object]", document if make is None else make(document))
            row = [made.get(name) for name in names]
            if spill:
                row.append({k: v for k, v in made.items() if k not in known} or None)
            yield row

    columns = [*result.columns, Column("_other", "object")] if spill else result.columns
    return replace(
        result, columns=columns, rows=cells(), converters=[None] * len(columns), documents=False
    )


def ready_rows(result: ResultSet, rows: Iterable[Row]) -> Iterable[Row]:
    """Rows with every cell JSON-ready; columns without a converter cost nothing."""
    work = [(i, c) for i, c in enumerate(result.converters) if c is not None]
    if not work:
        return rows

    def convert(row: Row) -> Row:
        cells = list(row)
        for index, change in work:
            if cells[index] is not None:
                cells[index] = change(cells[index])
        return cells

    return map(convert, rows)


def ready_chunks(result: ResultSet, rows: Rows) -> Iterator[list[Cells]]:
    """Columns of JSON-ready cells, a few hundred rows at a time.

    Whole columns go through C loops; a Python step for each cell would be most of an export.
    """
    raw = result.raw_is_json
    for chunk in rows.chunks():
        columns = zip(zip(*chunk, strict=True), result.converters, strict=True)
        yield [_ready(cells, change, raw) for cells, change in columns]


def _ready(cells: Cells, change: Converter | None, raw_is_json: bool) -> Cells:
    if change is None or (raw_is_json and is_plain(cells)):
        return cells
    return [None if cell is None else change(cell) for cell in cells]


def is_plain(cells: Cells) -> bool:
    """Are these all text, or all integers that JSON holds exactly, NULLs aside?"""
    kinds = set(map(type, cells))
    if kinds == {int}:
        numbers = cast("Sequence[int]", cells)
        return max(numbers) <= SAFE_INTEGER and min(numbers) >= -SAFE_INTEGER
    kinds.discard(_NONE)
    if kinds == {int}:
        some = cast("Sequence[int | None]", cells)
        # filter drops NULLs, and zeros, which are no matter here.
        high, low = max(filter(None, some), default=0), min(filter(None, some), default=0)
        return high <= SAFE_INTEGER and low >= -SAFE_INTEGER
    return kinds <= {str}
