"""Credential brokers for tests: one a set of variables, started at first use."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from toolbelt import linux

# What a broker keeps for itself: a client that has these is given a broker instead.
_OPERATORS = ("DB_", "DATABASE_URL", "TOOLBELT_LEXICON", "XDG_CACHE_HOME", "BIGQUERY_", "GOOGLE_")


def _end_with_us() -> None:
    """A run that is killed leaves no broker behind."""
    linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGTERM)


class RunningBroker:
    """A broker of our own user (or as told) on a socket in a folder of its own."""

    def __init__(self, env: Mapping[str, str], *options: str, uid: int | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="toolbelt-broker-"))
        self.folder.chmod(0o755)
        self.socket = self.folder / "broker.sock"
        self._log = self.folder / "log"
        self.env, self.options = dict(env), options
        self.uid = os.getuid() if uid is None else uid
        self.process: subprocess.Popen[bytes]
        self.start()

    def start(self) -> None:
        """Start it (again); returns once it listens."""
        ready, told = os.pipe()
        argv = [
            sys.executable, "-m", "dbtools.broker", "--socket", str(self.socket),
            "--uid", str(self.uid), "--ready-fd", str(told), *self.options,
        ]  # fmt: skip
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                argv, env=self.env, pass_fds=[told], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True, preexec_fn=_end_with_us,
            )  # fmt: skip
        os.close(told)
        answer = os.read(ready, 1)
        os.close(ready)
        assert answer == b"+", f"no broker: {self.log()}"

    def log(self) -> str:
        """What it has printed."""
        return self._log.read_text("utf-8")

    def kill(self) -> None:
        """SIGKILL, as a crash would."""
        self.process.kill()
        self.process.wait(30)

    def stop(self) -> None:
        """End it and remove its folder."""
        self.process.terminate()
        self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> RunningBroker:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Brokers:
    """The brokers of a test module: `instead` turns a command's variables into a client's."""

    def __init__(self) -> None:
        self._running: dict[frozenset[tuple[str, str]], RunningBroker] = {}

    def instead(self, env: Mapping[str, str]) -> dict[str, str]:
        """The same variables with the connections moved to a broker's environment."""
        private = {k: v for k, v in env.items() if k.startswith(_OPERATORS)}
        base = {k: v for k, v in env.items() if k in ("PATH", "HOME", "LANG")}
        key = frozenset(private.items())
        if key not in self._running:
            self._running[key] = RunningBroker(base | private)
        public = {k: v for k, v in env.items() if k == "XDG_CACHE_HOME" or k not in private}
        return public | {"TOOLBELT_BROKER": str(self._running[key].socket)}

    def stop(self) -> None:
        """End them all."""
        for broker in self._running.values():
            broker.stop()
        self._running.clear()
