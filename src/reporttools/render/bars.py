"""Columns and horizontal bars: one series, groups, stacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reporttools.chartdata import LARGEST, shares_of
from reporttools.document import Chart, Series
from reporttools.render.axis import Scale, dates_of, thinned, value_scale
from reporttools.render.frame import (
    Axes,
    Box,
    Frame,
    axis_titles,
    category_labels,
    draw_labels,
    labels_of,
    parts_of,
    tilt_room,
    value_axis,
)
from reporttools.render.style import AXIS, GRID, INK, MUTED, ZERO, readable_on
from reporttools.textflow import ellipsize

WIDE: Final = 0.62
MAX_LABELLED: Final = 12


@dataclass(frozen=True, slots=True)
class Stack:
    """A piece of a bar. low, high: its ends on the value axis. value: what it stands for."""

    series: int
    label: int
    low: float
    high: float
    value: float


def shares(chart: Chart) -> tuple[Series, ...]:
    """The series as percent of each label's sum."""
    parts = [
        shares_of([float(s.values[place] or 0) for s in chart.series])
        for place in range(len(chart.labels))
    ]
    return tuple(
        replace(s, values=tuple(100 * part[number] for part in parts))
        for number, s in enumerate(chart.series)
    )


def stacks(chart: Chart) -> list[Stack]:
    """All pieces; positive ones pile up from zero, negative ones down."""
    series = shares(chart) if chart.stacked == "percent" else chart.series
    found = []
    for label in range(len(chart.labels)):
        up = down = 0.0
        for place, item in enumerate(series):
            value = item.values[label]
            if value is None:
                continue
            number = float(value)
            if not chart.stacked:
                found.append(Stack(place, label, 0.0, number, number))
            elif number >= 0:
                found.append(Stack(place, label, up, min(up + number, LARGEST), number))
                up = min(up + number, LARGEST)
            else:
                found.append(Stack(place, label, max(down + number, -LARGEST), down, number))
                down = max(down + number, -LARGEST)
    return found


def scale_of(
    chart: Chart, pieces: Sequence[Stack], parts: int, over: Sequence[float] = ()
) -> Scale:
    """The value axis of bars; it always shows zero."""
    if chart.stacked == "percent":
        return Scale(0.0, 100.0, (0.0, 25.0, 50.0, 75.0, 100.0))
    ends = [end for piece in pieces for end in (piece.low, piece.high)] + list(over)
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    return value_scale(low, high, zero=True, parts=parts, whole=whole_numbers(chart))


def whole_numbers(chart: Chart) -> bool:
    """All values are whole numbers, so the axis needs no fractions between them."""
    return all(v is None or isinstance(v, int) for s in chart.series for v in s.values)


def paint(frame: Frame, chart: Chart, colors: Mapping[int, str], over: Sequence[float]) -> Axes:
    """Columns side by side or stacked, over the whole frame; the axes they stand on.

    over: values of lines that will be drawn on the same axes; columns then carry no values.
    """
    pieces = stacks(chart)
    box = axis_titles(frame, frame.box)
    scale = scale_of(chart, pieces, parts_of(frame, box), over)
    texts = frame.tick_texts(scale, share=chart.stacked == "percent")
    left = max(map(frame.width, texts)) + 7 * frame.k
    under = category_labels(frame, chart.labels, box.w - left, box.h)
    top = frame.label_size * (0.7 if over else 1.6)
    left = max(left, tilt_room(frame, under, box.w, len(chart.labels)))
    below = frame.label_size * 1.2 if not over and any(p.value < 0 for p in pieces) else 0.0
    tall = max(8.0, box.h - top - under.height - below)
    plot = Box(box.x + left, box.y + top, box.w - left, tall)
    value_axis(frame, plot, scale, texts)
    _columns(frame, chart, pieces, scale, plot, colors)
    if not over:
        _value_labels(frame, chart, pieces, scale, plot)
    draw_labels(frame, Box(plot.x, plot.y, plot.w, tall + below), under)
    return Axes(plot, scale)


def _columns(
    frame: Frame, chart: Chart, pieces: Sequence[Stack], scale: Scale, plot: Box,
    colors: Mapping[int, str],
) -> None:  # fmt: skip
    for piece in pieces:
        x, width = _place(chart, piece, plot.w)
        high = plot.y + plot.h * (1 - scale.at(piece.high))
        low = plot.y + plot.h * (1 - scale.at(piece.low))
        top, tall = min(high, low), abs(low - high)
        series = chart.series[piece.series]
        frame.surface.rect(plot.x + x, top, width, tall, fill=colors[id(series)])


def _place(chart: Chart, piece: Stack, width: float) -> tuple[float, float]:
    """Where a column starts in the plot and how wide it is."""
    slot = width / max(1, len(chart.labels))
    beside = 1 if chart.stacked else len(chart.series)
    wide = slot * (WIDE if beside == 1 else 0.76)
    wide = min(wide, 70.0 * beside)
    each = wide / beside
    x = piece.label * slot + (slot - wide) / 2
    if chart.stacked:
        return x, wide
    return x + piece.series * each, each * (0.92 if beside > 1 else 1.0)


def _value_labels(
    frame: Frame, chart: Chart, pieces: Sequence[Stack], scale: Scale, plot: Box
) -> None:
    """Values over columns, or totals over stacks, when every one of them has room."""
    size = frame.label_size
    if chart.stacked == "percent":
        return
    marks = _tops(chart, pieces) if chart.stacked else pieces
    if not marks or len(marks) > MAX_LABELLED:
        return
    slot = plot.w / max(1, len(chart.labels))
    texts = frame.values([mark.value for mark in marks])
    beside = 1 if chart.stacked else len(chart.series)
    room = slot if beside == 1 else _place(chart, marks[0], plot.w)[1] * 1.08
    if max(map(frame.width, texts)) > room - 2 * frame.k:
        return
    for mark, text in zip(marks, texts, strict=True):
        x, width = _place(chart, mark, plot.w)
        end = mark.low if mark.value < 0 and chart.stacked else mark.high
        y = plot.y + plot.h * (1 - scale.at(end))
        y += size * 1.05 if mark.value < 0 else -size * 0.4
        frame.surface.text(plot.x + x + width / 2, y, text, size, INK, align="center")


def _tops(chart: Chart, pieces: Sequence[Stack]) -> list[Stack]:
    """A mark over every stack with its total; none when some pieces point down."""
    if any(piece.value < 0 for piece in pieces):
        return []
    tops: dict[int, Stack] = {}
    for piece in pieces:
        before = tops[piece.label].value if piece.label in tops else 0.0
        tops[piece.label] = Stack(0, piece.label, 0.0, piece.high, before + piece.value)
    return list(tops.values())


def paint_horizontal(frame: Frame) -> None:
    """Bars from left to right, their labels before them."""
    chart, k, size = frame.chart, frame.k, frame.label_size
    pieces = stacks(chart)
    box = axis_titles(frame, frame.box)
    names = _names(frame, box)
    left = max(map(frame.width, names), default=0.0) + 7 * k
    scale = scale_of(chart, pieces, max(2, min(5, int(box.w // (90 * k)))))
    labelled = _labelled(chart, pieces, box.h, size)
    if labelled:
        # No axis is drawn, so it needs no round end: the longest bar takes all the room.
        ends = [end for piece in pieces for end in (piece.low, piece.high)]
        low, high = min(0.0, *ends), max(0.0, *ends)
        scale = Scale(low, high if high > low else low + 1.0, ())
    texts = frame.values([piece.value for piece in pieces]) if labelled else []
    right = max(map(frame.width, texts), default=0.0) + 5 * k
    ticks = [] if labelled else frame.tick_texts(scale, share=chart.stacked == "percent")
    bottom = 0.0 if labelled else size * 1.9
    if not labelled:
        right = max(right, frame.width(ticks[-1]) / 2 + 1)
    room = left + (right if labelled and scale.low < 0 else 0)
    if not labelled:
        room = max(room, frame.width(ticks[0]) / 2)
    plot = Box(box.x + room, box.y, max(8.0, box.w - room - right), max(8.0, box.h - bottom))
    if not labelled:
        _bottom_axis(frame, plot, scale, ticks)
    _rows(frame, pieces, scale, plot)
    zero = plot.x + plot.w * scale.at(0.0)
    frame.surface.line([(zero, plot.y), (zero, plot.y + plot.h)], ZERO if scale.low else AXIS, 0.9)
    if labelled:
        _row_values(frame, pieces, texts, scale, plot)
    slot = plot.h / max(1, len(chart.labels))
    for place in thinned(len(names), max(1, int(plot.h // (size * 1.3)))):
        y = plot.y + slot * (place + 0.5) + size * 0.35
        frame.surface.text(box.x + left - 6 * k, y, names[place], size, INK, align="right")


def _names(frame: Frame, box: Box) -> list[str]:
    days = dates_of(frame.chart.labels)
    labels = labels_of(frame.chart.labels, days, frame.look)
    return [ellipsize(frame.look.fonts, label, box.w * 0.38, frame.label_size) for label in labels]


def _labelled(chart: Chart, pieces: Sequence[Stack], height: float, size: float) -> bool:
    """Every bar gets its value: no stacks, and bars not thinner than a line of text."""
    bars = max(1, len(pieces))
    return not chart.stacked and bars <= 40 and height / bars >= size * 1.15


def _bottom_axis(frame: Frame, plot: Box, scale: Scale, texts: Sequence[str]) -> None:
    size = frame.label_size
    for tick, text in zip(scale.ticks, texts, strict=True):
        x = plot.x + plot.w * scale.at(tick)
        frame.surface.line([(x, plot.y), (x, plot.y + plot.h)], GRID, 0.7)
        y = plot.y + plot.h + size * 1.35
        frame.surface.text(x, y, text, size, MUTED, align="center")


def _rows(frame: Frame, pieces: Sequence[Stack], scale: Scale, plot: Box) -> None:
    chart = frame.chart
    for piece in pieces:
        y, tall = _place(chart, piece, plot.h)
        a, b = plot.x + plot.w * scale.at(piece.low), plot.x + plot.w * scale.at(piece.high)
        color = frame.look.theme.color(piece.series, chart.series[piece.series].color)
        frame.surface.rect(min(a, b), plot.y + y, abs(b - a), tall, fill=color)
        if chart.stacked and tall > frame.label_size * 1.2:
            _inside(frame, piece, color, Box(min(a, b), plot.y + y, abs(b - a), tall))


def _inside(frame: Frame, piece: Stack, color: str, box: Box) -> None:
    """A stack's value in its piece when it fits there."""
    size = frame.label_size
    share = frame.chart.stacked == "percent"
    text = f"{piece.value:.0f}%" if share else frame.value(piece.value)
    if piece.value and frame.width(text) + 6 * frame.k <= box.w:
        middle = (box.x + box.w / 2, box.y + box.h / 2 + size * 0.35)
        frame.surface.text(*middle, text, size, readable_on(color), align="center")


def _row_values(
    frame: Frame, pieces: Sequence[Stack], texts: Sequence[str], scale: Scale, plot: Box
) -> None:
    size, k = frame.label_size, frame.k
    for piece, text in zip(pieces, texts, strict=True):
        y, tall = _place(frame.chart, piece, plot.h)
        x = plot.x + plot.w * scale.at(piece.high)
        middle = plot.y + y + tall / 2 + size * 0.35
        if piece.value < 0:
            frame.surface.text(x - 4 * k, middle, text, size, INK, align="right")
        else:
            frame.surface.text(x + 4 * k, middle, text, size, INK)
