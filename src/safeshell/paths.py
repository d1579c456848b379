"""Which paths a command may be given: those that never leave the roots, not even on the way."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from safeshell.refusal import refuse

MAX_LINKS: Final = 40
# Names that programs read as standard input, or that hold nothing.
HARMLESS: Final = frozenset(("-", "/dev/null"))


class Outside(Exception):
    """The walk left the roots; `through` is the symbolic link that led out, or empty."""

    def __init__(self, through: str = "") -> None:
        super().__init__(through)
        self.through = through


class Roots(NamedTuple):
    """The folders that may be read.

    roots: absolute, links resolved; the first is the workspace. names: other absolute spellings
    of a root (through a link above it), each with the root it means. secret: file name patterns
    that no operand may match, and those that are fine all the same.
    """

    roots: tuple[str, ...]
    names: tuple[tuple[str, str], ...]
    secret: tuple[str, ...]
    not_secret: tuple[str, ...]

    @property
    def workspace(self) -> str:
        return self.roots[0]

    @classmethod
    def at(cls, workspace: str, given: str, more: Iterable[str], secret: Iterable[str]) -> Roots:
        """Roots from the workspace, its name as given, further folders and secret patterns."""
        patterns = tuple(secret)
        others = tuple(os.path.realpath(path) for path in more)
        return cls(
            (workspace, *others),
            tuple({(given, workspace), *zip(more, others, strict=True)}),
            tuple(p for p in patterns if not p.startswith("!")),
            tuple(p[1:] for p in patterns if p.startswith("!")),
        )

    def resolve(self, path: str, cwd: str) -> str:
        """The real path that `path` means in the folder `cwd`; raises Outside.

        What does not exist is taken as spelled. `..` goes to the real parent, as in the kernel.
        """
        todo = path.split("/")[::-1]
        here = cwd
        if path.startswith("/"):
            here, rest = self._root_of(path)
            todo = rest.split("/")[::-1]
        links, through, missing = 0, "", False
        while todo:
            part = todo.pop()
            if part in ("", "."):
                continue
            if part == "..":
                if here in self.roots:
                    raise Outside(through)
                here, missing = here.rpartition("/")[0] or "/", False
                continue
            here = f"{here.rstrip('/')}/{part}"
            target = None if missing else _link(here)
            if target is None:
                missing = missing or not os.path.lexists(here)
                continue
            links, through = links + 1, through or here
            if links > MAX_LINKS:
                raise Outside(through)
            here = here.rpartition("/")[0] or "/"
            if target.startswith("/"):
                try:
                    here, target = self._root_of(target)
                except Outside:
                    raise Outside(through) from None
            todo.extend(target.split("/")[::-1])
        return here

    def _root_of(self, path: str) -> tuple[str, str]:
        """The root an absolute path begins with, and what follows it."""
        clean = "/" + "/".join(part for part in path.split("/") if part not in ("", "."))
        for name, root in (*((root, root) for root in self.roots), *self.names):
            if clean == name or clean.startswith(name.rstrip("/") + "/"):
                return root, clean[len(name) :]
        raise Outside

    def check(self, path: str, cwd: str, *, position: int | None = None) -> str:
        """The real path, or BLOCKED: PATH_OUTSIDE, or SECRET_FILE for a name that says so."""
        if path in HARMLESS:
            return path
        try:
            real = self.resolve(path, cwd)
        except Outside as out:
            why = f" through the link {out.through!r}" if out.through else ""
            raise refuse(
                "PATH_OUTSIDE", f"{path!r} leads out of the workspace{why}.",
                f"name a path below {self.workspace}", token=path, position=position,
            ) from None  # fmt: skip
        self.check_name(path, position=position)
        self.check_name(self._below(real), shown=path, position=position)
        return real

    def _below(self, real: str) -> str:
        root = max((r for r in self.roots if real.startswith(r)), key=len)
        return real[len(root) :]

    def check_name(self, path: str, *, shown: str = "", position: int | None = None) -> None:
        """BLOCKED with SECRET_FILE when a component of a path is the name of a secret."""
        for part in path.split("/"):
            low = part.lower()
            if any(fnmatchcase(low, pattern) for pattern in self.not_secret):
                continue
            if any(fnmatchcase(low, pattern) for pattern in self.secret):
                raise refuse(
                    "SECRET_FILE", f"{shown or path!r} has the name of a file that holds secrets.",
                    "ask the person you work for; .env.example and the like can be read",
                    token=shown or path, position=position,
                )  # fmt: skip

    def is_folder(self, real: str) -> bool:
        try:
            return stat.S_ISDIR(os.stat(real).st_mode)  # noqa: PTH116
        except OSError:
            return False


def _link(path: str) -> str | None:
    try:
        return os.readlink(path)  # noqa: PTH115
    except OSError:
        return None  # not a link, or nothing there
