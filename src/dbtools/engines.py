"""The table of engines: a literal, so that an engine not in use costs nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Engine:
    """One line of the table.

    module: the driver. dialect: the guard's name of the query language. extra: what pip must
    bring ('' for none). aliases: further DB_TYPE values and URL schemes. needs: the keys without
    which a connection is half configured ('A|B': one of them). limit_text: a LIMIT line may be
    appended to the statement. files: HOST means nothing, the database is a path. explain: what
    stands before a statement whose plan is asked for; '' where the language has no such word and
    the driver does it (Execution.explain). plan: the same for a plan in JSON with costs, where the
    engine has one. billed: reading the catalog costs money, so that hints ask what is free only.
    """

    module: str
    dialect: str
    extra: str = ""
    aliases: tuple[str, ...] = ()
    needs: tuple[str, ...] = ("HOST",)
    limit_text: bool = False
    files: bool = False
    explain: str = "EXPLAIN "
    plan: str = ""
    billed: bool = False


ENGINES: Final = {
    "postgresql": Engine(
        "dbtools.drivers.postgres",
        "postgres",
        "postgres",
        ("postgres", "pg"),
        limit_text=True,
        plan="EXPLAIN (FORMAT JSON) ",
    ),
    "mysql": Engine(
        "dbtools.drivers.mysql",
        "mysql",
        "mysql",
        ("mariadb",),
        limit_text=True,
        plan="EXPLAIN FORMAT=JSON ",
    ),
    "clickhouse": Engine("dbtools.drivers.clickhouse", "clickhouse", "clickhouse"),
    "sqlite": Engine(
        "dbtools.drivers.sqlite",
        "sqlite",
        "",
        ("sqlite3",),
        ("NAME",),
        limit_text=True,
        files=True,
        explain="EXPLAIN QUERY PLAN ",
    ),
    "mongodb": Engine(
        "dbtools.drivers.mongodb", "mongodb", "mongodb", ("mongo", "mongodb+srv"), ("HOST",)
    ),
    "bigquery": Engine(
        "dbtools.drivers.bigquery", "bigquery", "bigquery", ("bq",), (), explain="", billed=True
    ),
    "mssql": Engine("dbtools.drivers.mssql", "tsql", "mssql", ("sqlserver",), explain=""),
    "duckdb": Engine("dbtools.drivers.duckdb", "duckdb", "duckdb", (), ("NAME",), files=True),
}

BY_ALIAS: Final = {a: name for name, e in ENGINES.items() for a in (name, *e.aliases)}
