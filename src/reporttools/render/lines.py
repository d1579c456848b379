"""Lines and areas; a missing value is a gap, dates lie on a true time axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reporttools.chartdata import LARGEST
from reporttools.document import Chart, Series
from reporttools.render.axis import Scale, dates_of, time_ticks, value_scale
from reporttools.render.bars import shares, whole_numbers
from reporttools.render.frame import (
    Axes,
    Box,
    Frame,
    Labels,
    axis_titles,
    category_labels,
    draw_labels,
    parts_of,
    tilt_room,
    value_axis,
)
from reporttools.render.surface import XY

MAX_POINTS: Final = 1500
DASHES: Final = ((), (5, 2), (2, 2), (7, 2, 2, 2))


@dataclass(frozen=True, slots=True)
class Band:
    """An area: its lower and upper edge at every label; None where there is no value."""

    low: tuple[float, ...]
    high: tuple[float | None, ...]


def paint(frame: Frame) -> None:
    """The whole frame: axes, then areas, then lines."""
    chart = frame.chart
    stacked = bool(chart.stacked) and chart.kind == "area"
    share = stacked and chart.stacked == "percent"
    bands = _bands(shares(chart) if share else chart.series, stacked=stacked)
    box = axis_titles(frame, frame.box)
    scale = _scale(chart, bands, parts_of(frame, box), share=share)
    texts = frame.tick_texts(scale, share=share)
    left = max(map(frame.width, texts)) + 7 * frame.k
    end = "" if stacked else _end_label(frame, chart.series)
    right = frame.width(end, _end_size(frame), bold=True) + 10 * frame.k if end else 6 * frame.k
    top, width = frame.label_size * 0.8, box.w - left - right
    places, under = _across(frame, width, box.h)
    more = tilt_room(frame, under, box.w - right, len(chart.labels)) - left
    if more > 0:
        left, width = left + more, width - more
    plot = Box(box.x + left, box.y + top, width, max(8.0, box.h - top - under.height))
    value_axis(frame, plot, scale, texts)
    for index, (item, band) in enumerate(zip(chart.series, bands, strict=True)):
        color = frame.look.theme.color(index, item.color)
        filled = (item.kind or chart.kind) == "area"
        tint = 0.85 if stacked else 0.25 if filled else 0.08
        if filled or (len(bands) == 1 and scale.low <= 0 <= scale.high):
            _fill(frame, band, places, Axes(plot, scale), color, tint)
        if not stacked:
            dash = DASHES[(index // 8) % len(DASHES)]
            _stroke(frame, band.high, places, Axes(plot, scale), color, dash)
    if end:
        _mark_end(frame, chart.series[0], end, places, Axes(plot, scale))
    draw_labels(frame, plot, under)


def paint_over(frame: Frame, chart: Chart, axes: Axes, colors: Mapping[int, str]) -> None:
    """Lines over columns that are drawn already; points stand in the middle of the slots."""
    count = len(chart.labels)
    places = [(i + 0.5) / count for i in range(count)]
    for item in chart.series:
        values = tuple(None if v is None else float(v) for v in item.values)
        _stroke(frame, values, places, axes, colors[id(item)], ())


def _bands(series: Sequence[Series], *, stacked: bool) -> list[Band]:
    below = [0.0] * len(series[0].values)
    found = []
    for item in series:
        if stacked:
            tops = (low + float(v or 0) for low, v in zip(below, item.values, strict=True))
            high = [max(-LARGEST, min(top, LARGEST)) for top in tops]
            found.append(Band(tuple(below), tuple(high)))
            below = high
        else:
            values = tuple(None if v is None else float(v) for v in item.values)
            found.append(Band(tuple(below), values))
    return found


def _scale(chart: Chart, bands: Sequence[Band], parts: int, *, share: bool) -> Scale:
    """From zero, unless lines keep so far above it that nothing could be seen."""
    if share:
        return Scale(0.0, 100.0, (0.0, 25.0, 50.0, 75.0, 100.0))
    values = [value for band in bands for value in band.high if value is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)
    areas = chart.kind == "area" or any(s.kind == "area" for s in chart.series)
    zero = areas or low <= 0 or low < 0.75 * high
    return value_scale(low, high, zero=zero, parts=parts, whole=whole_numbers(chart))


def _end_size(frame: Frame) -> float:
    return frame.label_size * 1.06


def _end_label(frame: Frame, series: Sequence[Series]) -> str:
    """The last value, written beside the end of a single line."""
    last = next((v for v in reversed(series[0].values) if v is not None), None)
    return "" if len(series) != 1 or last is None else frame.value(last)


def _across(frame: Frame, width: float, height: float) -> tuple[list[float], Labels]:
    """Where the labels lie along the plot, 0 to 1, and what is written under it."""
    labels, count = frame.chart.labels, len(frame.chart.labels)
    days = dates_of(labels)
    if days and count > 2 and days == sorted(days) and days[0] < days[-1]:
        span = (days[-1] - days[0]).days
        ticks = time_ticks(days, width, frame.width, frame.look.words)
        places = [(day - days[0]).days / span for day in days]
        return places, Labels(tuple(ticks), frame.label_size * 1.9)
    return [(i + 0.5) / count for i in range(count)], category_labels(frame, labels, width, height)


def _stretches(values: Sequence[float | None], places: Sequence[float]) -> Iterator[list[int]]:
    """Places of values without a gap between them."""
    stretch: list[int] = []
    for index, value in enumerate(values):
        if value is not None:
            stretch.append(index)
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def _points(
    values: Sequence[float | None], stretch: Sequence[int], places: Sequence[float], axes: Axes
) -> list[XY]:
    plot, scale = axes.plot, axes.scale
    points = [
        (plot.x + plot.w * places[i], plot.y + plot.h * (1 - scale.at(values[i] or 0.0)))
        for i in stretch
    ]
    return points if len(points) <= MAX_POINTS else _reduced(points)


def _reduced(points: list[XY]) -> list[XY]:
    """The highest and the lowest point of every small step: the line looks the same."""
    step = -(-len(points) * 2 // MAX_POINTS)
    kept: list[XY] = [points[0]]
    for start in range(0, len(points), step):
        group = points[start : start + step]
        low, high = min(group, key=lambda p: p[1]), max(group, key=lambda p: p[1])
        kept.extend(sorted({low, high}))
    return [*kept, points[-1]]


def _fill(
    frame: Frame, band: Band, places: Sequence[float], axes: Axes, color: str, tint: float
) -> None:
    for stretch in _stretches(band.high, places):
        top = _points(band.high, stretch, places, axes)
        bottom = _points(band.low, stretch, places, axes)
        if len(top) > 1:
            frame.surface.polygon([*top, *reversed(bottom)], color, tint)


def _stroke(
    frame: Frame, values: Sequence[float | None], places: Sequence[float], axes: Axes,
    color: str, dash: Sequence[float],
) -> None:  # fmt: skip
    few = sum(value is not None for value in values) <= 2
    for stretch in _stretches(values, places):
        points = _points(values, stretch, places, axes)
        if len(points) > 1:
            frame.surface.line(points, color, 1.9 * frame.k, [d * frame.k for d in dash])
        if len(points) == 1 or few:
            for x, y in points:
                frame.surface.dot(x, y, 2.6 * frame.k, color)


def _mark_end(frame: Frame, series: Series, text: str, places: Sequence[float], axes: Axes) -> None:
    last = max(i for i, value in enumerate(series.values) if value is not None)
    value = float(series.values[last] or 0)
    color = frame.look.theme.color(0, series.color)
    x = axes.plot.x + axes.plot.w * places[last]
    y = axes.plot.y + axes.plot.h * (1 - axes.scale.at(value))
    size = _end_size(frame)
    frame.surface.dot(x, y, 2.6 * frame.k, color)
    frame.surface.text(x + 6 * frame.k, y + size * 0.35, text, size, color, bold=True)
