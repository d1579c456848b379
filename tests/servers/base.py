"""What every test engine offers, and what a started one tells."""

from __future__ import annotations

import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

from servers import process

DEADLINE_SECONDS = 90.0


class EngineError(RuntimeError):
    """An engine cannot be had: the message says how to install it and what it logged last."""


@dataclass(frozen=True, slots=True)
class Login:
    """A user and its password. The passwords hold characters that a URL must encode."""

    user: str
    password: str


OWNER = Login("owner", "own:er/p@ss w%rd#1")
READER = Login("reader", "re'ad\"er?&=é")


@dataclass(frozen=True, slots=True)
class Server:
    """A running engine, seen from a client.

    engine: the DB_TYPE value. version: as the server says it. owner may do anything; reader may
    only read. database: a path where the engine is a file (host and port are empty then).
    socket: the folder of its unix socket, if it has one. extra: further keys of the DB_* form,
    without prefix (`SSLMODE`). environment: variables of other names (`BIGQUERY_EMULATOR_HOST`).
    by_address: whether DB_HOST and DB_PORT lead to it.
    record: a file of what clients sent, where the engine keeps one.
    """

    engine: str
    version: str
    host: str = "127.0.0.1"
    port: int = 0
    database: str = ""
    owner: Login = OWNER
    reader: Login = READER
    extra: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    scheme: str = ""
    socket: str = ""
    record: str = ""
    by_address: bool = True

    def env(
        self, login: Login | None = None, *, name: str = "", number: int | None = None
    ) -> dict[str, str]:
        """The DB_* variables of a connection to it; the reader's unless a login is given.

        number: the numbered form DB_<n>_*, with `name` as the connection's name.
        """
        login = login or self.reader
        prefix = "DB_" if number is None else f"DB_{number}_"
        values = {"TYPE": self.engine, **self.extra}
        if self.port and self.by_address:
            values |= {"HOST": self.host, "PORT": str(self.port)}
        if login.user:
            values |= {"USER": login.user, "PASS": login.password}
        if number is None:
            values["NAME"] = self.database
        else:
            values |= {"NAME": name or f"{self.engine}_{number}", "DB": self.database}
        return {prefix + key: value for key, value in values.items()} | dict(self.environment)

    def url(self, login: Login | None = None) -> str:
        """A connection string with every part percent-encoded."""
        login = login or self.reader
        user, password = quote(login.user, safe=""), quote(login.password, safe="")
        scheme = self.scheme or self.engine
        place = f"{self.host}:{self.port}/{quote(self.database, safe='')}"
        return f"{scheme}://{user}:{password}@{place}"

    def with_database(self, database: str) -> Server:
        """The same server, another database."""
        return replace(self, database=database)

    def with_version(self, version: str) -> Server:
        """The same server, its version now known."""
        return replace(self, version=version)


class Engine(ABC):
    """One engine of the tests: its DB_TYPE, and what the closing summary calls it."""

    engine: ClassVar[str]
    title: ClassVar[str]
    install_hint: ClassVar[str]

    @abstractmethod
    def start(self) -> Server:
        """Start it and wait until both logins work, at most DEADLINE_SECONDS."""

    @abstractmethod
    def load_flights(self, server: Server) -> Server:
        """Load the flights data (see servers.flights) and return the server with its database."""

    @abstractmethod
    def stop(self) -> None:
        """Stop it and remove its data. May be called twice; never raises for a dead server."""


class ProcessEngine(Engine):
    """An engine that is one server process with a scratch folder of its own."""

    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM

    def __init__(self) -> None:
        self.folder = Path()
        self.server_process: process.ServerProcess | None = None

    @abstractmethod
    def prepare(self) -> None:
        """Make the data folder inside self.folder."""

    @abstractmethod
    def command(self, port: int) -> list[str]:
        """The server's command line."""

    @abstractmethod
    def probe(self, port: int) -> Server | None:
        """Log in and finish the set-up; None while the server is not ready yet."""

    def identity(self) -> process.Identity:
        """Who runs the server: ourselves, unless the engine refuses root."""
        return process.Identity()

    def environment(self) -> dict[str, str] | None:
        """The server's environment; None is ours."""
        return None

    def start(self) -> Server:
        deadline = time.monotonic() + DEADLINE_SECONDS
        self.folder = process.scratch_folder(type(self).__name__.lower(), self.identity())
        try:
            self.prepare()
            for _attempt in range(3):
                server = self._serve(deadline)
                if server is not None:
                    return server
            raise EngineError(f"{self.title}: three free ports in a row were taken by others.")
        except BaseException:
            self.stop()
            raise

    def _serve(self, deadline: float) -> Server | None:
        """One try on one port; None when somebody else took the port first."""
        port = process.free_port()
        running = process.ServerProcess(
            self.command(port), self.folder, self.identity(),
            stop_signal=self.stop_signal, environment=self.environment(),
        )  # fmt: skip
        self.server_process = running
        while time.monotonic() < deadline:
            server = self.probe(port)
            if server is not None:
                return server
            if running.ended():
                if running.port_was_taken():
                    return None
                raise self.failure(f"ended with code {running.returncode()}", running.log_tail())
            time.sleep(0.05)
        raise self.failure(f"did not answer within {DEADLINE_SECONDS:.0f} s", running.log_tail())

    def failure(self, what: str, log: str = "") -> EngineError:
        """An EngineError that a reader can act on."""
        tail = f"\nIts last lines:\n{log}" if log else ""
        return EngineError(f"{self.title} {what}.\nTo install it: {self.install_hint}{tail}")

    def tool(self, argv: list[str]) -> None:
        """Run a set-up program as the server's user; its output goes into the failure."""
        done = process.run_tool(argv, self.identity(), DEADLINE_SECONDS)
        if done.returncode != 0:
            raise self.failure(f"set-up failed (code {done.returncode}): {argv[0]}", done.output)

    def stop(self) -> None:
        if self.server_process is not None:
            self.server_process.stop()
            self.server_process = None
        if self.folder != Path():
            process.remove_folder(self.folder)
            self.folder = Path()
