"""A session with SQL Server: one statement or one look at the catalog, then closed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from dbtools.connection import Connection
from dbtools.drivers.base import CatalogRequest, Execution, Placeholder, Privileges
from dbtools.drivers.mssql import values
from dbtools.drivers.mssql.errors import Failures
from dbtools.drivers.mssql.values import ERRORS
from dbtools.drivers.mssql.wire import Wire
from dbtools.result import Column, ResultSet, Row
from toolbelt.errors import ToolError
from toolbelt.jsonvalue import Encoder

if TYPE_CHECKING:
    from dbtools.catalog import Catalog

_GOODBYE_SECONDS: Final = 1.0
_CANCEL_SECONDS: Final = 0.4
# Waiting for a lock ends before the whole time is up, so that the reason can be told.
_LOCK_SHARE: Final = 0.9
_MOST_DIGITS: Final = 38


class SqlServerSession:
    """Fills drivers.base.Session."""

    def __init__(self, wire: Wire, connection: Connection, timeout_seconds: float) -> None:
        self._wire = wire
        self._timeout = timeout_seconds
        self._failures = Failures(connection, connection.host, connection.port, timeout_seconds)
        self._connection = connection
        self._broken = False

    def execute(self, execution: Execution) -> ResultSet:
        """Run one statement, its text unchanged but for `@name`; rows come as they are read."""
        text = "".join(
            f"@{s.name}" if isinstance(s, Placeholder) else s for s in execution.segments
        )
        named = [s.name for s in execution.segments if isinstance(s, Placeholder)]
        bound = {name: _value(name, execution.parameters[name]) for name in dict.fromkeys(named)}
        encoder = Encoder(numbers_as_number=execution.numbers_as_number)
        try:
            self._wire.batch(self._settings(execution))
            self._send(text, bound, explain=execution.explain)
            columns = [Column(c.name, values.type_name(c)) for c in self._wire.columns()]
        except ERRORS as error:
            raise self._failed(error, text) from error
        return ResultSet(
            columns=columns,
            rows=self._rows(text),
            converters=[values.converter(c.type, encoder) for c in columns],
            warnings=encoder.warnings,
        )

    def _settings(self, execution: Execution) -> str:
        """SET ROWCOUNT is the second belt: the fetch stops at the same row."""
        if execution.explain:
            return "SET SHOWPLAN_ALL ON"
        lock = max(1, round(self._timeout * 1000 * _LOCK_SHARE))
        rows = execution.fetch_rows or 0
        return f"SET NOCOUNT ON; SET LOCK_TIMEOUT {lock}; SET ROWCOUNT {rows}"

    def _send(self, text: str, bound: Mapping[str, object], *, explain: bool) -> None:
        if not bound:
            self._wire.batch(text)
        elif explain:
            # A plan needs the parameters' types only; nothing runs.
            self._wire.batch(f"DECLARE {self._wire.declared(bound)}; {text}")
            while not self._wire.columns() and self._wire.next_set():
                continue
        else:
            self._wire.call(text, bound)

    def _rows(self, text: str) -> Iterator[Row]:
        try:
            yield from self._wire.rows()
        except ERRORS as error:
            raise self._failed(error, text) from error

    def catalog(self, request: CatalogRequest) -> Catalog:
        """Everything in one batch of several results."""
        from dbtools.drivers.mssql import catalogue

        try:
            return catalogue.read(self.results, request, self._connection)
        except ERRORS as error:
            raise self._failed(error, "") from error

    def results(self, batch: str) -> list[list[Row]]:
        """The rows of every result of one of our own batches."""
        self._wire.batch(batch)
        found = [list(self._wire.rows())]
        while self._wire.next_set():
            found.append(list(self._wire.rows()))
        return found

    def privileges(self) -> Privileges:
        """What the login could do without the guard, in one batch."""
        from dbtools.drivers.mssql import privileges

        try:
            return privileges.read(self.results, self._connection)
        except ERRORS as error:
            raise self._failed(error, "") from error

    def cancel(self) -> None:
        """Send ATTENTION. Never raises."""
        self._broken = True
        try:
            self._wire.attention(_CANCEL_SECONDS)
        except ERRORS:
            return

    def close(self) -> None:
        """Roll back, where the connection still answers, and hang up: the server then does it."""
        try:
            if not self._broken:
                self._wire.rollback(_GOODBYE_SECONDS)
        except ERRORS:
            self._broken = True
        finally:
            self._wire.close()

    def _failed(self, error: Exception, text: str) -> ToolError:
        # A number means that the server answered, and goes on answering.
        self._broken = not getattr(error, "number", 0)
        if isinstance(error, TimeoutError):
            self.cancel()
        return self._failures.query(error, text)


def _value(name: str, value: object) -> object:
    """What python-tds binds: a list or an object is JSON text, for OPENJSON."""
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int) and len(str(abs(value))) > _MOST_DIGITS:
        raise ToolError(
            "USAGE", f"Parameter :{name} has more than {_MOST_DIGITS} digits.",
            hint="give it as text",
        )  # fmt: skip
    return value
