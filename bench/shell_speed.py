"""What safe-shell costs: to start, to confine a stage, to move bytes."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench.measure import Case
from bench.peers import own
from safeshell import run as shell_run
from safeshell.paths import Roots
from safeshell.plan import plan_line
from safeshell.policy import Policy
from safeshell.table import TABLE
from toolbelt.confine import LIBRARIES, Confinement
from toolbelt.process import run

BARE: Final = "python3 -c pass"
LINE: Final = "cat big.txt | tr a-z A-Z | wc -c"
MILLISECONDS: Final = 10.0
TIMES: Final = 2.0


def cases() -> list[Case]:
    """What is measured as whole processes."""
    env = {"TOOLBELT_WORKSPACE": str(Path(__file__).parents[1])}
    shell = own("safe-shell")
    return [
        Case(BARE, (sys.executable, "-c", "pass")),
        Case("safe-shell 'echo hi'", (shell, "echo hi"), env, against=BARE, cpu=9),
        Case("safe-shell 'rm x'", (shell, "rm x"), env, code=126, against=BARE, cpu=9),
        Case("safe-shell 'ls'", (shell, "ls"), env, against=BARE),
        Case("safe-shell 'jq -n 1'", (shell, "jq -n 1"), env, against=BARE),
    ]


def throughput(rounds: int = 7) -> tuple[float, float]:
    """Best seconds for 100 MB through three stages: bash's, and those of our running line.

    Starting is left out on both sides: a bare bash is subtracted, our clock starts at the line.
    """
    policy = Policy(TABLE)
    best = {"bash": 1e9, "start": 1e9, "ours": 1e9}
    with tempfile.TemporaryDirectory(prefix="bench-shell-") as name:
        folder = str(Path(name).resolve())
        (Path(folder) / "big.txt").write_bytes(b"the quick brown fox jumps over it\n" * 3_000_000)
        roots = Roots.at(folder, folder, [], [])
        steps = plan_line(LINE, policy, roots, folder)
        calls: dict[str, Callable[[], object]] = {
            "bash": lambda: subprocess.run(
                ["bash", "-c", LINE], cwd=folder, capture_output=True, check=True
            ),
            "start": lambda: subprocess.run(["bash", "-c", ":"], cwd=folder, check=True),
            "ours": lambda: shell_run.run(steps, policy, roots, folder, timeout=120),
        }
        for _ in range(rounds):
            for title, call in calls.items():
                begun = time.perf_counter()
                call()
                best[title] = min(best[title], time.perf_counter() - begun)
    return best["bash"] - best["start"], best["ours"]


def confinement(rounds: int = 40) -> float:
    """Median milliseconds that confining one stage adds to starting it."""
    folder = Path("/usr/share")
    spec = Confinement(
        read=(*LIBRARIES, folder), execute=("/usr/bin/true",), children=False, read_as_owner=True
    )
    taken: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(rounds):
        for confined in (True, False):
            begun = time.perf_counter()
            done = run(["/usr/bin/true"], cwd=folder, confinement=spec if confined else None)
            taken[confined].append(time.perf_counter() - begun)
            if not done.ok:
                raise RuntimeError(f"/usr/bin/true ended with {done.exit_code}")
    return 1000 * (statistics.median(taken[True]) - statistics.median(taken[False]))


def main() -> None:
    """Print what is not a matter of whole processes."""
    cost = confinement()
    print(f"Confining a stage costs {cost:.1f} ms {_kept(cost, MILLISECONDS, 'ms')}")
    bash, ours = throughput()
    print(
        f"100 MB through three stages: bash {1000 * bash:.0f} ms, safe-shell {1000 * ours:.0f} ms, "
        f"{ours / bash:.2f} x {_kept(ours / bash, TIMES, 'x')}"
    )


def _kept(measured: float, promised: float, unit: str) -> str:
    return f"(<= {promised:.0f} {unit}: {'kept' if measured <= promised else 'NOT KEPT'})"


if __name__ == "__main__":
    main()
