"""Opening the connection, and what it means when that fails."""

from __future__ import annotations

import os
import socket
import stat
import struct
from typing import Any, Final

import pymysql
from pymysql.constants import CLIENT

from dbtools.connection import Connection
from dbtools.drivers import network, tls
from dbtools.drivers.mysql.wire import Wire
from toolbelt.envelope import one_line
from toolbelt.errors import ToolError, missing_extra

_APPLICATION: Final = "sandbox-toolbelt"
_PORT: Final = 3306
_SOCKETS: Final = ("mysqld.sock", "mysql.sock", "mariadb.sock")
_LOST: Final = (2006, 2013)
_TLS_REFUSED: Final = 2026
_NO_PLUGIN: Final = 2059
_DENIED: Final = 1045

# Server's error number -> (code, hint).
_REFUSALS = {
    1040: ("CONNECTION_FAILED", "try again when other sessions have ended"),
    1044: ("AUTH_FAILED", "check {p}NAME ({p}DB when numbered), or GRANT SELECT on that database"),
    1045: ("AUTH_FAILED", "check {p}USER and {p}PASS"),
    1049: ("CONNECTION_FAILED", "check the database's name: {p}NAME ({p}DB when numbered)"),
    1129: (
        "CONNECTION_FAILED",
        "the server blocks this host after failed tries: FLUSH HOSTS there",
    ),
    1130: ("AUTH_FAILED", "the server lets no login in from here"),
    1203: ("CONNECTION_FAILED", "try again when other sessions of this user have ended"),
    1226: ("CONNECTION_FAILED", "the user's hourly or session limit is reached: try again later"),
    1251: ("AUTH_FAILED", "the user's password is stored in a way too old: set it anew"),
    1524: ("AUTH_FAILED", "the user's login plugin is not loaded on the server"),
    1698: ("AUTH_FAILED", "this user logs in by socket only: use one with a password"),
    1820: ("AUTH_FAILED", "the password has expired: set a new one"),
    1862: ("AUTH_FAILED", "the password has expired: set a new one"),
    2059: ("AUTH_FAILED", "use a user with a password, or set {p}SSLMODE=require"),
    3118: ("AUTH_FAILED", "the account is locked"),
    3159: ("CONNECTION_FAILED", "export {p}SSLMODE=require"),
    4151: ("AUTH_FAILED", "the account is locked"),
}


def place(connection: Connection) -> str:
    """Where the server is, for a human."""
    if connection.host.startswith("/"):
        return connection.host
    return f"{connection.host}:{connection.port or _PORT}"


def dial(connection: Connection, seconds: float | None = None) -> Wire:
    """A logged-in connection; raises CONNECTION_FAILED, AUTH_FAILED, BAD_CONFIG, MISSING_DEP."""
    seconds = seconds or connection.limits.connect_timeout_ms / 1000
    choice = tls.read(connection, "prefer")
    local = connection.host.startswith("/")
    if local and not choice.needed:
        choice = tls.TLS("disable")
    wire = Wire(defer_connect=True, read_timeout=seconds, **_arguments(connection, choice))
    # The library would take the process's user name for an empty one.
    wire.user = connection.user
    if not choice.needed:
        wire._ssl_required = False
    try:
        wire._secure = local
        wire.connect(_local(connection) if local else _remote(connection, seconds))
    except OSError as error:
        raise network.unreachable("MySQL", place(connection), error, connection) from error
    except RuntimeError as error:
        if "cryptography" not in str(error):
            raise
        raise missing_extra("The package cryptography, which this login needs,", "mysql") from error
    except pymysql.Error as error:
        raise _failure(error, connection, plain=_plain_by_choice(wire, choice)) from error
    except (struct.error, IndexError, ValueError) as error:
        raise _foreign(connection) from error
    wire._read_timeout = None
    return wire


def _plain_by_choice(wire: Wire, choice: tls.TLS) -> bool:
    """Whether the server offers TLS that we were told not to use."""
    offered = getattr(wire, "server_capabilities", 0) & CLIENT.SSL
    return bool(offered) and not choice.wanted


def _arguments(connection: Connection, choice: tls.TLS) -> dict[str, Any]:
    # As bytes: the library would encode a text password as latin-1, and servers mean UTF-8.
    password = connection.password.reveal().encode() if connection.password else b""
    made: dict[str, Any] = {
        "host": connection.host,
        "port": connection.port or _PORT,
        "password": password,
        "database": connection.database or connection.schema or None,
        "charset": "utf8mb4",
        "autocommit": None,
        "local_infile": False,
        "program_name": _APPLICATION,
        "auth_plugin_map": {"mysql_clear_password": _ClearText, "dialog": _ClearText},
        "ssl_disabled": not choice.wanted,
    }
    if choice.wanted:
        made["ssl"] = tls.context(choice, connection.source)
    return made


class _ClearText:
    """Logins that send the password as it is: only where nobody can listen."""

    def __init__(self, wire: Any) -> None:
        self._wire = wire

    def authenticate(self, _packet: Any) -> Any:
        if not self._wire._secure:
            raise pymysql.err.OperationalError(
                _NO_PLUGIN, "the server asks for the password in clear text over no TLS"
            )
        self._wire.write_packet(self._wire.password + b"\0")
        return self._wire._read_packet()


def _remote(connection: Connection, seconds: float) -> socket.socket:
    return network.dial(connection.host, connection.port or _PORT, seconds)


def _local(connection: Connection) -> socket.socket:
    """The socket HOST names, or the one in the folder it names."""
    path = connection.host
    if not _is_socket(path):
        inside = [os.path.join(path, name) for name in _SOCKETS]  # noqa: PTH118
        path = next((p for p in inside if _is_socket(p)), inside[0])
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.connect(path)
    except OSError:
        made.close()
        raise
    return made


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)  # noqa: PTH116
    except OSError:
        return False


def _failure(error: pymysql.Error, connection: Connection, *, plain: bool) -> ToolError:
    number = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    cause = getattr(error, "original_exception", None) or error.__context__
    if isinstance(cause, OSError):
        return network.unreachable("MySQL", place(connection), cause, connection)
    if number in _LOST or isinstance(error, pymysql.err.InternalError):
        return _foreign(connection)
    if number == _TLS_REFUSED:
        return ToolError(
            "CONNECTION_FAILED",
            f"Could not connect to MySQL at {place(connection)}: the server offers no TLS.",
            hint=f"{network.prefix(connection)}SSLMODE asks for TLS: set prefer",
            detail={"engineCode": number},
        )
    return _refused(number, error, connection, plain=plain)


def _refused(
    number: int, error: pymysql.Error, connection: Connection, *, plain: bool
) -> ToolError:
    """What the server itself said no to."""
    code, hint = _REFUSALS.get(number, ("CONNECTION_FAILED", "check {p}HOST, {p}PORT and {p}USER"))
    if number == _DENIED and plain:
        # A server that wants TLS refuses a plain login with these same words.
        hint += "; the server may want TLS: export {p}SSLMODE=require"
    text = one_line(connection.redact(str(error.args[-1]))).rstrip(".")
    where = f"MySQL at {place(connection)}"
    if code == "AUTH_FAILED":
        who = f"user {connection.user!r}" if connection.user else "the login"
        message = f"{where} refused {who}: {text}."
    else:
        message = f"Could not connect to {where}: {text}."
    detail: dict[str, object] = {"engineCode": number}
    if state := getattr(error, "sqlstate", None):
        detail["sqlstate"] = state
    return ToolError(code, message, hint=hint.format(p=network.prefix(connection)), detail=detail)


def _foreign(connection: Connection) -> ToolError:
    return ToolError(
        "CONNECTION_FAILED",
        f"Could not connect to MySQL at {place(connection)}: what answers there hung up or does "
        "not speak MySQL's protocol.",
        hint="check {p}HOST and {p}PORT".format(p=network.prefix(connection)),
    )
