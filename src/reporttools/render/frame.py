"""The frame of a plot: where its axes lie, their ticks, grid and labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from reporttools.document import Chart
from reporttools.figures import compact, together
from reporttools.render.axis import Scale, Tick, date_texts, dates_of, thinned
from reporttools.render.style import AXIS, GRID, MUTED, ZERO
from reporttools.render.surface import Look, Surface
from reporttools.textflow import ellipsize, lines, wrap

LABEL: Final = 7.5
TILT: Final = 40.0


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle: x and y of its top left corner, width, height."""

    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class Axes:
    """A plot that has its axes."""

    plot: Box
    scale: Scale


@dataclass(slots=True)
class Frame:
    """A chart's space, its value axis once laid out, and the plot inside of it."""

    surface: Surface
    look: Look
    chart: Chart
    box: Box

    @property
    def k(self) -> float:
        """The scale of texts and gaps."""
        return self.look.scale

    @property
    def label_size(self) -> float:
        """Size of axis labels, in points."""
        return LABEL * self.look.scale

    def width(self, text: str, size: float = 0.0, *, bold: bool = False) -> float:
        """Width of drawn text at the label size or another one."""
        return self.look.fonts.width(text, size or self.label_size, bold)

    def value(self, number: float | int | None) -> str:
        """A number as the chart writes it on bars and points."""
        return self.look.fonts.drawn(compact(number, self.chart.format, self.look.marks))

    def values(self, numbers: Sequence[float]) -> list[str]:
        """Numbers on bars, all in one unit where they are near enough."""
        texts = together(numbers, self.chart.format, self.look.marks, ticks=False)
        return list(map(self.look.fonts.drawn, texts))

    def tick_texts(self, scale: Scale, *, share: bool = False) -> list[str]:
        """Labels of a value axis: one unit, and as many decimals as its steps need."""
        if share:
            return [f"{tick:g}%" for tick in scale.ticks]
        texts = together(scale.ticks, self.chart.format, self.look.marks, ticks=True)
        return list(map(self.look.fonts.drawn, texts))


def parts_of(frame: Frame, box: Box) -> int:
    """How many steps of a value axis have room."""
    return max(1, min(5, int((box.h - 2.4 * frame.label_size) // (24 * frame.k))))


def value_axis(frame: Frame, plot: Box, scale: Scale, texts: Sequence[str]) -> None:
    """Horizontal grid lines with their labels on the left, the zero line darker."""
    size = frame.label_size
    for tick, text in zip(scale.ticks, texts, strict=True):
        y = plot.y + plot.h * (1 - scale.at(tick))
        color, width = (AXIS, 0.9) if tick == scale.low else (GRID, 0.7)
        if tick == 0 and scale.low < 0:
            color, width = ZERO, 0.9
        frame.surface.line([(plot.x, y), (plot.x + plot.w, y)], color, width)
        x = plot.x - 5 * frame.k
        frame.surface.text(x, y + size * 0.35, text, size, MUTED, align="right")


def axis_titles(frame: Frame, box: Box) -> Box:
    """The titles of the axes, y above the plot and x below; what is left of the box."""
    size, fonts = frame.label_size, frame.look.fonts
    y, h = box.y, box.h
    if frame.chart.y_title.strip():
        text = ellipsize(fonts, frame.chart.y_title, box.w, size)
        frame.surface.text(box.x, y + size, text, size, MUTED)
        y, h = y + size * 1.7, h - size * 1.7
    if frame.chart.x_title.strip():
        text = ellipsize(fonts, frame.chart.x_title, box.w, size)
        middle = box.x + box.w / 2
        frame.surface.text(middle, y + h - size * 0.2, text, size, MUTED, align="center")
        h -= size * 1.7
    return Box(box.x, y, box.w, max(10.0, h))


def labels_of(labels: Sequence[str], days: list[date] | None, look: Look) -> Sequence[str]:
    """Labels as they are, or as the days that they are."""
    return date_texts(days, look.words) if days else labels


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels under a plot. height: what they need. tilted: drawn slanting."""

    ticks: tuple[Tick, ...]
    height: float
    tilted: bool = False


def category_labels(frame: Frame, labels: Sequence[str], width: float, height: float) -> Labels:
    """Labels of equal slots: in one or two lines, else slanting, else only every kth."""
    count = len(labels)
    slot = width / max(1, count)
    size = frame.label_size
    days = dates_of(labels)
    texts = [frame.look.fonts.drawn(t) for t in labels_of(labels, days, frame.look)]
    widest = max(map(frame.width, texts), default=0.0)
    if widest <= slot - 4 * frame.k:
        return Labels(_slots(texts, range(count)), size * 1.9)
    if days or _ordered_numbers(labels):
        fits = int(width // (widest + 8 * frame.k)) or 1
        return Labels(_slots(texts, thinned(count, fits)), size * 1.9)
    wrapped = _two_lines(frame, labels, slot - 4 * frame.k)
    if wrapped is not None:
        deep = max(map(len, wrapped))
        ticks = tuple(Tick((i + 0.5) / count, label) for i, label in enumerate(wrapped))
        return Labels(ticks, size * (0.7 + 1.2 * deep))
    return _tilted(frame, texts, slot, height)


def _slots(texts: Sequence[str], places: Sequence[int]) -> tuple[Tick, ...]:
    return tuple(Tick((i + 0.5) / len(texts), (texts[i],)) for i in places)


def _ordered_numbers(labels: Sequence[str]) -> bool:
    return all(label.lstrip("-").replace(".", "", 1).isdigit() for label in labels)


def _two_lines(frame: Frame, labels: Sequence[str], room: float) -> list[tuple[str, ...]] | None:
    """The labels in up to two lines each, cut with an ellipsis only where slots are wide; None
    when words would have to be split."""
    if room < 22 * frame.k:
        return None
    fonts, size = frame.look.fonts, frame.label_size
    found = []
    for label in labels:
        if room < 60 * frame.k:
            words = map(fonts.drawn, label.split())
            if any(frame.width(word) > room for word in words):
                return None
            if len(wrap(fonts, label, room, size)) > 2:
                return None
        found.append(tuple(lines(fonts, label, room, size, 2)))
    return found


def _tilted(frame: Frame, texts: Sequence[str], slot: float, height: float) -> Labels:
    size = frame.label_size
    count = len(texts)
    least = size * 1.5
    places = thinned(count, int(count * slot // least)) if slot < least else range(count)
    room = min(max(map(frame.width, texts), default=0.0), height * 0.5, 90 * frame.k)
    cut = [ellipsize(frame.look.fonts, text, room, size) for text in texts]
    longest = max((frame.width(cut[i]) for i in places), default=0.0)
    return Labels(_slots(cut, places), longest * 0.64 + size * 1.6, tilted=True)


def tilt_room(frame: Frame, under: Labels, width: float, count: int) -> float:
    """How far right the plot must begin for the first slanting label to stay inside."""
    if not under.tilted or not under.ticks:
        return 0.0
    reach = frame.width(under.ticks[0].lines[0]) * 0.78
    # The slots become narrower as the plot begins further right.
    return max(0.0, (reach - width / (2 * count)) / (1 - 1 / (2 * count)))


def draw_labels(frame: Frame, plot: Box, labels: Labels) -> None:
    """The labels under the plot, none beyond the edges of the box."""
    size, k = frame.label_size, frame.k
    low, high = frame.box.x, frame.box.x + frame.box.w
    y = plot.y + plot.h + size * 1.35
    for tick in labels.ticks:
        x = plot.x + plot.w * tick.at
        if labels.tilted:
            frame.surface.text(
                x + 2 * k, y - size * 0.3, tick.lines[0], size, MUTED, align="right", angle=TILT
            )
            continue
        for line, text in enumerate(tick.lines):
            half = frame.width(text) / 2
            middle = min(max(x, low + half), high - half)
            frame.surface.text(middle, y + line * size * 1.2, text, size, MUTED, align="center")
