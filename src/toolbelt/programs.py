"""Where programs are looked for: in known folders, never on the caller's PATH."""

from __future__ import annotations

import os
from typing import Final

PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def which(name: str, path: str = PATH) -> str | None:
    """The absolute path of a program in the known folders (an absolute name: itself)."""
    if "/" in name and not name.startswith("/"):
        return None
    places = [name] if name.startswith("/") else [f"{folder}/{name}" for folder in path.split(":")]
    return next((place for place in places if is_file(place, os.X_OK)), None)


def is_file(path: str, right: int = os.R_OK) -> bool:
    """Whether a regular file is there and may be read (or run: os.X_OK)."""
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return (os.fstat(fd).st_mode & 0o170000) == 0o100000 and os.access(path, right)
    finally:
        os.close(fd)
