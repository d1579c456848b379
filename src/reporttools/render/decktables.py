"""Native tables of slides: as many rows as fit, header on every slide, wide ones in groups."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from reporttools.document import Cell, Column, Table
from reporttools.render import grid
from reporttools.render.cells import cell_text
from reporttools.render.chart import NO_DATA
from reporttools.render.style import INK, MUTED, SURFACE, WHITE
from reporttools.textflow import lines

if TYPE_CHECKING:
    from reporttools.render.deck import Deck

EMU: Final = 12_700
LEFT: Final = 43.0
TOP: Final = 98.0
ROOM: Final = 874.0
BOTTOM: Final = 498.0
SIZE: Final = 12.0
SMALL: Final = 10.0
MAX_ROWS: Final = 200
MAX_LINES: Final = 6
PAD: Final = 6.0


def slides(deck: Deck, table: Table) -> None:
    """The table on as many slides as it needs, two hundred rows at most."""
    rows, words = grid.shown_rows(table), deck.look.words
    if not rows or not table.columns:
        slide = deck.slide(table.title or words("Table"))
        names = ", ".join(column.title for column in table.columns)
        text = f"{words(NO_DATA)} ({names})" if names.strip(", ") else words(NO_DATA)
        deck.text(slide, LEFT, TOP, ROOM, 40, text[:200], 16, MUTED)
        return
    note = grid.shown_note(table, deck.look)
    if len(rows) > MAX_ROWS:
        count = deck.look.number(len(table.rows))
        note = words("First {shown} of {count} rows", shown=MAX_ROWS, count=count)
        deck.settings.notices.add(
            "ROWS_CUT", f"Table {table.title!r} has {len(rows):,} rows; slides show the first "
            f"{MAX_ROWS}. XLSX and PDF hold all of them.", table.path,
        )  # fmt: skip
        table = replace(table, shown=MAX_ROWS)
    layouts = _layouts(deck, table)
    pages = [(made, page) for made in layouts for page in _paged(made)]
    for number, (made, (first, last)) in enumerate(pages, 1):
        title = table.title or words("Table")
        if len(pages) > 1:
            title = f"{title} ({number}/{len(pages)})"
        slide = deck.slide(title)
        bottom = add(deck, slide, made, LEFT, TOP, first, last)
        if number == len(pages) and note:
            deck.text(slide, LEFT, min(bottom + 4, BOTTOM), ROOM, 16, note, 10, MUTED)


def _layouts(deck: Deck, table: Table) -> list[grid.Layout]:
    """Widths by the same rules as on paper, at sizes for a screen."""
    look = deck.look
    table = _shortened(deck, table)
    for size in (SIZE, SMALL):
        made = grid.fit(look, table, ROOM, size)
        if made is not None:
            return made
    return grid.split(look, table, ROOM, SMALL)


def _shortened(deck: Deck, table: Table) -> Table:
    """Cells that would fill a slide by themselves are cut."""
    limit = 400
    long = [
        c for row in grid.shown_rows(table) for c in row if isinstance(c, str) and len(c) > limit
    ]
    if not long:
        return table
    deck.settings.notices.add(
        "TEXT_CUT", f"Table {table.title!r} holds long text; slides show its first {limit} "
        "characters.", table.path,
    )  # fmt: skip

    def short(cell: Cell) -> Cell:
        return cell[:limit] + "…" if isinstance(cell, str) and len(cell) > limit else cell

    rows = [tuple(short(cell) for cell in row) for row in grid.shown_rows(table)]
    return replace(table, rows=rows, shown=0)


def _paged(made: grid.Layout) -> list[tuple[int, int]]:
    """First and last row (not included) of every slide."""
    pages = []
    first = 0
    count = len(made.heights)
    while first < count:
        room = BOTTOM - TOP - header_height(made)
        last = first
        while last < count:
            tall = row_height(made, last)
            if last == count - 1 and made.totals is not None:
                tall += row_height(made, last, plain=True)
            if tall > room and last > first:
                break
            room -= tall
            last += 1
        pages.append((first, last))
        first = last
    return pages


def header_height(made: grid.Layout) -> float:
    """The row of titles, in points."""
    deep = max(len(title) for title in made.header)
    return made.size * 1.22 * deep + 9.0


def row_height(made: grid.Layout, row: int, *, plain: bool = False) -> float:
    """A row as PowerPoint will draw it."""
    deep = 1
    if not plain and made.heights[row] > made.row_height + 0.1:
        deep = max(len(v) for k, v in made.wrapped.items() if k[0] == row)
    return made.size * 1.22 * min(deep, MAX_LINES) + 8.0


def add(
    deck: Deck, slide: Any, made: grid.Layout, x: float, y: float, first: int, last: int,
    *, totals: bool = True,
) -> float:  # fmt: skip
    """Rows of a table as a native table; the y below it."""
    table, look = made.table, deck.look
    rows = grid.shown_rows(table)[first:last]
    closing = made.totals if totals and last >= len(made.heights) else None
    heights = [header_height(made), *(row_height(made, i) for i in range(first, last))]
    if closing is not None:
        heights.append(row_height(made, first, plain=True))
    shape = slide.shapes.add_table(
        len(heights), len(made.places), int(x * EMU), int(y * EMU),
        int(sum(made.widths) * EMU), int(sum(heights) * EMU),
    )  # fmt: skip
    shape.name = f"Table: {table.title}"[:200]
    native = shape.table
    for place, width in enumerate(made.widths):
        native.columns[place].width = int(width * EMU)
    for place, height in enumerate(heights):
        native.rows[place].height = int(height * EMU)
    band = look.theme.band
    for column, place in enumerate(made.places):
        how = table.columns[place]
        _cell(deck, native.cell(0, column), how.title, how, made.size, WHITE, band, bold=True)
        for number, row in enumerate(rows, 1):
            text = _text(deck, made, first + number - 1, place, row[place])
            fill = SURFACE if number % 2 == 0 else WHITE
            _cell(deck, native.cell(number, column), text, how, made.size, INK, fill)
        if closing is not None:
            text = cell_text(closing[place], how, look.marks)
            cell = native.cell(len(heights) - 1, column)
            _cell(deck, cell, text, how, made.size, INK, WHITE, bold=True)
    return y + sum(heights)


def _text(deck: Deck, made: grid.Layout, row: int, place: int, cell: Cell) -> str:
    """A cell's text, cut to the lines that a slide has room for."""
    found = made.wrapped.get((row, place))
    if found is None:
        return cell_text(cell, made.table.columns[place], deck.look.marks)
    if len(found) <= MAX_LINES:
        return str(cell)
    width = made.widths[list(made.places).index(place)] - 2 * PAD
    cut = lines(deck.look.fonts, str(cell), width, made.size, MAX_LINES)
    return " ".join(cut)


def _cell(
    deck: Deck, cell: Any, text: str, column: Column, size: float, color: str, fill: str,
    *, bold: bool = False,
) -> None:  # fmt: skip
    from pptx.enum.text import MSO_ANCHOR

    frame = cell.text_frame
    frame.word_wrap = True
    deck.run(frame.paragraphs[0], text, size, color, bold=bold, align=column.align)
    cell.fill.solid()
    cell.fill.fore_color.rgb = deck.rgb(fill)
    cell.margin_left = cell.margin_right = int(PAD * EMU)
    cell.margin_top = cell.margin_bottom = int(3 * EMU)
    cell.vertical_anchor = MSO_ANCHOR.MIDDLE
