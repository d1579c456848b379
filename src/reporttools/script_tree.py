"""A folder's content, following no link, however a script filled it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

DEEPEST: Final = 40
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Entry:
    """path: below the folder. name, parent: for calls with `dir_fd`, until the next entry."""

    path: str
    name: str
    parent: int
    info: os.stat_result

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.info.st_mode)

    @property
    def too_deep(self) -> bool:
        """A folder that is not looked into."""
        return self.is_folder and self.path.count("/") >= DEEPEST


def walk(folder: Path) -> Iterator[Entry]:
    """Every entry below a folder, each before what is in it, folders of folders to DEEPEST."""
    top = os.open(folder, _FOLDER & ~os.O_NOFOLLOW)
    try:
        yield from _below(top, "")
    finally:
        os.close(top)


def _below(fd: int, start: str) -> Iterator[Entry]:
    for name in sorted(os.listdir(fd)):
        try:
            info = os.stat(name, dir_fd=fd, follow_symlinks=False)
        except FileNotFoundError:
            continue
        entry = Entry(start + name, name, fd, info)
        yield entry
        if not entry.is_folder or entry.too_deep:
            continue
        try:
            inner = os.open(name, _FOLDER, dir_fd=fd)
        except PermissionError:
            # Its owner closed it to us: nothing in it can be listed or delivered.
            continue
        try:
            yield from _below(inner, entry.path + "/")
        finally:
            os.close(inner)
