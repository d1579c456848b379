"""A dashboard: cards on a grid of twelve columns, all on one screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from reporttools import tables
from reporttools.document import Block, Chart, Document, Image, Kpi, Kpis, Table, Text
from reporttools.notices import Notices
from reporttools.render import cards, chart, grid, notes
from reporttools.render.frame import Box
from reporttools.render.pages import draw_logo
from reporttools.render.style import BOARD, GRID, INK, MUTED, WHITE
from reporttools.render.surface import Look, Surface
from reporttools.textflow import ellipsize

MARGIN: Final = 22.0
GAP: Final = 13.0
BAND: Final = 48.0
PAD: Final = 13.0
KPI: Final = 82.0
LEAST: Final = 150.0
COLUMNS: Final = 12


@dataclass(frozen=True, slots=True)
class Card:
    """A block on the grid. span: columns of twelve."""

    block: Chart | Table | Text | Image
    span: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The screen in points. rows: cards from left to right, with the height of their row."""

    width: float
    height: float
    kpis: tuple[Kpi, ...]
    beside: int
    kpi_height: float
    rows: tuple[tuple[float, tuple[Card, ...]], ...]

    @property
    def top(self) -> float:
        """Where the first row of cards begins, under band and key figures."""
        return BAND + GAP * 1.4 + (self.kpi_height + GAP if self.kpis else 0.0)


def plan(look: Look, document: Document, notices: Notices) -> Plan:
    """Places for all blocks; the screen grows downwards when they need more than there is."""
    width, height = (pixels * 0.72 for pixels in document.size)
    kpis = tuple(k for block in document.blocks if isinstance(block, Kpis) for k in block.items)
    beside = _beside(len(kpis), width)
    kpi_rows = len(cards.rows_of(kpis, beside))
    kpi_height = kpi_rows * KPI + max(0, kpi_rows - 1) * GAP
    rows = _rows([b for b in document.blocks if isinstance(b, Chart | Table | Text | Image)])
    used = Plan(width, height, kpis, beside, kpi_height, ()).top + MARGIN * 0.8
    least = [_least(look, row, width) for row in rows]
    wanted = used + sum(least) + GAP * max(0, len(rows) - 1)
    if wanted > height + 1:
        notices.add(
            "GREW", f"The dashboard is {round(wanted / 0.72)} pixels high instead of "
            f"{document.size[1]}: its cards need the room.",
        )  # fmt: skip
        height = wanted
    spare = (height - wanted) / max(1, len(rows))
    tall = [need + spare for need in least]
    return Plan(width, height, kpis, beside, kpi_height, tuple(zip(tall, rows, strict=True)))


def _beside(count: int, width: float) -> int:
    fits = max(1, int((width - 2 * MARGIN) // 150))
    return max(1, min(fits, 6, count or 1))


def _rows(blocks: Sequence[Block]) -> list[tuple[Card, ...]]:
    """Cards fill rows of twelve columns in their order; the last of a row takes what is left."""
    rows: list[list[Card]] = []
    used = COLUMNS
    for block in blocks:
        if not isinstance(block, Chart | Table | Text | Image):
            continue
        span = _span(block, len(blocks))
        if used + span > COLUMNS:
            rows.append([])
            used = 0
        rows[-1].append(Card(block, span))
        used += span
    return [_stretched(row) for row in rows]


def _span(block: Chart | Table | Text | Image, count: int) -> int:
    asked = block.span if isinstance(block, Chart | Table) else 0
    if asked:
        return asked
    if isinstance(block, Chart):
        wide = block.kind in ("line", "area", "bar") and len(block.labels) > 12
        return 8 if wide else 4 if block.kind in ("pie", "donut") else 5 if count > 1 else 12
    return 7 if isinstance(block, Table) and len(block.columns) > 2 else 4


def _stretched(row: list[Card]) -> tuple[Card, ...]:
    """No holes at the right edge: what is left is shared out in proportion."""
    total = sum(card.span for card in row)
    spans = [card.span * COLUMNS // total for card in row]
    for place in range(COLUMNS - sum(spans)):
        spans[place % len(spans)] += 1
    return tuple(replace(card, span=span) for card, span in zip(row, spans, strict=True))


def _least(look: Look, row: Sequence[Card], width: float) -> float:
    tall = 0.0 if all(isinstance(card.block, Text) for card in row) else LEAST
    for card in row:
        room = card_width(card.span, width) - 2 * PAD
        if isinstance(card.block, Chart) and card.block.kind == "barh":
            tall = max(tall, min(400.0, chart_rows(card.block) * 13 + 60))
        elif isinstance(card.block, Text):
            lines = list(notes.layout(look, card.block.paragraphs, room))
            tall = max(tall, sum(line.height for line in lines) + 2 * PAD)
        elif isinstance(card.block, Table):
            tall = max(tall, min(6, len(card.block.rows)) * 17.0 + 70)
    return tall


def chart_rows(block: Chart) -> int:
    """Bars that lie, one above the other."""
    return len(block.labels) * (1 if block.stacked else max(1, len(block.series)))


def card_width(span: int, width: float) -> float:
    """A card of so many columns, in points."""
    column = (width - 2 * MARGIN - GAP * (COLUMNS - 1)) / COLUMNS
    return column * span + GAP * (span - 1)


def draw(surface: Surface, look: Look, document: Document, made: Plan) -> None:
    """The whole screen."""
    surface.rect(0, 0, made.width, made.height, fill=BOARD)
    _band(surface, look, document, made.width)
    y = BAND + GAP * 1.4
    if made.kpis:
        box = Box(MARGIN, y, made.width - 2 * MARGIN, made.kpi_height)
        cards.paint(surface, replace(look, scale=1.15), made.kpis, box, made.beside, WHITE)
        y += made.kpi_height + GAP
    for tall, row in made.rows:
        x = MARGIN
        for card in row:
            wide = card_width(card.span, made.width)
            _card(surface, look, card.block, Box(x, y, wide, tall))
            x += wide + GAP
        y += tall + GAP


def _band(surface: Surface, look: Look, document: Document, width: float) -> None:
    surface.rect(0, 0, width, BAND, fill=look.theme.band)
    surface.rect(0, BAND - 2.2, width, 2.2, fill=look.theme.rule)
    right = draw_logo(surface, document.logo, width - MARGIN, BAND)
    note = ellipsize(look.fonts, document.subtitle, (right - MARGIN) * 0.4, 11)
    surface.text(right, BAND / 2 + 3, note, 11, look.theme.soft, align="right")
    room = right - MARGIN - look.fonts.width(note, 11) - 20
    title = ellipsize(look.fonts, document.title, room, 19, bold=True)
    surface.text(MARGIN, BAND / 2 + 6, title, 19, WHITE, bold=True)


def _card(surface: Surface, look: Look, block: Block, box: Box) -> None:
    surface.rect(box.x, box.y, box.w, box.h, fill=WHITE, stroke=GRID, radius=6)
    inner = Box(box.x + PAD, box.y + PAD - 2, box.w - 2 * PAD, box.h - 2 * PAD + 2)
    if isinstance(block, Chart):
        chart.paint(surface, replace(look, scale=1.15), block, inner)
    elif isinstance(block, Table):
        _table(surface, look, block, inner)
    elif isinstance(block, Text):
        _text(surface, look, block, inner)
    elif isinstance(block, Image):
        share = min(inner.w / block.width, inner.h / block.height)
        wide, tall = block.width * share, block.height * share
        surface.image(inner.x + (inner.w - wide) / 2, inner.y, wide, tall, block)


def _text(surface: Surface, look: Look, block: Text, box: Box) -> None:
    y = box.y
    for line in notes.layout(look, block.paragraphs, box.w):
        if y + line.height > box.y + box.h + 2:
            break
        line.draw(surface, look, box.x, y)
        y += line.height


def _table(surface: Surface, look: Look, table: Table, box: Box) -> None:
    """As many rows and columns as the card holds, and a line that says what is left out."""
    size, title_size = 9.0, 12.0
    title = ellipsize(look.fonts, table.title, box.w, title_size, bold=True)
    surface.text(box.x, box.y + title_size, title, title_size, INK, bold=True)
    top = box.y + title_size * 1.9
    if not table.rows:
        surface.text(
            box.x + box.w / 2,
            box.y + box.h / 2,
            look.words(chart.NO_DATA),
            10,
            MUTED,
            align="center",
        )
        return
    made, columns = fitting_columns(look, table, box.w, size)
    count = len(table.rows)
    room = box.y + box.h - top - made.header_height - 14
    rows, used = 0, 0.0
    while rows < len(made.heights) and used + made.heights[rows] <= room:
        used += made.heights[rows]
        rows += 1
    if rows == count and columns == len(table.columns):
        totals = made.totals is not None and used + made.row_height <= room + 14
    else:
        totals = False
    y = grid.draw_header(surface, look, made, box.x, top)
    y = grid.draw_rows(surface, look, made, box.x, y, 0, rows)
    if totals:
        grid.draw_totals(surface, look, made, box.x, y)
    text = left_out(look, table, rows, columns)
    if text:
        surface.text(box.x, box.y + box.h, text, 8, MUTED)


def left_out(look: Look, table: Table, rows: int, columns: int) -> str:
    """What a card says when it does not show all of a table."""
    parts = []
    if rows < len(table.rows):
        count = look.number(len(table.rows))
        parts.append(look.words("{shown} of {count} rows", shown=rows, count=count))
    if columns < len(table.columns):
        count = look.number(len(table.columns))
        parts.append(look.words("{shown} of {count} columns", shown=columns, count=count))
    said = look.words("Showing {parts}", parts=", ".join(parts)) if parts else ""
    return look.fonts.drawn(said)


def fitting_columns(look: Look, table: Table, width: float, size: float) -> tuple[grid.Layout, int]:
    """The first rows with as many columns as fit side by side."""
    few = Table(table.title, table.columns, table.rows[:60])
    for count in range(len(table.columns), 0, -1):
        part = Table(table.title, table.columns[:count], [row[:count] for row in few.rows])
        made = grid.fit(look, part, width, size) or (
            grid.fit(look, part, width, size * 0.88) if count == len(table.columns) else None
        )
        if made is not None:
            totals = tables.totals(table, look.words)
            made[0].totals = totals[:count] if totals else None
            return made[0], count
    part = Table(table.title, table.columns[:1], [row[:1] for row in few.rows])
    return grid.layout(look, part, [0], [width], size), 1
