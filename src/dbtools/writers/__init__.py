"""Result sets as text: one function a format, from columns and JSON-ready rows to chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, cast

from dbtools.result import Column, ResultSet, Row

# format -> (module, may it be written while rows still arrive)
FORMATS: Final = {
    "json": ("jsonrows", False),
    "jsonl": ("jsonrows", True),
    "csv": ("delimited", True),
    "tsv": ("delimited", True),
    "table": ("grid", False),
    "markdown": ("grid", False),
}
SUFFIXES: Final = {
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv",
    ".md": "markdown", ".txt": "table",
}  # fmt: skip

Writer = Callable[[list[Column], Iterable[Row]], Iterator[str]]


def writer(name: str) -> Writer:
    """The chunk writer of a format: `write(columns, rows)` yields pieces of text."""
    from importlib import import_module

    module = import_module(f"dbtools.writers.{FORMATS[name][0]}")
    return cast(Writer, getattr(module, name))


def streams(name: str) -> bool:
    """May rows of this format be printed before the last one is known?"""
    return FORMATS[name][1]


def ready_rows(result: ResultSet) -> Iterator[Row]:
    """Rows with every cell JSON-ready; columns without a converter cost nothing."""
    work = [(i, c) for i, c in enumerate(result.converters) if c is not None]
    if not work:
        yield from result.rows
        return
    if len(work) == len(result.converters):
        converters = [c for _, c in work]
        for row in result.rows:
            yield [convert(cell) for convert, cell in zip(converters, row, strict=True)]
        return
    for row in result.rows:
        cells = list(row)
        for index, convert in work:
            if cells[index] is not None:
                cells[index] = convert(cells[index])
        yield cells
