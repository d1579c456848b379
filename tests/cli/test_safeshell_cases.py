"""The corpus through the built command: what must be seen is seen, nothing hostile starts."""

from __future__ import annotations

from typing import Any

import pytest
from commands import Answer, run

from shellcases import Case, cases

HONEST = [case for case in cases() if case.allow]


def answer(case: Case, *options: str) -> Answer:
    env = {name: case.filled(text) for name, text in case.env.items()}
    env["TOOLBELT_WORKSPACE"] = str(case.ground.workspace)
    return run("safe-shell", *options, *case.words, env=env, cwd=case.folder)


# Those with something to be seen, and some of the others, whose output is compared with bash's in
# tests/unit/test_safeshell_honest.py.
CHOSEN = [case for case in HONEST if case.expect or case.env or case.line is None] + HONEST[::9]


@pytest.mark.parametrize("case", CHOSEN, ids=lambda c: c.id)
def test_what_must_be_seen_is_seen(case: Case) -> None:
    expect = case.expect
    options = ["--timeout", "1"] if expect.get("timedOut") else []
    done = answer(case, *options)
    body: dict[str, Any] = done.json()
    assert body["timedOut"] == bool(expect.get("timedOut"))
    assert done.code == (124 if expect.get("timedOut") else body["exitCode"])
    assert bool(body["truncated"]) == bool(expect.get("truncated"))
    assert body["durationMs"] < expect.get("max_ms", 30_000)
    assert "\x1b" not in done.stdout
    if "no_file" in expect:
        assert not (case.ground.workspace / expect["no_file"]).exists()
    assert not any(text in body["stdout"] for text in expect.get("not_in_stdout", ()))
    assert case.ground.hits() == []


# The system takes no NUL in an argument.
REFUSED = [case for case in cases() if not case.allow and "\0" not in (case.line or "")]


@pytest.mark.parametrize("case", REFUSED[::15], ids=lambda c: c.id)
def test_a_refused_line_runs_nothing(case: Case) -> None:
    done = answer(case)
    body = done.json()
    assert (done.code, body["ok"], body["exitCode"]) == (126, False, 126)
    assert (body["stdout"], body["stderr"]) == ("", "")
    assert set(body["error"]) >= {"code", "message", "hint", "reason", "token"}
    assert case.ground.hits() == []
