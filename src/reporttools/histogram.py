"""Bins that people would have chosen: round edges, a dozen at most."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from reporttools.figures import Marks, compact

MAX_BINS: Final = 12


def nice_step(span: float, parts: int) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that covers `span` in so many parts."""
    if span <= 0 or not math.isfinite(span):
        return 1.0
    raw = span / parts
    power = 10.0 ** math.floor(math.log10(raw))
    for factor in (1, 2, 2.5, 5, 10):
        if factor * power >= raw * (1 - 1e-9):
            return factor * power
    return 10 * power


def histogram(values: Sequence[int | float | Decimal], where: Marks) -> tuple[list[str], list[int]]:
    """Labels and counts; few distinct whole numbers get a bar each."""
    distinct = Counter(values)
    whole = all(value == int(value) for value in distinct)
    if whole and len(distinct) <= MAX_BINS:
        ordered = sorted(distinct)
        return [f"{int(value)}" for value in ordered], [distinct[value] for value in ordered]
    numbers = [float(value) for value in values]
    low, high = min(numbers), max(numbers)
    step = nice_step(high - low, 10)
    if whole:
        step = max(1.0, float(math.ceil(step)))
    first = math.floor(low / step)
    count = min(MAX_BINS + 1, max(1, math.floor(high / step) - first + 1))
    bins = [0] * count
    for number in numbers:
        bins[min(count - 1, max(0, math.floor(number / step) - first))] += 1
    labels = [_label((first + i) * step, (first + i + 1) * step, where) for i in range(count)]
    return labels, bins


def _label(low: float, high: float, where: Marks) -> str:
    gap = " – " if low < 0 or high < 0 else "–"
    return gap.join(compact(_tidy(edge), where=where) for edge in (low, high))


def _tidy(value: float) -> float | int:
    value = float(f"{value:.10g}")
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
