"""Files kept between calls: private to the user, never trusted further than their owner.

No cache folder, or one that may not be written, is no failure: everything is read anew.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_FOLDER: Final = "sandbox-toolbelt"
_LARGEST: Final = 200_000_000
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def folder() -> Path | None:
    """Our folder below XDG_CACHE_HOME or ~/.cache; None where it is not ours alone."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # noqa: PTH117 - the variable is text
        home = os.path.expanduser("~")  # noqa: PTH111
        if not os.path.isabs(home):  # noqa: PTH117
            return None
        base = os.path.join(home, ".cache")  # noqa: PTH118
    path = Path(base) / _FOLDER
    try:
        Path(base).mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            path.mkdir(mode=0o700)
        about = path.lstat()
    except OSError:
        return None
    return path if stat.S_ISDIR(about.st_mode) and _is_private(about) else None


def _is_private(about: os.stat_result) -> bool:
    return about.st_uid == os.geteuid() and not about.st_mode & 0o077


@dataclass(frozen=True, slots=True)
class CacheFile:
    """One file of the cache; without a folder it is always empty."""

    path: Path | None

    @classmethod
    def named(cls, name: str) -> CacheFile:
        """The file of this name in our folder."""
        found = folder()
        return cls(None if found is None else found / name)

    def read(self) -> bytes | None:
        """Its bytes; None where it is missing, too large, a link, or open to others."""
        if self.path is None:
            return None
        try:
            handle = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            return None
        with os.fdopen(handle, "rb") as file:
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode) or not _is_private(about):
                return None
            if about.st_size > _LARGEST:
                return None
            try:
                return file.read()
            except OSError:
                return None

    def write(self, data: bytes) -> bool:
        """Replace its bytes at once; False where that cannot be done (a full or read-only disk)."""
        if self.path is None or len(data) > _LARGEST:
            return False
        temporary = f"{self.path}.{os.getpid()}"
        try:
            Path(temporary).unlink(missing_ok=True)
            handle = os.open(temporary, _NEW, 0o600)
        except OSError:
            return False
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(temporary).replace(self.path)
        except OSError:
            with suppress(OSError):
                Path(temporary).unlink()
            return False
        return True

    def remove(self) -> None:
        """Forget it."""
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink()
