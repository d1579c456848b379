"""A report as a PDF: pages of a flow, or the one page of a board."""

from __future__ import annotations

from typing import IO

from reporttools.chartdata import drawable
from reporttools.document import Chart, Document
from reporttools.render import board, pages
from reporttools.render import chart as charts
from reporttools.render.flow import Flow
from reporttools.render.frame import Box
from reporttools.render.pdf import PdfSurface
from reporttools.render.settings import Settings
from reporttools.render.sheets import A4, LETTER, Page
from reporttools.render.surface import Look
from reporttools.words import words


def write(document: Document, file: IO[bytes], settings: Settings) -> int:
    """Write the PDF; the number of its pages."""
    fonts = settings.fonts()
    surface = PdfSurface(file, fonts, document.title, document.lang, settings.moment)
    surface.describe(document.author, document.subtitle)
    if document.layout == "board":
        _board(surface, settings.look(document, fonts), document, settings)
    else:
        _pages(surface, settings.look(document, fonts), document, settings)
    surface.save()
    fonts.report()
    return surface.pages


def _pages(surface: PdfSurface, look: Look, document: Document, settings: Settings) -> None:
    settings.progress("laying out pages")
    flow = Flow(look, LETTER if settings.paper == "Letter" else A4, document)
    count = len(flow.pages)
    for number, page in enumerate(flow.pages, 1):
        settings.progress("drawing pages", number, count)
        surface.page(page.paper.width, page.paper.height)
        if page.first:
            pages.band(surface, look, document, page.paper)
            surface.bookmark(document.title, 0.0)
        else:
            pages.running_head(surface, look, document, page)
        _outline(surface, page)
        pages.draw(surface, look, page)
        pages.footer(surface, look, document, page, number, count)


def _outline(surface: PdfSurface, page: Page) -> None:
    for item in page.items:
        if item.title:
            surface.bookmark(item.title, item.y, level=1)


def _board(surface: PdfSurface, look: Look, document: Document, settings: Settings) -> None:
    plan = board.plan(look, document, settings.notices)
    surface.page(plan.width, plan.height)
    surface.bookmark(document.title, 0.0)
    board.draw(surface, look, document, plan)


def write_chart(
    chart: Chart, file: IO[bytes], settings: Settings, document: Document, size: tuple[float, float]
) -> int:
    """One chart on a page of its own size."""
    fonts = settings.fonts()
    surface = PdfSurface(
        file, fonts, chart.title or words(document.lang)("Chart"), document.lang, settings.moment
    )
    surface.describe(document.author, "")
    width, height = size
    surface.page(width, height)
    look = settings.look(document, fonts, 1.3)
    pad = 18.0
    box = Box(pad, pad, width - 2 * pad, height - 2 * pad)
    charts.paint(surface, look, drawable(chart, settings.notices), box)
    surface.save()
    fonts.report()
    return 1
