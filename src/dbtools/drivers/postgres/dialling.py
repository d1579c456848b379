"""Opening the connection, and what it means when that fails."""

from __future__ import annotations

from typing import Any, Final

import psycopg

from dbtools.connection import Connection
from dbtools.drivers.postgres import settings
from dbtools.drivers.postgres.errors import Failures
from dbtools.drivers.postgres.wire import Wire
from toolbelt.envelope import one_line
from toolbelt.errors import ToolError

_SNAPSHOT: Final = "SELECT 1"
# Poolers that share server connections refuse the `options` startup parameter.
_REFUSED: Final = "startup parameter"

# What the reason holds -> (code, hint). libpq gives no SQLSTATE for a failed connection; a server
# that speaks another language is told apart by whether the password was asked for (_is_login).
_REASONS = (
    ("password authentication failed", "AUTH_FAILED", "check {USER} and {PASS}"),
    ("no password supplied", "AUTH_FAILED", "set {PASS}"),
    ("authentication failed", "AUTH_FAILED", "check {USER} and how the server lets it log in"),
    ("is not permitted to log in", "AUTH_FAILED", "use a role with LOGIN"),
    ("password has expired", "AUTH_FAILED", "ask for a new password"),
    ("no encryption", "CONNECTION_FAILED", "set {SSLMODE}=require"),
    ("SSL off", "CONNECTION_FAILED", "set {SSLMODE}=require"),
    ("no pg_hba.conf entry", "AUTH_FAILED", "the server lets no such login in from here"),
    ("server does not support SSL", "CONNECTION_FAILED", "it has no TLS: set {SSLMODE}=prefer"),
    ("does not match host name", "CONNECTION_FAILED", "{HOST} must be the certificate's name"),
    ("certificate verify failed", "CONNECTION_FAILED", "{SSL_CA} must hold the server's CA"),
    ("certificate", "CONNECTION_FAILED", "check {SSL_CA}, {SSL_CERT} and {SSL_KEY}"),
    ("too many clients", "CONNECTION_FAILED", "try again when other sessions have ended"),
    ("too many connections", "CONNECTION_FAILED", "try again when other sessions have ended"),
    ("connection slots", "CONNECTION_FAILED", "try again when other sessions have ended"),
    ("starting up", "CONNECTION_FAILED", "try again in a moment"),
    ("failed to resolve", "CONNECTION_FAILED", "check {HOST}"),
    ("could not translate host name", "CONNECTION_FAILED", "check {HOST}"),
    ("Connection refused", "CONNECTION_FAILED", "is the server up? check {HOST} and {PORT}"),
    ("No such file", "CONNECTION_FAILED", "check {HOST} (a socket folder) and {PORT}"),
    ("timeout expired", "CONNECTION_FAILED", "check {HOST}, {PORT} and the firewall"),
)
_OTHERWISE = "check {HOST}, {PORT} and {SSLMODE}"


def dial(connection: Connection, timeout_seconds: float) -> Wire:
    """A connection with the session's settings in force; ToolError when there is none."""
    failures = Failures(connection, timeout_seconds)
    parameters = settings.parameters(connection)
    pins = settings.pins(connection, timeout_seconds)
    given = connection.options.get("options", "")
    try:
        raw = _open({**parameters, "options": settings.startup_options(pins, given)})
    except psycopg.Error as error:
        if _REFUSED not in str(error):
            raise _failure(error, failures) from error
    else:
        return Wire(raw, failures, _prelude(raw, {}))
    try:
        raw = _open(parameters)
    except psycopg.Error as error:
        raise _failure(error, failures) from error
    return Wire(raw, failures, _prelude(raw, pins))


def _prelude(raw: psycopg.Connection[Any], pins: dict[str, str]) -> str:
    """The query behind BEGIN: it takes the snapshot and sets what start-up could not."""
    if is_bytes(raw):
        # Text of no known encoding: the server would refuse to send what is not UTF-8.
        pins = {**pins, "client_encoding": "SQL_ASCII"}
    return settings.local_statement(pins) if pins else _SNAPSHOT


def is_bytes(raw: psycopg.Connection[Any]) -> bool:
    """Whether the database takes any bytes as text; all other encodings the server converts."""
    return bool(raw.pgconn.parameter_status(b"server_encoding") == b"SQL_ASCII")


def _open(parameters: dict[str, str]) -> psycopg.Connection[Any]:
    with settings.no_environment():
        return psycopg.connect(autocommit=True, prepare_threshold=None, **parameters)


def _failure(error: psycopg.Error, failures: Failures) -> ToolError:
    connection = failures.connection
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reasons = [_reason(line) for line in lines]
    text = one_line(connection.redact(reasons[0] if reasons else type(error).__name__)).rstrip(".")
    code, hint = _classify(error, reasons, connection)
    if code == "AUTH_FAILED":
        who = f"user {connection.user!r}" if connection.user else "the login"
        message = f"PostgreSQL at {failures.place()} refused {who}: {text}."
    else:
        message = f"Could not connect to PostgreSQL at {failures.place()}: {text}."
    return ToolError(code, message, hint=settings.named(hint, connection))


def _classify(error: psycopg.Error, reasons: list[str], connection: Connection) -> tuple[str, str]:
    text = "\n".join(reasons)
    if f'database "{settings.database(connection)}" does not exist' in text:
        return "CONNECTION_FAILED", "check {NAME}"
    if f'role "{connection.user}" does not exist' in text:
        return "AUTH_FAILED", "check {USER}"
    for needle, code, hint in _REASONS:
        if needle in text:
            return code, hint
    if _is_login(error, text, connection):
        return "AUTH_FAILED", "check {USER} and {PASS}"
    return "CONNECTION_FAILED", _OTHERWISE


def _is_login(error: psycopg.Error, text: str, connection: Connection) -> bool:
    """Whether the login failed, whatever language the server speaks: it asked for the password
    and then spoke of the user."""
    pgconn = error.pgconn
    if pgconn is None:
        return False
    asked = bool(pgconn.needs_password or pgconn.used_password)
    user, database = connection.user, settings.database(connection)
    return asked and f'"{user}"' in text and (user == database or f'"{database}"' not in text)


def _reason(line: str) -> str:
    """The last part of libpq's `connection to server at "…", port … failed: FATAL:  …`."""
    for mark in ("failed: ", "connection is bad: ", "fe_sendauth: "):
        line = line.rpartition(mark)[2]
    return (line.partition("FATAL:")[2] or line).strip()
