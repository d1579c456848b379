"""A chart from what a report says: labels aligned over series, sorted, cut, made drawable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from reporttools.document import Chart, ChartKind, Cloud, Point, Series, Stacking
from reporttools.figures import magnitude
from reporttools.notices import Notices
from reporttools.rows import number
from reporttools.tables import number_format
from reporttools.words import ENGLISH, Words

MAX_SLICES: Final = 8
MAX_STACKED: Final = 8
# The largest number that is drawn, with room for the ends of an axis.
LARGEST: Final = 1.7e308
ROUND: Final = ("pie", "donut")


def from_report(
    spec: Mapping[str, Any], path: str, notices: Notices, words: Words = ENGLISH
) -> Chart:
    """A chart of a report's `charts`: `data` is one series, `series` several."""
    kind = cast("ChartKind", spec["type"])
    given = spec.get("series") or [{"name": spec.get("title", ""), "data": spec.get("data") or []}]
    chart = Chart(
        kind=kind,
        title=str(spec.get("title", "")),
        subtitle=str(spec.get("subtitle") or ""),
        stacked=_stacking(spec.get("stacked")),
        x_title=str(spec.get("xTitle") or ""),
        y_title=str(spec.get("yTitle") or ""),
        format=number_format(spec),
        alt=str(spec.get("alt") or ""),
        span=int(spec.get("span") or 0),
        path=path,
        other=words("Other"),
    )
    if kind == "scatter":
        return replace(chart, clouds=tuple(_cloud(item, path, notices) for item in given))
    labels, series = aligned(given, words)
    chart = replace(chart, labels=labels, series=series)
    return arranged(chart, str(spec.get("sort") or "none"), spec.get("limit"), notices)


def _stacking(value: object) -> Stacking:
    return "percent" if value == "percent" else "sum" if value is True or value == "sum" else ""


def _cloud(item: Mapping[str, Any], path: str, notices: Notices) -> Cloud:
    points = []
    left_out = 0
    for index, raw in enumerate(item["data"]):
        x = number(raw.get("x", raw.get("label")))
        if x is None and "label" in raw and "x" not in raw:
            x = index + 1
        y = number(raw.get("y", raw.get("value")))
        if x is None or y is None:
            left_out += 1
            continue
        label = str(raw.get("label", "")) if "x" in raw else ""
        points.append(Point(float(x), float(y), label, raw.get("size")))
    if left_out:
        notices.add("CHART_ADAPTED", f"{left_out} points without x or y were left out.", path)
    return Cloud(str(item.get("name", "")), tuple(points), str(item.get("color") or ""))


def aligned(
    given: Sequence[Mapping[str, Any]], words: Words = ENGLISH
) -> tuple[tuple[str, ...], tuple[Series, ...]]:
    """Labels in first-seen order and every series' values under them; None where it has none.

    A label given twice in one series stays two points.
    """
    places: dict[tuple[str, int], int] = {}
    found: list[dict[int, Any]] = []
    for item in given:
        times: dict[str, int] = {}
        values: dict[int, Any] = {}
        for raw in item["data"]:
            label = label_text(raw.get("label", raw.get("x")), words)
            times[label] = times.get(label, 0) + 1
            place = places.setdefault((label, times[label]), len(places))
            values[place] = raw.get("value", raw.get("y"))
        found.append(values)
    labels = tuple(label for label, _ in places)
    series = tuple(
        Series(
            str(item.get("name", "")),
            tuple(values.get(place) for place in range(len(labels))),
            str(item.get("color") or ""),
            item.get("type") or "",
        )
        for item, values in zip(given, found, strict=True)
    )
    return labels, series


def label_text(value: object, words: Words = ENGLISH) -> str:
    """A label as text; 3.0 is `3`, null is `(none)`."""
    if value is None:
        return words("(none)")
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, bool):
        return words("yes" if value else "no")
    return str(value)


def arranged(chart: Chart, sort: str, limit: int | None, notices: Notices) -> Chart:
    """Sorted by the sum of the series and cut to a number of labels, the rest as `Other (n)`."""
    order = list(range(len(chart.labels)))
    if sort != "none":
        order.sort(key=lambda i: _size(chart, i), reverse=sort == "desc")
    chart = _picked(chart, order)
    if limit is None or len(chart.labels) <= limit:
        return chart
    if chart.kind in ("line", "area"):
        rest = len(chart.labels) - limit
        notices.add(
            "CHART_ADAPTED",
            f"Chart {chart.title!r} shows {limit} of {len(chart.labels)} points; {rest} left out.",
            chart.path,
        )
        return _picked(chart, list(range(limit)))
    return _with_other(chart, limit)


def _size(chart: Chart, place: int) -> float:
    return sum(float(series.values[place] or 0) for series in chart.series)


def _picked(chart: Chart, order: list[int]) -> Chart:
    if order == list(range(len(chart.labels))):
        return chart
    series = tuple(replace(s, values=tuple(s.values[i] for i in order)) for s in chart.series)
    return replace(chart, labels=tuple(chart.labels[i] for i in order), series=series)


def _with_other(chart: Chart, keep: int) -> Chart:
    """The first labels and one more that sums the rest."""
    rest = len(chart.labels) - keep
    series = tuple(
        replace(s, values=(*s.values[:keep], _sum(s.values[keep:]))) for s in chart.series
    )
    return replace(chart, labels=(*chart.labels[:keep], chart.rest(rest)), series=series)


def _sum(values: Iterable[float | int | None]) -> float | int | None:
    known = [value for value in values if value is not None]
    return total_of(known) if known else None


def total_of(values: Iterable[float | int | None]) -> float | int:
    """The sum of what is there, exact for whole numbers, never beyond what a chart can draw."""
    known = [value for value in values if value is not None]
    exact = all(isinstance(value, int) for value in known)
    total = sum(known) if exact else sum(map(float, known))
    return total if magnitude(total) <= LARGEST else LARGEST if total > 0 else -LARGEST


def shares_of(values: Sequence[float]) -> list[float]:
    """Parts of one; zeros when there is nothing to share. The sum may be beyond a double."""
    largest = max(map(abs, values), default=0.0)
    if not largest:
        return [0.0] * len(values)
    scaled = [value / largest for value in values]
    total = sum(scaled)
    return [value / total if total else 0.0 for value in scaled]


def drawable(chart: Chart, notices: Notices | None = None) -> Chart:
    """The chart as it can be drawn honestly; what had to change is a CHART_ADAPTED warning."""
    if chart.kind == "scatter" or chart.empty:
        return chart
    if chart.kind in ROUND:
        return _round(chart, notices)
    if chart.stacked and chart.kind != "line":
        return _stacked(chart, notices)
    return chart


def _adapted(chart: Chart, message: str, notices: Notices | None) -> None:
    if notices is not None:
        notices.add("CHART_ADAPTED", f"Chart {chart.title!r}: {message}", chart.path)


def _round(chart: Chart, notices: Notices | None) -> Chart:
    values = chart.series[0].values
    bars = replace(chart, kind="bar", stacked="")
    if len(chart.series) > 1:
        _adapted(chart, f"a pie shows one series, not {len(chart.series)}; drawn as bars.", notices)
        return bars
    below = next((i for i, v in enumerate(values) if v is not None and v < 0), None)
    if below is not None:
        label = chart.labels[below]
        _adapted(
            chart, f"{label!r} is negative ({values[below]}), so it is drawn as bars.", notices
        )
        return bars
    if not any(values):
        _adapted(chart, "all values are zero, so it is drawn as bars.", notices)
        return bars
    order = [i for i, value in enumerate(values) if value]
    order.sort(key=lambda i: (chart.is_other(chart.labels[i]), -float(values[i] or 0)))
    chart = _picked(chart, order)
    if len(order) > MAX_SLICES + 1:
        _adapted(
            chart,
            f"{len(order)} slices are too many to tell apart; the {MAX_SLICES} largest are "
            f"shown, the other {len(order) - MAX_SLICES} together.",
            notices,
        )
        chart = _with_other(chart, MAX_SLICES)
    return chart


def _stacked(chart: Chart, notices: Notices | None) -> Chart:
    values = [value for series in chart.series for value in series.values]
    if chart.stacked == "percent" and any(value is not None and value < 0 for value in values):
        _adapted(chart, "shares of negative values make no sense; drawn as sums.", notices)
        chart = replace(chart, stacked="sum")
    if any(value is None for value in values):
        _adapted(chart, "labels missing from a series count as 0 in the stack.", notices)
        series = tuple(
            replace(s, values=tuple(0 if v is None else v for v in s.values)) for s in chart.series
        )
        chart = replace(chart, series=series)
    if len(chart.series) > MAX_STACKED:
        return _fewer_series(chart, notices)
    return chart


def _fewer_series(chart: Chart, notices: Notices | None) -> Chart:
    """The largest series keep their colour; the small ones become one."""
    ranked = sorted(chart.series, key=lambda s: -sum(abs(v or 0) for v in s.values))
    kept = set(map(id, ranked[: MAX_STACKED - 1]))
    rest = [s for s in chart.series if id(s) not in kept]
    _adapted(chart, f"{len(rest)} of {len(chart.series)} series are shown together.", notices)
    other = Series(chart.rest(len(rest)), tuple(map(_sum, zip(*(s.values for s in rest)))))  # noqa: B905
    return replace(chart, series=(*(s for s in chart.series if id(s) in kept), other))
