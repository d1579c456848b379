"""XLSX: a summary, native charts and one sheet a table through openpyxl; above 50,000 rows through
a streaming writer, without charts."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Final

from reporttools.document import Document, Image, Kpi, Kpis, Row, Table, Text
from reporttools.figures import Marks, excel_code, marks, significant_decimals
from reporttools.render import cards, excel, sheetcharts, sheetpictures
from reporttools.render.package import rewritten
from reporttools.render.settings import Settings
from reporttools.render.style import GRID, INK, MUTED, Theme, theme
from reporttools.words import Words, words
from toolbelt.errors import missing_extra

STREAM_ABOVE: Final = 50_000
MAX_WIDTH: Final = 60.0


def write(document: Document, file: IO[bytes], settings: Settings) -> dict[str, object]:
    """Write the workbook; how many sheets and table rows it has."""
    count = sum(len(table.rows) for table in document.tables())
    if count > STREAM_ABOVE:
        from reporttools.render import bigsheet

        return bigsheet.write(document, file, settings)
    try:
        import openpyxl
    except ImportError as error:
        raise missing_extra("openpyxl", "reports") from error
    book = openpyxl.Workbook()
    book.remove(book.active)
    _properties(book, document, settings)
    made = Workbook(
        book, settings, theme(document.theme), words(document.lang), marks(document.locale)
    )
    tables = [table for table in document.tables() if table.columns]
    charts = list(document.charts())
    only_table = len(document.blocks) == 1 and bool(tables)
    if not only_table:
        summary = made.sheet(made.words("Summary"))
    if charts:
        sheetcharts.write(made.sheet(made.words("Charts")), charts, made)
    links = [(table.title or name, name) for table in tables for name in made.table(table)]
    images = [block for block in document.blocks if isinstance(block, Image)]
    if images:
        sheetpictures.write(made.sheet(made.words("Pictures")), images, made)
    if not only_table:
        _summary(summary, document, made, links)
    content = io.BytesIO()
    book.save(content)
    rewritten(content, file, settings.moment, sheetcharts.own_formats)
    return {"sheets": len(book.sheetnames), "rows": count}


def _properties(book: Any, document: Document, settings: Settings) -> None:
    book.properties.title = document.title
    book.properties.subject = document.subtitle
    book.properties.creator = document.author or "report-run"
    book.properties.created = settings.moment.replace(tzinfo=None)


@dataclass(slots=True)
class Workbook:
    """A workbook in the making and the styles that its cells share."""

    book: Any
    settings: Settings
    theme: Theme
    words: Words
    marks: Marks
    names: excel.Names = field(default_factory=excel.Names)
    _styles: dict[tuple[object, ...], Any] = field(default_factory=dict)

    def sheet(self, title: str) -> Any:
        """A new sheet that prints on the width of a page."""
        sheet = self.book.create_sheet(self.names(title))
        sheet.sheet_view.showGridLines = False
        sheet.page_setup.fitToWidth = 1
        sheet.page_setup.fitToHeight = 0
        sheet.page_setup.paperSize = 1 if self.settings.paper == "Letter" else 9
        sheet.sheet_properties.pageSetUpPr = _fit()
        said = self.words("Page {number} of {count}", number="&P", count="&N")
        sheet.oddFooter.right.text = said
        return sheet

    def put(
        self, sheet: Any, row: int, column: int, value: object, *, size: float = 11,
        bold: bool = False, color: str = INK, fill: str = "", code: str = "", align: str = "",
        wrap: bool = False, line: bool = False,
    ) -> Any:  # fmt: skip
        """One cell with its style; text is never a formula."""
        cell = sheet.cell(row, column)
        if value is not None and value != "":
            cell.value = value
        if isinstance(value, str) and value:
            cell.data_type = "s"
        key = (size, bold, color, fill, code, align, wrap, line)
        style = self._styles.get(key)
        if style is None:
            _style(cell, *key)
            self._styles[key] = cell._style
        else:
            cell._style = style
        return cell

    def table(self, table: Table) -> list[str]:
        """A sheet for the table, more when it has more rows than a sheet takes; their names."""
        columns = table.columns[: excel.MAX_COLUMNS]
        if len(columns) < len(table.columns):
            self.settings.notices.add(
                "COLUMNS_CUT", f"Table {table.title!r} has {len(table.columns):,} columns; a sheet "
                f"takes {excel.MAX_COLUMNS:,}.", table.path,
            )  # fmt: skip
        sheet = self.sheet(table.title or self.words("Table"))
        self._header(sheet, table)
        aligns = [column.align for column in columns]
        codes = [excel.code(column, self.marks) for column in columns]
        for number, row in enumerate(table.rows, 2):
            self._row(sheet, number, table, row, codes, aligns)
        last = len(table.rows) + 1
        self._totals(sheet, table, last, codes)
        self._frame(sheet, table, last)
        return [sheet.title]

    def _header(self, sheet: Any, table: Table) -> None:
        for place, column in enumerate(table.columns, 1):
            title = excel.value(column.title, column.title, self.settings.notices, escape=True)
            self.put(sheet, 1, place, title, bold=True, color="#FFFFFF",
                     fill=self.theme.band, align=column.align, wrap=True)  # fmt: skip

    def _row(
        self, sheet: Any, number: int, table: Table, row: Row, codes: Sequence[str],
        aligns: Sequence[str],
    ) -> None:  # fmt: skip
        notices = self.settings.notices
        for place, (column, cell) in enumerate(zip(table.columns, row, strict=True), 1):
            if place > excel.MAX_COLUMNS:
                continue
            if cell is None or cell == "":
                # Only the line under the row.
                self.put(sheet, number, place, None, line=True)
                continue
            value = excel.value(cell, column.title, notices, escape=True)
            code = codes[place - 1] if not isinstance(value, str | bool) else ""
            if column.kind == "date" and _has_time(cell):
                code = "yyyy-mm-dd hh:mm"
            self.put(sheet, number, place, value, code=code, align=aligns[place - 1],
                     wrap=isinstance(value, str) and "\n" in value, line=True)  # fmt: skip

    def _totals(self, sheet: Any, table: Table, last: int, codes: Sequence[str]) -> None:
        """Totals as formulas over what the filter shows."""
        if not any(column.total for column in table.columns):
            return
        from openpyxl.utils import get_column_letter

        functions = {"sum": 109, "avg": 101, "min": 105, "max": 104, "count": 103}
        for place, column in enumerate(table.columns, 1):
            if column.total:
                letter = get_column_letter(place)
                span = f"{letter}2:{letter}{max(2, last)}"
                cell = self.put(sheet, last + 1, place, None, bold=True, code=codes[place - 1],
                                align=column.align)  # fmt: skip
                cell.value = f"=SUBTOTAL({functions[column.total]},{span})"
            elif place == 1:
                self.put(sheet, last + 1, 1, self.words("Total"), bold=True)

    def _frame(self, sheet: Any, table: Table, last: int) -> None:
        """Frozen and repeated header, filter, widths, paper."""
        from openpyxl.utils import get_column_letter

        sheet.freeze_panes = "A2"
        sheet.print_title_rows = "1:1"
        width = min(len(table.columns), excel.MAX_COLUMNS)
        sheet.auto_filter.ref = f"A1:{get_column_letter(width)}{max(2, last)}"
        for place, chars in enumerate(widths(table), 1):
            sheet.column_dimensions[get_column_letter(place)].width = chars
        wide = sum(widths(table))
        if wide > 100:
            sheet.page_setup.orientation = "landscape"
        # Smaller print than half size helps nobody: wide tables go on beside.
        sheet.page_setup.fitToWidth = max(1, round(wide / 260))
        if not table.rows:
            self.put(sheet, 2, 1, self.words("No data"), color=MUTED)


def _has_time(cell: object) -> bool:
    return bool(getattr(cell, "hour", 0) or getattr(cell, "minute", 0))


def _fit() -> Any:
    from openpyxl.worksheet.properties import PageSetupProperties

    return PageSetupProperties(fitToPage=True)


def _style(
    cell: Any, size: float, bold: bool, color: str, fill: str, code: str, align: str, wrap: bool,
    line: bool,
) -> None:  # fmt: skip
    from openpyxl.styles import Alignment, Border, Font, PatternFill, Side

    # A font without a name falls back to a serif in LibreOffice.
    cell.font = Font(name=excel.FONT, size=size, bold=bold, color=color[1:])
    if fill:
        cell.fill = PatternFill("solid", fgColor=fill[1:])
    if code:
        cell.number_format = code
    cell.alignment = Alignment(
        horizontal=align or None, vertical="top" if wrap and line else "center", wrap_text=wrap,
        indent=1 if align == "left" and (line or fill) else 0,
    )  # fmt: skip
    if line:
        cell.border = Border(bottom=Side(style="thin", color=GRID[1:]))


def widths(table: Table) -> list[float]:
    """Characters that each column needs, from its title and its first rows."""
    from reporttools.render.cells import cell_text

    found = []
    for place, column in enumerate(table.columns[: excel.MAX_COLUMNS]):
        longest = max((len(word) for word in column.title.split()), default=0) + 3
        longest = max(longest, min(len(column.title) + 3, 18))
        for row in table.rows[:300]:
            text = cell_text(row[place], column, marks("en"))
            lines = [_wide(line) for line in text[:400].splitlines()[:5]]
            longest = max(longest, max(lines, default=0) + 2)
        found.append(float(min(MAX_WIDTH, max(8, longest + 2))))
    return found


def _wide(text: str) -> int:
    """Characters, those of East Asian scripts counted twice."""
    return len(text) if text.isascii() else sum(2 if ord(c) >= 0x1100 else 1 for c in text)


def _summary(
    sheet: Any, document: Document, made: Workbook, links: Sequence[tuple[str, str]]
) -> None:
    """Title, key figures, notes and where to find what."""
    sheet.column_dimensions["A"].width = 34
    for letter, width in (("B", 18), ("C", 14), ("D", 22)):
        sheet.column_dimensions[letter].width = width
    title = document.title
    made.put(sheet, 1, 1, title, size=20, bold=True, color=made.theme.band, align="left")
    sheet.row_dimensions[1].height = 30
    made.put(sheet, 2, 1, document.subtitle, color=MUTED)
    row = 4
    for block in document.blocks:
        if isinstance(block, Kpis):
            row = _kpis(sheet, block, made, row) + 1
        elif isinstance(block, Text):
            row = _notes(sheet, block, made, row) + 1
    if links:
        made.put(sheet, row, 1, made.words("Sheets"), bold=True, size=12, color=made.theme.band)
        for title, name in links:
            row += 1
            cell = made.put(sheet, row, 1, title, color=made.theme.first, align="left")
            cell.hyperlink = f"#'{name.replace(chr(39), chr(39) * 2)}'!A1"


def _kpis(sheet: Any, block: Kpis, made: Workbook, row: int) -> int:
    heading = made.words("Change") if any(kpi.change is not None for kpi in block.items) else ""
    for column, (title, align) in enumerate(
        (
            (made.words("Metric"), "left"),
            (made.words("Value"), "right"),
            (heading, "right"),
            ("", "left"),
        ),
        1,
    ):
        made.put(sheet, row, column, title, bold=True, color="#FFFFFF", fill=made.theme.band,
                 align=align)  # fmt: skip
    for kpi in block.items:
        row += 1
        notices = made.settings.notices
        name = excel.value(kpi.metric, "Metric", notices, escape=True)
        made.put(sheet, row, 1, name, line=True, align="left")
        value = excel.value(kpi.value, kpi.metric, notices, escape=True)
        made.put(
            sheet,
            row,
            2,
            value,
            bold=True,
            align="right",
            line=True,
            code=_kpi_code(kpi, made.marks),
        )
        change = kpi.change
        arrow = "" if change is None else "▲ " if change > 0 else "▼ " if change < 0 else ""
        places = 0 if change is None else min(2, significant_decimals(change))
        digits = "0" + ("." + "0" * places if places else "")
        code = f'"{arrow}"+{digits}"%";"{arrow}"-{digits}"%";{digits}"%"'
        made.put(sheet, row, 3, change, bold=True, align="right", line=True, code=code,
                 color=cards.color_of(kpi))  # fmt: skip
        made.put(sheet, row, 4, kpi.change_label, color=MUTED, line=True, align="left")
    return row + 1


def _kpi_code(kpi: Kpi, where: Marks) -> str:
    how, value = kpi.format, kpi.value
    if how.kind == "duration":
        return '#,##0" s"'
    if how.kind == "bytes":
        return '#,##0" B"'
    places = how.decimals
    if places is None:
        places = 2 if how.kind == "currency" else min(6, significant_decimals(value or 0))
    return excel_code(how, places, where)


def _notes(sheet: Any, block: Text, made: Workbook, row: int) -> int:
    made.put(
        sheet, row, 1, block.title or made.words("Notes"), bold=True, size=12, color=made.theme.band
    )
    for paragraph in block.paragraphs:
        row += 1
        text = "".join(span.text for span in paragraph.spans)
        mark = (
            "• " if paragraph.kind == "bullet" else paragraph.marker + " " * bool(paragraph.marker)
        )
        made.put(sheet, row, 1, mark + text, wrap=True, bold=paragraph.kind.startswith("h"))
        sheet.merge_cells(start_row=row, start_column=1, end_row=row, end_column=4)
        sheet.row_dimensions[row].height = 15 * max(1, -(-len(text) // 88))
    return row + 1
