"""How a step says what went wrong or what is odd: `report.json` in TMPDIR."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NoReturn

_MOST: Final = 50
_LONGEST: Final = 500


class Problem(Exception):
    """The conversion cannot be done. reason: one of the reasons of CONVERT_FAILED."""

    def __init__(self, reason: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.hint = hint


class Warnings:
    """Gathers warnings, each once."""

    def __init__(self) -> None:
        self.lines: dict[str, None] = {}

    def add(self, line: str) -> None:
        """Note one; the first fifty are kept, and of each what one can read."""
        if len(self.lines) < _MOST:
            self.lines[line[:_LONGEST]] = None


def scratch() -> Path:
    """The job's folder for scratch files."""
    return Path(os.environ["TMPDIR"])


def run(step: Callable[[Sequence[str], Warnings], None]) -> NoReturn:
    """Run a step as a program: exit code 0, or 1 with a report that says why."""
    warnings = Warnings()
    report: dict[str, object] = {}
    code = 0
    try:
        step(sys.argv[1:], warnings)
    except Problem as problem:
        report = {"reason": problem.reason, "message": problem.message, "hint": problem.hint}
        code = 1
    except MemoryError:
        report = {"reason": "memory", "message": "The conversion needed more memory than it may."}
        code = 1
    path = scratch() / "report.json"
    if path.is_file():
        # A program that the step ran has left warnings of its own.
        for line in json.loads(path.read_text(encoding="utf-8")).get("warnings", []):
            warnings.add(line)
    if warnings.lines:
        report["warnings"] = list(warnings.lines)
    if report:
        path.write_text(json.dumps(report), encoding="utf-8")
    sys.exit(code)
