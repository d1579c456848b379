"""What the server and the client library complain of, as one ToolError a caller can act on."""

from __future__ import annotations

from dataclasses import dataclass

import pymysql

from dbtools.connection import Connection
from dbtools.drivers.base import timeout_error
from dbtools.drivers.mysql.binding import Bound
from dbtools.drivers.mysql.dialing import place
from toolbelt.envelope import one_line
from toolbelt.errors import ToolError

_TOO_LONG = (1969, 3024)
_READ_ONLY = (1792, 1836)
_LOCKED = (1205, 1907, 3572)
_LOST = (1053, 1077, 1152, 1158, 1159, 1160, 1161, 1927, 2006, 2013, 2055, 4031)
_HINTS = {
    1046: "name the database: DB_NAME, or database.table",
    1049: "db-schema lists the tables; SHOW DATABASES the databases",
    1052: "put the table's name or alias before the column",
    1054: "db-schema --table NAME lists the columns",
    1055: "add the column to GROUP BY, or aggregate it",
    1109: "name the table in FROM",
    1142: "the login lacks this right: ask for GRANT SELECT, or query what db-schema lists",
    1143: "the login lacks this right: ask for GRANT SELECT, or query what db-schema lists",
    1146: "db-schema lists the tables",
    1227: "the login lacks this right",
    1305: "no such function on this server: check its name",
    1317: "someone stopped it on the server",
    1356: "the view is broken: its tables, columns or definer's rights have changed",
    1370: "the login may not run this function",
    1792: "the session is read-only: only statements that read can run",
}


@dataclass(frozen=True, slots=True)
class Failures:
    """Makes the errors of one connection; nothing it says holds a secret. server: its name."""

    connection: Connection
    timeout_seconds: float
    server: str

    def of(self, error: Exception, bound: Bound | None = None) -> ToolError:
        """The error that a library's exception is."""
        number, text = _parts(error)
        detail: dict[str, object] = {"engineCode": number} if number else {}
        if state := getattr(error, "sqlstate", None):
            detail["sqlstate"] = state
        if bound is not None and number == 1064 and (at := bound.position(text)):
            detail["position"] = at
        if number in _TOO_LONG:
            return timeout_error(self.timeout_seconds, detail)
        message = one_line(self.connection.redact(text)).rstrip(".") or type(error).__name__
        hint = _HINTS.get(number, "")
        if number in _LOCKED:
            detail["reason"] = "lock"
            hint = "another session holds a lock: try again later"
            return ToolError("TIMEOUT", f"Waited too long for a lock: {message}.", hint, detail)
        if number in _READ_ONLY:
            return ToolError("BLOCKED", f"{self.server} refused to write: {message}.", hint, detail)
        if number in _LOST or not number:
            return self._lost(message, detail)
        return ToolError("QUERY_FAILED", f"{self.server}: {message}.", hint, detail)

    def _lost(self, message: str, detail: dict[str, object]) -> ToolError:
        return ToolError(
            "CONNECTION_FAILED",
            f"The connection to {place(self.connection)} was lost: {message}.",
            hint="try again; the result so far is incomplete", detail=detail,
        )  # fmt: skip


def _parts(error: Exception) -> tuple[int, str]:
    if isinstance(error, pymysql.Error) and error.args and isinstance(error.args[0], int):
        return error.args[0], str(error.args[-1])
    return 0, str(error)
