"""TLS as the connection's keys ask for it: SSLMODE, SSL_CA, SSL_CERT, SSL_KEY."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass
from typing import Final

from dbtools.connection import Connection
from toolbelt.errors import ToolError
from toolbelt.settings import one_of

MODES: Final = ("disable", "prefer", "require", "verify-ca", "verify-full")
# What MySQL's and other clients' connection strings say for the same.
_SPELLINGS: Final = {
    "allow": "prefer", "disabled": "disable", "preferred": "prefer", "required": "require",
    "verify_ca": "verify-ca", "verify_identity": "verify-full", "verify_full": "verify-full",
    "verify-identity": "verify-full",
}  # fmt: skip
_ON: Final = ("1", "true", "on", "yes", "required")


@dataclass(frozen=True, slots=True)
class TLS:
    """How a connection is encrypted.

    mode: 'disable', 'prefer' (if the server can), 'require' (any certificate), 'verify-ca' (a
    trusted one), 'verify-full' (a trusted one of this host's name). ca, cert, key: PEM files; an
    empty ca is the system's list.
    """

    mode: str
    ca: str = ""
    cert: str = ""
    key: str = ""

    @property
    def wanted(self) -> bool:
        """Whether TLS is to be tried at all."""
        return self.mode != "disable"

    @property
    def needed(self) -> bool:
        """Whether a connection without TLS is refused."""
        return self.mode not in ("disable", "prefer")

    @property
    def verified(self) -> bool:
        """Whether the server's certificate is checked."""
        return self.mode in ("verify-ca", "verify-full")


def read(connection: Connection, default: str) -> TLS:
    """The connection's TLS choice; BAD_CONFIG for an unknown mode or a file out of reach."""
    options, source = connection.options, connection.source
    asked = options.get("sslmode", "").lower()
    if not asked:
        on = any(options.get(key, "").lower() in _ON for key in ("ssl", "secure", "tls"))
        asked = "require" if on else default
    mode = _SPELLINGS.get(asked, asked)
    one_of(mode, f"{source}SSLMODE", MODES)
    files = readable(connection)
    ca = "" if files["ssl_ca"] == "system" else files["ssl_ca"]
    return TLS(mode, ca, files["ssl_cert"], files["ssl_key"])


def readable(connection: Connection) -> dict[str, str]:
    """The paths of ssl_ca, ssl_cert and ssl_key, '' for none; BAD_CONFIG for one out of reach."""
    files = {key: connection.options.get(key, "") for key in ("ssl_ca", "ssl_cert", "ssl_key")}
    for key, path in files.items():
        if path and path != "system" and not os.access(path, os.R_OK):
            raise ToolError(
                "BAD_CONFIG",
                f"{connection.source}{key.upper()} names {path!r}, which cannot be read.",
                hint="check the path and its permissions",
            )
    return files


def context(tls: TLS, source: str) -> ssl.SSLContext:
    """The TLS client's settings; BAD_CONFIG when a file holds no certificate or no key."""
    key = "SSL_CA"
    try:
        made = ssl.create_default_context(cafile=tls.ca or None)
        # Database servers make their own certificates, many without the marks of RFC 5280.
        made.verify_flags &= ~ssl.VERIFY_X509_STRICT
        made.check_hostname = tls.mode == "verify-full"
        made.verify_mode = ssl.CERT_REQUIRED if tls.verified else ssl.CERT_NONE
        if tls.cert:
            key = "SSL_CERT"
            # Without this OpenSSL would ask for an encrypted key's password on the terminal.
            made.load_cert_chain(tls.cert, tls.key or None, password="")
    except (ssl.SSLError, ValueError) as error:
        why = getattr(error, "reason", None) or str(error)
        raise ToolError(
            "BAD_CONFIG", f"{source}{key} holds no usable PEM certificate or key: {why}.",
            hint="check the file: openssl x509 -in FILE -noout -text",
        ) from error  # fmt: skip
    return made
