"""A dashboard as one slide of native cards, charts and tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from reporttools.document import Chart, Document, Image, Table, Text
from reporttools.notices import Notices
from reporttools.render import board, cards, deckcharts, decktables, notes
from reporttools.render.chart import NO_DATA
from reporttools.render.deck import HEIGHT, WIDTH, Deck
from reporttools.render.frame import Box
from reporttools.render.poster import describe
from reporttools.render.style import BOARD, GRID, INK, MUTED, WHITE
from reporttools.textflow import ellipsize

# So much taller than a slide may its rows be before they go on two.
SQUEEZE: Final = 1.2
Row = tuple[float, tuple[board.Card, ...]]


def draw(deck: Deck, document: Document) -> None:
    """The plan of the picture, on more than one slide when it is taller than one."""
    plan = board.plan(deck.look, document, Notices())
    k = WIDTH / plan.width
    pages = _pages(plan, HEIGHT / k)
    for number, rows in enumerate(pages, 1):
        slide = deck.file.slides.add_slide(deck.file.slide_layouts[5])
        deck.count += 1
        slide.background.fill.solid()
        slide.background.fill.fore_color.rgb = deck.rgb(BOARD)
        _band(deck, slide, document, k, f"{number} / {len(pages)}" if len(pages) > 1 else "")
        y = board.BAND + board.GAP * 1.4
        if number == 1:
            _kpis(deck, slide, plan, k)
            y = plan.top
        for tall, found in rows:
            x = board.MARGIN
            for card in found:
                width = board.card_width(card.span, plan.width)
                _card(deck, slide, card.block, Box(x * k, y * k, width * k, tall * k))
                x += width + board.GAP
            y += tall + board.GAP


def _pages(plan: board.Plan, height: float) -> list[list[Row]]:
    """Rows by slide, each slide's stretched or squeezed a little to fill it."""
    pages: list[list[Row]] = [[]]
    room = (height - plan.top - board.MARGIN * 0.8) * SQUEEZE
    for row in plan.rows:
        if pages[-1] and row[0] > room:
            pages.append([])
            room = (height - board.BAND - board.GAP * 1.4 - board.MARGIN * 0.8) * SQUEEZE
        pages[-1].append(row)
        room -= row[0] + board.GAP
    return [_stretched(page, plan.top if n == 0 else board.BAND + board.GAP * 1.4, height)
            for n, page in enumerate(pages)]  # fmt: skip


def _stretched(rows: list[Row], top: float, height: float) -> list[Row]:
    used = sum(tall for tall, _ in rows) + board.GAP * max(0, len(rows) - 1)
    room = height - top - board.MARGIN * 0.8
    factor = room / used if rows and used else 1.0
    return [(tall * min(factor, 2.0), cards_) for tall, cards_ in rows]


def _kpis(deck: Deck, slide: Any, plan: board.Plan, k: float) -> None:
    rows = cards.rows_of(plan.kpis, plan.beside)
    beside = max(map(len, rows), default=1)
    wide = (plan.width - 2 * board.MARGIN - board.GAP * (beside - 1)) / beside
    y = board.BAND + board.GAP * 1.4
    for row in rows:
        for place, kpi in enumerate(row):
            x = board.MARGIN + place * (wide + board.GAP)
            deck.card(slide, kpi, x * k, y * k, wide * k, board.KPI * k)
        y += board.KPI + board.GAP


def _band(deck: Deck, slide: Any, document: Document, k: float, page: str) -> None:
    theme, fonts = deck.look.theme, deck.look.fonts
    tall = board.BAND * k
    deck.box(slide, 0, 0, WIDTH, tall, theme.band)
    deck.box(slide, 0, tall - 2, WIDTH, 2, theme.rule)
    words = "   ".join(part for part in (document.subtitle, page) if part)
    note = ellipsize(fonts, words, WIDTH * 0.35, 11)
    room = WIDTH - 60 - fonts.width(note, 11)
    size = 20.0
    while size > 11 and fonts.width(fonts.drawn(document.title), size, True) > room:
        size -= 1
    title = ellipsize(fonts, document.title, room, size, bold=True)
    shape = slide.shapes.title
    deck.place(shape, 18, 0, room, tall)
    deck.fill(shape, title, size, WHITE, bold=True)
    # The band was drawn after the title's placeholder: the title comes back to the front.
    shape._element.getparent().append(shape._element)
    if note:
        deck.text(slide, WIDTH - 18 - WIDTH * 0.35, 0, WIDTH * 0.35, tall, note, 11, theme.soft,
                  align="right")  # fmt: skip


def _card(deck: Deck, slide: Any, block: Chart | Table | Text | Image, box: Box) -> None:
    deck.box(slide, box.x, box.y, box.w, box.h, WHITE, GRID, rounded=True)
    pad = 10.0
    inner = Box(box.x + pad, box.y + pad, box.w - 2 * pad, box.h - 2 * pad)
    if isinstance(block, Image):
        share = min(inner.w / block.width, inner.h / block.height)
        deck.picture(slide, block, inner.x, inner.y, block.width * share, block.height * share)
        return
    if isinstance(block, Text):
        look = replace(deck.look, scale=1.0)
        found: list[notes.Line] = []
        used = 0.0
        for line in notes.layout(look, block.paragraphs, inner.w):
            used += line.height
            if used > inner.h:
                break
            found.append(line)
        deck.paragraphs(slide, inner.x, inner.y, inner.w, inner.h, found)
        return
    title = ellipsize(deck.look.fonts, block.title, inner.w, 12, bold=True)
    deck.text(slide, inner.x, inner.y, inner.w, 16, title, 12, INK, bold=True)
    rest = Box(inner.x, inner.y + 20, inner.w, inner.h - 20)
    if isinstance(block, Chart):
        deckcharts.add(
            deck, slide, block, rest.x, rest.y, rest.w, rest.h, describe(block, deck.look.words), 9
        )
    else:
        _table(deck, slide, block, rest)


def _table(deck: Deck, slide: Any, table: Table, box: Box) -> None:
    if not table.rows:
        deck.text(
            slide, box.x, box.y, box.w, box.h, deck.look.words(NO_DATA), 12, MUTED, align="center"
        )
        return
    made, columns = board.fitting_columns(deck.look, table, box.w, 9.0)
    room = box.h - decktables.header_height(made) - 14
    last, used = 0, 0.0
    while last < len(made.heights):
        tall = decktables.row_height(made, last)
        if used + tall > room:
            break
        used += tall
        last += 1
    decktables.add(deck, slide, made, box.x, box.y, 0, last, totals=False)
    text = board.left_out(deck.look, table, last, columns)
    if text:
        deck.text(slide, box.x, box.y + box.h - 11, box.w, 12, text, 8, MUTED)
