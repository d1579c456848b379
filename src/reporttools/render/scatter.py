"""Dots on two value axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from reporttools.document import PLAIN, Chart
from reporttools.figures import together
from reporttools.render.axis import Scale, value_scale
from reporttools.render.frame import Box, Frame, axis_titles, parts_of
from reporttools.render.style import AXIS, GRID, INK, MUTED
from reporttools.textflow import ellipsize

RADIUS: Final = 2.8
LARGEST: Final = 12.0
MAX_LABELS: Final = 15


def paint(frame: Frame) -> None:
    """The whole frame."""
    chart, k, size = frame.chart, frame.k, frame.label_size
    points = [point for cloud in chart.clouds for point in cloud.points]
    box = axis_titles(frame, frame.box)
    xs, ys = [p.x for p in points], [p.y for p in points]
    across = value_scale(
        min(xs), max(xs), zero=_near_zero(xs), parts=max(2, int(box.w // (80 * k)))
    )
    up = value_scale(min(ys), max(ys), zero=_near_zero(ys), parts=parts_of(frame, box))
    texts = frame.tick_texts(up)
    found = together(across.ticks, PLAIN, frame.look.marks, ticks=True)
    unders = list(map(frame.look.fonts.drawn, found))
    left = max(map(frame.width, texts)) + 7 * k
    right = max(6 * k, frame.width(unders[-1]) / 2 + 1)
    top, bottom = size * 0.8, size * 1.9
    plot = Box(box.x + left, box.y + top, box.w - left - right, max(8.0, box.h - top - bottom))
    largest = _largest(chart, plot, k)
    # Dots lie inside of the grid with all of their size.
    inner = Box(plot.x + largest, plot.y + largest, plot.w - 2 * largest, plot.h - 2 * largest)
    _grid(frame, plot, Plane(inner, across, up), texts, unders)
    _dots(frame, chart, Plane(inner, across, up), largest)


@dataclass(frozen=True, slots=True)
class Plane:
    """Where values lie: a box, and the scales across and up."""

    box: Box
    across: Scale
    up: Scale

    def x(self, value: float) -> float:
        """The place of an x value."""
        return self.box.x + self.box.w * self.across.at(value)

    def y(self, value: float) -> float:
        """The place of a y value."""
        return self.box.y + self.box.h * (1 - self.up.at(value))


def _grid(
    frame: Frame, plot: Box, plane: Plane, texts: Sequence[str], unders: Sequence[str]
) -> None:
    size = frame.label_size
    for tick, text in zip(plane.up.ticks, texts, strict=True):
        y = plane.y(tick)
        frame.surface.line([(plot.x, y), (plot.x + plot.w, y)], GRID, 0.7)
        frame.surface.text(plot.x - 5 * frame.k, y + size * 0.35, text, size, MUTED, align="right")
    for tick, text in zip(plane.across.ticks, unders, strict=True):
        x = plane.x(tick)
        frame.surface.line([(x, plot.y), (x, plot.y + plot.h)], GRID, 0.7)
        frame.surface.text(x, plot.y + plot.h + size * 1.35, text, size, MUTED, align="center")
    frame.surface.line([(plot.x, plot.y + plot.h), (plot.x + plot.w, plot.y + plot.h)], AXIS, 0.9)


def _largest(chart: Chart, plot: Box, k: float) -> float:
    """The radius of the largest dot."""
    if not any(p.size for cloud in chart.clouds for p in cloud.points):
        return RADIUS * k
    return max(RADIUS * k, min(LARGEST * k, 0.07 * min(plot.w, plot.h)))


def _near_zero(values: list[float]) -> bool:
    low, high = min(values), max(values)
    return low <= 0 <= high or 0 <= low < 0.4 * high


def _dots(frame: Frame, chart: Chart, plane: Plane, largest: float) -> None:
    biggest = max((p.size or 0 for c in chart.clouds for p in c.points), default=0)
    count = sum(len(cloud.points) for cloud in chart.clouds)
    alpha = 0.8 if count < 300 else 0.45
    taken: list[Box] = []
    for index, cloud in enumerate(chart.clouds):
        color = frame.look.theme.color(index, cloud.color)
        for point in cloud.points:
            x, y = plane.x(point.x), plane.y(point.y)
            share = sqrt((point.size or 0) / biggest) if biggest else 1.0
            radius = max(1.6 * frame.k, largest * share)
            frame.surface.dot(x, y, radius, color, alpha)
            if point.label and count <= MAX_LABELS:
                _name(frame, point.label, x, y, radius, taken)


def _name(frame: Frame, label: str, x: float, y: float, radius: float, taken: list[Box]) -> None:
    """A dot's name beside it, unless it would touch another one."""
    size = frame.label_size
    text = ellipsize(frame.look.fonts, label, 90 * frame.k, size)
    width = frame.width(text)
    left = x + radius + 3 * frame.k
    if left + width > frame.box.x + frame.box.w:
        left = x - radius - 3 * frame.k - width
    spot = Box(left, y - size * 0.5, width, size)
    if any(_touch(spot, other) for other in taken):
        return
    taken.append(spot)
    frame.surface.text(left, y + size * 0.35, text, size, INK)


def _touch(a: Box, b: Box) -> bool:
    return a.x < b.x + b.w and b.x < a.x + a.w and a.y < b.y + b.h and b.y < a.y + a.h
