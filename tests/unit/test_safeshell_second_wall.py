"""The argument rules switched off: what is left is confinement, and it holds alone.

Every attack that names a program of the list runs here as it stands, without a check of its
words: nothing else starts, nothing is written, nothing outside is read.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from safeshell import grammar
from safeshell.lexer import Word
from safeshell.paths import Roots
from safeshell.plan import StagePlan, Step
from safeshell.policy import Policy
from safeshell.run import Result, run
from safeshell.table import TABLE
from safeshell.words import Expansion, expand
from shellcases import Case, Ground, cases, ground
from toolbelt import confine_landlock, confine_seccomp
from toolbelt.errors import ToolError

POLICY = Policy(TABLE)
EVERYTHING = Expansion(brace_results=256, glob_results=10_000, glob_entries=100_000)
# Only what git needs to look at the workspace at all; none of our overrides.
PLAIN_GIT = (
    ("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "safe.directory"), ("GIT_CONFIG_VALUE_0", "*"),
    ("HOME", "/nonexistent"),
)  # fmt: skip


def words_of(case: Case) -> list[list[str]] | None:
    """The stages of a case as words, whatever they say; None when it is no plain pipeline."""
    place = case.ground
    roots = Roots.at(str(place.workspace), str(place.workspace), ["/"], [])
    if case.line is None:
        return [list(case.words[1:])]
    try:
        pipelines = grammar.parse(case.words[0], max_stages=64, max_words=2048)
        return [
            [arg.text for word in stage.words for arg in _expand(word, case, roots)]
            for pipeline in pipelines
            for stage in pipeline.stages
        ]
    except ToolError:
        return None


def _expand(word: Word, case: Case, roots: Roots) -> list[object]:
    return list(expand(word, str(case.folder), roots, EVERYTHING))


def runnable(case: Case) -> bool:
    stages = words_of(case)
    return stages is not None and all(words and words[0] in POLICY.commands for words in stages)


ATTACKS = [case for case in cases() if not case.allow and runnable(case)]


def unchecked(stages: list[list[str]], place: Ground, cwd: Path) -> Result:
    """Run stages without looking at their words."""
    root = str(place.workspace)
    roots = Roots.at(root, root, [], [])
    plans = tuple(
        StagePlan(number, tuple(words), builtin=False, environment=PLAIN_GIT)
        for number, words in enumerate(stages)
    )
    return run([Step(";", {str(cwd): plans})], POLICY, roots, str(cwd), timeout=2)


def snapshot(folder: Path) -> dict[Path, tuple[int, int, int]]:
    """Every entry of a tree with its mode, size and time of change."""
    seen = {}
    for base, folders, files in os.walk(folder):
        for entry in (Path(base) / name for name in (*folders, *files)):
            info = entry.lstat()
            seen[entry] = (info.st_mode, info.st_size, info.st_mtime_ns)
    return seen


@pytest.fixture(scope="module", autouse=True)
def _walls() -> None:
    assert confine_landlock.abi() > 0, "this kernel has no Landlock; the second wall needs it"
    assert confine_seccomp.available()


@pytest.fixture
def untouched(request: pytest.FixtureRequest) -> Iterator[Ground]:
    """The ground of a test, which must be the same afterwards."""
    place: Ground = request.param
    before = snapshot(place.workspace)
    yield place
    assert snapshot(place.workspace) == before
    assert place.hits() == []


@pytest.mark.parametrize(
    ("untouched", "case"),
    [(case.ground, case) for case in ATTACKS],
    ids=[case.id for case in ATTACKS],
    indirect=["untouched"],
)
def test_an_unchecked_attack_does_nothing(untouched: Ground, case: Case) -> None:
    stages = words_of(case)
    assert stages is not None
    try:
        result = unchecked(stages, untouched, case.folder)
    except ToolError as error:
        assert error.code in ("MISSING_DEP", "USAGE")  # it could not even start
        return
    seen = bytes(result.stdout) + bytes(result.stderr)
    assert b"TOP-SECRET" not in seen
    assert b"SECRET_CANARY" not in seen
    assert b"topsecret" not in seen
    assert b"hunter2" not in seen


def test_there_are_many() -> None:
    assert len(ATTACKS) > 130


HOSTILE = [
    ("evil", ["git", "status"]), ("evil", ["git", "diff"]), ("evil", ["git", "log", "-p", "-3"]),
    ("evil", ["git", "blame", "g.conv"]), ("evil", ["git", "st"]), ("evil", ["git", "show", "--textconv"]),
    ("evil", ["git", "cat-file", "--filters", "HEAD:f.txt"]), ("evil", ["git", "verify-commit", "HEAD"]),
    ("evil", ["git", "commit", "--allow-empty", "-m", "x"]), ("evil", ["git", "checkout", "HEAD~1"]),
    ("evil", ["git", "gc"]), ("evil", ["git", "fetch"]), ("evil", ["git", "stash"]), ("evil", ["git", "-p", "log"]),
    ("promisor", ["git", "log", "-p"]), ("promisor", ["git", "fsck"]), ("gitfile", ["git", "show", "HEAD:s.txt"]),
    ("alt", ["git", "show", "HEAD:s.txt"]), ("worktree_out", ["git", "ls-files", "-o"]),
    (".", ["find", ".", "-name", "*.py", "-exec", "sh", "-c", "touch /tmp/x", ";"]),
    (".", ["find", ".", "-exec", "/lib64/ld-linux-x86-64.so.2", "/usr/bin/touch", "made", ";"]),
    (".", ["sort", "-o", "made", "data/log.txt"]), (".", ["sort", "--compress-program=./run.sh", "-S1k", "data/big.txt"]),
    (".", ["sed", "-i", "s/a/b/", "src/app.py"]), (".", ["sed", "1e ./run.sh", "src/app.py"]), (".", ["sed", "w made", "src/app.py"]),
    (".", ["rg", "--pre", "./bin/pre.sh", "foo", "src"]), (".", ["tree", "-o", "made"]), (".", ["xxd", "src/app.py", "made"]),
    (".", ["uniq", "data/items.csv", "made"]), (".", ["diff", "-l", "src/app.py", "src/test_app.py"]),
    (".", ["rg", "-L", "SECRET", "."]), (".", ["grep", "-R", "SECRET", "."]), (".", ["cat", "/etc/shadow"]),
    (".", ["cat", "link_out"]), (".", ["ls", "-laR", "/root"]), (".", ["find", "/", "-name", "secret.txt"]),
    (".", ["cat", "/proc/1/environ"]), (".", ["jq", "-n", "[range(0;infinite)]|length"]), (".", ["date", "-s", "2001-01-01"]),
    (".", ["jq", "-n", "env|length"]), (".", ["cat", "/dev/sda"]), (".", ["cat", "/dev/mem"]),
]  # fmt: skip


@pytest.mark.parametrize(("where", "words"), HOSTILE, ids=[" ".join(w) for _, w in HOSTILE])
def test_unchecked_words_do_nothing(where: str, words: list[str]) -> None:
    place = ground("one")
    before = snapshot(place.workspace)
    result = unchecked([words], place, place.workspace / where)
    assert snapshot(place.workspace) == before
    assert place.hits() == []
    assert b"TOP-SECRET" not in result.stdout


def test_nothing_is_left_running() -> None:
    place = str(ground("one").workspace)
    for entry in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):  # it ended while we looked
            assert not str(entry.readlink()).startswith(place)
