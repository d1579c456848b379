"""Start an engine of tests/servers and put the canaries into it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fuzz.target_clickhouse import ClickHouseTarget
from fuzz.target_mariadb import MariaDBTarget
from fuzz.target_postgres import PostgresTarget
from fuzz.target_sqlite import SQLiteTarget
from fuzz.targets import Target
from servers import ClickHouse, MariaDB, PostgreSQL, Server, process

ENGINES = ("postgres", "mariadb", "sqlite", "clickhouse")


def on(name: str, folder: Path, server: Server | None) -> Target:
    """The canaries of an engine that runs already."""
    if name == "sqlite":
        return SQLiteTarget(folder)
    if server is None:
        raise ValueError(f"{name} needs a server")
    made = {"postgres": PostgresTarget, "mariadb": MariaDBTarget, "clickhouse": ClickHouseTarget}
    return made[name](folder, server)


@contextmanager
def opened(name: str) -> Iterator[Target]:
    """An engine of its own for one campaign."""
    engine = {"postgres": PostgreSQL, "mariadb": MariaDB, "clickhouse": ClickHouse}.get(name)
    running = engine() if engine else None
    server = running.start() if running else None
    identity = process.unprivileged() if running else process.Identity()
    folder = process.scratch_folder(f"fuzz-{name}", identity)
    target = on(name, folder, server)
    try:
        yield target
    finally:
        target.close()
        if running:
            running.stop()
        process.remove_folder(folder)
