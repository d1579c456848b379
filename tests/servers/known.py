"""The table of test engines: adding one is a line here and a fixture in conftest.py."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Final

from dbtools import engines
from servers import (
    BigQuery,
    ClickHouse,
    DuckDB,
    Engine,
    FakeSqlServer,
    MariaDB,
    MongoDB,
    PostgreSQL,
    SQLite,
)  # fmt: skip
from servers.postgres import debian

# fixture (or parameter) name -> how to make the engine.
ENGINES: Final[dict[str, Callable[[], Engine]]] = {
    "sqlite": SQLite,
    "postgres": PostgreSQL,
    "mariadb": MariaDB,
    "mongodb": MongoDB,
    "clickhouse": ClickHouse,
    "bigquery": BigQuery,
    "duckdb": DuckDB,
    **{f"postgres_{major}": partial(PostgreSQL, path) for major, path in debian().items()},
}

# Servers that run inside the test process, one a test, so that their threads end with it.
SCRIPTED: Final[dict[str, Callable[[], Engine]]] = {"mssql": FakeSqlServer}


def with_a_driver() -> dict[str, Callable[[], Engine]]:
    """One engine of each DB_TYPE that dbtools has a driver for."""
    first = {make().engine: name for name, make in reversed(ENGINES.items())}
    known = {engine for engine, spec in engines.ENGINES.items() if find_spec(spec.module)}
    return {name: ENGINES[name] for engine, name in sorted(first.items()) if engine in known}
