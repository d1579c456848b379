"""python -m bench [start] [export]: run the groups named, or all."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from bench.measure import Case, measure, report
from bench.peers import own, psql, sqlite_utils
from servers import PostgreSQL, Server, SQLite

BARE: Final = "python3 -c pass"
PSQL: Final = "psql -X"
PSQL_CSV: Final = "psql --csv"
UTILS: Final = "sqlite-utils query"
UTILS_NL: Final = "sqlite-utils query --nl"
ALL_FLIGHTS: Final = "SELECT * FROM flights"


@dataclass(frozen=True, slots=True)
class Stage:
    """The servers with the flights data."""

    postgres: Server
    sqlite: Server

    def psql(self, *arguments: str) -> Case:
        server = self.postgres
        env = {
            "PGHOST": server.host, "PGPORT": str(server.port), "PGDATABASE": server.database,
            "PGUSER": server.reader.user, "PGPASSWORD": server.reader.password,
        }  # fmt: skip
        return Case("", (psql(), "-X", *arguments), env)


Groups = list[tuple[str, int, Sequence[Case]]]


def start(stage: Stage) -> Groups:
    """What the shortest answers cost."""
    query = own("db-query")
    bare = Case(BARE, (sys.executable, "-c", "pass"))
    faces = [
        Case(f"{name} --help", (own(name), "--help"), against=BARE, cpu=6)
        for name in ("db-query", "db-schema")
    ]
    version = Case("db-query --version", (query, "--version"), against=BARE, cpu=6)
    usage = Case("db-query --nonsense", (query, "--nonsense"), code=2, against=BARE, cpu=6)
    asked = (query, "--query", "select 1")
    raw = stage.psql("-Atc", "select 1")
    postgres = [
        Case(PSQL, raw.argv, raw.env),
        Case("db-query on PostgreSQL", asked, stage.postgres.env(), against=PSQL, cpu=45),
    ]
    sqlite = [
        Case(UTILS, (sqlite_utils(), "query", stage.sqlite.database, "select 1")),
        Case("db-query on SQLite", asked, stage.sqlite.env(), against=UTILS, cpu=0.6),
    ]
    return [
        ("Help, version, usage error", 15, [bare, *faces, version, usage]),
        ("Cold select 1, PostgreSQL", 15, postgres),
        ("Cold select 1, SQLite", 15, sqlite),
    ]


def export(stage: Stage) -> Groups:
    """What 336,776 flights cost."""
    raw = stage.psql("--csv", "-c", ALL_FLIGHTS)

    def ours(form: str) -> tuple[str, ...]:
        return (own("db-query"), "--format", form, "--query", ALL_FLIGHTS)

    postgres = [
        Case(PSQL_CSV, raw.argv, raw.env),
        Case(
            "db-query --format csv", ours("csv"), stage.postgres.env(), against=PSQL_CSV,
            wall=3, rss_mb=80,
        ),
        Case(
            "db-query --format jsonl", ours("jsonl"), stage.postgres.env(), against=PSQL_CSV,
            wall=5, rss_mb=80,
        ),
    ]  # fmt: skip
    lines = (sqlite_utils(), "query", stage.sqlite.database, ALL_FLIGHTS, "--nl")
    sqlite = [
        Case(UTILS_NL, lines),
        Case(
            "db-query --format jsonl", ours("jsonl"), stage.sqlite.env(), against=UTILS_NL,
            wall=0.25, rss_mb=80,
        ),
    ]  # fmt: skip
    return [
        ("336,776 flights from PostgreSQL", 3, postgres),
        ("336,776 flights from SQLite", 3, sqlite),
    ]


GROUPS: Final[dict[str, Callable[[Stage], Groups]]] = {"start": start, "export": export}


def main(names: list[str]) -> int:
    """Start the servers, load the flights, measure, print."""
    unknown = set(names) - GROUPS.keys()
    if unknown:
        print(f"unknown: {', '.join(sorted(unknown))}; there are: {', '.join(GROUPS)}")
        return 2
    postgres, sqlite = PostgreSQL(), SQLite()
    try:
        stage = Stage(postgres.load_flights(postgres.start()), sqlite.load_flights(sqlite.start()))
        load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
        print(f"{os.cpu_count()} cores, load {load}, Python {platform.python_version()}, ", end="")
        print(f"PostgreSQL {stage.postgres.version}, SQLite {stage.sqlite.version}")
        print("CPU is the median of user + system time; read the ratios (x), not the times.")
        for name in names or GROUPS:
            for title, rounds, cases in GROUPS[name](stage):
                report(title, cases, measure(cases, rounds))
    finally:
        postgres.stop()
        sqlite.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
