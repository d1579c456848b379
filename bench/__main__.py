"""python -m bench [GROUP...]: run these groups of measurements, or all; see GROUPS."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from bench.groups import GROUPS, Stage
from bench.measure import measure, report
from servers import Engine, PostgreSQL, SQLite
from servers.known import with_a_driver


@contextmanager
def stage(*, everything: bool) -> Iterator[Stage]:
    """The servers, started side by side and filled; only two of them unless everything is."""
    engines: dict[str, Engine] = {"postgres": PostgreSQL(), "sqlite": SQLite()}
    if everything:
        engines |= {name: make() for name, make in with_a_driver().items() if name not in engines}
    try:
        with ThreadPoolExecutor() as pool:
            filled = pool.map(lambda engine: engine.load_flights(engine.start()), engines.values())
            yield Stage(dict(zip(engines, filled, strict=True)))
    finally:
        for engine in engines.values():
            engine.stop()


def main(names: list[str]) -> int:
    """Start the servers, load the flights, measure, print."""
    unknown = set(names) - GROUPS.keys()
    if unknown:
        print(f"unknown: {', '.join(sorted(unknown))}; there are: {', '.join(GROUPS)}")
        return 2
    chosen = names or list(GROUPS)
    with stage(everything="memory" in chosen) as filled:
        load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
        print(f"{os.cpu_count()} cores, load {load}, Python {platform.python_version()}, ", end="")
        print(", ".join(f"{s.engine} {s.version}" for s in filled.servers.values()))
        print("CPU is the median of user + system time; read the ratios (x), not the times.")
        for name in chosen:
            for table in GROUPS[name](filled):
                report(
                    table.title, table.cases, measure(table.cases, table.rounds, warm=table.warm)
                )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
