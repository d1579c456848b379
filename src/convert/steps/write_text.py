"""Tables as text: csv, tsv, json, jsonl, md."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from convert.steps.grid import Grid, plain, text, unique
from convert.steps.told import Warnings
from convert.steps.typed import typed

_MARKUP: Final = str.maketrans({
    "\\": "\\\\", "|": "\\|", "*": "\\*", "_": "\\_", "`": "\\`", "<": "&lt;", ">": "&gt;",
    "[": "\\[", "]": "\\]",
})  # fmt: skip


def write_csv(grid: Grid, path: Path, delimiter: str = ",") -> None:
    """Delimited UTF-8 text, quoted only where it must be, lines ended by a line feed."""
    with path.open("w", encoding="utf-8", newline="") as file:
        plain_row = csv.writer(file, delimiter=delimiter, lineterminator="\n").writerow
        # The writer does not quote a lone carriage return, which ends a line for most readers.
        quoted_row = csv.writer(
            file, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL
        ).writerow
        header: list[object] = list(grid.header)
        for row in chain([header], grid.rows):
            values = [text(value) for value in row]
            odd = any("\r" in value for value in values)
            (quoted_row if odd else plain_row)(values)


def write_json(grid: Grid, path: Path, warnings: Warnings, *, convert: bool) -> None:
    """A list of objects, one a line. convert: text that is a number becomes one."""
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        between = "\n"
        for line in _objects(grid, warnings, convert=convert):
            file.write(between + line)
            between = ",\n"
        file.write("\n]\n" if between != "\n" else "]\n")


def write_jsonl(grid: Grid, path: Path, warnings: Warnings, *, convert: bool) -> None:
    """One object a line."""
    with path.open("w", encoding="utf-8") as file:
        for line in _objects(grid, warnings, convert=convert):
            file.write(line + "\n")


def _objects(grid: Grid, warnings: Warnings, *, convert: bool) -> Iterator[str]:
    keys = unique(grid.header, warnings)
    encode = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": ")).encode
    for row in grid.rows:
        while len(row) > len(keys):
            keys.append(f"column_{len(keys) + 1}")
        values = [plain(typed(v) if convert and isinstance(v, str) else v) for v in row]
        yield encode(dict(zip(keys, values, strict=False)))


def write_markdown(grids: list[Grid], path: Path) -> None:
    """Pipe tables, each under its sheet's name where there are several."""
    with path.open("w", encoding="utf-8") as file:
        for grid in grids:
            if len(grids) > 1:
                file.write(f"## {_cell(grid.name)}\n\n")
            file.write(_line(grid.header))
            file.write("|" + "---|" * max(len(grid.header), 1) + "\n")
            for row in grid.rows:
                file.write(_line([text(value) for value in row]))
            file.write("\n" if grid is not grids[-1] else "")


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |\n"


def _cell(content: str) -> str:
    lines = content.translate(_MARKUP).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "<br>".join(line.strip() for line in lines)
