"""PNG and SVG: a report as one picture, a board, or a single chart."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import IO, Any, Final

from reporttools.chartdata import drawable
from reporttools.document import Block, Chart, Document, Table
from reporttools.render import board, pages
from reporttools.render import chart as charts
from reporttools.render.flow import Flow
from reporttools.render.frame import Box
from reporttools.render.image import ImageSurface
from reporttools.render.settings import Settings
from reporttools.render.sheets import Paper
from reporttools.render.style import WHITE
from reporttools.words import Words, words

# One endless sheet, as wide as a page of a report looks good on a screen.
SHEET: Final = Paper(720.0, math.inf, margin=40.0, top=20.0, bottom=0.0, band=96.0)
MAX_ROWS: Final = 15
CHART_SIZE: Final = (691.2, 388.8)
MAX_HEIGHT: Final = 12_000.0


def write(document: Document, file: IO[bytes], form: str, settings: Settings) -> dict[str, object]:
    """The whole report as one picture; its size in pixels."""
    fonts = settings.fonts()
    look = settings.look(document, fonts)
    if document.layout == "board":
        plan = board.plan(look, document, settings.notices)
        surface = ImageSurface(plan.width, plan.height, fonts, WHITE)
        board.draw(surface, look, document, plan)
    else:
        flow = Flow(look, SHEET, _short(document))
        height = min(flow.height, MAX_HEIGHT)
        surface = ImageSurface(SHEET.width, height, fonts, WHITE)
        for page in flow.pages:
            pages.draw(surface, look, page)
        pages.band(surface, look, document, SHEET)
    return _save(surface, file, form, settings, document.title, _about(document))


def _short(document: Document) -> Document:
    """Tables with as many rows as one looks at in a picture."""

    def short(block: Block) -> Block:
        if not isinstance(block, Table):
            return block
        shown = min(block.shown or MAX_ROWS, MAX_ROWS)
        return replace(block, shown=shown if shown < len(block.rows) else 0)

    return replace(document, blocks=tuple(short(block) for block in document.blocks))


def _about(document: Document) -> str:
    """What the picture shows, for readers who cannot see it."""
    said = words(document.lang)
    parts = [document.subtitle] if document.subtitle else []
    parts += [describe(chart, said) for chart in document.charts()]
    text = "Table {title} with {count} rows."
    parts += [said(text, title=t.title, count=len(t.rows)) for t in document.tables()]
    return " ".join(parts)


def describe(chart: Chart, said: Words) -> str:
    """A chart in a sentence: its own alternative text, or what it is made of."""
    if chart.alt:
        return chart.alt
    names = {"barh": "bar", "donut": "pie"}
    kind = said(names.get(chart.kind, chart.kind).capitalize() + " chart")
    if chart.empty:
        return said("{kind} of {title}, no data.", kind=kind, title=chart.title)
    if chart.kind == "scatter":
        count = sum(len(cloud.points) for cloud in chart.clouds)
        return said("{kind} of {title}, {count} points.", kind=kind, title=chart.title, count=count)
    first, last = chart.labels[0], chart.labels[-1]
    text = "{kind} of {title}, {count} points from {span}."
    if len(chart.series) > 1:
        text = "{kind} of {title}, {count} points from {span}, {series} series."
    span = said("{first} to {last}", first=first, last=last) if len(chart.labels) > 1 else first
    return said(text, kind=kind, title=chart.title, count=len(chart.labels), span=span,
                series=len(chart.series))  # fmt: skip


def write_chart(
    chart: Chart, file: IO[bytes], form: str, settings: Settings, document: Document,
    size: tuple[float, float] = CHART_SIZE,
) -> dict[str, object]:  # fmt: skip
    """One chart as a picture; size in points."""
    fonts = settings.fonts()
    width, height = size
    scale = max(0.6, min(1.35, min(width / 520, height / 290)))
    look = settings.look(document, fonts, scale)
    surface = ImageSurface(width, height, fonts, WHITE)
    pad = 16.0 * scale
    box = Box(pad, pad, width - 2 * pad, height - 2 * pad)
    charts.paint(surface, look, drawable(chart), box)
    about = describe(chart, look.words)
    return _save(surface, file, form, settings, chart.title or look.words("Chart"), about)


def _save(
    surface: ImageSurface, file: IO[bytes], form: str, settings: Settings, title: str, about: str
) -> dict[str, object]:
    kind: Any = form
    surface.save(
        file, kind, scale=settings.scale, outline=settings.outline, title=title, description=about
    )
    surface.fonts.report()
    unit = settings.scale if form == "png" else 1.0
    return {
        "width": round(surface.width / 0.72 * unit),
        "height": round(surface.height / 0.72 * unit),
    }
