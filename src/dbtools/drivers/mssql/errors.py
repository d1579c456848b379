"""What SQL Server complains of, as one ToolError with a code a caller can act on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from pytds import tds_base

from dbtools.connection import Connection
from dbtools.drivers import network
from dbtools.drivers.base import timeout_error
from toolbelt.envelope import one_line
from toolbelt.errors import ToolError

NO_TDS: Final = "what answers there does not speak TDS"
ENCRYPTION_REQUIRED: Final = "encryption is required by server"
# Error number -> (code, hint) while logging in.
_LOGIN: Final = {
    4060: ("CONNECTION_FAILED", "check the database's name: {p}NAME ({p}DB when numbered)"),
    4064: ("CONNECTION_FAILED", "the login's default database is gone: set {p}NAME ({p}DB)"),
    911: ("CONNECTION_FAILED", "check the database's name: {p}NAME ({p}DB when numbered)"),
    916: ("AUTH_FAILED", "the login is no user of that database: CREATE USER there"),
    18456: ("AUTH_FAILED", "check {p}USER and {p}PASS"),
    18452: ("AUTH_FAILED", "use a SQL Server login: Windows logins are not offered"),
    18461: ("CONNECTION_FAILED", "the server is in single-user mode: try again later"),
    18486: ("AUTH_FAILED", "the login is locked: ALTER LOGIN … WITH PASSWORD = … UNLOCK"),
    18487: ("AUTH_FAILED", "the password has expired: set a new one"),
    18488: ("AUTH_FAILED", "the password must be changed before the first use"),
    18470: ("AUTH_FAILED", "the login is disabled: ALTER LOGIN … ENABLE"),
    40532: ("AUTH_FAILED", "Azure wants {p}USER as user@server"),
    40613: ("CONNECTION_FAILED", "the database is waking up: try again in a minute"),
    40615: ("CONNECTION_FAILED", "the server's firewall must let this address in"),
    17809: ("CONNECTION_FAILED", "the server has no session left: try again later"),
    978: ("CONNECTION_FAILED", "only read-only sessions go there: leave APPLICATION_INTENT out"),
    983: ("CONNECTION_FAILED", "the replica is not readable: connect to the primary"),
}  # fmt: skip
_QUERY: Final = {
    102: "check the syntax near that word; T-SQL has TOP (n), not LIMIT",
    156: "check the syntax near that word; quote a reserved word as a name: [order]",
    195: "no such function: check its name, and its schema for a user's own (dbo.f)",
    207: "db-schema --table NAME lists the columns",
    208: "db-schema lists the tables; others are schema.table or database.schema.table",
    209: "put the table's alias before the column",
    229: "the login lacks this right: ask for GRANT SELECT, or query what db-schema lists",
    230: "the login lacks this right: ask for GRANT SELECT, or query what db-schema lists",
    245: "TRY_CONVERT gives NULL for what cannot be converted",
    262: "the login lacks this right: GRANT SHOWPLAN lets it see plans",
    297: "the login lacks this right",
    300: "the login lacks this right: VIEW SERVER STATE",
    512: "a subquery gave several rows: IN (…), or TOP (1)",
    1205: "chosen to end a deadlock: run it again",
    1222: "another session holds a lock on it: try again later",
    4104: "check the table's alias before the column",
    8115: "CAST to a wider type: bigint, decimal(38, 4)",
    8120: "put the column into GROUP BY, or an aggregate around it",
    8134: "NULLIF(x, 0) gives NULL instead",
    8623: "split it into simpler statements", 701: "narrow it: the server's memory is used up",
    8632: "split it into simpler statements", 8631: "split it into simpler statements",
    3906: "the database is read-only", 137: "bind it: --params '{\"name\": …}' for :name",
}  # fmt: skip
_NAMED: Final = re.compile(
    r"(?:near(?: the keyword)?|name|identifier|Column|column|object) '([^']+)'"
)


@dataclass(frozen=True, slots=True)
class Failures:
    """Makes the errors of one connection; nothing it says holds a secret."""

    connection: Connection
    host: str
    port: int | None
    timeout_seconds: float

    @property
    def place(self) -> str:
        return f"{self.host}:{self.port}" if self.port else self.host

    def login(self, error: Exception) -> ToolError:
        """Why the server let nobody in."""
        prefix = network.prefix(self.connection)
        number = int(getattr(error, "number", 0))
        text = self._clean(_text(error))
        if not number:
            return self._handshake(error, text)
        # A database that cannot be opened is told first, a failed login behind it.
        if number == 18456 and "Cannot open database" in text:
            number = 4060
        code, hint = _LOGIN.get(number, ("CONNECTION_FAILED", "see the message"))
        if code == "AUTH_FAILED":
            said = f"SQL Server at {self.place} refused user {self.connection.user!r}: {text}"
        else:
            said = f"Could not connect to SQL Server at {self.place}: {text}"
        return ToolError(code, said, hint.format(p=prefix), {"engineCode": number})

    def _handshake(self, error: Exception, text: str) -> ToolError:
        prefix = network.prefix(self.connection)
        if "required by server" in str(error):
            text, hint = "the server wants TLS.", f"export {prefix}SSLMODE=require"
        elif "not supported by server" in str(error):
            text, hint = "the server offers no TLS.", f"export {prefix}SSLMODE=disable"
        else:
            hint = f"is SQL Server what listens there? check {prefix}HOST and {prefix}PORT"
        return ToolError(
            "CONNECTION_FAILED", f"Could not connect to SQL Server at {self.place}: {text}", hint
        )

    def query(self, error: Exception, statement: str = "") -> ToolError:
        """Why a statement failed. statement: as the caller wrote it, for the position."""
        if isinstance(error, TimeoutError):
            return timeout_error(self.timeout_seconds)
        if isinstance(error, UnicodeDecodeError):
            if error.encoding.startswith("utf-16"):
                return ToolError(
                    "QUERY_FAILED", "SQL Server: an nvarchar holds half a surrogate pair.",
                    hint="CAST(column AS varbinary(max)) gives its bytes",
                )  # fmt: skip
            return ToolError(
                "QUERY_FAILED", "SQL Server: a text holds bytes that its collation does not have.",
                hint="CAST(column AS nvarchar(max)) has the server read them",
            )  # fmt: skip
        number = int(getattr(error, "number", 0))
        text = self._clean(_text(error))
        if not number:
            return self._lost(error, text)
        detail: dict[str, object] = {"engineCode": number}
        line = int(getattr(error, "line", 0))
        found = position(statement, line, text)
        detail |= {"position": found} if found else {}
        hint = _QUERY.get(number, "")
        code = "CONNECTION_FAILED" if getattr(error, "severity", 0) >= 20 else "QUERY_FAILED"
        return ToolError(code, f"SQL Server: {text}", hint, detail)

    def _lost(self, error: Exception, text: str) -> ToolError:
        if isinstance(error, tds_base.Error) and "Invalid type id" in text:
            return ToolError(
                "QUERY_FAILED", f"SQL Server: a column is of a type that is not read here: {text}",
                hint="read it as text: CAST(column AS nvarchar(max))",
            )  # fmt: skip
        said = getattr(error, "strerror", "") or text.rstrip(".")
        return ToolError(
            "CONNECTION_FAILED", f"The connection to {self.place} was lost: {one_line(said)}.",
            hint="try again; the result so far is incomplete",
        )  # fmt: skip

    def _clean(self, text: str) -> str:
        """One line that ends like a sentence."""
        line = one_line(self.connection.redact(text)).rstrip(".")
        return line if line.endswith(("?", "!")) else f"{line}."


def _text(error: Any) -> str:
    return str(error.args[0]) if error.args else type(error).__name__


def position(statement: str, line: int, message: str) -> int:
    """The 1-based character that an error's line, and the word it quotes, lead to; 0 for none."""
    lines = statement.split("\n")
    if not 1 <= line <= len(lines):
        return 0
    start = sum(len(before) + 1 for before in lines[: line - 1])
    found = _NAMED.search(message)
    at = _word(lines[line - 1], found[1]) if found else -1
    if at < 0:
        at = len(lines[line - 1]) - len(lines[line - 1].lstrip())
    return start + at + 1


def _word(line: str, word: str) -> int:
    """Where a whole word, or a part of a dotted name, stands first in a line; -1 for nowhere."""
    at = line.lower().find(word.lower())
    while at >= 0:
        before, after = line[at - 1 : at] if at else "", line[at + len(word) :][:1]
        if not (before and re.match(r"\w", before)) and not (after and re.match(r"\w", after)):
            return at
        at = line.lower().find(word.lower(), at + 1)
    return at
