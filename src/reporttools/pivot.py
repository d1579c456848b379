"""Rows to a chart: which column is x, which is y, which splits the series, how they add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Literal

from reporttools.chartdata import arranged, label_text
from reporttools.document import (
    PLAIN,
    Chart,
    ChartKind,
    Cloud,
    NumberFormat,
    Point,
    Series,
    Stacking,
)
from reporttools.figures import magnitude
from reporttools.notices import Notices
from reporttools.problems import LIMIT, Problem, bad_data, did_you_mean, pointer
from reporttools.rows import Rows, number
from reporttools.schema import LARGEST, shown
from reporttools.words import ENGLISH, Words

Agg = Literal["", "sum", "avg", "min", "max", "count", "median"]
Value = int | float | Decimal


@dataclass(frozen=True, slots=True)
class ChartRequest:
    """What `chart` and a template's `chart` block say about a chart of rows."""

    kind: ChartKind
    x: str
    y: tuple[str, ...]
    series: str = ""
    agg: Agg = ""
    title: str = ""
    subtitle: str = ""
    stacked: Stacking = ""
    sort: str = "none"
    limit: int | None = None
    format: NumberFormat = PLAIN
    x_title: str = ""
    y_title: str = ""
    span: int = 0
    words: Words = ENGLISH


def chart(rows: Rows, request: ChartRequest, notices: Notices, path: str = "/rows") -> Chart:
    """The chart; BAD_DATA when a column is missing or a y value is no number."""
    places = _places(rows, request)
    base = Chart(
        kind=request.kind,
        title=request.title or _title(request),
        subtitle=request.subtitle,
        stacked=request.stacked,
        x_title=request.x_title,
        y_title=request.y_title,
        format=request.format,
        span=request.span,
        path="",
        other=request.words("Other"),
    )
    if request.kind == "scatter":
        made = replace(
            base,
            clouds=_clouds(rows, request, places, path),
            x_title=request.x_title or humane(request.x),
            y_title=request.y_title or humane(", ".join(request.y)),
        )
    else:
        labels, series = _series(rows, request, places, notices, path)
        made = arranged(
            replace(base, labels=labels, series=series), request.sort, request.limit, notices
        )
    if rows.truncated:
        notices.add(
            "TRUNCATED", "The query's result was cut by a limit; the chart shows that part."
        )
    return made


def humane(name: str) -> str:
    """A column's name as words: `order_count` is `Order count`."""
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _title(request: ChartRequest) -> str:
    what = ", ".join(request.y) if request.y else "count"
    if request.agg and request.agg != "sum" and request.y:
        what = f"{request.agg} {what}"
    x, series = request.x.replace("_", " "), request.series.replace("_", " ")
    if series:
        return humane(request.words("{what} by {x} and {series}", what=what, x=x, series=series))
    return humane(request.words("{what} by {x}", what=what, x=x))


def _places(rows: Rows, request: ChartRequest) -> dict[str, int]:
    names = [field.name for field in rows.fields]
    wanted = [("--x", request.x), *(("--y", y) for y in request.y), ("--series", request.series)]
    problems = []
    for option, name in wanted:
        if name and name not in names:
            near = did_you_mean(name, names)
            listed = f"columns: {', '.join(names[:30])}" if names else "the data has no columns"
            hint = f"{near} {listed}" if near else listed
            problems.append(Problem("", f"{option} names {name!r}, which is no column", hint))
    if problems and (names or not _no_rows(rows)):
        raise bad_data(problems)
    return {name: index for index, name in enumerate(names)}


def _no_rows(rows: Rows) -> bool:
    return isinstance(rows.rows, list) and not rows.rows


def _labels(value: object, words: Words) -> str:
    text = label_text(value, words)
    for midnight in ("T00:00:00", " 00:00:00"):
        head, found, tail = text.partition(midnight)
        if found and len(head) == 10 and tail in ("", "Z", "+00:00", ".000Z", ".000"):
            return head
    return text


@dataclass(slots=True)
class _Reader:
    """Reads y cells as numbers and gathers those that are none."""

    path: str
    problems: list[Problem]

    def __call__(self, cell: object, row: int, name: str) -> Value | None:
        if cell is None or cell == "":
            return None
        value = number(cell)
        if value is not None and magnitude(value) <= LARGEST:
            return value
        if len(self.problems) < LIMIT:
            where = pointer(self.path, row, name)
            what = "number too large" if value is not None else "number expected"
            self.problems.append(Problem(where, f"{what}, got {shown(cell)}"))
        return None

    def finish(self) -> None:
        if self.problems:
            raise bad_data(self.problems, hint="choose another column, or --agg count")


def _series(
    rows: Rows, request: ChartRequest, places: dict[str, int], notices: Notices, path: str
) -> tuple[tuple[str, ...], tuple[Series, ...]]:
    groups, rowcount = _grouped(rows, request, places, path)
    labels = _ordered(list(dict.fromkeys(label for _, label in groups)), request.kind)
    names = list(dict.fromkeys(name for name, _ in groups))
    doubled = next((key for key, cells in groups.items() if len(cells) > 1), None)
    if doubled is not None and not request.agg:
        notices.add(
            "AGGREGATED",
            f"{len(groups[doubled])} rows share {request.x} {doubled[1]!r}; values of {rowcount} "
            "rows were added up. Use --agg to choose sum, avg, min, max, count or median.",
        )
    made = tuple(
        Series(name, tuple(_aggregate(groups.get((name, label)), request.agg) for label in labels))
        for name in names
    )
    return tuple(labels), made


def _grouped(
    rows: Rows, request: ChartRequest, places: dict[str, int], path: str
) -> tuple[dict[tuple[str, str], list[Value | None]], int]:
    groups: dict[tuple[str, str], list[Value | None]] = {}
    read = _Reader(path, [])
    count = 0
    counting = request.agg == "count" and not request.y
    for count, row in enumerate(rows, 1):
        label = _labels(row[places[request.x]], request.words)
        split = label_text(row[places[request.series]], request.words) if request.series else ""
        if counting:
            groups.setdefault((split or "count", label), []).append(1)
        for y in request.y:
            cell = row[places[y]]
            if request.agg == "count":
                value: Value | None = None if cell is None or cell == "" else 1
            else:
                value = read(cell, count - 1, y)
            name = (f"{split} {humane(y)}" if len(request.y) > 1 else split) if split else humane(y)
            groups.setdefault((name, label), []).append(value)
    read.finish()
    return groups, count


def _ordered(labels: list[str], kind: ChartKind) -> list[str]:
    """Dates run forward; numbers too on a line; anything else stays as the rows came."""
    if all(_date(label) for label in labels):
        return sorted(labels)
    if kind in ("line", "area"):
        values = [number(label) for label in labels]
        if all(value is not None for value in values):
            return [label for _, label in sorted(zip(map(float, values), labels, strict=True))]  # type: ignore[arg-type]
    return labels


def _date(label: str) -> bool:
    try:
        return bool(date.fromisoformat(label[:10])) and label[10:11] in ("", "T", " ")
    except ValueError:
        return False


def _aggregate(cells: Sequence[Value | None] | None, agg: Agg) -> float | int | None:
    values = [cell for cell in cells or () if cell is not None]
    if agg == "count":
        return len(values) if cells else None
    if not values:
        return None
    if agg in ("min", "max"):
        return _plain(min(values) if agg == "min" else max(values))
    if agg == "median":
        ordered, half = sorted(values), len(values) // 2
        middle = ordered[half : half + 1] if len(values) % 2 else ordered[half - 1 : half + 1]
        return _mean(middle)
    if agg == "avg":
        return _mean(values)
    return _plain(_sum(values))


def _sum(values: Sequence[Value]) -> Value:
    """Exact for integers and decimals; floats are added without losing small ones."""
    if any(isinstance(value, float) for value in values):
        import math

        return math.fsum(float(value) for value in values)
    return sum(values)


def _mean(values: Sequence[Value]) -> float | int:
    return _plain(float(_sum(values)) / len(values))


def _plain(value: Value) -> float | int:
    return int(value) if value == int(value) and magnitude(value) < 1e15 else float(value)


def _clouds(
    rows: Rows, request: ChartRequest, places: dict[str, int], path: str
) -> tuple[Cloud, ...]:
    clouds: dict[str, list[Point]] = {}
    read = _Reader(path, [])
    for index, row in enumerate(rows):
        x = read(row[places[request.x]], index, request.x)
        split = label_text(row[places[request.series]], request.words) if request.series else ""
        for name in request.y:
            y = read(row[places[name]], index, name)
            key = (
                f"{split} {humane(name)}" if split and len(request.y) > 1 else split or humane(name)
            )
            if x is not None and y is not None:
                clouds.setdefault(key, []).append(Point(float(x), float(y)))
    read.finish()
    return tuple(Cloud(name, tuple(points)) for name, points in clouds.items())
