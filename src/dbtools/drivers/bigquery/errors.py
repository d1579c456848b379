"""What BigQuery and the way to it complain of, as one ToolError with a code to act on."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from dbtools.connection import Connection
from dbtools.drivers import network
from dbtools.drivers.base import timeout_error
from toolbelt.envelope import one_line
from toolbelt.errors import ToolError

if TYPE_CHECKING:
    from dbtools.drivers.bigquery.dialling import Config

_AT: Final = re.compile(r"\s*\bat \[(\d+):(\d+)\]\.?\s*$")
# The library puts the request in front and the job behind.
_REQUEST: Final = re.compile(r"^(?:\d{3} )?(?:GET|POST|PUT|PATCH|DELETE) \S+ ")
_FOOTER: Final = re.compile(r"(?s)\n\nLocation: .*$|;\s*reason: \w+, (?:location|message):.*$")
_BILLED: Final = "bytesBilledLimitExceeded"
_TIMEOUTS: Final = ("timeout", "jobTimeout", "stopped", "cancelled")
_RIGHTS: Final = ("accessDenied", "forbidden", "PERMISSION_DENIED", "IAM_PERMISSION_DENIED", "")
_HINTS: Final = {
    "notFound": "db-schema lists the tables; names of other datasets are dataset.table",
    "accessDenied": "the login lacks this right: it needs roles/bigquery.dataViewer and jobUser",
    "quotaExceeded": "a quota of the project is reached: try later, or ask who runs it",
    "rateLimitExceeded": "too many requests just now: try again in a minute",
    "resourcesExceeded": "narrow it (WHERE, fewer columns), or drop the ORDER BY of a big result",
    "responseTooLarge": "name fewer columns, or aggregate",
    "backendError": "BigQuery's own fault: try again",
}


def kinds() -> tuple[type[Exception], ...]:
    """The exceptions of the client library and of what it stands on."""
    from concurrent.futures import TimeoutError as WaitTooLong

    from google.api_core.exceptions import GoogleAPIError
    from google.auth.exceptions import GoogleAuthError
    from requests.exceptions import RequestException

    # The library raises ValueError and KeyError for answers that are not the API's.
    return (GoogleAPIError, GoogleAuthError, RequestException, WaitTooLong, ValueError, KeyError)


def lacks_a_right(error: Exception) -> bool:
    """Whether the login is good and only this one right is missing."""
    return _reason(error) in _RIGHTS


@dataclass(frozen=True, slots=True)
class Failures:
    """Makes the errors of one connection; nothing it says holds a secret."""

    connection: Connection
    config: Config
    timeout_seconds: float

    def of(self, error: Exception, text: str = "", *, connecting: bool = False) -> ToolError:
        """The error's meaning. text: the statement as it was sent, for positions in it."""
        from google.api_core.exceptions import GoogleAPICallError
        from google.auth.exceptions import GoogleAuthError, TransportError

        if isinstance(error, GoogleAPICallError):
            return self._refused(error, text, connecting=connecting)
        if isinstance(error, GoogleAuthError) and not isinstance(error, TransportError):
            return self._login(self._message(str(error.args[0] if error.args else error)))
        if isinstance(error, (ValueError, KeyError)) and not _is_request(error):
            return self._foreign(type(error).__name__)
        cause = _os_error(error)
        if connecting:
            return network.unreachable("BigQuery", self.config.place, cause, self.connection)
        said = one_line(cause.strerror or str(cause)).rstrip(".")
        return ToolError(
            "CONNECTION_FAILED", f"The connection to {self.config.place} was lost: {said}.",
            hint="try again; the result so far is incomplete",
        )  # fmt: skip

    def _refused(self, error: Any, text: str, *, connecting: bool) -> ToolError:
        code, reason = int(error.code or 0), _reason(error)
        message = self._message(str(error.message))
        detail: dict[str, object] = {"engineCode": reason or code}
        if code == 401:
            return self._login(message, detail)
        if connecting:
            return self._not_reached(code, reason, message, detail)
        if reason in _TIMEOUTS or code == 499 or "Job timed out" in message:
            return timeout_error(self.timeout_seconds, {"engineCode": reason})
        if reason == _BILLED:
            return self.too_expensive(None, message)
        hint = _HINTS.get(reason, "")
        if code == 403 and not hint:
            hint = _HINTS["accessDenied"]
        found = _AT.search(message)
        if found:
            message = f"{message[: found.start()].rstrip(' .')}."
            detail["position"] = position(text, int(found[1]), int(found[2]))
        return ToolError("QUERY_FAILED", f"BigQuery: {message}", hint, detail)

    def too_expensive(self, estimated: int | None, said: str = "") -> ToolError:
        """The statement would scan more bytes than the operator allows."""
        limit = self.config.max_bytes_billed
        detail: dict[str, object] = {"maxBytesBilled": limit}
        if estimated is not None:
            detail["estimatedBytes"] = estimated
            said = f"it would scan {estimated:,} bytes; at most {limit:,} are allowed."
        return ToolError(
            "QUERY_FAILED", f"BigQuery did not run it: {said}",
            hint="filter on the partition column, name fewer columns, or have the operator raise "
            f"{network.prefix(self.connection)}MAX_BYTES_BILLED",
            detail={"engineCode": _BILLED, **detail},
        )  # fmt: skip

    def _not_reached(
        self, code: int, reason: str, message: str, detail: dict[str, object]
    ) -> ToolError:
        prefix = network.prefix(self.connection)
        if code in (404, 400):
            what = f"dataset {self.config.dataset!r}" if self.config.dataset else "project"
            hint = f"check {prefix}PROJECT and the dataset: {prefix}NAME ({prefix}DB when numbered)"
            text = f"Could not open {what} at {self.config.place}: {message}"
            return ToolError("CONNECTION_FAILED", text, hint, detail)
        if code == 403:
            hint = "the login needs roles/bigquery.jobUser on the project, and the API enabled"
            text = f"BigQuery at {self.config.place} refused the login: {message}"
            return ToolError("AUTH_FAILED", text, hint, detail)
        text = f"BigQuery at {self.config.place} answered HTTP status {code}: {message}"
        return ToolError("CONNECTION_FAILED", text, _HINTS.get(reason, "try again later"), detail)

    def _login(self, message: str, detail: dict[str, object] | None = None) -> ToolError:
        key = f"{network.prefix(self.connection)}CREDENTIALS"
        return ToolError(
            "AUTH_FAILED", f"BigQuery at {self.config.place} refused the login: {message}",
            hint=f"check {key}: is the key still valid, and the clock right?", detail=detail,
        )  # fmt: skip

    def _foreign(self, kind: str) -> ToolError:
        return ToolError(
            "CONNECTION_FAILED",
            f"What answers at {self.config.place} is not BigQuery's API ({kind}).",
            hint=f"check {network.prefix(self.connection)}ENDPOINT and BIGQUERY_EMULATOR_HOST",
        )

    def _message(self, text: str) -> str:
        """One line that ends like a sentence, without the request and the job around it."""
        text = _FOOTER.sub("", _REQUEST.sub("", text))
        text = text.partition("://")[2].partition(" ")[2] if text.startswith("http") else text
        line = one_line(self.connection.redact(text)).rstrip(".")
        return line if line.endswith(("?", "!")) else f"{line}."


def position(text: str, line: int, column: int) -> int:
    """The 1-based character of a statement at BigQuery's [line:column]."""
    lines = text.split("\n")
    if not 1 <= line <= len(lines):
        return 1
    return sum(len(before) + 1 for before in lines[: line - 1]) + column


def _reason(error: Any) -> str:
    """The API's own word for what went wrong, '' when it gives none."""
    for one in getattr(error, "errors", None) or ():
        if isinstance(one, dict) and one.get("reason"):
            return str(one["reason"])
    return ""


def _is_request(error: Exception) -> bool:
    from requests.exceptions import RequestException

    # Some of them are ValueErrors too.
    return isinstance(error, RequestException) and not type(error).__name__.startswith("JSON")


def _os_error(error: BaseException) -> OSError:
    """What the network said, out of the wrappings of three libraries."""
    seen: set[int] = set()
    todo: list[object] = [error]
    fallback = ""
    while todo:
        one = todo.pop(0)
        if not isinstance(one, BaseException) or id(one) in seen:
            continue
        seen.add(id(one))
        known = isinstance(one, (ssl.SSLError, TimeoutError)) or type(one).__name__ == "gaierror"
        if isinstance(one, OSError) and (known or one.errno):
            return one
        if "timed out" in str(one).lower():
            fallback = "timed out"
        todo += [*one.args, getattr(one, "reason", None), one.__cause__, one.__context__]
    return network.TooSlow("no answer in time") if fallback else OSError(one_line(str(error), 200))
