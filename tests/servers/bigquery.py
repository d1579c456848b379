"""A BigQuery emulator from a pinned environment: local-bigquery, or else bqemulator.

local-bigquery is the better one, but needs Python 3.13 (see servers.venvs).
"""

from __future__ import annotations

import http.client
import io
import json
import os
from pathlib import Path
from typing import Any

from servers import flights, process, venvs
from servers.base import DEADLINE_SECONDS, Login, ProcessEngine, Server

PROJECT = "local"
_DATASET = "toolbelt"
_NOBODY = Login("", "")
_TYPES = {"text": "STRING", "int": "INT64", "float": "FLOAT64", "time": "DATETIME"}


class BigQuery(ProcessEngine):
    """Project `local` with a dataset `toolbelt`. An emulator has no logins and bills no bytes."""

    engine = "bigquery"
    title = "BigQuery emulator"
    install_hint = (
        "make engines (PyPI's local-bigquery or bqemulator, in an environment of its own)"
    )

    def prepare(self) -> None:
        (self.folder / "data").mkdir()

    def environment(self) -> dict[str, str]:
        # The environment's own home holds the DuckDB extensions that the emulator loads.
        return {**os.environ, "HOME": str(self._place() / "home"), "TZ": "UTC"}

    def _place(self) -> Path:
        place = venvs.locate("bigquery")
        if place is None:
            raise self.failure("is not installed")
        return place

    def command(self, port: int) -> list[str]:
        programs = self._place() / "bin"
        grpc, data = str(process.free_port()), str(self.folder / "data")
        if (programs / "local-bigquery").exists():
            return [
                str(programs / "local-bigquery"), "--host", "127.0.0.1", "--port", str(port),
                "--grpc-port", grpc, "--project", PROJECT, "--data-dir", data, "serve",
            ]  # fmt: skip
        return [
            str(programs / "bqemulator"), "start", "--rest-port", str(port), "--grpc-port", grpc,
            "--project", PROJECT, "--persistent", "--data-dir", data,
        ]  # fmt: skip

    def probe(self, port: int) -> Server | None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("GET", f"/bigquery/v2/projects/{PROJECT}/datasets")
            answer = connection.getresponse()
            body = answer.read()
        except ConnectionRefusedError:
            return None
        finally:
            connection.close()
        if answer.status != 200:
            raise self.failure(f"answers {answer.status}: {body[:300]!r}")
        server = Server(
            self.engine, self._version(), port=port, database=_DATASET, owner=_NOBODY, reader=_NOBODY,
            extra={"PROJECT": PROJECT}, by_address=False,
            environment={"BIGQUERY_EMULATOR_HOST": f"http://127.0.0.1:{port}"},
        )  # fmt: skip
        connect(server).create_dataset(_DATASET)
        return server

    def _version(self) -> str:
        """The emulator's name and version, from its environment's list of packages."""
        found = next(self._place().glob("lib/python*/site-packages/*big*query-*.dist-info"), None)
        found = found or next(self._place().glob("lib/python*/site-packages/bqemu*.dist-info"))
        return found.name.removesuffix(".dist-info").replace("_", "-")

    def load_flights(self, server: Server) -> Server:
        from google.cloud import bigquery

        loaded = server.with_database(flights.DATABASE)
        client = connect(loaded)
        client.create_dataset(flights.DATABASE)
        for table in flights.TABLES:
            schema = [bigquery.SchemaField(n, _TYPES[k]) for n, k in table.columns.items()]
            settings = bigquery.LoadJobConfig(source_format="NEWLINE_DELIMITED_JSON", schema=schema)
            lines = (
                json.dumps(dict(zip(table.columns, row, strict=True)))
                for row in flights.typed_rows(table)
            )
            source = io.BytesIO("\n".join(lines).encode())
            name = f"{PROJECT}.{flights.DATABASE}.{table.name}"
            job = client.load_table_from_file(source, name, job_config=settings)
            job.result(timeout=DEADLINE_SECONDS)
        return loaded


def connect(server: Server) -> Any:
    """A google-cloud-bigquery client of the emulator."""
    from google.auth.credentials import AnonymousCredentials
    from google.cloud import bigquery

    return bigquery.Client(
        project=PROJECT, credentials=AnonymousCredentials(),
        client_options={"api_endpoint": server.environment["BIGQUERY_EMULATOR_HOST"]},
    )  # fmt: skip
