"""Finds the repository a git call would use, refuses one that reaches outside the workspace, and
builds the environment in which nothing of its configuration names a program.

GIT_DIR and GIT_WORK_TREE are set from what is found here, so git looks for nothing itself.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from safeshell import gitconfig
from safeshell.paths import Outside, Roots
from safeshell.refusal import refuse

MAX_CONFIG_BYTES: Final = 4 << 20
# What git opens in a repository by these names; none may be a link that leads out.
_PARTS: Final = (
    "HEAD", "config", "config.worktree", "index", "objects", "objects/info", "objects/pack", "refs",
    "refs/heads", "packed-refs", "logs", "info", "info/attributes", "info/exclude", "info/grafts",
    "shallow", "commondir",
)  # fmt: skip
_HINT: Final = "move into a repository whose files all lie in the workspace"


class Repository(NamedTuple):
    """folder: its .git. common: the same, or the main one of a linked worktree. worktree: the
    folder that is checked out. keys: of its configuration, as git spells them."""

    folder: str
    common: str
    worktree: str
    keys: tuple[str, ...]


def find(cwd: str, roots: Roots, refused: Mapping[str, list[str]]) -> Repository | None:
    """The repository that git would find from `cwd`, or None; raises BLOCKED for an unsafe one.

    refused: patterns of `keys` that it may not have, and of those that name `files` it may read
    only in the workspace.
    """
    here = cwd
    while True:
        folder = _git_folder(here, roots)
        if folder is not None:
            return _read(folder, here, roots, refused)
        if _is_repository(here):
            raise _unsafe(here, "is a bare repository, or the inside of one")
        if here in roots.roots or here == "/":
            return None
        here = os.path.dirname(here)  # noqa: PTH120


def environment(git: Mapping[str, Any], repository: Repository | None, cwd: str) -> dict[str, str]:
    """The variables that make git run nothing and look at nothing but this repository."""
    config = dict(git["config"])
    if repository is not None:
        ours = {key.lower() for key in config}
        others = [key for key in repository.keys if key not in ours]
        for value, patterns in git["neutralise"].items():
            rule = _rule(patterns)
            config.update({key: value for key in others if rule.fullmatch(key)})
    env = {**git["environment"], "GIT_CONFIG_COUNT": str(len(config))}
    for number, (key, value) in enumerate(config.items()):
        env[f"GIT_CONFIG_KEY_{number}"] = key
        env[f"GIT_CONFIG_VALUE_{number}"] = value
    if repository is not None:
        at_top = repository.folder == f"{cwd}/.git" and repository.worktree == cwd
        env["GIT_DIR"] = ".git" if at_top else repository.folder
        env["GIT_WORK_TREE"] = "." if at_top else repository.worktree
    return env


def _rule(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns) or "(?!)", re.DOTALL)


def _git_folder(here: str, roots: Roots) -> str | None:
    """The repository that `here/.git` is or names; None for none that git would take."""
    dot = f"{here.rstrip('/')}/.git"
    if not os.path.lexists(dot):
        return None
    real = _inside(dot, here, roots, dot)
    if os.path.isdir(real):  # noqa: PTH112
        return real if _is_repository(real) else None
    text = _text(real) or ""
    if not text.startswith("gitdir: "):
        raise _unsafe(here, "has a .git that is neither a folder nor a link to one")
    named = _inside(text[8:].rstrip("\r\n"), here, roots, dot)
    if not _is_repository(named):
        raise _unsafe(here, "has a .git that names no repository")
    return named


def _is_repository(folder: str) -> bool:
    """git's own test, a little wider: HEAD, objects and refs, its own or in the common folder."""
    path = Path(folder)
    if not os.path.lexists(path / "HEAD"):
        return False
    return (path / "commondir").exists() or (
        (path / "objects").is_dir() and (path / "refs").is_dir()
    )


def _read(folder: str, worktree: str, roots: Roots, refused: Mapping[str, list[str]]) -> Repository:
    common = folder
    named = _text(f"{folder}/commondir")
    if named is not None:
        common = _inside(named.rstrip("\r\n"), folder, roots, f"{folder}/commondir")
    for base in dict.fromkeys((folder, common)):
        for part in _PARTS:
            _inside(f"{base}/{part}", base, roots, f"{base}/{part}")
    _check_objects(f"{common}/objects", roots, depth=0)
    entries = [*_config(f"{common}/config"), *_config(f"{folder}/config.worktree")]
    rule, files = _rule(refused["keys"]), _rule(refused["files"])
    for key, value in entries:
        if rule.fullmatch(key):
            raise _unsafe(folder, f"has {key} in its configuration")
        if key == "core.worktree":
            worktree = _inside(value, folder, roots, "core.worktree")
        if files.fullmatch(key) and value:
            # git puts something else for a leading ~ or %.
            outside = "/" if value[0] in "~%" else value
            _inside(outside, worktree, roots, key)
    # Its .gitmodules may ask git to look into submodules, whose configuration is another's.
    entries += [(k, v) for k, v in _config(f"{worktree}/.gitmodules") if k.startswith("submodule.")]
    return Repository(folder, common, worktree, tuple(dict.fromkeys(key for key, _ in entries)))


def _check_objects(folder: str, roots: Roots, *, depth: int) -> None:
    """Alternates, and links among the stores, lie inside."""
    for place in (folder, f"{folder}/pack"):
        try:
            with os.scandir(place) as entries:
                links = [entry.path for entry in entries if entry.is_symlink()]
        except OSError:
            continue  # git will say what is wrong with it
        for link in links:
            _inside(link, place, roots, link)
    for line in (_text(f"{folder}/info/alternates") or "").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith('"') or depth > 5:
            raise _unsafe(folder, "has alternates that are not plain paths")
        named = _inside(line, folder, roots, f"{folder}/info/alternates")
        _check_objects(named, roots, depth=depth + 1)


def _config(path: str) -> list[tuple[str, str]]:
    text = _text(path)
    if text is None:
        return []
    try:
        return gitconfig.read(text)
    except gitconfig.Unreadable:
        raise _unsafe(path, "is a configuration that cannot be read with certainty") from None


def _text(path: str) -> str | None:
    """A small file's text; None when it is not there."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise _unsafe(path, "is not a regular file")
        data = file.read(MAX_CONFIG_BYTES + 1)
    if len(data) > MAX_CONFIG_BYTES:
        raise _unsafe(path, "is too large")
    return data.decode("utf-8", "surrogateescape")


def _inside(path: str, cwd: str, roots: Roots, shown: str) -> str:
    try:
        return roots.resolve(path, cwd)
    except Outside:
        raise _unsafe(shown, "leads out of the workspace") from None


def _unsafe(where: str, why: str) -> Exception:
    return refuse("UNSAFE_REPOSITORY", f"git is not run here: {where!r} {why}.", _HINT, token=where)
