"""Run a built command as its user would, and read its answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brokers import Brokers

DEADLINE_SECONDS = 180.0
BIN = Path(sys.executable).parent
# Nothing of the caller's own connections may reach the command under test.
_CACHE = tempfile.TemporaryDirectory(prefix="toolbelt-cache-")
_FOREIGN = ("DB_", "DATABASE_URL", "TOOLBELT_", "PG", "BIGQUERY_", "GOOGLE_")


class Through:
    """Set while commands are to reach their databases through a broker."""

    brokers: Brokers | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished command: exit code and both streams."""

    code: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        """stdout as the one JSON document it must be."""
        return json.loads(self.stdout)

    @property
    def error(self) -> dict[str, Any]:
        """The `error` object of a failure envelope."""
        body = self.json()
        assert body["ok"] is False
        return dict(body["error"])


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Our environment without anybody's connections, and the given variables."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(_FOREIGN)}
    # Nor may it find, or leave, anything in the caller's cache; or a broker of this machine.
    mine = {"XDG_CACHE_HOME": _CACHE.name, "TOOLBELT_BROKER": "off"}
    env = kept | mine | dict(extra or {})
    return env if Through.brokers is None else Through.brokers.instead(env)


def run(
    command: str,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    cwd: Path | None = None,
    deadline: float = DEADLINE_SECONDS,
) -> Answer:
    """Run one of the five commands from the environment the tests run in."""
    program = BIN / command
    done = subprocess.run(
        [str(program), *arguments], env=clean_environment(env), cwd=cwd, check=False,
        input=stdin if stdin is not None else "", capture_output=True, text=True,
        encoding="utf-8", timeout=deadline,
    )  # fmt: skip
    return Answer(done.returncode, done.stdout, done.stderr)
