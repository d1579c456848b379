"""The output folder, lent to one script at a time."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from reporttools.script_tree import walk
from toolbelt import confine_user
from toolbelt.beneath import bad_path
from toolbelt.confine import confine_mode
from toolbelt.errors import ToolError


@contextlib.contextmanager
def lent(folder: Path, wait: float) -> Iterator[None]:
    """Nobody else's while the block runs; as root, the script's user may write in it.

    A script of root runs as a user that owns nothing, so the folder and all in it is that user's
    for the time, and gets its owners back. wait: seconds for another script's run to end.
    """
    if folder == Path("/"):
        raise bad_path("root", "The root folder is not lent to a script.", hint="name a folder")
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _lock(fd, folder, wait)
        mode = stat.S_IMODE(os.fstat(fd).st_mode)
        uid = None if confine_mode(None) == "off" else confine_user.unused_uid()
        if uid is None:
            try:
                yield
            finally:
                _reopen(fd, mode)
            return
        owners = _owners(folder, fd)
        try:
            _hand_over(folder, fd, uid)
            yield
        finally:
            _give_back(folder, fd, uid, owners)
            _reopen(fd, mode)
    finally:
        os.close(fd)


def _reopen(fd: int, mode: int) -> None:
    """The folder's mode as it was. Whom it does not belong to could not change it, nor may now."""
    if stat.S_IMODE(os.fstat(fd).st_mode) != mode:
        os.fchmod(fd, mode)


def _lock(fd: int, folder: Path, wait: float) -> None:
    end = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise ToolError(
                    "OUTPUT_FAILED", f"Another script is writing to {str(folder)!r}.",
                    hint="try again later, or name another folder with --output",
                    detail={"reason": "busy"},
                ) from None  # fmt: skip
            time.sleep(0.05)
        else:
            return


Owners = dict[tuple[int, int], tuple[int, int]]


def _owners(folder: Path, top: int) -> Owners:
    """Who owns what, by device and inode; the folder itself first."""
    info = os.fstat(top)
    found: Owners = {(info.st_dev, info.st_ino): (info.st_uid, info.st_gid)}
    for entry in walk(folder):
        found[entry.info.st_dev, entry.info.st_ino] = (entry.info.st_uid, entry.info.st_gid)
    return found


def _hand_over(folder: Path, fd: int, uid: int) -> None:
    """A file with another hard link is left alone: it may be somebody's elsewhere too."""
    os.fchown(fd, uid, uid)
    for entry in walk(folder):
        if entry.is_folder or entry.info.st_nlink == 1:
            os.chown(entry.name, uid, uid, dir_fd=entry.parent, follow_symlinks=False)


def _give_back(folder: Path, fd: int, uid: int, owners: Owners) -> None:
    """Owners as they were; what the script made belongs to the folder's owner."""
    default = next(iter(owners.values()))
    for entry in walk(folder):
        if entry.info.st_uid == uid:
            owner = owners.get((entry.info.st_dev, entry.info.st_ino), default)
            os.chown(entry.name, *owner, dir_fd=entry.parent, follow_symlinks=False)
    os.fchown(fd, *default)
