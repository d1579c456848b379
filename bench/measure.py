"""Measuring whole processes, round-robin, so that a busy machine is unfair to all alike."""

from __future__ import annotations

import compileall
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

DEADLINE_SECONDS = 900.0
OURS = ("toolbelt", "dbtools", "reporttools", "convert", "safeshell")


@dataclass(frozen=True, slots=True)
class Case:
    """A command to measure. code: the exit code it must end with.

    against: the title of the case it is compared with. cpu, wall: the highest ratio to that
    case we promise; more_cpu_ms: on top of cpu. rss_mb: the highest peak memory we promise;
    more_mb, more_ms: how much more memory, and wall time, than that case's.
    """

    title: str
    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    code: int = 0
    against: str = ""
    cpu: float | None = None
    more_cpu_ms: float = 0
    wall: float | None = None
    rss_mb: float | None = None
    more_ms: float | None = None
    more_mb: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Cases that are measured round-robin and printed together; warm: after a round unmeasured."""

    title: str
    rounds: int
    cases: Sequence[Case]
    warm: bool = True


@dataclass(frozen=True, slots=True)
class Cost:
    """Of several runs: the median of CPU seconds, the best wall seconds, the peak bytes."""

    cpu: float
    wall: float
    rss: int


def measure(cases: Sequence[Case], rounds: int, *, warm: bool = True) -> dict[str, Cost]:
    """Run every case once a round; warm: after one more round that only fills the caches."""
    compile_ours()
    runs: dict[str, list[dict[str, float]]] = {case.title: [] for case in cases}
    for number in range(-1 if warm else 0, rounds):
        for case in cases:
            run = _run(case)
            if number >= 0:
                runs[case.title].append(run)
    return {
        title: Cost(
            statistics.median(run["cpu"] for run in measured),
            min(run["wall"] for run in measured),
            int(max(run["rss"] for run in measured)),
        )
        for title, measured in runs.items()
    }


def compile_ours() -> None:
    """Write our byte code, as an installation does, even where the environment forbids it."""
    for name in OURS:
        spec = find_spec(name)
        if spec is not None and spec.origin is not None:
            compileall.compile_dir(Path(spec.origin).parent, quiet=1)


def _run(case: Case) -> dict[str, float]:
    launcher = str(Path(__file__).with_name("launch.py"))
    foreign = ("DB_", "DATABASE_URL", "TOOLBELT_", "PG")
    env = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    done = subprocess.run(
        [sys.executable, "-I", "-S", launcher, *case.argv], env={**env, **case.env},
        capture_output=True, text=True, check=False, timeout=DEADLINE_SECONDS,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"{case.title} could not be started: {done.stderr[-500:]}")
    run: dict[str, float] = json.loads(done.stdout)
    if run["code"] != case.code:
        raise RuntimeError(f"{case.title} ended with {run['code']:.0f}: {done.stderr[-500:]}")
    return run


def report(name: str, cases: Sequence[Case], costs: Mapping[str, Cost]) -> None:
    """Print one table; a promise that was not kept is marked."""
    print(f"\n{name}")
    width = max(len(case.title) for case in cases)
    print(f"  {'':{width}}   CPU ms       x  best wall ms       x  peak MB")
    for case in cases:
        cost = costs[case.title]
        base = costs.get(case.against, cost)
        cpu, wall, rss = cost.cpu / base.cpu, cost.wall / base.wall, cost.rss / 2**20
        line = f"  {case.title:{width}} {cost.cpu * 1000:8.0f} {cpu:7.2f} "
        line += f"{cost.wall * 1000:13.0f} {wall:7.2f} {rss:8.0f}"
        more = rss - base.rss / 2**20, (cost.wall - base.wall) * 1000
        spare = cpu - case.more_cpu_ms / 1000 / base.cpu
        print(f"{line}  {_verdict(case, spare, wall, rss, more)}".rstrip(), flush=True)


def _verdict(case: Case, cpu: float, wall: float, rss: float, more: tuple[float, float]) -> str:
    plus = f" + {case.more_cpu_ms:.0f} ms" if case.more_cpu_ms else ""
    promises = [
        (f"CPU <= {case.cpu} x{plus}", cpu, case.cpu),
        (f"wall <= {case.wall} x", wall, case.wall),
        (f"<= {case.rss_mb} MB", rss, case.rss_mb),
        (f"<= {case.more_mb} MB more", more[0], case.more_mb),
        (f"<= {case.more_ms} ms more", more[1], case.more_ms),
    ]
    said = []
    for text, measured, promised in promises:
        if promised is not None:
            said.append(f"{text}: {'kept' if measured <= promised else 'NOT KEPT'}")
    return ", ".join(said)
