"""The second wall alone: every attack sent past the guard, inside a network namespace of its own.

The statements go through our drivers' sessions to throw-away servers, once as an owner who may do
anything and once as the reader. Hosts in them are rewritten to a loopback listener, and nothing
else can be reached from here. After each one the canaries are looked at.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import socket
import struct
import sys
from collections import Counter
from collections.abc import Callable

import psycopg
import pymysql

from dbtools import connection as connections
from dbtools import drivers
from dbtools.deadline import Deadline, DeadlineReached
from dbtools.drivers.base import Execution
from fuzz.open import on
from fuzz.targets import MARKER, Target
from guard_report import Case, cases
from servers import ClickHouse, Engine, Login, MariaDB, PostgreSQL, Server, SQLite, process
from servers.clickhouse import execute as execute_clickhouse
from toolbelt.errors import ToolError

ENGINES: dict[str, Callable[[], Engine]] = {
    "postgres": PostgreSQL,
    "mysql": MariaDB,
    "sqlite": SQLite,
    "clickhouse": ClickHouse,
}
TARGETS = {"postgres": "postgres", "mysql": "mariadb", "sqlite": "sqlite"}
SECONDS = 3.0
OUTCOMES = ("stopped", "another error", "ran", "CHANGED")
# How an engine says that it will not, not that it cannot.
_REFUSALS = re.compile(
    r"read-?only|permission denied|access denied|not authorized|not allowed|prohibited|must be superuser"
    r"|multiple commands|one statement|denied|readonly|privilege|ACCESS_DENIED|disabled|restricted"
    r"|syntax|too many attached|cannot be (executed|used)|Cannot (execute|modify)|not supported",
    re.IGNORECASE,
)
_HOSTS = re.compile(
    r"(https?://|gs://|s3://)[^/'\"\s)]+|(?<=')[\w.{}|-]+:\d+(?=')|(?<=host )\"[^\"]+\""
)
_OURS = ("commands", "sessions")
_INSIDE = "GUARD_LAYERS_INSIDE"


def report() -> int:
    """Enter the namespace, send everything, print what each engine stopped."""
    if os.environ.get(_INSIDE) is None:
        _enter()
    _loopback_up()
    for dialect in ENGINES:
        _one_engine(dialect)
    return 0


def _enter() -> None:
    """Run this again without any network."""
    unshare = shutil.which("unshare")
    if unshare is None:
        raise SystemExit("unshare is missing: apt-get install util-linux")
    flags = ["--net"] if os.geteuid() == 0 else ["--net", "--map-root-user"]
    environment = {**os.environ, _INSIDE: "1"}
    argv = [unshare, *flags, sys.executable, "-m", "guard_report", "--layers"]
    os.execve(unshare, argv, environment)  # noqa: S606


def _loopback_up() -> None:
    up, get, set_ = 0x1 | 0x40, 0x8913, 0x8914  # IFF_UP | IFF_RUNNING, SIOCGIFFLAGS, SIOCSIFFLAGS
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        request = fcntl.ioctl(door, get, struct.pack("16sh14x", b"lo", 0))
        flags = struct.unpack("16sh14x", request)[1] | up
        fcntl.ioctl(door, set_, struct.pack("16sh14x", b"lo", flags))


class Arena:
    """A throw-away engine with canaries, started again when an attack ends it."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.engine: Engine = ENGINES[dialect]()
        self.folder = process.scratch_folder("layers", process.unprivileged())
        self.target: Target | None = None
        self.server = self._start()

    def _start(self) -> Server:
        server = self.engine.start()
        if self.dialect in TARGETS:
            shared = None if self.dialect == "sqlite" else server
            self.target = on(TARGETS[self.dialect], self.folder, shared)
        else:  # ClickHouse has only tables of the names the cases use
            for name in ("t", "orders", "customers", "u", "x"):
                execute_clickhouse(
                    server, f"CREATE TABLE {name} (id Int32, a Int32) ENGINE = Memory"
                )
        return server

    def send(self, case: Case, login: Login) -> str:
        """What becomes of one attack: one of OUTCOMES."""
        port = self.target.listener.port if self.target else 9
        text = _HOSTS.sub(lambda found: f"{found.group(1) or ''}127.0.0.1:{port}", case.query)
        try:
            before = self._state()
            outcome = _run(text, self.server, login, self.target)
            if self.target and self._state() != before:
                self.target.reset()
                return "CHANGED"
        except (pymysql.err.Error, psycopg.Error):  # the attack shut the server down
            self.close()
            self.folder = process.scratch_folder("layers", process.unprivileged())
            self.engine = ENGINES[self.dialect]()
            self.server = self._start()
            return "CHANGED"
        return outcome

    def _state(self) -> dict[str, str]:
        """The canaries, without what our own session's opening and closing moves."""
        found = self.target.fingerprint() if self.target else {}
        return {name: state for name, state in found.items() if name not in _OURS}

    def close(self) -> None:
        """Stop the engine and remove what it wrote."""
        if self.target:
            self.target.close()
        self.engine.stop()
        process.remove_folder(self.folder)


def _one_engine(dialect: str) -> None:
    attacks = [c for c in cases() if c.attack and c.dialect == dialect]
    arena = Arena(dialect)
    try:
        for login in dict.fromkeys((arena.server.owner, arena.server.reader)):
            outcomes = {case: arena.send(case, login) for case in attacks}
            who = login.user or "the file's owner"
            _print(f"{arena.engine.title} {arena.server.version}, as {who}", outcomes)
    finally:
        arena.close()


def _run(text: str, server: Server, login: Login, target: Target | None) -> str:
    environment = dict(server.env(login))
    if target and target.dialect == "sqlite":
        environment["DB_NAME"] = str(target.folder / "fuzz.db")
    if target and target.dialect == "mysql":
        environment["DB_NAME"] = "canaries"
    described = connections.find(None, environment)
    session = drivers.load(described.engine).connect(described, SECONDS)
    try:
        with Deadline(SECONDS + 2):
            rows = list(session.execute(Execution([text], fetch_rows=50)).rows)
        return "CHANGED" if MARKER in str(rows) else "ran"
    except DeadlineReached:
        session.cancel()
        return "stopped"
    except ToolError as error:
        timed_out = error.code == "TIMEOUT"
        return "stopped" if timed_out or _REFUSALS.search(str(error)) else "another error"
    except (UnicodeEncodeError, ValueError):
        return "stopped"  # the client library will not send it
    finally:
        session.close()


def _print(title: str, outcomes: dict[Case, str]) -> None:
    counts = Counter(outcomes.values())
    shares = ", ".join(f"{counts[name]} {name}" for name in OUTCOMES)
    sys.stdout.write(f"{title}: {len(outcomes)} attacks past the guard: {shares}\n")
    for case, outcome in outcomes.items():
        if outcome in ("ran", "CHANGED"):
            sys.stdout.write(f"  {outcome:<8} {case.id:<12} {_line(case.query)}\n")
    sys.stdout.flush()


def _line(text: str) -> str:
    return " ".join(text.split())[:110]
