"""Lines as agents send them run, and print what bash prints."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from shellcases import CASES, Case, Ground, cases, ground, run_here

LINES = [
    line.replace("¶", "\n")
    for line in (CASES / "honest.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
# What bash prints otherwise: the time of day, a scratch disk, our own folder of git's.
UNSTEADY = ("date", "df", "seq 1 100000000", "git config --get")
BASH = {
    "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "PAGER": "cat", "TERM": "dumb",
    "NO_COLOR": "1", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
}  # fmt: skip


def compare(place: Ground, line: str, cwd: Path) -> None:
    result = run_here(place, line, cwd)
    bash = subprocess.run(
        ["bash", "--norc", "-c", line],
        cwd=cwd,
        env=BASH,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    ours, theirs = steady(bytes(result.stdout), line), steady(bash.stdout, line)
    assert (result.code, ours) == (bash.returncode, theirs), bytes(result.stderr)
    assert bool(result.stderr) == bool(bash.stderr)


def steady(data: bytes, line: str) -> list[bytes]:
    """Without the one repository that lies outside, which git can look into under bash only; rg's
    threads print files in any order."""
    lines = [row for row in data.splitlines(keepends=True) if row != b"?? gitfile/\n"]
    return sorted(lines) if line.startswith("rg ") and "|" not in line else lines


@pytest.mark.parametrize("line", LINES)
def test_a_line_prints_what_bash_prints(line: str) -> None:
    compare(ground("honest"), line, ground("honest").workspace)


def comparable(case: Case) -> bool:
    plain = case.allow and not case.expect and not case.env and case.cwd == ""
    return plain and case.line is not None and not case.line.startswith(UNSTEADY)


@pytest.mark.parametrize("case", [case for case in cases() if comparable(case)], ids=lambda c: c.id)
def test_a_case_prints_what_bash_prints(case: Case) -> None:
    compare(case.ground, case.words[0], case.folder)
    assert case.ground.hits() == []
