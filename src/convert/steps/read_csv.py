"""Delimited text: the delimiter found outside quotes, every value as it stands."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from convert.steps.grid import Grid
from convert.steps.told import Problem, Warnings

DELIMITERS: Final = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
_SAMPLE: Final = 1 << 16
_RECORDS: Final = 50


def read(path: Path, delimiter: str, warnings: Warnings) -> Grid:
    """The table in a UTF-8 file. delimiter: a key of DELIMITERS, or `auto`."""
    csv.field_size_limit(sys.maxsize)
    with path.open(encoding="utf-8", newline="") as file:
        sample = file.read(_SAMPLE)
    char = DELIMITERS.get(delimiter) or found(sample) or ","
    records = _records(path, char)
    header = next(records, None)
    if header is None:
        raise Problem("empty", "There is no line in the file.")
    return Grid("", header, _even(records, len(header), warnings))


def _records(path: Path, char: str) -> Iterator[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file, delimiter=char)
        try:
            for record in reader:
                if record:
                    yield record
        except csv.Error as error:
            raise Problem("bad_input", f"line {reader.line_num}: {error}.") from error


def _even(records: Iterator[list[str]], width: int, warnings: Warnings) -> Iterator[list[object]]:
    """The rows, short ones filled up; a warning says which were not like the header."""
    short: list[int] = []
    long: list[int] = []
    for number, record in enumerate(records, 2):
        if len(record) != width:
            (short if len(record) < width else long).append(number)
            record += [""] * (width - len(record))
        yield list(record)
    for what, rows in (("fewer", short), ("more", long)):
        if rows:
            some = ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")
            warnings.add(f"{len(rows)} records have {what} fields than the header: {some}")


def found(sample: str) -> str | None:
    """The delimiter that splits the records of a sample most evenly; None when none does."""
    counts = _counts(sample)
    best, score = None, (0.0, 0)
    for char, per_record in counts.items():
        first = per_record[0] if per_record else 0
        if not first:
            continue
        same = sum(count == first for count in per_record) / len(per_record)
        if (same, first) > score and same >= 0.5:
            best, score = char, (same, first)
    return best


def _counts(sample: str) -> dict[str, list[int]]:
    """How often each delimiter stands outside quotes, a record; a cut-off last one is left out."""
    chars = tuple(DELIMITERS.values())
    records: list[dict[str, int]] = []
    current = dict.fromkeys(chars, 0)
    quoted, filled, before = False, False, "\n"
    for char in sample:
        if char == '"' and (quoted or not filled or before in chars):
            quoted = not quoted
        elif not quoted and char in current:
            current[char] += 1
        if not quoted and char in "\r\n":
            if filled:
                records.append(current)
                current = dict.fromkeys(chars, 0)
            filled = False
        else:
            filled = True
        before = char
        if len(records) >= _RECORDS:
            break
    if filled and (len(sample) < _SAMPLE or not records):
        records.append(current)
    return {char: [record[char] for record in records] for char in chars}
