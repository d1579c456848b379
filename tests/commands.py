"""Runs the installed commands the way an agent does: as processes with an environment of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class Ran:
    """What a finished command left: exit code and both streams."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)

    @property
    def error(self) -> dict[str, Any]:
        body = self.json
        assert body["ok"] is False
        return dict(body["error"])


def run(
    command: str,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    stdin: str | bytes = b"",
    cwd: Path | None = None,
    timeout: float = 120,
) -> Ran:
    """Run `command` from this environment's bin folder with exactly `env` (plus PATH)."""
    done = subprocess.run(
        [str(BIN / command), *arguments],
        env={"PATH": os.environ["PATH"], **(env or {})},
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        cwd=cwd,
        timeout=timeout,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
