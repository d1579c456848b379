"""git on a repository that names a program wherever git would run one: none of them runs.

The same calls by a plain git show that the bait is live.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from shellcases import Ground, ground, run_here
from toolbelt.errors import ToolError

# (where, what): every subcommand of the list that reads, with the options that reach furthest.
READS = [
    ("evil", line)
    for line in (
        "git status", "git status -v", "git status --ignored -uall", "git diff", "git diff HEAD~1",
        "git diff --stat", "git diff --cached", "git log -p -3", "git log --format=%G?%GS -2",
        "git log --stat", "git show", "git show HEAD~1:g.conv", "git blame f.txt", "git blame g.conv",
        "git blame -C -C g.conv", "git ls-files -m", "git ls-files -o", "git grep one", "git grep -n two HEAD",
        "git diff-files -p", "git diff-index -p HEAD", "git diff-tree -p HEAD~1 HEAD~2", "git check-attr -a f.txt",
        "git describe --always --dirty", "git cat-file -p HEAD", "git cat-file -p HEAD:g.conv",
        "git rev-list --objects HEAD", "git shortlog -sn", "git reflog", "git stash list", "git branch -av",
        "git for-each-ref --format='%(contents:signature)'", "git log -L1,1:f.txt", "git log --follow -p f.txt",
        "git show --pretty=fuller --stat", "git worktree list", "git remote -v", "git log --graph --all -p",
        "git diff --word-diff", "git log -S one -p", "git log --grep=c --all-match", "git name-rev HEAD",
    )
] + [
    ("promisor", line)
    for line in ("git show", "git log -p", "git diff HEAD", "git cat-file -p HEAD:b.txt", "git status",
                 "git grep blob HEAD", "git blame b.txt", "git log -p --stat", "git rev-list --objects --all")
]  # fmt: skip
REFUSED = [
    ("evil", line)
    for line in (
        "git st", "git cat-file --filters HEAD:f.txt", "git cat-file --textconv HEAD:g.conv", "git archive HEAD",
        "git show --textconv", "git diff --ext-diff", "git verify-commit HEAD", "git log --show-signature",
        "git difftool", "git fetch", "git describe --broken", "git commit -m x", "git rebase -i HEAD~1",
        "git credential fill", "git -c core.fsmonitor=./x status", "git -p log", "git grep -Oless one",
    )
] + [
    (where, line)
    for where in ("gitfile", "alt", "barepo/sub", "worktree_out")
    for line in ("git log -p -1", "git show HEAD:s.txt", "git status", "git ls-files -o", "git cat-file -p HEAD")
]  # fmt: skip


@pytest.fixture(scope="module")
def place() -> Ground:
    return ground("one")


@pytest.fixture(autouse=True)
def _no_canary(place: Ground) -> Iterator[None]:
    assert place.hits() == []
    yield
    hits = place.hits()
    for name in hits:
        (place.canaries / name).unlink()
    assert hits == []


@pytest.mark.parametrize(("where", "line"), READS, ids=[f"{w}: {c}" for w, c in READS])
def test_a_read_runs_no_program_of_the_repository(place: Ground, where: str, line: str) -> None:
    result = run_here(place, line, place.workspace / where)
    assert b"hooks/" not in result.stderr
    if where == "evil":
        assert result.code in (0, 1), result.stderr


@pytest.mark.parametrize(("where", "line"), READS, ids=[f"{w}: {c}" for w, c in READS])
def test_nor_without_the_second_wall(
    place: Ground, where: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLBELT_CONFINE", "off")
    result = run_here(place, line, place.workspace / where)
    if where == "evil":
        # 153: it tried to write the index or a scratch file, which the size limit alone stops here.
        assert result.code in (0, 1, 153), result.stderr


@pytest.mark.parametrize(("where", "line"), REFUSED, ids=[f"{w}: {c}" for w, c in REFUSED])
def test_an_unsafe_call_is_refused(place: Ground, where: str, line: str) -> None:
    with pytest.raises(ToolError) as caught:
        run_here(place, line, place.workspace / where)
    assert caught.value.code == "BLOCKED"
    assert caught.value.hint


def test_the_bait_is_live(place: Ground) -> None:
    """A plain git runs programs of this repository: else the tests above would show nothing."""
    env = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1",
           "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}  # fmt: skip
    copy = place.workspace.parent / "live"
    shutil.copytree(place.workspace, copy, symlinks=True, ignore=shutil.ignore_patterns("fifo"))
    ran = set()
    for where, words in (
        ("evil", "status"),
        ("evil", "diff"),
        ("evil", "log -p -3"),
        ("evil", "st"),
        ("promisor", "log -p"),
    ):
        subprocess.run(
            ["git", *words.split()], cwd=copy / where, env=env, capture_output=True, check=False
        )
        ran |= set(place.hits())
        for name in place.hits():
            (place.canaries / name).unlink()
    shutil.rmtree(copy)
    assert {
        "evil_fsmonitor",
        "evil_clean",
        "evil_extdiff",
        "evil_alias",
        "promisor_uploadpack",
    } <= ran


def test_a_hostile_submodule_is_not_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    canary = tmp_path / "canary"
    workspace = tmp_path / "ws"
    env = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@x",
           "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@x", "GIT_CONFIG_COUNT": "1",
           "GIT_CONFIG_KEY_0": "protocol.file.allow", "GIT_CONFIG_VALUE_0": "always"}  # fmt: skip
    script = f"""
      set -e; git init -q -b main up; cd up; echo a >a; git add a; git commit -qm a; cd ..
      git init -q -b main ws; cd ws; git submodule add -q ../up sub; git config -f .gitmodules submodule.sub.ignore none
      git add -A; git commit -qm c
      printf '#!/bin/sh\\ntouch {canary}\\n' >evil; chmod +x evil
      git -C sub config core.fsmonitor "$PWD/evil"; echo b >sub/a
    """
    subprocess.run(["bash", "-c", script], cwd=tmp_path, env=env, check=True, capture_output=True)
    ground_ = Ground(workspace.resolve(), tmp_path, tmp_path)
    for line in ("git status", "git diff", "git describe --always --dirty", "git diff-index HEAD", "git diff-files",
                 "git log -p", "git ls-files -m", "git diff HEAD", "git stash list"):  # fmt: skip
        for mode in ("auto", "off"):
            monkeypatch.setenv("TOOLBELT_CONFINE", mode)
            run_here(ground_, line, ground_.workspace)
            assert not canary.exists(), (line, mode)
