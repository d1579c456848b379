"""Every case file, every SQL dialect: no attack passes, no honest query is stopped."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

from dbtools.guard import check

FOLDER = Path(__file__).parents[2] / "cases" / "guard"


def _cases() -> dict[str, list[dict[str, str]]]:
    """`file dialect` -> the cases a static guard decides: not those for a time-out or the login."""
    found: dict[str, list[dict[str, str]]] = defaultdict(list)
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            case = json.loads(line)
            if case.get("layer", "guard") == "guard" and case["dialect"] != "mongodb":
                found[f"{path.stem} {case['dialect']}"].append(case)
    return found


CASES = _cases()


@pytest.mark.parametrize("group", CASES)
def test_the_guard_decides_the_cases_as_written(group: str) -> None:
    wrong = []
    for case in CASES[group]:
        verdict = check(case["query"], case["dialect"])
        if verdict.allowed != (case["verdict"] == "allow"):
            wrong.append((case["id"], verdict))
        assert bool(verdict.statement) == verdict.allowed
        if not verdict.allowed:
            assert verdict.code == "BLOCKED"
            assert verdict.message
            assert verdict.reason
    assert not wrong
