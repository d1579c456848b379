"""A private folder for one job: made empty, removed whole whatever a child left in it."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from toolbelt.errors import ToolError

_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 (a private folder is made in one of them)


@contextlib.contextmanager
def job_folder(prefix: str = "toolbelt") -> Iterator[Path]:
    """A new folder only we may enter (0700), outside every workspace; removed at the end.

    Results are read from it by `Workspace.at(folder)`, which follows no link a child left there.
    """
    folder = _make(prefix)
    try:
        yield folder
    finally:
        remove_tree(folder)


def _make(prefix: str) -> Path:
    for base in _FOLDERS:
        # Our own number in the name tells what a command that is gone has left behind.
        path = Path(base, f"{prefix}-{os.getpid()}-{os.urandom(8).hex()}")
        try:
            path.mkdir(0o700)
        except OSError:
            continue
        return path
    raise ToolError(
        "OUTPUT_FAILED", "No folder for temporary files can be written to.",
        hint=f"make one of {', '.join(_FOLDERS)} writable", detail={"reason": "no_temp"},
    )  # fmt: skip


def remove_tree(folder: Path) -> None:
    """Remove a folder and all below it, following no link and however deep it goes.

    Deeper folders are moved up to the top one by one, so no path ever grows long.
    """
    try:
        top = _open(os.fspath(folder), None)
    except FileNotFoundError:
        return
    try:
        _empty(top)
    finally:
        os.close(top)
    folder.rmdir()


def _empty(top: int) -> None:
    count = 0
    while folders := _unlink_files(top):
        for name in folders:
            inner = _open(name, top)
            try:
                for deeper in _unlink_files(inner):
                    count += 1
                    os.rename(
                        deeper, f"{os.urandom(8).hex()}{count}", src_dir_fd=inner, dst_dir_fd=top
                    )
            finally:
                os.close(inner)
            os.rmdir(name, dir_fd=top)


def _unlink_files(folder: int) -> list[str]:
    """Unlink all but folders; the names of those, each made ours to enter."""
    folders = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                os.unlink(entry.name, dir_fd=folder)
    for name in folders:
        os.chmod(name, stat.S_IRWXU, dir_fd=folder)
    return folders


def _open(name: str, base: int | None) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(name, flags, dir_fd=base)
