"""Which functions of the installed engines has nobody looked at? `make guard-inventory`.

Every function must be denied by the guard's table or stand in tests/cases/guard/harmless/<dialect>.txt.
A new engine version shows its additions here; `--write` adds them to the harmless list, to be read
before they are committed.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from psycopg import sql

from dbtools.guard.model import Tables, load
from servers import ClickHouse, MariaDB, PostgreSQL, Server
from servers.clickhouse import execute
from servers.mariadb import connect as connect_mariadb
from servers.postgres import connect as connect_postgres
from servers.postgres import create_database, debian

HARMLESS = Path(__file__).parent / "cases" / "guard" / "harmless"


def postgres_names(server: Server) -> set[str]:
    """Functions that are not IMMUTABLE, of the server and of every extension it has.

    An immutable function may not look at or change anything by its own promise. Trigger functions
    and those that take `internal` cannot be called from a statement.
    """
    with connect_postgres(server) as connection:
        connection.execute("DROP DATABASE IF EXISTS inventory")
        database = create_database(server, "inventory")
    with connect_postgres(database) as connection:
        for (name,) in connection.execute("SELECT name FROM pg_available_extensions").fetchall():
            connection.execute(
                sql.SQL("CREATE EXTENSION IF NOT EXISTS {} CASCADE").format(sql.Identifier(name))
            )
        rows = connection.execute(
            "SELECT DISTINCT proname FROM pg_proc WHERE provolatile <> 'i'"
            " AND prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)"
            " AND NOT 'internal'::regtype = ANY (proargtypes)"
        ).fetchall()
    return {str(name) for (name,) in rows}


def mariadb_names(server: Server) -> set[str]:
    """The native functions, those of loaded plugins among them."""
    with connect_mariadb(server) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT FUNCTION FROM information_schema.SQL_FUNCTIONS")
        return {str(name).lower() for (name,) in cursor.fetchall()}


def sqlite_names() -> set[str]:
    """Functions, virtual tables that need no CREATE, and PRAGMAs, of the library in use."""
    connection = sqlite3.connect(":memory:")
    functions = connection.execute("SELECT DISTINCT name FROM pragma_function_list").fetchall()
    modules = connection.execute("SELECT name FROM pragma_module_list").fetchall()
    pragmas = connection.execute("SELECT name FROM pragma_pragma_list").fetchall()
    connection.close()
    names = {str(name).lower() for (name,) in [*functions, *modules]}
    return names | {f"pragma_{name}" for (name,) in pragmas}


def clickhouse_names(server: Server) -> set[str]:
    """Functions and table functions, aliases included."""
    question = "SELECT lower(name) FROM system.{} ORDER BY 1 FORMAT TSV"
    return {
        name
        for table in ("functions", "table_functions")
        for name in execute(server, question.format(table)).splitlines()
    }


def harmless(dialect: str) -> set[str]:
    """The names that were read and found harmless."""
    lines = (HARMLESS / f"{dialect}.txt").read_text("utf-8").splitlines()
    return {line.strip() for line in lines if line.strip() and not line.startswith("#")}


def is_decided(name: str, tables: Tables) -> bool:
    """Does the guard's table name this function, to deny it or to allow it?"""
    listed = name in tables.call_allowed or name in tables.arity
    return tables.denied.has(name) or listed or name in (tables.from_allowed or ())


def unknown(dialect: str, names: set[str]) -> list[str]:
    """Names that are neither decided by the table nor marked harmless."""
    tables, known = load(dialect), harmless(dialect)
    return sorted(n for n in names if n not in known and not is_decided(n, tables))


@contextmanager
def _running(engine: PostgreSQL | MariaDB | ClickHouse) -> Iterator[Server]:
    try:
        yield engine.start()
    finally:
        engine.stop()


def inventory() -> Iterator[tuple[str, str, set[str]]]:
    """(dialect, engine and version, names) of every engine on this machine."""
    for binaries in (None, *debian().values()):
        with _running(PostgreSQL(binaries)) as server:
            yield "postgres", f"PostgreSQL {server.version}", postgres_names(server)
    with _running(MariaDB()) as server:
        yield "mysql", f"MariaDB {server.version}", mariadb_names(server)
    yield "sqlite", f"SQLite {sqlite3.sqlite_version}", sqlite_names()
    with _running(ClickHouse()) as server:
        yield "clickhouse", f"ClickHouse {server.version}", clickhouse_names(server)


def main() -> int:
    """Print what nobody has looked at; exit code 1 when there is any."""
    parser = argparse.ArgumentParser(prog="guard_inventory", description=__doc__)
    parser.add_argument("--write", action="store_true", help="add them to the harmless lists")
    write = parser.parse_args().write
    open_names = 0
    for dialect, title, names in inventory():
        left = unknown(dialect, names)
        open_names += len(left)
        checked = load(dialect).checked_against
        sys.stdout.write(f"{title}: {len(names)} names, {len(left)} open (table: {checked})\n")
        sys.stdout.write("".join(f"  {name}\n" for name in left))
        if write:
            _add(dialect, left)
    return 1 if open_names and not write else 0


def _add(dialect: str, names: list[str]) -> None:
    path = HARMLESS / f"{dialect}.txt"
    comments = [line for line in path.read_text("utf-8").splitlines() if line.startswith("#")]
    lines = comments + sorted(harmless(dialect) | set(names))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
