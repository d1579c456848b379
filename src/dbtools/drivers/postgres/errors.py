"""What PostgreSQL and libpq complain of, as one ToolError with a code a caller can act on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from psycopg.pq import DiagnosticField

from dbtools.connection import Connection
from dbtools.drivers.base import timeout_error
from toolbelt.envelope import one_line
from toolbelt.errors import ToolError

# Turns a 1-based position in the text that was sent into one in the caller's text.
Locate = Callable[[int], int | None]

# SQLSTATE (or its class) -> the hint where the engine gives none of its own.
_HINTS = {
    "25006": "the session is read-only: only statements that read can run",
    "40001": "the server had to end it (a replica, or a conflict): try again",
    "3F000": "db-schema lists the schemas and tables",
    "42501": "the login lacks this right: ask for GRANT SELECT, or query what db-schema lists",
    "42703": "db-schema --table NAME lists the columns",
    "42P01": "db-schema lists the tables",
    "42883": "check the name and the argument types; a cast may be needed, e.g. x::numeric",
    "53300": "try again when other sessions have ended",
    "55P03": "another session holds a lock: try again later",
}
_LOST = ("08", "57P01", "57P02", "57P03", "57P05", "53300")


@dataclass(frozen=True, slots=True)
class Failures:
    """Makes the errors of one connection; nothing it says holds a secret."""

    connection: Connection
    timeout_seconds: float

    def of_result(self, result: object, locate: Locate | None = None) -> ToolError:
        """The error of a failed result."""
        field = _Fields(result)
        state = field(DiagnosticField.SQLSTATE)
        message = field(DiagnosticField.MESSAGE_PRIMARY)
        if not message:
            # libpq's own: what arrived was no message of the protocol.
            return self.lost_because(field.whole())
        detail: dict[str, object] = {"sqlstate": state} if state else {}
        position = field(DiagnosticField.STATEMENT_POSITION)
        if position and locate and (place := locate(int(position))):
            detail["position"] = place
        engine_hint = self._clean(field(DiagnosticField.MESSAGE_HINT))
        if engine_hint:
            detail["engineHint"] = engine_hint
        if more := self._clean(field(DiagnosticField.MESSAGE_DETAIL)):
            detail["engineDetail"] = more
        return self._coded(state, self._clean(message), engine_hint, detail)

    def _coded(self, state: str, message: str, hint: str, detail: dict[str, object]) -> ToolError:
        hint = hint or _HINTS.get(state, "")
        if state == "57014":
            return self.timeout(detail)
        if state == "25P03":
            return ToolError("TIMEOUT", f"The session was idle too long: {message}.", hint, detail)
        if state == "55P03":
            detail["reason"] = "lock"
            return ToolError("TIMEOUT", f"Waited too long for a lock: {message}.", hint, detail)
        if state == "25006":
            return ToolError("BLOCKED", f"PostgreSQL refused to write: {message}.", hint, detail)
        if state.startswith(_LOST):
            return ToolError("CONNECTION_FAILED", f"{self.lost_text()}: {message}.", hint, detail)
        return ToolError("QUERY_FAILED", f"PostgreSQL: {message}.", hint, detail)

    def timeout(self, detail: dict[str, object] | None = None) -> ToolError:
        """The statement was cancelled, by the server's limit or by ours."""
        return timeout_error(self.timeout_seconds, detail)

    def lost(self, error: Exception) -> ToolError:
        """The connection broke while a statement ran."""
        return self.lost_because(str(error))

    def lost_because(self, why: str) -> ToolError:
        """The same for a reason in words."""
        return ToolError(
            "CONNECTION_FAILED", f"{self.lost_text()}: {self._clean(why)}.",
            hint="try again; the result so far is incomplete",
        )  # fmt: skip

    def lost_text(self) -> str:
        return f"The connection to {self.place()} was lost"

    def place(self) -> str:
        """Where the server is, for a human."""
        host, port = self.connection.host, self.connection.port or 5432
        if not host:
            return "the default socket"
        if host.startswith("/") or "," in host:
            return host
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def _clean(self, text: str) -> str:
        return one_line(self.connection.redact(text)).rstrip(".")


class _Fields:
    """The diagnostic fields of a result as text, whatever bytes they hold."""

    def __init__(self, result: object) -> None:
        self._result = result

    def __call__(self, field: DiagnosticField) -> str:
        raw = self._result.error_field(field)  # type: ignore[attr-defined]
        return raw.decode("utf-8", "backslashreplace") if raw else ""

    def whole(self) -> str:
        """The message as libpq would print it."""
        raw = self._result.error_message  # type: ignore[attr-defined]
        return raw.decode("utf-8", "backslashreplace") or "no message"
