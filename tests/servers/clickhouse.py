"""ClickHouse: the real engine (chDB, in a pinned environment) behind a small HTTP front."""

from __future__ import annotations

import base64
import http.client
import json
import os
from pathlib import Path
from urllib.parse import urlencode

from servers import flights, venvs
from servers.base import OWNER, READER, Login, ProcessEngine, Server

_DATABASE = "toolbelt"
_TYPES = {"text": "String", "int": "Int32", "float": "Float64", "time": "DateTime('UTC')"}


class ClickHouse(ProcessEngine):
    """A database `toolbelt`; the owner may do anything, the reader's profile has readonly=1."""

    engine = "clickhouse"
    title = "ClickHouse (chDB)"
    install_hint = "make engines (PyPI's chdb, in an environment of its own)"

    def prepare(self) -> None:
        config = {
            "path": str(self.folder / "data"),
            "requests": str(self.requests_file),
            "users": {
                OWNER.user: {"password": OWNER.password, "readonly": "0"},
                READER.user: {"password": READER.password, "readonly": "1"},
            },
        }
        (self.folder / "config.json").write_text(json.dumps(config), encoding="utf-8")

    @property
    def requests_file(self) -> Path:
        """What clients sent: one JSON object a line (sql, user, settings, query_id, parameters)."""
        return self.folder / "requests.jsonl"

    def environment(self) -> dict[str, str]:
        return {**os.environ, "TZ": "UTC"}

    def command(self, port: int) -> list[str]:
        place = venvs.locate("clickhouse")
        if place is None:
            raise self.failure("is not installed")
        shim = Path(__file__).with_name("clickhouse_shim.py")
        return [
            str(place / "bin" / "python"), str(shim), str(port), str(self.folder / "config.json"),
        ]  # fmt: skip

    def probe(self, port: int) -> Server | None:
        server = Server(
            self.engine, "", port=port, database=_DATABASE,
            record=str(self.requests_file),
        )  # fmt: skip
        try:
            version = execute(server, "SELECT version()").strip()
        except ConnectionRefusedError:
            return None
        return server.with_version(version)

    def load_flights(self, server: Server) -> Server:
        execute(server, f"CREATE DATABASE {flights.DATABASE}")
        loaded = server.with_database(flights.DATABASE)
        for table in flights.TABLES:
            columns = ", ".join(
                f"{name} {_TYPES[kind]}"
                if name in table.key
                else f"{name} Nullable({_TYPES[kind]})"
                for name, kind in table.columns.items()
            )
            key = ", ".join(table.key)
            execute(
                loaded, f"CREATE TABLE {table.name} ({columns}) ENGINE = MergeTree ORDER BY ({key})"
            )
            path = self.folder / f"{table.name}.csv"
            path.write_bytes(flights.csv_bytes(table))
            execute(
                loaded,
                f"INSERT INTO {table.name} SELECT * FROM file('{path}', 'CSVWithNames', "
                f"$${columns}$$)",
                format_csv_null_representation=flights.NULL,
                date_time_input_format="best_effort",
            )
            path.unlink()
        return loaded


def execute(server: Server, sql: str, login: Login | None = None, **settings: str) -> str:
    """Run a statement over HTTP, as owner unless a login is given; the answer's text."""
    login = login or server.owner
    query = urlencode({"database": server.database, **settings})
    token = base64.b64encode(f"{login.user}:{login.password}".encode()).decode()
    connection = http.client.HTTPConnection(server.host, server.port, timeout=120)
    try:
        connection.request("POST", f"/?{query}", sql.encode(), {"Authorization": f"Basic {token}"})
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
    finally:
        connection.close()
    if answer.status != 200:
        raise RuntimeError(f"ClickHouse answered {answer.status}: {text}")
    return text


def _column(table: flights.Table, name: str) -> str:
    """A column's definition; what is in the key cannot be Nullable."""
    plain = _TYPES[table.columns[name]]
    return f"{name} {plain if name in table.key else f'Nullable({plain})'}"


def requests(server: Server) -> list[dict[str, object]]:
    """Everything that clients have sent so far."""
    lines = Path(server.record).read_text(encoding="utf-8")
    return [json.loads(line) for line in lines.splitlines()]
