"""What ClickHouse complains of, as one ToolError with a code a caller can act on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from dbtools.connection import Connection
from dbtools.drivers import network
from dbtools.drivers.base import timeout_error
from dbtools.drivers.clickhouse.binding import Bound
from dbtools.drivers.clickhouse.blocks import Unreadable
from dbtools.drivers.clickhouse.wire import Broken, Refused, place
from toolbelt.envelope import one_line
from toolbelt.errors import ToolError

_READ_ONLY: Final = 164
_UNKNOWN_DATABASE: Final = 81
_SYNTAX: Final = 62
_LOGIN: Final = (192, 193, 194, 516, 710)
_TOO_LONG: Final = (159, 160)
_LOST: Final = (209, 210, 394, 279)
_HINTS: Final = {
    46: "no such function on this server: check its name, which is case-sensitive",
    47: "db-schema --table NAME lists the columns",
    53: "compare values of one type: toDate(x), toString(x)",
    60: "db-schema lists the tables",
    81: "SHOW DATABASES lists the databases",
    164: "the session is read-only: only statements that read can run",
    202: "too many statements run there: try again later",
    241: "narrow it (WHERE, fewer columns), or aggregate: the server's memory limit is reached",
    386: "give both sides one type: toString(x), toInt64(x)",
    497: "the login lacks this right: ask for GRANT SELECT, or query what db-schema lists",
}
_PREFIX: Final = re.compile(r"^(?:Streaming query failed: )?Code: \d+\.\s*(?:DB::Exception:\s*)?")
_SUFFIX: Final = re.compile(
    r"(?s)\s*\(([A-Z][A-Z0-9_]+)\)\s*(?:\(version [^()]*(?:\([^()]*\))?\))?\s*$"
)
_POSITION: Final = re.compile(r"failed at position (\d+)")
# What a syntax error lists as possible here is longer than it helps.
_EXPECTED: Final = re.compile(r"(?s)\. Expected (?:one of: )?.*$")


@dataclass(frozen=True, slots=True)
class Failures:
    """Makes the errors of one connection; nothing it says holds a secret."""

    connection: Connection
    timeout_seconds: float

    def refused(self, error: Refused, bound: Bound | None = None) -> ToolError:
        """What the server said no to."""
        if not error.code:
            return self._foreign(error)
        message, name = self._message(error.text)
        detail: dict[str, object] = {"engineCode": error.code}
        if name:
            detail["engineError"] = name
        if error.code in _LOGIN:
            return self._login(message, detail)
        if error.code in _TOO_LONG:
            return timeout_error(self.timeout_seconds, detail)
        if error.code == _UNKNOWN_DATABASE and self._names_ours(message):
            hint = "check the database's name: {p}NAME ({p}DB when numbered)"
            return ToolError(
                "CONNECTION_FAILED",
                f"Could not connect to ClickHouse at {place(self.connection)}: {message}",
                hint=hint.format(p=network.prefix(self.connection)), detail=detail,
            )  # fmt: skip
        if bound is not None and (found := _POSITION.search(message)):
            at = bound.position(int(found[1]))
            detail |= {"position": at} if at else {}
        if error.code == _SYNTAX:
            message = _EXPECTED.sub("", message)
        hint = _HINTS.get(error.code, "")
        if error.code == _READ_ONLY:
            return ToolError("BLOCKED", f"ClickHouse refused to write: {message}", hint, detail)
        if error.code in _LOST:
            return self._lost(message, detail)
        return ToolError("QUERY_FAILED", f"ClickHouse: {message}", hint, detail)

    def broken(self, error: Broken) -> ToolError:
        """The connection ended before the answer did."""
        return self._lost(self._clean(str(error)), {})

    def formatted(self, name: str) -> ToolError:
        """The statement chose a format that its answer cannot be read from."""
        return ToolError(
            "QUERY_FAILED", f"The statement asks for its answer in FORMAT {one_line(name, 100)}.",
            hint="leave FORMAT out: --format says how rows are given",
        )  # fmt: skip

    def unreadable(self, error: Unreadable) -> ToolError:
        """A column that holds states, not values, or a type newer than the client library."""
        states = "AggregateFunction(" in error.kind
        hint = (
            f"read it with finalizeAggregation({error.column}), or merge it: sumMerge, uniqMerge, …"
            if states
            else f"read it as text: toString({error.column})"
        )
        return ToolError(
            "QUERY_FAILED",
            f"ClickHouse: column {error.column!r} is of type {one_line(error.kind, 100)}, "
            "whose values cannot be shown.",
            hint=hint,
        )

    def _message(self, text: str) -> tuple[str, str]:
        """The plain message, and the error's name."""
        text = _PREFIX.sub("", text.strip())
        match = _SUFFIX.search(text)
        name = match[1] if match else ""
        return self._clean(text[: match.start()] if match else text), name

    def _login(self, message: str, detail: dict[str, object]) -> ToolError:
        user = self.connection.user or "default"
        prefix = network.prefix(self.connection)
        # The server's long advice on lost passwords is for those who run it.
        reason = message.partition(". ")[0].partition(": Authentication failed")[2]
        return ToolError(
            "AUTH_FAILED",
            f"ClickHouse at {place(self.connection)} refused user {user!r}: "
            f"Authentication failed{reason}.",
            hint=f"check {prefix}USER and {prefix}PASS", detail=detail,
        )  # fmt: skip

    def _names_ours(self, message: str) -> bool:
        ours = self.connection.database or self.connection.schema
        return bool(ours) and f" {ours} " in f"{message} ".replace("`", "")

    def _foreign(self, error: Refused) -> ToolError:
        said = self._clean(error.text)[:200]
        shown = f" ({said})" if said and not said.startswith("<") else ""
        return ToolError(
            "CONNECTION_FAILED",
            f"What answers at {place(self.connection)} is not ClickHouse's HTTP interface: "
            f"HTTP status {error.status}{shown}.",
            hint=f"{network.prefix(self.connection)}PORT is the HTTP port: 8123, or 8443 for TLS",
        )

    def _lost(self, message: str, detail: dict[str, object]) -> ToolError:
        return ToolError(
            "CONNECTION_FAILED",
            f"The connection to {place(self.connection)} was lost: {message}",
            hint="try again; the result so far is incomplete", detail=detail,
        )  # fmt: skip

    def _clean(self, text: str) -> str:
        """One line that ends like a sentence."""
        line = one_line(self.connection.redact(text)).rstrip(".")
        return line if line.endswith(("?", "!")) else f"{line}."
