"""Which days a time axis names."""

from __future__ import annotations

from datetime import date

import pytest

from reporttools.render.axis import time_ticks
from reporttools.words import words


def shown(days: list[date], length: float) -> list[str]:
    ticks = time_ticks(days, length, lambda text: 6.0 * len(text), words("en"))
    return [tick.lines[0] for tick in ticks]


@pytest.mark.parametrize(("months", "length"), [(2, 300), (6, 600), (12, 400), (12, 1200)])
def test_values_of_whole_months_have_months_below_them(months: int, length: float) -> None:
    found = shown([date(2025, n, 1) for n in range(1, months + 1)], length)
    assert found[0] == "Jan 2025" and all(text.endswith(" 2025") for text in found)
    assert not any(text[0].isdigit() for text in found)


def test_days_have_days_below_them() -> None:
    assert shown([date(2025, 6, n) for n in range(1, 31)], 500)[:2] == ["1 Jun", "5 Jun"]


def test_years_have_years_below_them() -> None:
    assert shown([date(year, 1, 1) for year in (2021, 2022, 2023)], 500) == ["2021", "2022", "2023"]
