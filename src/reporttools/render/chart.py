"""A chart on a surface: title, legend and the plot that its kind asks for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from reporttools.chartdata import ROUND, drawable
from reporttools.document import Chart, Cloud, Series
from reporttools.render import bars, lines, ring, scatter
from reporttools.render.frame import Box, Frame
from reporttools.render.style import GRID, INK, MUTED
from reporttools.render.surface import Look, Surface
from reporttools.textflow import ellipsize
from reporttools.textflow import lines as fitted_lines

TITLE: Final = 10.5
SMALL: Final = 8.0
NO_DATA: Final = "No data"


def paint(surface: Surface, look: Look, chart: Chart, box: Box) -> None:
    """Draw the chart inside the box; nothing is drawn outside of it."""
    rest = _titles(surface, look, chart, box)
    if chart.empty:
        _placeholder(surface, look, rest)
        return
    chart = drawable(chart)
    if chart.kind in ROUND:
        ring.paint(surface, look, chart, rest)
        return
    groups: list[Series | Cloud] = [*chart.clouds, *chart.series]
    if len(groups) > 1:
        colors = [look.theme.color(i, group.color) for i, group in enumerate(groups)]
        rest = _legend(surface, look, [group.name for group in groups], colors, rest)
    frame = Frame(surface, look, chart, rest)
    if chart.kind == "scatter":
        scatter.paint(frame)
    elif chart.kind == "barh":
        bars.paint_horizontal(frame)
    elif any(_kind(chart, series) == "bar" for series in chart.series):
        combined(frame)
    else:
        lines.paint(frame)


def _kind(chart: Chart, series: Series) -> str:
    return series.kind or chart.kind


def combined(frame: Frame) -> None:
    """Columns, with the series that are lines drawn over them on the same axes."""
    chart, theme = frame.chart, frame.look.theme
    colors = {id(s): theme.color(i, s.color) for i, s in enumerate(chart.series)}
    columns = tuple(s for s in chart.series if _kind(chart, s) == "bar")
    over = tuple(s for s in chart.series if _kind(chart, s) != "bar")
    values = [float(v) for s in over for v in s.values if v is not None]
    axes = bars.paint(frame, replace(chart, series=columns, kind="bar"), colors, values)
    if over:
        lines.paint_over(frame, replace(chart, series=over, kind="line"), axes, colors)


def _titles(surface: Surface, look: Look, chart: Chart, box: Box) -> Box:
    """Title in up to two lines and the subtitle; what is left of the box."""
    fonts, k = look.fonts, look.scale
    size, small = TITLE * k, SMALL * k
    y = box.y
    if chart.title.strip():
        for line in fitted_lines(fonts, chart.title, box.w, size, 2, bold=True):
            y += size * 1.2
            surface.text(box.x, y - size * 0.22, line, size, INK, bold=True)
        y += 1.5 * k
    if chart.subtitle.strip():
        line = ellipsize(fonts, chart.subtitle, box.w, small)
        y += small * 1.25
        surface.text(box.x, y - small * 0.2, line, small, MUTED)
    gap = 6 * k
    return Box(box.x, y + gap, box.w, max(20.0, box.y + box.h - y - gap))


@dataclass(frozen=True, slots=True)
class _Entry:
    text: str
    color: str
    width: float


def _legend(surface: Surface, look: Look, names: list[str], colors: list[str], box: Box) -> Box:
    """Swatches and names in up to two lines; what is left of the box."""
    fonts, k = look.fonts, look.scale
    size, mark, gap = SMALL * k, 7 * k, 14 * k
    entries = []
    for name, color in zip(names, colors, strict=True):
        text = ellipsize(fonts, name or "–", min(box.w * 0.45, 180 * k), size)
        entries.append(_Entry(text, color, mark + 4 * k + fonts.width(text, size)))
    rows: list[list[_Entry]] = [[]]
    used = 0.0
    for place, entry in enumerate(entries):
        if rows[-1] and used + entry.width > box.w:
            if len(rows) == 2 or box.h < 110 * k:
                more = _Entry(f"+{len(entries) - place}", "", 0)
                rows[-1].append(more)
                break
            rows.append([])
            used = 0.0
        rows[-1].append(entry)
        used += entry.width + gap
    y = box.y
    for row in rows:
        x = box.x
        y += size * 1.45
        for entry in row:
            if entry.color:
                surface.rect(x, y - mark, mark, mark, fill=entry.color, radius=1.2 * k)
                surface.text(x + mark + 4 * k, y - 0.6 * k, entry.text, size, INK)
            elif x + fonts.width(entry.text, size) <= box.x + box.w:
                surface.text(x, y - 0.6 * k, entry.text, size, MUTED)
            x += entry.width + gap
    taken = y - box.y + 6 * k
    return Box(box.x, box.y + taken, box.w, max(20.0, box.h - taken))


def _placeholder(surface: Surface, look: Look, box: Box) -> None:
    size = 10 * look.scale
    surface.rect(box.x, box.y, box.w, box.h, stroke=GRID, radius=4 * look.scale)
    middle = box.y + box.h / 2 + size * 0.35
    surface.text(box.x + box.w / 2, middle, look.words(NO_DATA), size, MUTED, align="center")
