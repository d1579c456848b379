"""The command lines that safe-shell is judged by, and the workspaces they run in."""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from safeshell.paths import Roots
from safeshell.plan import plan_argv, plan_line
from safeshell.policy import Policy
from safeshell.run import Result, run
from safeshell.table import TABLE

POLICY = Policy(TABLE)
CASES = Path(__file__).parent / "cases" / "shell"


@dataclass(frozen=True, slots=True)
class Ground:
    """A workspace with bait around it. canaries: a folder that must stay empty."""

    workspace: Path
    outside: Path
    canaries: Path

    def hits(self) -> list[str]:
        """What attacks left behind."""
        return sorted(path.name for path in self.canaries.iterdir())


@dataclass(frozen=True, slots=True)
class Case:
    """One line, or one argv, with the verdict it must get and what must be seen when it runs."""

    id: str
    kind: str
    line: str | None
    argv: tuple[str, ...]
    allow: bool
    cwd: str
    env: dict[str, str]
    expect: dict[str, Any]

    @property
    def ground(self) -> Ground:
        return ground(
            "bait" if self.id.startswith("s-a") else "honest" if self.id[0] == "s" else "one"
        )

    def filled(self, text: str) -> str:
        """A text of the case with the places of its ground."""
        place = self.ground
        for name, path in (
            ("{WS}", place.workspace),
            ("{OUT}", place.outside),
            ("{DIR}", place.workspace.parent),
        ):
            text = text.replace(name, str(path))
        return text

    @property
    def folder(self) -> Path:
        return self.ground.workspace / self.cwd

    @property
    def words(self) -> list[str]:
        """The arguments of safe-shell that run it."""
        if self.line is None:
            return ["--", *(self.filled(word) for word in self.argv)]
        return [self.filled(self.line)]


@cache
def cases() -> tuple[Case, ...]:
    """Every case, of both hands."""
    found = []
    for name in ("cases.jsonl", "cases_2.jsonl"):
        for row in (CASES / name).read_text(encoding="utf-8").splitlines():
            raw = json.loads(row)
            found.append(
                Case(
                    id=raw["id"],
                    kind=raw.get("kind", raw["id"][:3]),
                    line=raw.get("command"),
                    argv=tuple(raw.get("argv", ())),
                    allow=raw["verdict"] == "allow",
                    cwd=raw.get("cwd", ""),
                    env=raw.get("env", {}),
                    expect=raw.get("expect", {}),
                )
            )
    return tuple(found)


def case(name: str) -> Case:
    """The case of that id."""
    return next(case for case in cases() if case.id == name)


@cache
def ground(name: str) -> Ground:
    """Build a ground once a run: `one`, `honest`, `bait`."""
    base = Path(tempfile.mkdtemp(prefix="shell-")).resolve()
    atexit.register(shutil.rmtree, base, ignore_errors=True)
    base.chmod(0o755)
    script, folder = {
        "one": ("fixture.sh", base),
        "honest": ("fixture_2.sh", base / "ws"),
        "bait": ("fixture_2_attack.sh", base),
    }[name]
    done = subprocess.run(
        ["bash", str(CASES / script), str(folder)],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert (base / "ws" / ".git").is_dir(), done.stderr
    for more in ("outside", "canary"):
        (base / more).mkdir(exist_ok=True)
    return Ground(base / "ws", base / "outside", base / "canary")


def run_here(place: Ground, line: str | list[str], cwd: Path, timeout: float = 60) -> Result:
    """Check a line (or the words of one command) and run it in this process; raises ToolError."""
    root = str(place.workspace)
    roots = Roots.at(root, root, [], TABLE["workspace"]["secret_names"])
    plan = plan_line if isinstance(line, str) else plan_argv
    steps = plan(line, POLICY, roots, str(cwd))  # type: ignore[arg-type]
    return run(steps, POLICY, roots, str(cwd), timeout)
