"""Starts the browser: imported and called before all else, so that the two begin side by side.

Nothing heavy may be imported here.
"""

from __future__ import annotations

import fcntl
import os
import signal

_SWITCHES = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--hide-scrollbars", "--mute-audio", "--log-level=3", "--disable-extensions",
    "--disable-breakpad",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-default-apps", "--disable-crash-reporter", "--no-default-browser-check",
    "--no-zygote", "--font-render-hinting=none", "--disable-features=Translate,BackForwardCache",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe",
)  # fmt: skip


class Started:
    """A browser that runs. write_fd, read_fd: our ends of the pipes it takes orders by."""

    __slots__ = ("log", "pid", "read_fd", "write_fd")

    def __init__(self, program: str) -> None:
        """Start it, with a profile of its own in TMPDIR."""
        profile = f"{os.environ['TMPDIR']}/browser-{os.getpid()}"
        self.log = f"{profile}.log"
        self.write_fd, self.read_fd = _pipes()
        self.pid = os.posix_spawn(
            program, [program, *_SWITCHES, f"--user-data-dir={profile}", "about:blank"],
            os.environ, file_actions=_streams(self.log), setpgroup=0,
        )  # fmt: skip
        os.close(3)
        os.close(4)

    def end(self) -> None:
        """Kill it and what it started: its program may be a script around the browser itself."""
        os.killpg(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.write_fd)
        os.close(self.read_fd)


def _streams(log: str) -> list[tuple[int, int, str, int, int]]:
    """No input, no output; what it complains of, and it always does, goes into a file."""
    return [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    ]


def _pipes() -> tuple[int, int]:
    """Our ends of two pipes, to write and to read; the browser's are 3 and 4, as it expects."""
    to_browser, write = os.pipe()
    read, from_browser = os.pipe()
    theirs = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in (to_browser, from_browser)]
    ours = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in (write, read)]
    for fd in (to_browser, from_browser, write, read):
        os.close(fd)
    for fd, place in zip(theirs, (3, 4), strict=True):
        os.dup2(fd, place)
        os.close(fd)
    return ours[0], ours[1]
