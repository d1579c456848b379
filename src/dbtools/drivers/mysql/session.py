"""A session with MySQL or MariaDB: one statement or one look at the catalog, then closed."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from typing import TYPE_CHECKING, Final

import pymysql

from dbtools.connection import Connection
from dbtools.drivers import network
from dbtools.drivers.base import CatalogRequest, Execution, Privileges, timeout_error
from dbtools.drivers.columns import Change
from dbtools.drivers.mysql import binding, settings, types, values
from dbtools.drivers.mysql.binding import Bound
from dbtools.drivers.mysql.dialing import dial
from dbtools.drivers.mysql.errors import Failures
from dbtools.drivers.mysql.wire import Wire
from dbtools.result import Column, ResultSet, Row
from toolbelt.envelope import one_line
from toolbelt.errors import ToolError
from toolbelt.jsonvalue import Encoder

if TYPE_CHECKING:
    from dbtools.catalog import Catalog

_CANCEL_SECONDS: Final = 2.0
# Cells are read a column of so many rows at a time; fewer where rows are long.
_ROWS_AT_ONCE: Final = 256
_BYTES_AT_ONCE: Final = 1 << 20
_WARNINGS_SHOWN: Final = 5
# A statement this close to its limit may have been cut short without an error.
_NEAR_LIMIT: Final = 0.9


class MySQLSession:
    """Fills drivers.base.Session."""

    def __init__(self, wire: Wire, connection: Connection, timeout_seconds: float) -> None:
        self._wire = wire
        self._connection = connection
        self._timeout = timeout_seconds
        self._server = "MariaDB" if wire.is_mariadb else "MySQL"
        self._version = ""
        self._zone = ""
        self._failures = Failures(connection, timeout_seconds, self._server)

    def execute(self, execution: Execution) -> ResultSet:
        """Run the statement; rows arrive one a step, nothing is buffered."""
        bound = binding.bind(execution.segments, execution.parameters)
        # A plan is of the statement as it stands, not of one with our row cap.
        planned = execution.kind.upper().startswith("EXPLAIN")
        self._prepare(None if planned else execution.fetch_rows)
        encoder = Encoder(numbers_as_number=execution.numbers_as_number)
        started = monotonic()
        try:
            found = self._wire.start(bound.text)
        except pymysql.Error as error:
            raise self._failures.of(error, bound) from error
        readers = values.Readers(encoder, self._zone)
        changes = [readers.reader(column) for column in found]
        rows = self._rows(changes, encoder, bound, started) if found else iter(())
        return ResultSet(
            columns=[Column(column.name, types.name(column)) for column in found],
            rows=rows,
            converters=[None] * len(found),
            warnings=encoder.warnings,
            close=self._wire.drop,
        )

    def catalog(self, request: CatalogRequest) -> Catalog:
        """Everything in four round trips."""
        from dbtools.drivers.mysql import catalogue

        self._prepare(None)
        try:
            return catalogue.read(
                self._wire, request, self._default_schema(), f"{self._server} {self._version}"
            )
        except pymysql.Error as error:
            raise self._failures.of(error) from error

    def privileges(self) -> Privileges:
        """What the login could do without the guard, in two round trips."""
        from dbtools.drivers.mysql import privileges

        self._prepare(None)
        try:
            return privileges.read(self._wire, self._default_schema())
        except pymysql.Error as error:
            raise self._failures.of(error) from error

    def cancel(self) -> None:
        """Stop the statement by a connection of its own. Never raises."""
        try:
            other = dial(self._connection, _CANCEL_SECONDS)
            try:
                other.rows(f"KILL QUERY {self._wire.thread_id()}")
            finally:
                other.drop()
        except (ToolError, pymysql.Error, OSError):
            return

    def close(self) -> None:
        """Disconnect, which rolls back; what is still on its way is not waited for."""
        self._wire.drop()

    def _default_schema(self) -> str:
        return self._connection.database or self._connection.schema

    def _prepare(self, rows: int | None) -> None:
        """Set the session up, and learn its time zone and true version."""
        zone = self._connection.options.get("time_zone", "")
        try:
            settings.apply(self._wire, self._timeout, rows, zone)
            version, zone_name, system = self._wire.one(
                "SELECT @@version, @@session.time_zone, @@system_time_zone"
            )
        except pymysql.Error as error:
            if settings.is_unknown_zone(error):
                raise self._unknown_zone(zone) from error
            raise self._failures.of(error) from error
        self._server = "MariaDB" if "mariadb" in (version or "").lower() else "MySQL"
        self._version = (version or "").partition("-")[0]
        self._failures = Failures(self._connection, self._timeout, self._server)
        self._zone = (system if zone_name == "SYSTEM" else zone_name) or ""

    def _unknown_zone(self, zone: str) -> ToolError:
        prefix = network.prefix(self._connection)
        return ToolError(
            "BAD_CONFIG", f"{prefix}TIME_ZONE is {zone!r}, which the server does not know.",
            hint="an offset such as +00:00 always works; names need the server's time zone tables",
        )  # fmt: skip

    def _rows(
        self, readers: list[Change], encoder: Encoder, bound: Bound, started: float
    ) -> Iterator[Row]:
        try:
            while not self._wire.ended:
                packets = self._wire.some_rows(_ROWS_AT_ONCE, _BYTES_AT_ONCE)
                if packets:
                    yield from values.rows(packets, readers)
            self._finish(encoder, monotonic() - started)
        except pymysql.Error as error:
            raise self._failures.of(error, bound) from error

    def _finish(self, encoder: Encoder, seconds: float) -> None:
        """After the last row: was it cut short, and what did the server warn of?"""
        if seconds >= self._timeout * _NEAR_LIMIT and self._was_cut():
            raise timeout_error(self._timeout)
        if self._wire.warning_count:
            for level, _, message in self._wire.rows(f"SHOW WARNINGS LIMIT {_WARNINGS_SHOWN}"):
                if level != "Note":
                    text = one_line(self._connection.redact(message or ""))
                    encoder.warnings[f"{self._server}: {text}"] = None

    def _was_cut(self) -> bool:
        """BENCHMARK() and SLEEP() end early at the limit and give a value as if all were well."""
        found = self._wire.rows("SHOW SESSION STATUS LIKE 'Max\\_%\\_time\\_exceeded'")
        return any(int(value or 0) for _, value in found)
