"""Reaching a server within a time limit, and what it means when that fails."""

from __future__ import annotations

import errno
import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterator
from typing import Any, Final

from dbtools.connection import Connection
from toolbelt.envelope import one_line
from toolbelt.errors import ToolError

# What a client library's reading of bytes that are not its protocol may end in.
GARBLED: Final = (
    struct.error, LookupError, ValueError, TypeError, AttributeError, AssertionError,
    ArithmeticError, RuntimeError,
)  # fmt: skip
_HOST: Final = "check {p}HOST"
_BOTH: Final = "is the server up? check {p}HOST and {p}PORT"
_ROUTE: Final = "check {p}HOST, {p}PORT and the firewall"


class TooSlow(OSError):
    """The time limit for connecting has passed."""


def dial(host: str, port: int, seconds: float) -> socket.socket:
    """A connected TCP socket, whichever of the host's addresses answers first.

    Raises OSError: TooSlow when none did in time, else the first address's failure.
    """
    deadline = time.monotonic() + seconds
    failures: list[OSError] = []
    for family, kind, protocol, address in _addresses(host, port, deadline):
        left = deadline - time.monotonic()
        if left <= 0:
            break
        connecting = socket.socket(family, kind, protocol)
        connecting.settimeout(left)
        try:
            connecting.connect(address)
        except BaseException as error:
            connecting.close()
            if not isinstance(error, OSError):
                raise
            failures.append(error)
        else:
            connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connecting.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            return connecting
    if not failures or isinstance(failures[0], TimeoutError):
        raise TooSlow(f"no answer within {seconds:g} s")
    raise failures[0]


_Address = tuple[socket.AddressFamily, socket.SocketKind, int, Any]


def _addresses(host: str, port: int, deadline: float) -> Iterator[_Address]:
    """getaddrinfo with a time limit: the resolver's own may be many times ours."""
    answer: list[list[_Address] | OSError] = []

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except UnicodeError:
            answer.append(socket.gaierror(socket.EAI_NONAME, "not a host name"))
        except OSError as error:
            answer.append(error)
        else:
            answer.append([(family, kind, proto, at) for family, kind, proto, _, at in found])

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(max(0.0, deadline - time.monotonic()))
    if not answer:
        raise TooSlow("the host name was not resolved in time")
    if isinstance(answer[0], OSError):
        raise answer[0]
    yield from answer[0]


def unreadable(error: Exception) -> str:
    """What to say of an answer that could not be read, in a sentence's second half."""
    return f"its answer is not readable ({type(error).__name__})"


def prefix(connection: Connection) -> str:
    """What the connection's variables start with, for hints."""
    return "DB_" if connection.source == "DATABASE_URL" else connection.source


def unreachable(server: str, place: str, error: OSError, connection: Connection) -> ToolError:
    """CONNECTION_FAILED with the reason in few words and the variable to look at.

    server: the engine's name. place: host and port, or a socket's path.
    """
    reason, hint = _reason(error)
    text = one_line(connection.redact(reason)).rstrip(".")
    return ToolError(
        "CONNECTION_FAILED", f"Could not connect to {server} at {place}: {text}.",
        hint=hint.format(p=prefix(connection)),
    )  # fmt: skip


def _reason(error: OSError) -> tuple[str, str]:
    if isinstance(error, ssl.SSLCertVerificationError):
        return _certificate(error)
    if isinstance(error, ssl.SSLError):
        said = (error.reason or str(error)).replace("_", " ").lower()
        return f"TLS failed ({said})", "check {p}SSLMODE, {p}SSL_CERT and {p}SSL_KEY"
    if isinstance(error, socket.gaierror):
        return error.strerror or "unknown host", _HOST
    if isinstance(error, (TooSlow, TimeoutError)):
        return str(error) if isinstance(error, TooSlow) else "no answer in time", _ROUTE
    if error.errno in (errno.ECONNREFUSED, errno.ENOENT):
        return error.strerror or "refused", _BOTH
    if error.errno in (errno.EHOSTUNREACH, errno.ENETUNREACH):
        return error.strerror or "unreachable", _ROUTE
    return error.strerror or str(error) or type(error).__name__, _BOTH


def _certificate(error: ssl.SSLCertVerificationError) -> tuple[str, str]:
    said = error.verify_message or "certificate verify failed"
    if "match" in said or "not valid for" in said:
        return f"the certificate is of another host ({said})", (
            "{p}HOST must be the certificate's name"
        )
    if "expired" in said:
        return f"the certificate has expired ({said})", "renew the server's certificate"
    return f"the certificate is not trusted ({said})", "{p}SSL_CA must hold the server's CA"
