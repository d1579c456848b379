"""Tables too long to hold: one pass to know the columns, one to write the rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final

from reporttools import clean, tables
from reporttools.data import Source, table
from reporttools.document import Cell, Column
from reporttools.notices import Notices
from reporttools.rows import Field, Rows
from reporttools.tables import plain_number

SAMPLE: Final = 1000


@dataclass(slots=True)
class Stream:
    """Columns, and rows that are read again each time they are asked for. count: of rows."""

    source: Source
    fields: list[Field]
    columns: list[Column]
    numeric: list[bool]
    sample: list[Sequence[Cell]]
    count: int

    def rows(self) -> Iterator[Sequence[Cell]]:
        """Every row with its cells as the columns' kinds ask for."""
        fresh = table(self.source)
        plain = [(f.numeric, f.temporal) == (False, False) for f in self.fields]
        for row in fresh:
            yield [
                _text(cell) if simple and not number else _typed(cell, field, number)
                for cell, field, number, simple in zip(
                    row, self.fields, self.numeric, plain, strict=True
                )
            ]


def _text(cell: object) -> Cell:
    return clean.text(cell) if isinstance(cell, str) else cell  # type: ignore[return-value]


def _typed(cell: object, field: Field, number: bool) -> Cell:
    value = _text(cell)
    if field.temporal:
        return tables.moment(value)
    if field.numeric:
        return tables.exact(value)
    return plain_number(value) if number else value


def scan(source: Source, notices: Notices) -> Stream:
    """Read everything once: names, kinds, the number of rows."""
    rows = table(source)
    if rows.truncated:
        notices.add("TRUNCATED", "The query's result was cut by a limit; the table is that part.")
    numeric, sample, count = _survey(rows)
    if rows.typed:
        numeric = [False] * len(rows.fields)
    stream = Stream(source, rows.fields, [], numeric, [], count)
    stream.sample = [
        [_typed(c, f, n) for c, f, n in zip(row, rows.fields, numeric, strict=True)]
        for row in sample
    ]
    made = tables.build("", rows.fields, stream.sample, notices)
    stream.columns = list(made.columns)
    return stream


def _survey(rows: Rows) -> tuple[list[bool], list[list[object]], int]:
    """Which columns hold nothing but plainly written numbers, the first rows, the count."""
    width = len(rows.fields)
    numeric, filled = [not rows.typed] * width, [False] * width
    sample: list[list[object]] = []
    count = 0
    for row in rows:
        count += 1
        if count <= SAMPLE:
            sample.append(row)
        if rows.typed:
            continue
        for place in range(width):
            cell = row[place]
            if numeric[place] and cell != "":
                filled[place] = True
                numeric[place] = tables.is_canonical(cell)
    return [n and f for n, f in zip(numeric, filled, strict=True)], sample, count


def write_csv(stream: Stream, file: IO[bytes], settings: Any) -> dict[str, object]:
    """All rows as CSV, texts as they are."""
    from reporttools.render import csvfile

    names = [column.title for column in stream.columns]
    lines: Iterable[Sequence[Cell]] = (
        [_text(cell) for cell in row] for row in table(stream.source)
    )
    return {"rows": csvfile.write(names, lines, file, settings)}


def write_xlsx(stream: Stream, title: str, file: IO[bytes], settings: Any) -> dict[str, object]:
    """All rows as a workbook, streamed."""
    from reporttools.document import Table
    from reporttools.render import bigsheet
    from reporttools.render.sheet import widths
    from reporttools.render.style import theme

    head = Table(title, tuple(stream.columns), stream.sample)
    sheet = bigsheet.Sheet(title, stream.columns, stream.rows(), stream.count, widths(head))
    return bigsheet.write_sheets([sheet], file, settings, theme(""))
