"""Every case file, every SQL dialect: no attack passes, no honest query is stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dbtools.guard import check

FOLDER = Path(__file__).parents[2] / "cases" / "guard"


def _cases() -> list[dict[str, str]]:
    """The cases a static guard decides: not those for a time-out or for the login's rights."""
    lines = [
        json.loads(line)
        for path in sorted(FOLDER.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    return [c for c in lines if c.get("layer", "guard") == "guard" and c["dialect"] != "mongodb"]


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["id"])
def test_the_guard_decides_a_case_as_written(case: dict[str, str]) -> None:
    verdict = check(case["query"], case["dialect"])
    assert verdict.allowed == (case["verdict"] == "allow"), verdict
    assert bool(verdict.statement) == verdict.allowed
    if not verdict.allowed:
        assert verdict.code == "BLOCKED"
        assert verdict.message
        assert verdict.reason
