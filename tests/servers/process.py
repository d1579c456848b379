"""Server processes that never outlive the tests: start, watch, stop, clean up."""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STOP_SECONDS = 15.0
_PORT_TAKEN = ("address already in use", "could not bind", "bind on tcp/ip port")


@dataclass(frozen=True, slots=True)
class Identity:
    """The user a server runs as; None is ourselves."""

    uid: int | None = None
    gid: int | None = None

    def popen_options(self) -> dict[str, Any]:
        if self.uid is None:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def unprivileged() -> Identity:
    """`nobody` when we are root, ourselves otherwise (most servers refuse to run as root)."""
    if os.geteuid() != 0:
        return Identity()
    nobody = pwd.getpwnam("nobody")
    return Identity(nobody.pw_uid, nobody.pw_gid)


def free_port() -> int:
    """A loopback port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def scratch_folder(name: str, identity: Identity) -> Path:
    """A new folder under the system's temporary one, owned by the server's user."""
    folder = Path(tempfile.mkdtemp(prefix=f"toolbelt-{name}-"))
    if identity.uid is not None:
        os.chown(folder, identity.uid, identity.gid if identity.gid is not None else -1)
    keeper().say("folder", str(folder))
    return folder


def remove_folder(folder: Path) -> None:
    """Remove a scratch folder; a server's last writes may still be landing in it."""
    shutil.rmtree(folder, ignore_errors=True)
    keeper().say("gone", str(folder))


def reachable(path: Path, identity: Identity) -> bool:
    """Whether the server's user may enter every folder on the way to a program."""
    if identity.uid is None:
        return True
    return all(parent.stat().st_mode & 0o001 for parent in path.resolve().parents)


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A finished set-up program: its code and the last of what it said."""

    returncode: int
    output: str


def run_tool(argv: list[str], identity: Identity, timeout_seconds: float) -> ToolRun:
    """Run a set-up program to its end."""
    done = subprocess.run(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        cwd="/", timeout=timeout_seconds, check=False, **identity.popen_options(),
    )  # fmt: skip
    return ToolRun(done.returncode, last_lines(done.stdout.decode("utf-8", "replace")))


def last_lines(text: str, count: int = 30) -> str:
    """The end of a log."""
    return "\n".join(text.splitlines()[-count:])


class ServerProcess:
    """A server in a process group of its own, its output in `<folder>/log`."""

    def __init__(
        self,
        argv: list[str],
        folder: Path,
        identity: Identity,
        *,
        stop_signal: signal.Signals = signal.SIGTERM,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.log = folder / "log"
        self.stop_signal = stop_signal
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd="/",
                start_new_session=True, env=None if environment is None else dict(environment),
                **identity.popen_options(),
            )  # fmt: skip
        keeper().say("group", str(self._process.pid))
        atexit.register(self.stop)

    @property
    def pid(self) -> int:
        return self._process.pid

    def ended(self) -> bool:
        return self._process.poll() is not None

    def returncode(self) -> int | None:
        return self._process.poll()

    def log_tail(self) -> str:
        return last_lines(self.log.read_text(encoding="utf-8", errors="replace"))

    def port_was_taken(self) -> bool:
        log = self.log_tail().lower()
        return any(sign in log for sign in _PORT_TAKEN)

    def stop(self) -> None:
        """Ask, wait, then kill the whole group."""
        atexit.unregister(self.stop)
        if self._process.poll() is None:
            self._process.send_signal(self.stop_signal)
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                kill_group(self._process.pid)
                self._process.wait(STOP_SECONDS)
        kill_group(self._process.pid)
        keeper().say("ended", str(self._process.pid))


def kill_group(pgid: int) -> None:
    """Kill what is left of a process group, if anything."""
    try:
        os.killpg(pgid, signal.SIGKILL)
    except ProcessLookupError:
        return


class Keeper:
    """A helper process that ends our servers should we be killed without a last word."""

    def __init__(self) -> None:
        program = Path(__file__).with_name("keeper.py")
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(program)],
            stdin=subprocess.PIPE, start_new_session=True, text=True, cwd="/",
        )  # fmt: skip

    def say(self, word: str, value: str) -> None:
        """Tell it of a new group or folder, or that one is gone."""
        stdin = self._process.stdin
        if stdin is None:
            raise RuntimeError("the keeper has no standard input")
        with self._lock:
            stdin.write(f"{word} {value}\n")
            stdin.flush()


_keeper: Keeper | None = None
_keeper_lock = threading.Lock()


def keeper() -> Keeper:
    """The one keeper of this process, started at first use."""
    global _keeper
    with _keeper_lock:
        if _keeper is None:
            _keeper = Keeper()
        return _keeper
