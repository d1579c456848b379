"""The honest lines run in their workspace, as bash would run them, and nothing hostile starts."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
from commands import Answer, run

from shellcases import Case, cases

HONEST = [case for case in cases() if case.allow]
# What bash prints otherwise: the time of day, a scratch disk, our own folder of git's.
UNSTEADY = ("date", "df", "seq 1 100000000", "git config --get")
BASH_ENV = {
    "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "PAGER": "cat",
    "TERM": "dumb", "NO_COLOR": "1", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
}  # fmt: skip


def answer(case: Case, *options: str) -> Answer:
    env = {name: case.filled(text) for name, text in case.env.items()}
    env["TOOLBELT_WORKSPACE"] = str(case.ground.workspace)
    return run("safe-shell", *options, *case.words, env=env, cwd=case.folder)


def comparable(case: Case) -> bool:
    line = case.line or ""
    plain = not case.expect and not case.env and case.cwd == "" and case.line is not None
    return plain and not line.startswith(UNSTEADY)


def steady(text: str, case: Case) -> str | list[str]:
    """Without the one repository that lies outside, which git can look into under bash only; rg's
    threads print files in any order."""
    lines = [line for line in text.splitlines(keepends=True) if line != "?? gitfile/\n"]
    return sorted(lines) if (case.line or "").startswith("rg ") else "".join(lines)


@pytest.mark.parametrize("case", [c for c in HONEST if comparable(c)], ids=lambda c: c.id)
def test_a_line_prints_what_bash_prints(case: Case) -> None:
    ours = answer(case)
    assert ours.code != 126, ours.stdout
    bash = subprocess.run(
        ["bash", "--norc", "-c", case.words[0]],
        cwd=case.folder, env=BASH_ENV, stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip
    body = ours.json()
    assert steady(body["stdout"], case) == steady(bash.stdout.decode(), case)
    assert (ours.code, body["exitCode"], body["ok"]) == (
        bash.returncode, bash.returncode, bash.returncode == 0,
    )  # fmt: skip
    assert case.ground.hits() == []


@pytest.mark.parametrize("case", [c for c in HONEST if not comparable(c)], ids=lambda c: c.id)
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


@pytest.mark.parametrize("case", REFUSED[::7], ids=lambda c: c.id)
def test_a_refused_line_runs_nothing(case: Case) -> None:
    done = answer(case)
    body = done.json()
    assert (done.code, body["ok"], body["exitCode"]) == (126, False, 126)
    assert (body["stdout"], body["stderr"]) == ("", "")
    assert set(body["error"]) >= {"code", "message", "hint", "reason", "token"}
    assert case.ground.hits() == []
