"""Every line of the corpus gets the verdict it should, and every refusal says what to do."""

from __future__ import annotations

import pytest

from safeshell.paths import Roots
from safeshell.plan import Step, plan_argv, plan_line
from safeshell.policy import Policy
from safeshell.refusal import REASONS
from safeshell.table import TABLE
from shellcases import Case, cases
from toolbelt.errors import ToolError

POLICY = Policy(TABLE)


def checked(case: Case) -> list[Step]:
    root = str(case.ground.workspace)
    roots = Roots.at(root, root, [], TABLE["workspace"]["secret_names"])
    if case.line is None:
        return plan_argv(case.words[1:], POLICY, roots, str(case.folder))
    return plan_line(case.words[0], POLICY, roots, str(case.folder))


@pytest.mark.parametrize("case", [c for c in cases() if c.allow], ids=lambda c: c.id)
def test_honest_lines_may_run(case: Case) -> None:
    steps = checked(case)
    assert all(step.in_folder for step in steps)


@pytest.mark.parametrize("case", [c for c in cases() if not c.allow], ids=lambda c: c.id)
def test_attacks_are_refused_with_a_way_out(case: Case) -> None:
    with pytest.raises(ToolError) as caught:
        checked(case)
    error = caught.value
    assert error.code == "BLOCKED"
    assert error.detail["reason"] in REASONS
    assert error.message
    assert error.hint


def test_no_verdict_leaves_a_canary() -> None:
    for place in {case.ground for case in cases()}:
        assert place.hits() == []
