"""Workbooks, written as a stream: text stays text, never a formula, a link or a number.

The few parts of the format we need are written here: a general library takes ten times as long a
cell, and guesses what a text might mean.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import chain, islice
from pathlib import Path
from typing import IO, Final

from convert.steps.grid import Grid, Number, text
from convert.steps.told import Problem, Warnings
from convert.steps.typed import typed

MAX_ROWS: Final = 1_048_576
MAX_COLUMNS: Final = 16_384
MAX_TEXT: Final = 32_767
_WIDTH_ROWS: Final = 200
_DATE, _DATETIME, _TIME, _DURATION, _BOLD = 1, 2, 3, 4, 5
_EPOCH: Final = datetime(1899, 12, 30)
_CONTROL: Final = {c: f"_x{c:04X}_" for c in (*range(9), 11, 12, *range(13, 32), 0xFFFE, 0xFFFF)}
_ESCAPES: Final = _CONTROL | {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def write(grids: list[Grid], path: Path, warnings: Warnings, *, convert: bool) -> None:
    """Write each table as a sheet. convert: text that is a number or a date becomes one."""
    names: list[str] = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
        for grid in grids:
            rows = _rows(grid, convert=convert)
            while True:
                names.append(_sheet_name(grid.name, names))
                part = f"xl/worksheets/sheet{len(names)}.xml"
                with archive.open(part, "w", force_zip64=True) as file:
                    full = _sheet(file, grid.header, rows)
                first = next(rows, None) if full else None
                if first is None:
                    break
                warnings.add(
                    f"a sheet holds {MAX_ROWS} rows; the rest is on sheet {len(names) + 1}"
                )
                rows = chain([first], rows)
        for name, content in _parts(names):
            archive.writestr(name, _HEAD + content)


def _rows(grid: Grid, *, convert: bool) -> Iterator[list[object]]:
    if not convert:
        return grid.rows
    return ([typed(v) if type(v) is str else v for v in row] for row in grid.rows)


def _sheet(file: IO[bytes], header: list[str], rows: Iterator[list[object]]) -> bool:
    """One sheet's XML; whether it is full."""
    first = list(islice(rows, _WIDTH_ROWS))
    widest = max((len(row) for row in first), default=0)
    if max(len(header), widest) > MAX_COLUMNS:
        raise Problem("too_large", f"A sheet holds {MAX_COLUMNS} columns at most.", "use parquet")
    file.write(_opening(header, first).encode())
    columns = [column_name(place) for place in range(max(len(header), 1))]
    file.write(_row(1, list(header), columns, _BOLD).encode())
    number, buffer = 1, []
    for number, row in enumerate(chain(first, islice(rows, MAX_ROWS - 1 - len(first))), 2):
        while len(columns) < len(row):
            columns.append(column_name(len(columns)))
        buffer.append(_row(number, row, columns, 0))
        if len(buffer) >= 1000:
            file.write("".join(buffer).encode())
            buffer.clear()
    file.write("".join(buffer).encode())
    last = f"{columns[-1]}{number}"
    ignored = (
        f'<ignoredErrors><ignoredError sqref="A1:{last}" numberStoredAsText="1"/></ignoredErrors>'
    )
    file.write(f"</sheetData>{ignored}</worksheet>".encode())
    return number == MAX_ROWS


def _opening(header: list[str], first: list[list[object]]) -> str:
    widths = [len(name) for name in header]
    for row in first:
        for place, value in enumerate(row[: len(widths)]):
            longest = max((len(line) for line in text(value).split("\n")), default=0)
            widths[place] = max(widths[place], longest)
    cols = "".join(
        f'<col min="{n}" max="{n}" width="{min(max(w + 2, 6), 60)}" customWidth="1"/>'
        for n, w in enumerate(widths, 1)
    )
    view = (
        '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2"'
        ' activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
    )
    fit = '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>'
    cols = f"<cols>{cols}</cols>" if cols else ""
    return f'{_HEAD}<worksheet xmlns="{_MAIN}">{fit}{view}{cols}<sheetData>'


def _row(number: int, row: list[object], columns: list[str], style: int) -> str:
    look = f' s="{style}"' if style else ""
    parts = [f'<row r="{number}">']
    for column, value in zip(columns, row, strict=False):
        if value is None or value == "":
            continue
        if type(value) is str:
            content = value if value.isalnum() and value.isascii() else _escaped(value)
            if len(value) > MAX_TEXT:
                raise _too_long(column, number)
            parts.append(
                f'<c r="{column}{number}"{look} t="inlineStr"><is><t>{content}</t></is></c>'
                if content is value
                else f'<c r="{column}{number}"{look} t="inlineStr"><is>'
                f'<t xml:space="preserve">{content}</t></is></c>'
            )
        else:
            parts.append(_cell(f"{column}{number}", value))
    parts.append("</row>")
    return "".join(parts)


def _too_long(column: str, number: int) -> Problem:
    return Problem(
        "too_large", f"The text in {column}{number} has more than {MAX_TEXT} characters.",
        "a sheet cannot hold it; csv and json can",
    )  # fmt: skip


def _escaped(content: str) -> str:
    if content.isspace():
        # Readers drop text that is blank all through; written out, it stays.
        return "".join(f"_x{ord(char):04X}_" for char in content)
    if "_x" in content:
        content = _literal(content)
    return content.translate(_ESCAPES)


def _literal(content: str) -> str:
    """`_x000D_` written out means a control character; ours must come back as it is."""
    out, place = [], 0
    while (found := content.find("_x", place)) >= 0:
        digits = content[found + 2 : found + 6]
        coded = len(digits) == 4 and content[found + 6 : found + 7] == "_"
        hexadecimal = coded and all(c in "0123456789abcdefABCDEF" for c in digits)
        out.append(content[place:found] + ("_x005F_x" if hexadecimal else "_x"))
        place = found + 2
    return "".join(out) + content[place:]


def _cell(place: str, value: object) -> str:
    """A cell that is not plain text."""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    number = _exact(value)
    if number is not None:
        return f'<c r="{place}"><v>{number}</v></c>'
    for kind, style, serial in _SERIALS:
        if isinstance(value, kind) and (days := serial(value)) is not None:
            return f'<c r="{place}" s="{style}"><v>{days!r}</v></c>'
    content = text(value)
    if len(content) > MAX_TEXT:
        raise _too_long(place, 0)
    return (
        f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{_escaped(content)}</t></is></c>'
    )


def _exact(value: object) -> str | None:
    """The digits of a number that a sheet holds without loss; None for all else."""
    if isinstance(value, float):
        return repr(value) if value - value == 0 else None
    if isinstance(value, int | Decimal | Number):
        digits = str(value)
        back = float(digits)
        same = repr(back) == digits or (back.is_integer() and str(int(back)) == digits)
        return digits if same and len(digits.strip("-")) <= 16 else None
    return None


def _days(moment: datetime) -> float | None:
    """The serial number of a moment: days since the sheet's epoch."""
    if moment.tzinfo is not None or moment.year < 1901:
        return None
    return (moment - _EPOCH) / timedelta(days=1)


def _day(value: date) -> float | None:
    return _days(datetime(value.year, value.month, value.day))


def _part(value: time) -> float | None:
    return None if value.tzinfo else _days(datetime.combine(date(1901, 1, 1), value)) or 0.0


_SERIALS: Final[tuple[tuple[type, int, Callable[..., float | None]], ...]] = (
    (datetime, _DATETIME, _days),
    (date, _DATE, _day),
    (time, _TIME, lambda v: (_part(v) or 0.0) % 1.0),
    (timedelta, _DURATION, lambda v: v / timedelta(days=1)),
)


def column_name(place: int) -> str:
    """0 -> A, 26 -> AA."""
    name, place = "", place + 1
    while place:
        place, rest = divmod(place - 1, 26)
        name = chr(65 + rest) + name
    return name


def _sheet_name(wanted: str, taken: list[str]) -> str:
    """A name that a workbook allows and does not have yet."""
    clean = "".join(" " if c in "[]:*?/\\" or ord(c) < 32 else c for c in wanted).strip("' ")
    base = clean[:31] or "Sheet1"
    name, number = base, 2
    used = {t.lower() for t in taken}
    while name.lower() in used:
        tail = f" {number}"
        name, number = base[: 31 - len(tail)] + tail, number + 1
    return name


def _parts(names: list[str]) -> Iterator[tuple[str, str]]:
    """The parts of a workbook beside its sheets."""
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    count = range(1, len(names) + 1)
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{kind}.worksheet+xml"/>'
        for n in count
    )
    yield (
        "[Content_Types].xml",
        (
            f'<Types xmlns="{package}/content-types">'
            '<Default Extension="rels"'
            ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
            f'<Override PartName="/xl/styles.xml" ContentType="{kind}.styles+xml"/>'
            f"{overrides}</Types>"
        ),
    )
    relations = f'<Relationships xmlns="{package}/relationships">'
    yield (
        "_rels/.rels",
        (
            f'{relations}<Relationship Id="rId1" Type="{_OFFICE}/officeDocument"'
            ' Target="xl/workbook.xml"/></Relationships>'
        ),
    )
    sheets = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in count
    )
    styles = f'<Relationship Id="rIdS" Type="{_OFFICE}/styles" Target="styles.xml"/>'
    yield "xl/_rels/workbook.xml.rels", f"{relations}{sheets}{styles}</Relationships>"
    quoted = [_escaped(name).replace('"', "&quot;") for name in names]
    entries = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(quoted, 1)
    )
    yield (
        "xl/workbook.xml",
        (f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{entries}</sheets></workbook>'),
    )
    yield "xl/styles.xml", _styles()


def _styles() -> str:
    formats = {164: "yyyy\\-mm\\-dd", 165: "yyyy\\-mm\\-dd\\ hh:mm:ss", 166: "hh:mm:ss",
               167: "[h]:mm:ss"}  # fmt: skip
    numbers = "".join(
        f'<numFmt numFmtId="{n}" formatCode="{code}"/>' for n, code in formats.items()
    )
    cells = "".join(
        f'<xf numFmtId="{n}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
        for n in (0, *formats)
    )
    bold = '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>'
    return (
        f'<styleSheet xmlns="{_MAIN}"><numFmts count="4">{numbers}</numFmts>'
        '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
        '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills>'
        '<borders count="1"><border/></borders>'
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>'
        "</cellStyleXfs>"
        f'<cellXfs count="6">{cells}{bold}</cellXfs>'
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
        "</styleSheet>"
    )
