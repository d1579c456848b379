"""Ticks people would have chosen, and labels that never touch."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Final

from reporttools.chartdata import LARGEST
from reporttools.histogram import nice_step
from reporttools.words import Words

SMALLEST: Final = 1e-290
MONTHS: Final = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


@dataclass(frozen=True, slots=True)
class Scale:
    """A value axis. low, high: its ends. ticks: round values between them."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Where a value lies, 0 at the low end and 1 at the high end."""
        # Halves: the whole span of a double would be beyond a double.
        return (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)


def value_scale(
    low: float, high: float, *, zero: bool, parts: int = 5, whole: bool = False
) -> Scale:
    """A scale with round ends. zero: it must show zero. whole: only whole numbers are counted."""
    if zero or low == high:
        low, high = min(low, 0.0), max(high, 0.0)
    low, high = max(low, -LARGEST), min(high, LARGEST)
    if high / 2 - low / 2 < SMALLEST:
        high = low + 1.0
    step = nice_step(high / parts - low / parts, 1)
    if whole:
        step = max(1.0, float(math.ceil(step)))
    if not math.isfinite(step) or step <= 0:
        return Scale(low, high, (low, high))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(_tidy(i * step) for i in range(first, last + 1))
    if not all(map(math.isfinite, ticks)) or ticks[0] == ticks[-1]:
        return Scale(low, high, (low, high))
    return Scale(ticks[0], ticks[-1], ticks)


def _tidy(value: float) -> float:
    return float(f"{value:.12g}")


def dates_of(labels: Sequence[str]) -> list[date] | None:
    """The labels as days when every one is `2026-10-01` or `2026-10`, None otherwise."""
    found = []
    for label in labels:
        text = f"{label}-01" if len(label) == 7 and label[4:5] == "-" else label
        try:
            if len(text) != 10:
                return None
            found.append(date.fromisoformat(text))
        except ValueError:
            return None
    return found or None


def date_text(day: date, words: Words, *, days: bool, years: bool) -> str:
    """`1 Oct`, `Oct 2026` or `1 Oct 2026`, as much of it as tells the labels apart."""
    month = words(MONTHS[day.month - 1])
    text = words("{day} {month}", day=day.day, month=month) if days else month
    return words("{month} {year}", month=text, year=day.year) if years else text


def date_texts(days: Sequence[date], words: Words) -> list[str]:
    """Short labels for dates: only the parts that differ, the year when it changes."""
    if len(days) > 1 and all((d.month, d.day) == (1, 1) for d in days):
        return [str(d.year) for d in days]
    monthly = len(days) > 1 and _begins_months(days)
    years = len({d.year for d in days}) > 1 or monthly
    return [date_text(d, words, days=not monthly, years=years) for d in days]


@dataclass(frozen=True, slots=True)
class Tick:
    """A label of a category or time axis. at: 0 to 1 along it. lines: one line or more."""

    at: float
    lines: tuple[str, ...]


def time_ticks(
    days: Sequence[date], length: float, width_of: Callable[[str], float], words: Words
) -> list[Tick]:
    """Round days, months or years between the first and the last, as many as fit."""
    first, last = min(days), max(days)
    span = (last - first).days or 1
    for candidate in _calendars(first, last, _whole(days)):
        texts = _calendar_texts(candidate, words)
        room = max(map(width_of, texts), default=0.0) + 12
        gaps = [(b - a).days for a, b in pairwise(candidate)]
        if not gaps or min(gaps) / span * length >= room:
            return [
                Tick((day - first).days / span, (text,))
                for day, text in zip(candidate, texts, strict=True)
            ]
    return [Tick(0.0, (date_text(first, words, days=True, years=True),))]


def _calendar_texts(days: list[date], words: Words) -> list[str]:
    if all((d.month, d.day) == (1, 1) for d in days):
        return [str(d.year) for d in days]
    monthly = _begins_months(days)
    crosses = len({d.year for d in days}) > 1
    return [date_text(d, words, days=not monthly, years=monthly or crosses) for d in days]


def _begins_months(days: Sequence[date]) -> bool:
    return all(day.day == 1 for day in days)


def _whole(days: Sequence[date]) -> str:
    """What the values are of, as far as their days tell: `day`, `month` or `year`."""
    if len(days) < 2 or not _begins_months(days):
        return "day"
    return "year" if all(day.month == 1 for day in days) else "month"


def _calendars(first: date, last: date, whole: str) -> list[list[date]]:
    """Ever coarser sets of days; none finer than what the values are of."""
    span = (last - first).days
    found: list[list[date]] = []
    if span <= 400 and whole == "day":
        for step in (1, 2, 4, 7, 14):
            found.append([first + timedelta(days=n) for n in range(0, span + 1, step)])
    for months in (1, 2, 3, 6):
        if (span > 40 or whole == "month") and whole != "year" and span / 30 / months <= 60:
            found.append(_months(first, last, months))
    for years in (1, 2, 5, 10, 20, 50, 100):
        if span > 500 or whole == "year":
            found.append(
                [
                    date(year, 1, 1)
                    for year in range(first.year, last.year + 1)
                    if year % years == 0 and date(year, 1, 1) >= first
                ]
            )
    return [days for days in found if days]


def _months(first: date, last: date, step: int) -> list[date]:
    found = []
    year, month = first.year, first.month
    while (day := date(year, month, 1)) <= last:
        if day >= first and (month - 1) % step == 0:
            found.append(day)
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
        if year > 9998:
            break
    return found


def thinned(count: int, most: int) -> list[int]:
    """Every kth place, so that at most `most` are left."""
    step = max(1, -(-count // max(1, most)))
    return list(range(0, count, step))
