"""Which charts stand side by side on a page, and how tall they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from reporttools.document import Chart

ALONE: Final = 172.0
BESIDE: Final = 164.0


def chart_rows(charts: Sequence[Chart]) -> Iterator[list[tuple[Chart, float]]]:
    """Charts side by side with their shares of the width: as they ask for, else wide ones alone
    and narrow ones in pairs."""
    waiting: list[tuple[Chart, float]] = []
    for item in charts:
        share = item.span / 12 if item.span else 1.0 if _wants_room(item, len(charts)) else 0.5
        if waiting and sum(s for _, s in waiting) + share > 1.001:
            yield _filled(waiting)
            waiting = []
        waiting.append((item, share))
    if waiting:
        yield _filled(waiting)


def _filled(row: list[tuple[Chart, float]]) -> list[tuple[Chart, float]]:
    """A row without gaps; a lone chart that asked for no span takes it all."""
    if len(row) == 1 and not row[0][0].span:
        return [(row[0][0], 1.0)]
    return row


def _wants_room(item: Chart, count: int) -> bool:
    points = len(item.labels)
    if item.kind in ("line", "area", "bar"):
        each = len(item.series) if item.kind == "bar" and not item.stacked else 1
        return points * each > 14
    return count == 1


def chart_height(item: Chart, alone: bool) -> float:
    """How tall a chart is drawn on paper: bars that lie get a line each."""
    if item.kind == "barh" and not item.empty:
        rows = len(item.labels) * (1 if item.stacked else len(item.series))
        return max(110.0, min(420.0, 48.0 + 14.5 * rows))
    return ALONE if alone else BESIDE
