"""What is measured: groups of cases, each compared with a peer in the same run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench import broker as brokering
from bench import convert_speed, navigator_speed, reports, shell_speed
from bench.measure import Case, Table
from bench.peers import own, psql, sqlite_utils
from servers import Server

BARE: Final = "python3 -c pass"
PSQL: Final = "psql -X"
PSQL_CSV: Final = "psql --csv"
UTILS: Final = "sqlite-utils query"
UTILS_NL: Final = "sqlite-utils query --nl"
ALL_FLIGHTS: Final = "SELECT * FROM flights"
# The flights three times over: 1,010,328 rows on every engine.
MILLION: Final = (
    "SELECT f.* FROM flights f"
    " CROSS JOIN (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3) copies"
)
MILLION_DOCUMENTS: Final = (
    '{"collection": "flights", "pipeline": [{"$unionWith": "flights"}, {"$unionWith": "flights"}]}'
)


@dataclass(frozen=True, slots=True)
class Stage:
    """The servers with the flights data, by name; `postgres` and `sqlite` are always there."""

    servers: Mapping[str, Server]

    def psql(self, title: str, *arguments: str) -> Case:
        server = self.servers["postgres"]
        env = {
            "PGHOST": server.host, "PGPORT": str(server.port), "PGDATABASE": server.database,
            "PGUSER": server.reader.user, "PGPASSWORD": server.reader.password,
        }  # fmt: skip
        return Case(title, (psql(), "-X", *arguments), env)


def start(stage: Stage) -> list[Table]:
    """What the shortest answers cost."""
    query = own("db-query")
    faces = [
        Case(f"{name} --help", (own(name), "--help"), against=BARE, cpu=6)
        for name in ("db-query", "db-schema", "report-run", "file-convert", "safe-shell")
    ]
    version = Case("db-query --version", (query, "--version"), against=BARE, cpu=6)
    usage = Case("db-query --nonsense", (query, "--nonsense"), code=2, against=BARE, cpu=6)
    bare = Case(BARE, (sys.executable, "-c", "pass"))
    asked = (query, "--query", "select 1")
    postgres, sqlite = stage.servers["postgres"], stage.servers["sqlite"]
    return [
        Table("Help, version, usage error", 15, [bare, *faces, version, usage]),
        Table("Cold select 1, PostgreSQL", 15, [
            stage.psql(PSQL, "-Atc", "select 1"),
            Case("db-query on PostgreSQL", asked, postgres.env(), against=PSQL, cpu=45),
        ]),
        Table("Cold select 1, SQLite", 15, [
            Case(UTILS, (sqlite_utils(), "query", sqlite.database, "select 1")),
            Case("db-query on SQLite", asked, sqlite.env(), against=UTILS, cpu=0.6),
        ]),
    ]  # fmt: skip


def _ours(form: str, query: str) -> tuple[str, ...]:
    return (own("db-query"), "--format", form, "--query", query)


def export(stage: Stage) -> list[Table]:
    """What 336,776 flights cost."""
    postgres, sqlite = stage.servers["postgres"].env(), stage.servers["sqlite"].env()
    csv, lines = _ours("csv", ALL_FLIGHTS), _ours("jsonl", ALL_FLIGHTS)
    utils = (sqlite_utils(), "query", stage.servers["sqlite"].database, ALL_FLIGHTS, "--nl")
    return [
        Table("336,776 flights from PostgreSQL", 3, [
            stage.psql(PSQL_CSV, "--csv", "-c", ALL_FLIGHTS),
            Case("db-query --format csv", csv, postgres, against=PSQL_CSV, wall=3, rss_mb=80),
            Case("db-query --format jsonl", lines, postgres, against=PSQL_CSV, wall=5, rss_mb=80),
        ]),
        Table("336,776 flights from SQLite", 3, [
            Case(UTILS_NL, utils),
            Case("db-query --format jsonl", lines, sqlite, against=UTILS_NL, wall=0.25, rss_mb=80),
        ]),
    ]  # fmt: skip


def memory(stage: Stage) -> list[Table]:
    """Peak memory for a million rows, against one row, on every engine we have a driver for."""
    tables = []
    for server in stage.servers.values():
        small, large = "SELECT 1 AS n", MILLION
        if server.engine == "mongodb":
            small, large = '{"collection": "airlines", "limit": 1}', MILLION_DOCUMENTS
        env = {**server.env(), "DB_QUERY_TIMEOUT": "600000"}
        one = Case("one row", _ours("jsonl", small), env)
        rest = [
            Case(form, _ours(form, large), env, against="one row", more_mb=80)
            for form in ("csv", "jsonl")
        ]
        title = f"1,010,328 rows from {server.engine}"
        tables.append(Table(title, 1, [one, *rest], warm=False))
    return tables


def schema(stage: Stage) -> list[Table]:
    """db-schema on a large catalog that it knows already."""
    folder = Path(stage.servers["sqlite"].database).parent
    return [Table("db-schema on 1,014 tables", 15, navigator_speed.cases(folder))]


def shell(_stage: Stage) -> list[Table]:
    """safe-shell against a bare interpreter and against bash."""
    shell_speed.main()
    return [Table("safe-shell, one answer", 15, shell_speed.cases())]


def broker(stage: Stage) -> list[Table]:
    """The way through the credential broker, warm, beside psql and the cold command."""
    server = stage.servers["postgres"]
    running = brokering.start(server.env())
    asked = (own("db-query"), "-q", "select 1")
    brokering.weigh()
    brokering.burst(running)
    return [
        Table("Warm select 1 through the broker", 25, [
            stage.psql(PSQL, "-c", "select 1"),
            brokering.case(running, "db-query, broker", PSQL),
            Case("db-query, no broker", asked, server.env(), against=PSQL),
        ]),
    ]  # fmt: skip


def report_run(_stage: Stage) -> Iterable[Table]:
    """report-run beside the npm packages that make the same files."""
    with TemporaryDirectory(prefix="bench-reports-") as folder:
        yield from reports.tables(Path(folder))


def convert(_stage: Stage) -> Iterable[Table]:
    """file-convert against the bare tools, and against peers."""
    with TemporaryDirectory(prefix="bench-convert-") as folder:
        yield from convert_speed.tables(Path(folder))


GROUPS: Final[dict[str, Callable[[Stage], Iterable[Table]]]] = {
    "start": start,
    "export": export,
    "memory": memory,
    "schema": schema,
    "shell": shell,
    "broker": broker,
    "reports": report_run,
    "convert": convert,
}
