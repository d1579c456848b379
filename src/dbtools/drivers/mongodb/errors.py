"""pymongo's exceptions as our errors."""

from __future__ import annotations

import ssl

from bson.errors import BSONError, InvalidDocument, InvalidStringData
from pymongo import errors

from dbtools.connection import Connection
from dbtools.drivers import network
from dbtools.drivers.base import timeout_error
from toolbelt.envelope import one_line
from toolbelt.errors import ToolError

# What the client library raises, and what its reading of a broken answer may end in.
ERRORS = (errors.PyMongoError, BSONError)
READING = (*ERRORS, *network.GARBLED)
# A command that BSON cannot hold: an integer of more than 8 bytes, say.
_NO_BSON = (InvalidDocument, InvalidStringData, OverflowError)
_TIMEOUTS = frozenset((50, 262))
_NOT_ALLOWED = 13
_LOGIN = frozenset((11, 18))


def map_error(
    error: Exception, connection: Connection, timeout_seconds: float, *, dialling: bool = False
) -> ToolError:
    """One ToolError for whatever pymongo raised. dialling: nothing was run yet."""
    text = connection.redact(one_line(str(error).partition(", full error:")[0]))
    where = connection.host or "the server"
    if connection.port:
        where += f":{connection.port}"
    if isinstance(error, errors.OperationFailure):
        return _operation(error, text, connection, timeout_seconds)
    if isinstance(error, (errors.ExecutionTimeout, errors.NetworkTimeout)) and not dialling:
        return timeout_error(timeout_seconds)
    if dialling and isinstance(error, ssl.SSLError):
        # The library reads the files before it dials.
        return ToolError(
            "BAD_CONFIG", f"{connection.source}SSL_CA or SSL_KEY holds no usable PEM: {text}",
            hint="check the file: openssl x509 -in FILE -noout -text",
        )  # fmt: skip
    if isinstance(error, (errors.ConfigurationError, errors.InvalidURI, ValueError)) and dialling:
        return ToolError("BAD_CONFIG", f"MongoDB: {text}", hint="check the connection's keys")
    if isinstance(error, errors.ConnectionFailure):
        verb = "Could not connect to" if dialling else "Lost the connection to"
        reason = text.partition(" (configured timeouts")[0].partition(", Timeout:")[0]
        if reason.startswith("No servers found yet"):
            reason = "no answer in time"
        elif "Got response id" in reason or "wire version" in reason:
            reason = f"what answers there does not speak MongoDB's protocol ({reason})"
        return ToolError(
            "CONNECTION_FAILED", f"{verb} MongoDB at {where}: {reason}",
            hint=_connection_hint(text, connection),
        )  # fmt: skip
    broken = (BSONError, *network.GARBLED)
    if isinstance(error, broken) and not isinstance(error, _NO_BSON):
        return ToolError(
            "CONNECTION_FAILED",
            f"The connection to {where} was lost: {network.unreadable(error)}.",
            hint="try again; the result so far is incomplete",
        )  # fmt: skip
    detail = {"engineCode": type(error).__name__}
    return ToolError("QUERY_FAILED", f"MongoDB: {text}", detail=detail)


def malformed(error: Exception, connection: Connection) -> ToolError:
    """A command whose extended JSON means nothing: `{"$oid": "zz"}`."""
    said = one_line(connection.redact(str(error)), 200).rstrip(".")
    return ToolError(
        "QUERY_FAILED", f"MongoDB: an extended JSON value is malformed ({said}).",
        hint='{"$oid": "24 hex digits"}, {"$date": "2024-01-31T00:00:00Z"}, '
        '{"$numberDecimal": "1.5"}',
    )  # fmt: skip


def _connection_hint(text: str, connection: Connection) -> str:
    prefix = connection.source
    lowered = text.lower()
    if "certificate" in lowered or "ssl" in lowered or "tls" in lowered:
        return f"check {prefix}SSLMODE and {prefix}SSL_CA"
    if "replica set" in lowered or "primary" in lowered:
        return f"check {prefix}REPLICA_SET and {prefix}READ_PREFERENCE"
    return f"is the server up? check {prefix}HOST and {prefix}PORT"


def _operation(
    error: errors.OperationFailure, text: str, connection: Connection, timeout_seconds: float
) -> ToolError:
    detail: dict[str, object] = {"engineCode": error.code}
    name = (error.details or {}).get("codeName")
    if name:
        detail["codeName"] = name
    if error.code in _TIMEOUTS:
        return timeout_error(timeout_seconds, detail)
    if error.code in _LOGIN:
        prefix = connection.source
        return ToolError(
            "AUTH_FAILED", f"MongoDB refused user {connection.user!r}: {text}",
            hint=f"check {prefix}USER, {prefix}PASS and {prefix}AUTH_SOURCE", detail=detail,
        )  # fmt: skip
    hint = ""
    if error.code == _NOT_ALLOWED:
        hint = "the login lacks the `read` role here; db-schema lists what it may read"
    return ToolError("QUERY_FAILED", f"MongoDB: {text}", hint=hint, detail=detail)
