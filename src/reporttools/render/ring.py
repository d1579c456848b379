"""Pies, drawn as a ring: the total in the hole, shares in the legend, largest slice first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reporttools.chartdata import shares_of, total_of
from reporttools.document import Chart
from reporttools.figures import compact, number_text
from reporttools.render.frame import Box
from reporttools.render.style import INK, MUTED
from reporttools.render.surface import Look, Surface
from reporttools.textflow import ellipsize

HOLE: Final = 0.62
GAP: Final = 0.9  # degrees between slices, as wide as a hairline


def percents(values: Sequence[float]) -> list[float]:
    """Shares rounded to tenths that still add up to 100.0 (largest remainders round up)."""
    exact = [1000 * share for share in shares_of(values)]
    tenths = [int(value) for value in exact]
    order = sorted(range(len(values)), key=lambda i: tenths[i] - exact[i])
    for place in order[: 1000 - sum(tenths)]:
        tenths[place] += 1
    return [value / 10 for value in tenths]


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the legend."""

    label: str
    share: str
    color: str


def paint(surface: Surface, look: Look, chart: Chart, box: Box) -> None:
    """Ring on the left and legend on the right, or below it in a narrow box."""
    values = [float(value or 0) for value in chart.series[0].values]
    colors = slice_colors(look, chart)
    items = [
        Item(label, _share(look, share, value), color)
        for label, share, value, color in zip(
            chart.labels, percents(values), values, colors, strict=True
        )
    ]
    k = look.scale
    beside = box.w >= 170 * k
    room = min(box.w * 0.46, box.h) if beside else min(box.w, box.h * 0.55)
    radius = max(8.0, room / 2 - 2 * k)
    x = box.x + radius + 2 * k if beside else box.x + box.w / 2
    y = box.y + box.h / 2 if beside else box.y + radius + 2 * k
    _slices(surface, values, colors, x, y, radius)
    _total(surface, look, chart, x, y, radius)
    if beside:
        left = x + radius + 18 * k
        _legend(surface, look, items, Box(left, box.y, box.x + box.w - left, box.h))
    else:
        top = y + radius + 8 * k
        _legend(surface, look, items, Box(box.x, top, box.w, box.y + box.h - top))


def _share(look: Look, share: float, value: float) -> str:
    least = "<" if share == 0 and value else ""
    return f"{least}{number_text(share or (0.1 if value else 0.0), 1, look.marks)}%"


def slice_colors(look: Look, chart: Chart) -> list[str]:
    """A colour a slice; what is summed up as `Other` is grey."""
    return [
        "#B8BEC8" if chart.is_other(label) else look.theme.color(index)
        for index, label in enumerate(chart.labels)
    ]


def _slices(
    surface: Surface, values: Sequence[float], colors: Sequence[str], x: float, y: float,
    radius: float,
) -> None:  # fmt: skip
    angle = 0.0
    for share, color in zip(shares_of(values), colors, strict=True):
        sweep = 360 * share
        gap = min(GAP, sweep * 0.3) if len(values) > 1 else 0.0
        surface.ring(x, y, radius, radius * HOLE, angle + gap / 2, angle + sweep - gap / 2, color)
        angle += sweep


def _total(surface: Surface, look: Look, chart: Chart, x: float, y: float, radius: float) -> None:
    exact = total_of(chart.series[0].values)
    text = look.fonts.drawn(compact(exact, chart.format, look.marks))
    size = 13 * look.scale
    room = radius * HOLE * 1.6
    while size > 5 and look.fonts.width(text, size, True) > room:
        size -= 0.5
    surface.text(x, y + size * 0.2, text, size, INK, bold=True, align="center")
    small = min(7.5 * look.scale, size * 0.7)
    surface.text(x, y + size * 0.2 + small * 1.4, look.words("total"), small, MUTED, align="center")


def _legend(surface: Surface, look: Look, items: Sequence[Item], box: Box) -> None:
    k, fonts = look.scale, look.fonts
    row = min(15 * k, box.h / max(1, len(items)))
    size = min(8 * k, row * 0.72)
    mark = size * 0.85
    shares = max(fonts.width(item.share, size) for item in items)
    room = box.w - mark - shares - 14 * k
    labels = [ellipsize(fonts, item.label, room, size) for item in items]
    column = min(room, max(fonts.width(label, size) for label in labels))
    right = box.x + mark + 5 * k + column + 9 * k + shares
    y = box.y + (box.h - row * len(items)) / 2
    for item, label in zip(items, labels, strict=True):
        base = y + row / 2 + size * 0.35
        surface.rect(box.x, base - mark * 0.92, mark, mark, fill=item.color, radius=mark * 0.18)
        surface.text(box.x + mark + 5 * k, base, label, size, INK)
        surface.text(right, base, item.share, size, MUTED, align="right")
        y += row
