"""Tables too long to hold: one pass to know the columns, one to write the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any, Final

from reporttools import clean, tables
from reporttools.data import Source, table
from reporttools.document import Cell, Column, Table
from reporttools.notices import Notices
from reporttools.rows import Field, Rows

SAMPLE: Final = 1000
Convert = Callable[[Any], Cell]


@dataclass(slots=True)
class Stream:
    """Columns, and rows that are read again each time they are asked for. count: of rows.

    sample: the first rows. converters: what makes a cell of
    the source one of the table, None where nothing has to be done.
    """

    again: Callable[[], Iterable[list[object]]]
    fields: list[Field]
    columns: list[Column]
    converters: list[Convert | None]
    sample: list[Sequence[Cell]]
    count: int

    def rows(self) -> Iterator[Sequence[Cell]]:
        """Every row with its cells as the columns' kinds ask for."""
        active = [(i, c) for i, c in enumerate(self.converters) if c is not None]
        for row in self.again():
            for place, convert in active:
                row[place] = convert(row[place])
            yield row  # type: ignore[misc]


def _text(cell: Any) -> Cell:
    return clean.text(cell) if isinstance(cell, str) else cell


def _whole(cell: str) -> Cell:
    return int(cell) if cell else None


def _fraction(cell: str) -> Cell:
    return float(cell) if cell else None


def _moment(cell: Any) -> Cell:
    return tables.moment(_text(cell))


def _exact(cell: Any) -> Cell:
    return tables.exact(_text(cell))


def scan(source: Source, notices: Notices) -> Stream:
    """Read everything once: names, kinds, the number of rows."""
    rows = table(source)
    if rows.truncated:
        notices.add("TRUNCATED", "The query's result was cut by a limit; the table is that part.")
    converters, sample, count = _survey(rows)
    typed: list[list[Any]] = [
        [c(cell) if c is not None else cell for c, cell in zip(converters, row, strict=True)]
        for row in sample
    ]
    columns = tables.build("", rows.fields, typed, notices).columns
    again = (lambda: rows) if isinstance(rows.rows, Sized) else (lambda: table(source))
    return Stream(again, rows.fields, list(columns), converters, list(typed), count)


def _survey(rows: Rows) -> tuple[list[Convert | None], list[list[object]], int]:
    """What each column's cells become, the first rows, how many there are."""
    if rows.typed and isinstance(rows.rows, Sized):
        kept = [[*row] for row in islice(rows, SAMPLE)]
        return [_by_field(field, rows) for field in rows.fields], kept, len(rows.rows)
    width = len(rows.fields)
    # Of a text column of CSV: still plain numbers only, some filled, some with a fraction.
    numeric, filled, fraction = [not rows.typed] * width, [False] * width, [False] * width
    sample: list[list[object]] = []
    count = 0
    watched = [] if rows.typed else list(range(width))
    for row in rows:
        count += 1
        if count <= SAMPLE:
            sample.append(row)
        for place in watched:
            cell = row[place]
            if cell == "":
                continue
            filled[place] = True
            if not tables.is_canonical(cell):
                numeric[place] = False
            elif "." in cell:  # type: ignore[operator]
                fraction[place] = True
        if count % SAMPLE == 0:
            watched = [place for place in watched if numeric[place]]
    converters: list[Convert | None] = [
        (_fraction if part else _whole)
        if n and some
        else _by_field(field, rows)
        if rows.typed
        else None
        for field, n, some, part in zip(rows.fields, numeric, filled, fraction, strict=True)
    ]
    return converters, sample, count


def _by_field(field: Field, rows: Rows) -> Convert | None:
    if field.temporal:
        return _moment
    return _exact if field.numeric else None if rows.clean else _text


def write_csv(source: Source, notices: Notices, file: IO[bytes], settings: Any) -> int:
    """All rows as CSV, texts as they are; how many."""
    from reporttools.render import csvfile

    rows = table(source)
    if rows.truncated:
        notices.add("TRUNCATED", "The query's result was cut by a limit; the table is that part.")
    names = [clean.text(field.name) for field in rows.fields]
    lines: Iterable[Any] = (
        ([_text(c) for c in row] for row in rows) if rows.typed and not rows.clean else rows
    )
    return csvfile.write(names, lines, file, settings)


def write_xlsx(stream: Stream, title: str, file: IO[bytes], settings: Any) -> dict[str, object]:
    """All rows as a workbook, streamed."""
    from reporttools.figures import marks
    from reporttools.render import bigsheet
    from reporttools.render.sheet import widths
    from reporttools.render.style import theme

    head = Table(title, tuple(stream.columns), stream.sample)
    sheet = bigsheet.Sheet(title, stream.columns, stream.rows(), stream.count, widths(head))
    return bigsheet.write_sheets([sheet], file, settings, theme(""), marks("en"))
