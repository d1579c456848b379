"""PPTX: a cover, key figures, native charts and tables, one thing a slide; 16:9."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import IO, Final, Literal

from reporttools.document import (
    Block,
    Chart,
    Document,
    Heading,
    Image,
    Kpis,
    Table,
    Text,
)
from reporttools.render import deckcharts, decktables, notes
from reporttools.render.deck import HEIGHT, WIDTH, Deck
from reporttools.render.package import rewritten
from reporttools.render.poster import describe
from reporttools.render.settings import Settings
from reporttools.render.style import MUTED, WHITE
from reporttools.textflow import lines
from toolbelt.errors import missing_extra

LEFT: Final = 43.0
TOP: Final = 98.0
ROOM: Final = WIDTH - 2 * LEFT
BOTTOM: Final = HEIGHT - 42.0
CARDS: Final = 8


def write(document: Document, file: IO[bytes], settings: Settings) -> int:
    """Write the presentation; the number of its slides."""
    try:
        import pptx  # noqa: F401
    except ImportError as error:
        raise missing_extra("python-pptx", "reports") from error
    fonts = settings.fonts()
    deck = Deck(settings, settings.look(document, fonts), document)
    if document.layout == "board":
        from reporttools.render import deckboard

        deckboard.draw(deck, document)
    else:
        _cover(deck, document)
        for block in document.blocks:
            _block(deck, block)
    content = io.BytesIO()
    deck.save(content)
    rewritten(content, file, settings.moment, deck.themed)
    fonts.report()
    return deck.count


def _block(deck: Deck, block: Block) -> None:
    if isinstance(block, Kpis):
        for start in range(0, len(block.items), CARDS):
            _cards(deck, Kpis(block.items[start : start + CARDS], block.title))
    elif isinstance(block, Chart):
        _chart(deck, block)
    elif isinstance(block, Table):
        decktables.slides(deck, block)
    elif isinstance(block, Text):
        _text(deck, block)
    elif isinstance(block, Image):
        _image(deck, block)
    elif isinstance(block, Heading):
        deck.section = block.text


def _cover(deck: Deck, document: Document) -> None:
    """Title and subtitle on the colour of the report."""
    slide = deck.slide("", layout=0)
    theme = deck.look.theme
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = deck.rgb(theme.band)
    size, title = 44.0, [document.title]
    for size in (44.0, 38.0, 32.0, 26.0):
        title = lines(deck.look.fonts, document.title, WIDTH - 140, size, 3, bold=True)
        if len(title) <= 2:
            break
    deck.place(slide.shapes.title, 65, 150, WIDTH - 130, 130)
    shown = document.title if len(title) < 3 or not title[-1].endswith("…") else " ".join(title)
    side: Literal["right", "left"] = "right" if deck.look.rtl else "left"
    deck.fill(slide.shapes.title, shown, size, WHITE, bold=True, anchor="bottom", align=side)
    deck.box(slide, WIDTH - 165 if deck.look.rtl else 65, 292, 100, 5, theme.rule)
    subtitle = slide.placeholders[1]
    if document.subtitle:
        deck.place(subtitle, 65, 306, WIDTH - 130, 40)
        deck.fill(subtitle, document.subtitle, 18, theme.soft, anchor="top", align=side)
    else:
        subtitle._element.getparent().remove(subtitle._element)
    if document.author:
        deck.text(slide, 65, HEIGHT - 60, WIDTH - 130, 20, document.author, 12, theme.soft)
    if document.logo is not None:
        logo = document.logo
        share = min(120 / logo.width, 60 / logo.height)
        deck.picture(slide, logo, 65, 60, logo.width * share, logo.height * share)


def _cards(deck: Deck, block: Kpis) -> None:
    slide = deck.slide(block.title or deck.section or deck.look.words("Key figures"))
    count = len(block.items)
    beside = count if count <= 3 else 2 if count == 4 else 3 if count <= 6 else 4
    rows = -(-count // beside)
    gap = 20.0
    wide = (ROOM - gap * (beside - 1)) / beside
    tall = min(170.0 if rows > 1 else 190.0, (BOTTOM - TOP - gap * (rows - 1)) / rows)
    top = TOP + 12
    for place, kpi in enumerate(block.items):
        row, column = divmod(place, beside)
        x, y = LEFT + column * (wide + gap), top + row * (tall + gap)
        deck.card(slide, kpi, x, y, wide, tall)


def _chart(deck: Deck, block: Chart) -> None:
    slide = deck.slide(block.title or deck.look.words("Chart"))
    top = TOP
    if block.subtitle:
        deck.text(slide, LEFT, TOP - 12, ROOM, 18, block.subtitle, 12, MUTED)
        top += 10
    deckcharts.add(
        deck, slide, block, LEFT, top, ROOM, BOTTOM - top, describe(block, deck.look.words)
    )


def _text(deck: Deck, block: Text) -> None:
    """Notes on as many slides as they need."""
    look = deck.look
    title = block.title or look.words("Notes")
    page: list[notes.Line] = []
    used, room = 0.0, BOTTOM - TOP - 10
    pages: list[list[notes.Line]] = []
    scale = 1.6
    for line in notes.layout(replace(look, scale=scale), block.paragraphs, ROOM):
        if page and used + line.height > room:
            pages.append(page)
            page, used = [], 0.0
        page.append(line)
        used += line.height
    pages.append(page)
    for number, found in enumerate(pages, 1):
        name = f"{title} ({number}/{len(pages)})" if len(pages) > 1 else title
        deck.paragraphs(deck.slide(name), LEFT, TOP, ROOM, room, found)


def _image(deck: Deck, block: Image) -> None:
    slide = deck.slide(block.caption or deck.section or deck.look.words("Picture"))
    share = min(ROOM / block.width, (BOTTOM - TOP) / block.height, 1.5)
    wide, tall = block.width * share, block.height * share
    deck.picture(slide, block, LEFT + (ROOM - wide) / 2, TOP, wide, tall)
