"""Lines as agents send them run, and print what bash prints."""

from __future__ import annotations

import subprocess

import pytest

from safeshell.paths import Roots
from safeshell.plan import plan_line
from safeshell.policy import Policy
from safeshell.run import run
from safeshell.table import TABLE
from shellcases import CASES, ground

POLICY = Policy(TABLE)
LINES = [
    line.replace("¶", "\n")
    for line in (CASES / "honest.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
BASH = {
    "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "PAGER": "cat", "TERM": "dumb",
    "NO_COLOR": "1", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
}  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_a_line_prints_what_bash_prints(line: str) -> None:
    root = str(ground("honest").workspace)
    roots = Roots.at(root, root, [], TABLE["workspace"]["secret_names"])
    result = run(plan_line(line, POLICY, roots, root), POLICY, roots, root, timeout=60)
    bash = subprocess.run(
        ["bash", "--norc", "-c", line],
        cwd=root,
        env=BASH,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert (result.code, bytes(result.stdout)) == (bash.returncode, bash.stdout), bytes(
        result.stderr
    )
    assert bool(result.stderr) == bool(bash.stderr)
