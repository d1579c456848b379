"""Session-wide servers: only those that a collected test needs, started side by side."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

from fleet import Fleet
from servers import FakeSqlServer, Server
from servers.known import with_a_driver
from servers.postgres import debian
from toolbelt import process

FLEET = Fleet()

# A background job of a shell starts with SIGINT ignored, and so would every command under test.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Some of the servers live in threads of this process; programs may be run beside them.
process.THREADS_ARE_IDLE = True

# Timings on a shared machine say nothing about a property, so no deadline a case. `make test` tries
# the same cases for the same code, so that its verdict is the change's; `make fuzz` looks for new ones.
settings.register_profile("check", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None, max_examples=20_000, print_blob=True)
settings.load_profile("check")


def pytest_collection_finish(session: pytest.Session) -> None:
    """See which engines the selected tests name."""
    FLEET.plan(session.items)


@pytest.fixture(scope="session", autouse=True)
def _fleet() -> Iterator[None]:
    yield
    FLEET.stop()


@pytest.fixture(scope="session")
def postgres() -> Server:
    """PostgreSQL 18 with an empty database `toolbelt`, shared by the whole run."""
    return FLEET.get("postgres")


@pytest.fixture(scope="session", params=["postgres", *(f"postgres_{v}" for v in debian())])
def each_postgres(request: pytest.FixtureRequest) -> Server:
    """Every PostgreSQL there is on this machine, one after the other."""
    return FLEET.get(str(request.param))


@pytest.fixture(scope="session")
def mariadb() -> Server:
    """MariaDB with an empty database `toolbelt`."""
    return FLEET.get("mariadb")


@pytest.fixture(scope="session")
def mongodb() -> Server:
    """A MongoDB wire server with authentication and an empty database `toolbelt`."""
    return FLEET.get("mongodb")


@pytest.fixture(scope="session")
def clickhouse() -> Server:
    """The ClickHouse engine behind HTTP; servers.clickhouse.requests() shows what was sent."""
    return FLEET.get("clickhouse")


@pytest.fixture(scope="session")
def bigquery() -> Server:
    """A BigQuery emulator with a project `local` and an empty dataset `toolbelt`."""
    return FLEET.get("bigquery")


@pytest.fixture
def mssql() -> Iterator[FakeSqlServer]:
    """A scripted TDS server with nothing in its script; `mssql.server` is its address."""
    fake = FLEET.scripted("mssql")
    assert isinstance(fake, FakeSqlServer)
    yield fake
    fake.stop()


@pytest.fixture(scope="session")
def sqlite() -> Server:
    """SQLite with an empty file; `database` is its path."""
    return FLEET.get("sqlite")


@pytest.fixture(scope="session")
def duckdb() -> Server:
    """DuckDB with an empty file; `database` is its path."""
    return FLEET.get("duckdb")


@pytest.fixture(scope="session")
def flights_sqlite() -> Server:
    """The flights data in a SQLite file."""
    return FLEET.flights("sqlite")


@pytest.fixture(scope="session")
def flights_postgres() -> Server:
    """The flights data in PostgreSQL 18."""
    return FLEET.flights("postgres")


@pytest.fixture(scope="session")
def flights_mariadb() -> Server:
    """The flights data in MariaDB."""
    return FLEET.flights("mariadb")


@pytest.fixture(scope="session", params=list(with_a_driver()))
def flights_engine(request: pytest.FixtureRequest) -> Server:
    """The flights data in every engine we have a driver for, one after the other."""
    return FLEET.flights(str(request.param))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One closing line: engines, versions, number of tests, skips."""
    skipped = len(terminalreporter.stats.get("skipped", []))
    if FLEET.started():
        terminalreporter.write_line(f"engines: {FLEET.summary()}; {skipped} skipped")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A skipped test is a failure: whatever it needs, the project's own files install."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == pytest.ExitCode.OK and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
