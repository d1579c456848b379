"""From the connection's keys to a logged-in connection, within the connect timeout."""

from __future__ import annotations

import socket
import time
from typing import Any, Final

from pytds import instance_browser_client, tds_base

from dbtools.connection import Connection
from dbtools.drivers import network, tls
from dbtools.drivers.mssql import encryption, errors
from dbtools.drivers.mssql.reading import Garbled
from dbtools.drivers.mssql.wire import Login, Wire
from toolbelt.errors import ToolError

_PORT: Final = 1433
_LOCAL: Final = (".", "(local)", "(localdb)")
_HOPS: Final = 3
_INSTANCE_KEYS: Final = ("instance", "instancename", "instance_name")
_NO_TLS: Final = "not supported by server"


def dial(connection: Connection, seconds: float) -> Wire:
    """A logged-in connection, with the transaction begun; answers may then take `seconds`."""
    choice = encryption.read(connection)
    deadline = time.monotonic() + connection.limits.connect_timeout_ms / 1000
    host, port = _address(connection, deadline)
    try:
        wire = _follow(host, port, choice, connection, deadline)
    except (tds_base.Error, RuntimeError) as error:
        if choice.needed or not choice.wanted or _NO_TLS not in str(error):
            raise errors.Failures(connection, host, port, 0.0).login(error) from error
        # Asked for only if the server can, and it cannot.
        try:
            wire = _follow(host, port, tls.TLS("disable"), connection, deadline)
        except (tds_base.Error, RuntimeError) as again:
            raise errors.Failures(connection, host, port, 0.0).login(again) from again
    wire.wait(max(0.001, seconds))
    return wire


def _follow(host: str, port: int, choice: tls.TLS, connection: Connection, deadline: float) -> Wire:
    """Log in, also where an availability group sends read-only sessions elsewhere."""
    for _ in range(_HOPS):
        wire = _log_in(host, port, choice, connection, deadline)
        if wire.route is None:
            return wire
        wire.close()
        host, port = str(wire.route["server"]), int(wire.route["port"])
    raise ToolError(
        "CONNECTION_FAILED", f"SQL Server at {host} keeps sending this login elsewhere.",
        hint=f"export {network.prefix(connection)}APPLICATION_INTENT=ReadWrite",
    )  # fmt: skip


def _log_in(host: str, port: int, choice: tls.TLS, connection: Connection, deadline: float) -> Wire:
    verifier = encryption.Verifier(choice.mode, host)
    context = encryption.context(choice, verifier, connection.source) if choice.wanted else None
    place = f"{host}:{port}"
    connected: socket.socket | None = None
    try:
        connected = network.dial(host, port, max(0.001, deadline - time.monotonic()))
        left = max(0.001, deadline - time.monotonic())
        wire = Wire(connected, _login(host, connection, context), left)
        if wire.route is None:
            wire.begin()
        return wire
    except BaseException as error:
        if connected is not None:
            connected.close()
        cause = _cause(error, verifier)
        if isinstance(cause, OSError):
            raise network.unreachable("SQL Server", place, cause, connection) from error
        if cause is not error:
            raise cause from error
        raise


def _cause(error: BaseException, verifier: encryption.Verifier) -> BaseException:
    """What python-tds and pyOpenSSL mean, as an OSError where the network is to blame."""
    if verifier.problem:
        return verifier.failure()
    if type(error).__module__.startswith("OpenSSL"):
        return OSError(f"TLS failed ({_openssl_reason(error)})")
    if isinstance(error, tds_base.ClosedConnectionError):
        return OSError("the server closed the connection")
    if isinstance(error, (*network.GARBLED, Garbled)) and not isinstance(error, RuntimeError):
        return RuntimeError(errors.NO_TDS)
    if type(error) is Exception:
        # "tls_ctx is not set": the server wants TLS and was told that there is none.
        return RuntimeError(errors.ENCRYPTION_REQUIRED)
    return error


def _openssl_reason(error: BaseException) -> str:
    inner = error.args[0] if error.args else ""
    if isinstance(inner, list) and inner and isinstance(inner[-1], tuple):
        return str(inner[-1][-1]).lower()
    return str(error) or type(error).__name__


def _login(host: str, connection: Connection, context: Any | None) -> Login:
    options = connection.options
    intent = options.get("application_intent", options.get("applicationintent", "readonly"))
    name = options.get("application_name", options.get("application name", "sandbox-toolbelt"))
    return Login(
        host=host,
        user=connection.user,
        password=connection.password.reveal() if connection.password else "",
        database=connection.database,
        application=name[:128],
        read_only=intent.lower() != "readwrite",
        context=context,
    )


def _address(connection: Connection, deadline: float) -> tuple[str, int]:
    """Host and port; a named instance's port is asked for at the server's browser service."""
    host, _, instance = connection.host.partition("\\")
    instance = instance or next(
        (connection.options[k] for k in _INSTANCE_KEYS if k in connection.options), ""
    )
    host = "localhost" if host.lower() in _LOCAL else host
    if connection.port is not None or not instance or instance.upper() == "MSSQLSERVER":
        return host, connection.port or _PORT
    prefix = network.prefix(connection)
    try:
        seconds = max(0.001, deadline - time.monotonic())
        found = instance_browser_client.tds7_get_instances(host, timeout=seconds) or {}
    except (OSError, UnicodeDecodeError, KeyError) as error:
        cause = error if isinstance(error, OSError) else OSError("its answer is not readable")
        place = f"{host}:1434 (SQL Server Browser)"
        told = network.unreachable("SQL Server", place, cause, connection)
        raise ToolError(told.code, told.message, hint=f"set {prefix}PORT instead") from error
    port = found.get(instance.upper(), {}).get("tcp", "")
    if not port.isdigit():
        raise ToolError(
            "CONNECTION_FAILED", f"{host} has no instance {instance!r} that listens on TCP.",
            hint=f"instances there: {', '.join(sorted(found)) or 'none'}; or set {prefix}PORT",
        )  # fmt: skip
    return host, int(port)
