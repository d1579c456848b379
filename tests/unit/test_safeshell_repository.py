"""What a repository may be, what of its configuration git would see, and what is overridden."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from safeshell import gitconfig, repository
from safeshell.paths import Roots
from safeshell.table import TABLE
from toolbelt.errors import ToolError

GIT = TABLE["git"]
REFUSED = GIT["refuse"]
CLEAN = {
    "PATH": "/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
    "HOME": "/nonexistent", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@x",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@x",
}  # fmt: skip

PIECES = st.lists(
    st.sampled_from(
        '[core] [a "b"] [a "b c"] [a.b] [A] [a] ] [ \n \n \n \t x y=1 bare=true key=v "q" \\ \\n \\" # ; '
        '= name=a\\ b v="a;b" v=a;b k = v \\\n fsmonitor=/x é \r\n [filter "X"] clean=c .x 1 - k= k='
        "'\"".split(" ")
    ),
    max_size=12,
)


@pytest.mark.hypothesis
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PIECES)
def test_a_configuration_reads_as_git_reads_it(tmp_path: Path, pieces: list[str]) -> None:
    text = " ".join(pieces).replace(" \n ", "\n")
    file = tmp_path / "config"
    file.write_bytes(text.encode())
    try:
        ours = gitconfig.read(text)
    except gitconfig.Unreadable:
        return
    done = subprocess.run(
        ["git", "config", "--file", str(file), "--list", "-z", "--no-includes"],
        env=CLEAN, capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        return  # git reads nothing at all
    entries = [entry.partition("\n") for entry in done.stdout.decode().split("\0")[:-1]]
    theirs = [(key, value if mark else "true") for key, mark, value in entries]
    assert ours == theirs


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, env=CLEAN, check=True, capture_output=True)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A workspace with a repository `repo` in it, and one outside."""
    workspace = tmp_path / "ws"
    for folder in (workspace / "repo", tmp_path / "outside"):
        folder.mkdir(parents=True)
        git(folder, "init", "-q", "-b", "main", ".")
        (folder / "f").write_text("x\n")
        git(folder, "add", "f")
        git(folder, "commit", "-qm", "one")
    return workspace.resolve()


def find(workspace: Path, cwd: str) -> repository.Repository | None:
    roots = Roots.at(str(workspace), str(workspace), [], [])
    return repository.find(str(workspace / cwd), roots, REFUSED)


def test_the_repository_around_a_folder_is_found(made: Path) -> None:
    (made / "repo" / "deep" / "er").mkdir(parents=True)
    (made / "plain").mkdir()
    for cwd in ("repo", "repo/deep/er"):
        found = find(made, cwd)
        assert found is not None
        assert (found.folder, found.worktree) == (f"{made}/repo/.git", f"{made}/repo")
    assert find(made, "plain") is None


def test_a_linked_worktree_and_a_submodule_are_found(made: Path) -> None:
    git(made / "repo", "worktree", "add", "-q", "../linked")
    found = find(made, "linked")
    assert found is not None
    assert found.common == f"{made}/repo/.git"
    assert found.folder == f"{made}/repo/.git/worktrees/linked"
    sub = made / "repo" / "sub"
    git(
        made / "repo",
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        str(made / "repo"),
        "sub",
    )
    found = find(made, "repo/sub")
    assert found is not None
    assert found.folder == f"{made}/repo/.git/modules/sub"
    assert found.worktree == str(sub)


def outside(made: Path) -> Path:
    return made.parent / "outside"


def _gitfile(made: Path) -> str:
    (made / "x").mkdir()
    (made / "x" / ".git").write_text(f"gitdir: {outside(made)}/.git\n")
    return "x"


def _git_link(made: Path) -> str:
    (made / "x").mkdir()
    (made / "x" / ".git").symlink_to(outside(made) / ".git")
    return "x"


def _alternates(made: Path) -> str:
    (made / "repo/.git/objects/info/alternates").write_text(f"{outside(made)}/.git/objects\n")
    return "repo"


def _alternates_of_alternates(made: Path) -> str:
    git(made, "clone", "-q", "--shared", "repo", "second")
    (made / "repo/.git/objects/info/alternates").write_text("../../../../outside/.git/objects\n")
    return "second"


def _quoted_alternates(made: Path) -> str:
    (made / "repo/.git/objects/info/alternates").write_text('"/etc"\n')
    return "repo"


def _commondir(made: Path) -> str:
    (made / "repo/.git/commondir").write_text(f"{outside(made)}/.git\n")
    return "repo"


def _worktree(made: Path) -> str:
    git(made / "repo", "config", "core.worktree", "../../../outside")
    return "repo"


def _include(made: Path) -> str:
    git(made / "repo", "config", "include.path", "../more")
    return "repo"


def _include_if(made: Path) -> str:
    git(made / "repo", "config", "includeIf.gitdir:/**.path", "../more")
    return "repo"


def _config_link(made: Path) -> str:
    (made / "repo/.git/config").unlink()
    (made / "repo/.git/config").symlink_to(outside(made) / ".git/config")
    return "repo"


def _pack_link(made: Path) -> str:
    (made / "repo/.git/objects/pack/pack-1.pack").symlink_to(outside(made) / "f")
    return "repo"


def _objects_link(made: Path) -> str:
    (made / "repo/.git/objects/aa").symlink_to(outside(made) / ".git/objects")
    return "repo"


def _bare(made: Path) -> str:
    git(made, "init", "-q", "--bare", "bare")
    return "bare"


def _inside_dot_git(_made: Path) -> str:
    return "repo/.git"


def _odd_config(made: Path) -> str:
    (made / "repo/.git/config").write_text("[core\nbare = false\n")
    return "repo"


def _fifo_config(made: Path) -> str:
    (made / "repo/.git/config").unlink()
    os.mkfifo(made / "repo/.git/config")
    return "repo"


def _broken_gitfile(made: Path) -> str:
    (made / "x").mkdir()
    (made / "x" / ".git").write_text("gitdir: ../nowhere\n")
    return "x"


@pytest.mark.parametrize(
    "spoil",
    [
        _gitfile, _git_link, _alternates, _alternates_of_alternates, _quoted_alternates, _commondir,
        _worktree, _include, _include_if, _config_link, _pack_link, _objects_link, _bare,
        _inside_dot_git, _odd_config, _fifo_config, _broken_gitfile,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_an_unsafe_repository_is_refused(made: Path, spoil: object) -> None:
    cwd = spoil(made)  # type: ignore[operator]
    with pytest.raises(ToolError) as caught:
        find(made, cwd)
    assert caught.value.detail["reason"] == "UNSAFE_REPOSITORY"
    assert caught.value.hint


@pytest.mark.parametrize("value", ["/etc/passwd", "../../outside/f", "~/x", "%(prefix)/x"])
def test_a_list_of_files_lies_in_the_workspace(made: Path, value: str) -> None:
    # git keeps such a list in an order of its own, so that an empty value in front clears nothing.
    git(made / "repo", "config", "blame.ignoreRevsFile", ".revs")
    assert find(made, "repo") is not None
    git(made / "repo", "config", "--add", "blame.ignoreRevsFile", value)
    with pytest.raises(ToolError) as caught:
        find(made, "repo")
    assert caught.value.detail["reason"] == "UNSAFE_REPOSITORY"


def test_every_key_that_names_a_program_is_overridden(made: Path) -> None:
    repo = made / "repo"
    keys = {
        "filter.a=b.clean": "", "filter.x.y.process": "", "filter.x.required": "false",
        "diff.Conv.textconv": "", "diff.external": "", "gpg.program": "false", "alias.st": "",
        "core.fsmonitor": "false", "core.sshCommand": "false",
        "remote.origin.uploadpack": "", "diff.orderFile": "/dev/null", "pager.log": "",
    }  # fmt: skip
    for key in keys:
        git(repo, "config", key, "evil")
    (repo / ".gitmodules").write_text('[submodule "s"]\n\tpath = s\n\tignore = none\n')
    found = find(made, "repo")
    env = repository.environment(GIT, found, str(repo))
    count = int(env["GIT_CONFIG_COUNT"])
    values = {}
    for number in range(count):
        values[env[f"GIT_CONFIG_KEY_{number}"].lower()] = env[f"GIT_CONFIG_VALUE_{number}"]
    for key, value in keys.items():
        assert values[key.lower()] == value, key
    assert values["submodule.s.ignore"] == "all"
    listed = subprocess.run(
        ["git", "config", "--get", "filter.a=b.clean"],
        cwd=repo, env={**CLEAN, **env}, capture_output=True, check=True,
    )  # fmt: skip
    assert listed.stdout == b"\n"
