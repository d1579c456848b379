"""MariaDB from Debian's `mariadb-server-core`."""

from __future__ import annotations

import shutil

import pymysql

from servers import flights, process
from servers.base import OWNER, READER, Login, ProcessEngine, Server

_SETTINGS = (
    "--bind-address=127.0.0.1",
    "--skip-name-resolve",
    "--character-set-server=utf8mb4",
    "--innodb-buffer-pool-size=128M",
    "--innodb-log-file-size=16M",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-flush-method=nosync",
    "--sync-binlog=0",
    "--performance-schema=OFF",
    "--max-connections=60",
    "--local-infile=1",
)
_DATABASE = "toolbelt"
_TYPES = {"text": "VARCHAR(100)", "int": "INT", "float": "DOUBLE", "time": "DATETIME"}


class MariaDB(ProcessEngine):
    """One server with a database `toolbelt`; owner has every right, reader only SELECT."""

    engine = "mysql"
    title = "MariaDB"
    install_hint = "sh tests/servers/install.sh (Debian package mariadb-server-core)"

    def identity(self) -> process.Identity:
        return process.unprivileged()

    def prepare(self) -> None:
        self._write_init_file()
        self.tool([
            self._program("mariadb-install-db"), "--no-defaults",
            f"--datadir={self.folder / 'data'}", "--auth-root-authentication-method=normal",
            "--skip-test-db", "--skip-name-resolve", "--skip-log-bin",
        ])  # fmt: skip

    def _program(self, name: str) -> str:
        """Debian keeps servers in sbin, which a user's PATH may lack."""
        path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/bin")
        if path is None:
            raise self.failure(f"is not installed ({name} not found)")
        return path

    def _write_init_file(self) -> None:
        """Users and database; the server reads one statement a line."""
        lines = [f"CREATE DATABASE {_DATABASE} CHARACTER SET utf8mb4;"]
        for host in ("127.0.0.1", "localhost"):
            lines += [
                f"CREATE USER {_account(OWNER, host)} IDENTIFIED BY {_text(OWNER.password)};",
                f"GRANT ALL ON *.* TO {_account(OWNER, host)} WITH GRANT OPTION;",
                f"CREATE USER {_account(READER, host)} IDENTIFIED BY {_text(READER.password)};",
                f"GRANT SELECT, SHOW VIEW ON *.* TO {_account(READER, host)};",
            ]
        path = self.folder / "init.sql"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        path.chmod(0o644)

    def command(self, port: int) -> list[str]:
        return [
            self._program("mariadbd"), "--no-defaults", f"--datadir={self.folder / 'data'}",
            f"--port={port}", f"--socket={self.folder / 'mysqld.sock'}",
            f"--pid-file={self.folder / 'pid'}", f"--init-file={self.folder / 'init.sql'}",
            *_SETTINGS,
        ]  # fmt: skip

    def probe(self, port: int) -> Server | None:
        server = Server(self.engine, "", port=port, database=_DATABASE, socket=str(self.folder))
        try:
            connection = connect(server)
        except pymysql.err.OperationalError as error:
            if error.args[0] == 1045:
                raise self.failure(f"refused its own owner: {error.args[1]}") from error
            return None
        with connection, connection.cursor() as cursor:
            cursor.execute("SELECT @@version")
            [(version,)] = cursor.fetchall()
        return server.with_version(str(version).split("-")[0])

    def load_flights(self, server: Server) -> Server:
        loaded = create_database(server, flights.DATABASE)
        with connect(loaded) as connection, connection.cursor() as cursor:
            for table in flights.TABLES:
                create, *indexes = flights.ddl(table, _TYPES)
                cursor.execute(create)
                self._load_csv(cursor, table)
                for index in indexes:
                    cursor.execute(index)
                cursor.execute(f"ANALYZE TABLE {table.name}")
                cursor.fetchall()
        return loaded

    def _load_csv(self, cursor: pymysql.cursors.Cursor, table: flights.Table) -> None:
        """LOAD DATA from our side of the connection; `NA` becomes NULL, the times lose their Z."""
        path = self.folder / f"{table.name}.csv"
        path.write_bytes(flights.csv_bytes(table))
        variables = ", ".join(f"@{name}" for name in table.columns)
        setters = ", ".join(
            f"{name} = NULLIF(TRIM(TRAILING 'Z' FROM @{name}), '{flights.NULL}')"
            if kind == "time"
            else f"{name} = NULLIF(@{name}, '{flights.NULL}')"
            for name, kind in table.columns.items()
        )
        cursor.execute(
            f"LOAD DATA LOCAL INFILE '{path}' INTO TABLE {table.name} CHARACTER SET utf8mb4"
            " FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' ESCAPED BY ''"
            f" LINES TERMINATED BY '\\n' IGNORE 1 LINES ({variables}) SET {setters}"
        )
        path.unlink()


def connect(server: Server, login: Login | None = None) -> pymysql.Connection:
    """An autocommit connection for set-up and checks; as owner unless a login is given."""
    login = login or server.owner
    # As bytes: pymysql would encode a text password as latin-1, and the server's is UTF-8.
    return pymysql.connect(
        host=server.host, port=server.port, user=login.user, password=login.password.encode(),
        database=server.database or None, connect_timeout=5, autocommit=True, local_infile=True,
        charset="utf8mb4",
    )  # fmt: skip


def create_database(server: Server, name: str) -> Server:
    """A further, empty database that the reader may read."""
    with connect(server) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE `{name}` CHARACTER SET utf8mb4")
    return server.with_database(name)


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def _account(login: Login, host: str) -> str:
    return f"{_text(login.user)}@{_text(host)}"
