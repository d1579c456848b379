"""XLSX of more than 50,000 rows: streamed, with header, filter, formats and widths, no charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any, Final

from reporttools.document import Cell, Chart, Column, Document, Image
from reporttools.figures import Marks, marks
from reporttools.notices import Notices
from reporttools.render import excel
from reporttools.render.csvfile import parts
from reporttools.render.package import restamped
from reporttools.render.settings import Settings
from reporttools.render.sheet import widths
from reporttools.render.style import Theme, theme
from toolbelt.errors import missing_extra
from toolbelt.jsonvalue import SAFE_INTEGER

EVERY: Final = 5000
SHORT: Final = excel.MAX_TEXT // 2
ROWS: Final = excel.MAX_ROWS - 1


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows that are read once, as they are written. count: how many there are."""

    title: str
    columns: Sequence[Column]
    rows: Iterable[Sequence[Cell]]
    count: int
    widths: Sequence[float]


def write(document: Document, file: IO[bytes], settings: Settings) -> dict[str, object]:
    """The tables of a report, and its other values as plain sheets."""
    sheets = []
    tables = {id(table.rows): table for table in document.tables()}
    for title, names, rows in parts(document):
        table = tables.get(id(rows))
        if table is not None:
            sheets.append(Sheet(title, table.columns, table.rows, len(table.rows), widths(table)))
        else:
            plain = [Column(name) for name in names]
            lines = list(rows)
            sheets.append(Sheet(title, plain, lines, len(lines), [20.0] * len(plain)))
    if any(isinstance(block, Chart | Image) for block in document.blocks):
        settings.notices.add(
            "NO_CHARTS", "The workbook has more than 50,000 rows, so it is streamed and holds no "
            "charts or pictures, only the charts' values.",
        )  # fmt: skip
    look = theme(document.theme)
    return write_sheets(sheets, file, settings, look, marks(document.locale))


def write_sheets(
    sheets: Sequence[Sheet], file: IO[bytes], settings: Settings, look: Theme, where: Marks
) -> dict[str, object]:
    """Stream the sheets into the file; how many sheets and rows it has."""
    try:
        from rustpy_xlsxwriter import FastExcel, Format
    except ImportError as error:
        raise missing_extra("rustpy-xlsxwriter", "reports") from error
    names, made = excel.Names(), 0
    path = f"/proc/self/fd/{file.fileno()}"
    # Freezing a row and filtering are the writer's own; every style names its font.
    book = FastExcel(path, output_format="xlsx").freeze(row=1)
    head = Format().set_bold().set_font_name(excel.FONT).set_font_color("#FFFFFF")
    head = head.set_background_color(look.band)
    for sheet in sheets:
        rows = iter(sheet.rows)
        keys = unique([column.title for column in sheet.columns])
        for number in range(max(1, -(-sheet.count // ROWS))):
            count = min(ROWS, sheet.count - number * ROWS)
            lines = _lines(islice(rows, count), keys, sheet, settings, number * ROWS)
            book.sheet(
                names(sheet.title), lines, autofilter=True, header_format=head,
                column_widths=list(sheet.widths), 
                column_formats=_formats(sheet.columns, Format, where),
                page_setup={"fit_to_pages": (1, 0), "repeat_rows": 0},
            )  # fmt: skip
            made += 1
        if sheet.count > ROWS:
            settings.notices.add(
                "SHEETS_SPLIT", f"{sheet.title!r} has {sheet.count:,} rows; a sheet takes "
                f"{ROWS:,}, so it goes on in further sheets.",
            )  # fmt: skip
    book.save()
    restamped(file, settings.moment)
    return {"sheets": made, "rows": sum(sheet.count for sheet in sheets)}


def unique(titles: Sequence[str]) -> list[str]:
    """Column names as keys: an empty one gets a number, a repeated one too."""
    found: dict[str, None] = {}
    for place, title in enumerate(titles, 1):
        name = base = title or f"Column {place}"
        number = 2
        while name in found:
            name = f"{base} ({number})"
            number += 1
        found[name] = None
    return list(found)


def _formats(columns: Sequence[Column], style: Any, where: Marks) -> list[Any]:
    found = []
    for column in columns:
        made = style().set_font_name(excel.FONT)
        code = excel.code(column, where)
        found.append(made.set_num_format(code) if code else made)
    return found


def _lines(
    rows: Iterable[Sequence[Cell]],
    keys: Sequence[str],
    sheet: Sheet,
    settings: Settings,
    before: int,
) -> Iterator[Mapping[str, Cell]]:  # fmt: skip
    """Rows as the writer takes them; only cells that Excel could not hold are changed."""
    notices: Notices = settings.notices
    titles = [column.title for column in sheet.columns]
    plain = (float, type(None), bool)
    number = before
    for row in rows:
        number += 1
        if number % EVERY == 0:
            settings.progress("writing rows", number, sheet.count)
        cells = [
            cell
            if (kind := type(cell)) in plain
            or (kind is str and len(cell) < SHORT)  # type: ignore[arg-type]
            or (kind is int and -SAFE_INTEGER <= cell <= SAFE_INTEGER)  # type: ignore[operator]
            else excel.value(cell, title, notices, escape=False)
            for cell, title in zip(row, titles, strict=True)
        ]
        yield dict(zip(keys, cells, strict=True))
    if number == before:
        yield dict.fromkeys(keys)
