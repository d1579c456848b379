"""CSV (RFC 4180, LF line ends) and TSV; NULL is empty, an empty string is `""`."""

from __future__ import annotations

import csv as stdlib_csv
import io
import json
from collections.abc import Iterator

from dbtools.result import Column, ResultSet
from dbtools.writers.cells import Cells, Rows, ready_chunks

_CHUNK_CHARS = 1 << 16
_PLAIN = {str, int, float, type(None)}


def csv(result: ResultSet, rows: Rows) -> Iterator[str]:
    """Comma-separated values with a header line."""
    return _delimited(result, rows, ",")


def tsv(result: ResultSet, rows: Rows) -> Iterator[str]:
    """Tab-separated values with a header line, quoted as CSV is."""
    return _delimited(result, rows, "\t")


def header_line(columns: list[Column], delimiter: str = ",") -> str:
    """The header line with its line end."""
    return delimiter.join(_quoted(c.name, delimiter) for c in columns) + "\n"


def _delimited(result: ResultSet, rows: Rows, delimiter: str) -> Iterator[str]:
    buffer = io.StringIO(newline="")
    plain = stdlib_csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    buffer.write(header_line(result.columns, delimiter))
    single = len(result.columns) == 1
    for columns in ready_chunks(result, rows):
        cells = [_printable(column) for column in columns]
        start = buffer.tell()
        # The csv module cannot tell NULL from an empty string, and before Python 3.13 leaves a
        # carriage return bare: such chunks are quoted by hand.
        by_hand = single or any("" in column for column in cells)
        if not by_hand:
            plain.writerows(zip(*cells, strict=True))
            buffer.seek(start)
            by_hand = "\r" in buffer.read()
        if by_hand:
            buffer.seek(start)
            buffer.truncate()
            buffer.writelines(
                delimiter.join(_quoted(cell, delimiter) for cell in row) + "\n"
                for row in zip(*cells, strict=True)
            )
        if buffer.tell() > _CHUNK_CHARS:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _printable(cells: Cells) -> Cells:
    return cells if _PLAIN.issuperset(map(type, cells)) else [_cell(cell) for cell in cells]


def _cell(value: object) -> object:
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value


def _quoted(value: object, delimiter: str) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else repr(value)
    if text == "" or any(c in text for c in (delimiter, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text
