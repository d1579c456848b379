"""The socket in the file system: made, and taken over from a broker that is no more."""

from __future__ import annotations

import fcntl
import os
import socket
from pathlib import Path

from toolbelt.errors import ToolError


def listen(path: Path) -> socket.socket:
    """A listening socket that everybody may connect to (the kernel says who did).

    A lock beside it tells a broker that runs from a socket left by a crash. Raises BAD_CONFIG where
    another broker holds it, or the folder cannot be written. The folder must be the broker's own.
    """
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        _lock(lock, path)
        path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(path))
        path.chmod(0o666)
        listener.listen(128)
    except OSError as error:
        raise ToolError(
            "BAD_CONFIG", f"No socket can be made at {str(path)!r}: {error.strerror or error}.",
            hint="give the broker a folder of its own, for example --tmpfs /run/toolbelt",
        ) from error  # fmt: skip
    return listener


def _lock(lock: int, path: Path) -> None:
    try:
        # Held until this process ends; the descriptor is never closed.
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ToolError(
            "BAD_CONFIG", f"Another broker serves {str(path)!r}.", hint="stop it first"
        ) from None
