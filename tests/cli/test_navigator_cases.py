"""The navigator's benchmark, case by case."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from bench.navigator import CASES, Case, environment, passes
from demo.build import build


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder: Path = tmp_path_factory.mktemp("navigator")
    build(folder / "shop.db")
    return environment(folder)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.category}: {c.name}")
def test_case(case: Case, env: dict[str, str]) -> None:
    assert passes(case, env)


def test_there_are_17_cases_in_six_categories() -> None:
    counted = Counter(case.category for case in CASES)
    assert sorted(counted.values()) == [2, 3, 3, 3, 3, 3]
