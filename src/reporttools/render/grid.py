"""A table on a surface: how wide its columns are, how its rows break, how they are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Final

from reporttools import tables
from reporttools.document import Cell, Column, Row, Table
from reporttools.render.cells import cell_text
from reporttools.render.style import GRID, INK, SURFACE, WHITE
from reporttools.render.surface import Look, Surface
from reporttools.textflow import lines, wrap

SIZE: Final = 8.3
PAD: Final = 5.5
LEADING: Final = 1.32
SAMPLE: Final = 200
MAX_WORD: Final = 110.0
LEAST: Final = 42.0
MAX_HEADER_LINES: Final = 3
# Sums of widths lose a little; no word may be broken for that.
ROUNDING: Final = 0.01


@dataclass(slots=True)
class Layout:
    """Columns of a table that stand side by side on a page. places: their numbers in the table.

    widths: points, one a place. header: lines of every title. wrapped: lines of the cells that
    need more than one, by row and place. heights: points, one a row. totals: the last row or None.
    """

    table: Table
    places: Sequence[int]
    widths: Sequence[float]
    size: float
    header: list[list[str]] = field(default_factory=list)
    wrapped: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    heights: list[float] = field(default_factory=list)
    totals: list[Cell] | None = None

    @property
    def row_height(self) -> float:
        """A row of one line."""
        return self.size * (LEADING + 0.85)

    @property
    def header_height(self) -> float:
        """The row of titles."""
        deep = max((len(title) for title in self.header), default=1)
        return self.size * (LEADING * deep + 0.95)

    @property
    def width(self) -> float:
        """All columns together."""
        return sum(self.widths)


def shown_rows(table: Table) -> Sequence[Row]:
    """The rows that pages and pictures show."""
    return table.rows[: table.shown] if table.shown else table.rows


def shown_note(table: Table, look: Look) -> str:
    """What to say under a table that shows only its first rows."""
    count = len(table.rows)
    parts = []
    if table.shown and table.shown < count:
        text = "First {shown} of {count} rows"
        shown = look.number(table.shown)
        parts.append(look.words(text, shown=shown, count=look.number(count)))
    elif count > 12:
        parts.append(look.words("{count} rows", count=look.number(count)))
    if table.note:
        parts.append(table.note)
    return ". ".join(parts)


@dataclass(frozen=True, slots=True)
class Needs:
    """Widths of a column in points. least: below it words or numbers would be cut."""

    least: float
    natural: float


def needs(look: Look, table: Table, place: int, size: float) -> Needs:
    """How wide a column wants to be, from its title and its cells."""
    column, fonts = table.columns[place], look.fonts
    pad = 2 * PAD * size / SIZE
    texts = list(_telling(look, table, place))
    drawn = [fonts.drawn(text) for text in texts]
    widest = max((fonts.width(text, size) for text in drawn), default=0.0)
    title = fonts.drawn(column.title)
    words = max((fonts.width(w, size, True) for w in title.split()), default=0.0)
    head = fonts.width(title, size, True)
    natural = max(widest, min(head, max(words, widest, 90.0))) + pad
    if column.kind != "text":
        return Needs(max(widest, min(words, MAX_WORD)) + pad, natural)
    longest = max(
        (fonts.width(word, size) for text in drawn for word in text[:400].split()), default=0.0
    )
    least = max(min(longest, MAX_WORD), min(words, MAX_WORD), LEAST - pad)
    return Needs(min(natural, least + pad), natural)


def _telling(look: Look, table: Table, place: int) -> Iterable[str]:
    """Texts that decide a column's width: the first rows, and the longest of all."""
    column = table.columns[place]
    rows = shown_rows(table)
    cells = [row[place] for row in rows]
    if column.kind == "number":
        numbers = [cell for cell in cells if cell is not None and not isinstance(cell, str)]
        picked: list[Cell] = [max(numbers, default=None), min(numbers, default=None)]
        picked += cells[:SAMPLE]
    else:
        longest = nlargest(20, (c for c in cells if isinstance(c, str)), key=len)
        picked = [*cells[:SAMPLE], *longest]
    totals = tables.totals(table, look.words)
    if totals is not None:
        picked.append(totals[place])
    for cell in picked:
        yield cell_text(cell, column, look.marks)[:2000]


def fit(look: Look, table: Table, width: float, size: float) -> list[Layout] | None:
    """The table in one layout of the width, or None when its columns need more."""
    wanted = [needs(look, table, place, size) for place in range(len(table.columns))]
    if sum(need.least for need in wanted) > width:
        return None
    return [layout(look, table, range(len(wanted)), widths(wanted, width, table.columns), size)]


def split(look: Look, table: Table, width: float, size: float) -> list[Layout]:
    """The table in groups of columns, each beside the first column, which names the rows."""
    wanted = [needs(look, table, place, size) for place in range(len(table.columns))]
    first = min(wanted[0].natural, width * 0.3)
    groups: list[list[int]] = []
    room = 0.0
    for place in range(1, len(wanted)):
        need = min(wanted[place].natural, max(wanted[place].least, 120.0), width - first)
        if not groups or need > room:
            groups.append([0])
            room = width - first
        groups[-1].append(place)
        room -= need
    made = []
    for group in groups or [[0]]:
        columns = [table.columns[place] for place in group]
        limited = [
            Needs(min(wanted[p].least, width - first), min(wanted[p].natural, width)) for p in group
        ]
        limited[0] = Needs(min(limited[0].least, first), first)
        made.append(layout(look, table, group, widths(limited, width, columns), size))
    return made


def widths(wanted: Sequence[Needs], width: float, columns: Sequence[Column]) -> list[float]:
    """Widths that fill the space: natural ones stretched, or least ones and a share of the rest."""
    natural = sum(need.natural for need in wanted)
    if natural <= width:
        found = [need.natural * width / natural for need in wanted]
    else:
        spare = max(0.0, width - sum(need.least for need in wanted))
        wish = sum(need.natural - need.least for need in wanted) or 1.0
        found = [n.least + spare * (n.natural - n.least) / wish for n in wanted]
    asked = [column.width for column in columns]
    if any(asked):
        shares = [a if a else f for a, f in zip(asked, found, strict=True)]
        scaled = [share * width / sum(shares) for share in shares]
        if all(s >= n.least for s, n in zip(scaled, wanted, strict=True)):
            return scaled
    return found


def layout(
    look: Look, table: Table, places: Sequence[int], wide: Sequence[float], size: float
) -> Layout:
    """Every cell that needs more than one line is broken here; the heights of all rows follow."""
    made = Layout(table, places, wide, size)
    pad = PAD * size / SIZE
    fonts = look.fonts
    for place, width in zip(places, wide, strict=True):
        title = table.columns[place].title
        room = width - 2 * pad + ROUNDING
        made.header.append(lines(fonts, title, room, size, MAX_HEADER_LINES, bold=True))
    rows = shown_rows(table)
    made.heights = [made.row_height] * len(rows)
    for place, width in zip(places, wide, strict=True):
        room = width - 2 * pad + ROUNDING
        for index, row in enumerate(rows):
            cell = row[place]
            if not isinstance(cell, str):
                continue
            if "\n" in cell or _too_wide(look, cell, room, size):
                made.wrapped[index, place] = broken = wrap(fonts, cell, room, size)
                tall = size * (LEADING * len(broken) + 0.85)
                made.heights[index] = max(made.heights[index], tall)
    made.totals = tables.totals(table, look.words)
    return made


def _too_wide(look: Look, text: str, room: float, size: float) -> bool:
    if len(text) * size * 1.1 < room and text.isascii():
        return False
    return look.fonts.width(look.fonts.drawn(text), size) > room


def draw_header(surface: Surface, look: Look, grid: Layout, x: float, y: float) -> float:
    """The row of titles; the y below it."""
    tall = grid.header_height
    surface.rect(x, y, grid.width, tall, fill=look.theme.band)
    for place, width, title in zip(grid.places, grid.widths, grid.header, strict=True):
        column = grid.table.columns[place]
        base = y + (tall - len(title) * grid.size * LEADING) / 2 + grid.size * 1.02
        for line in title:
            _aligned(surface, grid, column, line, x, width, base, WHITE, bold=True)
            base += grid.size * LEADING
        x += width
    return y + tall


def draw_rows(
    surface: Surface, look: Look, grid: Layout, x: float, y: float, first: int, last: int
) -> float:
    """Whole rows `first` to `last` (not included); the y below them."""
    rows = shown_rows(grid.table)
    for index in range(first, last):
        tall = grid.heights[index]
        _row(surface, look, grid, rows[index], index, x, y, tall, grid.wrapped)
        y += tall
    return y


def draw_part(
    surface: Surface, look: Look, grid: Layout, x: float, y: float, row: int, start: int, count: int
) -> float:
    """Lines `start` to `start + count` of a row that is taller than a page; the y below them."""
    part = {
        key: found[start : start + count] for key, found in grid.wrapped.items() if key[0] == row
    }
    cells = shown_rows(grid.table)[row]
    tall = grid.size * (LEADING * count + 0.85)
    visible = cells if start == 0 else [None] * len(cells)
    _row(surface, look, grid, visible, row, x, y, tall, part)
    return y + tall


def _row(
    surface: Surface, look: Look, grid: Layout, row: Row, index: int, x: float, y: float,
    tall: float, wrapped: dict[tuple[int, int], list[str]],
) -> None:  # fmt: skip
    if index % 2:
        surface.rect(x, y, grid.width, tall, fill=SURFACE)
    base = y + grid.size * 1.38
    left = x
    for place, width in zip(grid.places, grid.widths, strict=True):
        column = grid.table.columns[place]
        broken = wrapped.get((index, place))
        if broken is not None:
            for number, line in enumerate(broken):
                at = base + number * grid.size * LEADING
                _aligned(surface, grid, column, line, left, width, at, INK)
        elif row[place] is not None:
            text = look.fonts.drawn(cell_text(row[place], column, look.marks))
            _aligned(surface, grid, column, text, left, width, base, INK)
        left += width
    surface.line([(x, y + tall), (x + grid.width, y + tall)], GRID, 0.4)


def draw_totals(surface: Surface, look: Look, grid: Layout, x: float, y: float) -> float:
    """The row of totals; the y below it."""
    if grid.totals is None:
        return y
    tall = grid.row_height
    surface.line([(x, y), (x + grid.width, y)], look.theme.band, 1.0)
    base = y + grid.size * 1.42
    left = x
    for place, width in zip(grid.places, grid.widths, strict=True):
        column = grid.table.columns[place]
        text = look.fonts.drawn(cell_text(grid.totals[place], column, look.marks))
        _aligned(surface, grid, column, text, left, width, base, INK, bold=True)
        left += width
    return y + tall


def _aligned(
    surface: Surface, grid: Layout, column: Column, text: str, x: float, width: float,
    base: float, color: str, *, bold: bool = False,
) -> None:  # fmt: skip
    pad = PAD * grid.size / SIZE
    if column.align == "right":
        surface.text(x + width - pad, base, text, grid.size, color, bold, "right")
    elif column.align == "center":
        surface.text(x + width / 2, base, text, grid.size, color, bold, "center")
    else:
        surface.text(x + pad, base, text, grid.size, color, bold)
