"""Result sets as text: one function a format, from columns and JSON-ready rows to chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, cast

from dbtools.result import ResultSet
from dbtools.writers.cells import Rows

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

Writer = Callable[[ResultSet, Rows], Iterator[str]]


def writer(name: str) -> Writer:
    """The chunk writer of a format: `write(result, rows)` yields pieces of text."""
    from importlib import import_module

    module = import_module(f"dbtools.writers.{FORMATS[name][0]}")
    return cast(Writer, getattr(module, name))


def streams(name: str) -> bool:
    """May rows of this format be printed before the last one is known?"""
    return FORMATS[name][1]
