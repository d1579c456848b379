"""CSV (RFC 4180, LF line ends) and TSV; NULL is empty, an empty string is `""`."""

from __future__ import annotations

import csv as stdlib_csv
import io
import json
from collections.abc import Iterable, Iterator

from dbtools.result import Column, Row

_CHUNK_CHARS = 1 << 16
_PLAIN = {str, int, float, type(None)}


def csv(columns: list[Column], rows: Iterable[Row], *, header: bool = True) -> Iterator[str]:
    """Comma-separated values with a header line."""
    return _delimited(columns, rows, ",", header)


def tsv(columns: list[Column], rows: Iterable[Row], *, header: bool = True) -> Iterator[str]:
    """Tab-separated values with a header line, quoted as CSV is."""
    return _delimited(columns, rows, "\t", header)


def header_line(columns: list[Column], delimiter: str = ",") -> str:
    """The header line with its line end."""
    return "".join(_delimited(columns, (), delimiter, True))


def _delimited(
    columns: list[Column], rows: Iterable[Row], delimiter: str, header: bool
) -> Iterator[str]:
    buffer = io.StringIO(newline="")
    plain = stdlib_csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    if header:
        plain.writerow([c.name for c in columns])
    single = len(columns) == 1
    for row in rows:
        if not _PLAIN.issuperset(map(type, row)):
            row = [_cell(cell) for cell in row]
        if "" in row or single:
            # The csv module cannot tell NULL from an empty string: quote by hand.
            buffer.write(delimiter.join(_quoted(cell, delimiter) for cell in row) + "\n")
        else:
            plain.writerow(row)
        if buffer.tell() > _CHUNK_CHARS:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


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
