"""TLS inside TDS: the modes SQL Server's users know, and certificates checked by name."""

from __future__ import annotations

import ipaddress
import ssl
from dataclasses import dataclass, field, replace
from typing import Any, Final

from dbtools.connection import Connection
from dbtools.drivers import tls
from toolbelt.errors import ToolError

_ENCRYPT: Final = {
    "yes": "verify-full", "true": "verify-full", "mandatory": "verify-full", "1": "verify-full",
    "no": "prefer", "false": "prefer", "optional": "prefer", "0": "prefer",
}  # fmt: skip
_TRUE: Final = ("yes", "true", "1")
# OpenSSL's numbers of what is wrong with a certificate.
_PROBLEMS: Final = {
    9: "certificate is not yet valid", 10: "certificate has expired",
    18: "self-signed certificate", 19: "self-signed certificate in certificate chain",
    20: "unable to get local issuer certificate", 21: "unable to verify the first certificate",
}  # fmt: skip


def read(connection: Connection) -> tls.TLS:
    """The encryption asked for: SSLMODE, else ENCRYPT with TRUST_SERVER_CERTIFICATE."""
    options = connection.options
    asked = options.get("encrypt", "").lower()
    if options.get("sslmode") or not asked:
        return tls.read(connection, "prefer")
    if asked not in _ENCRYPT:
        raise ToolError(
            "BAD_CONFIG", f"{connection.source}ENCRYPT is {asked!r}, which is not offered.",
            hint="yes, no, mandatory or optional (TDS 8's strict is not), or SSLMODE",
        )  # fmt: skip
    mode = _ENCRYPT[asked]
    trusted = options.get("trust_server_certificate", options.get("trustservercertificate", ""))
    if mode == "verify-full" and trusted.lower() in _TRUE:
        mode = "require"
    return replace(tls.read(connection, mode), mode=mode)


@dataclass(slots=True)
class Verifier:
    """Looks at each certificate of the server's chain, and keeps what was wrong."""

    mode: str
    host: str
    problem: str = field(default="")

    def __call__(
        self, _connection: Any, certificate: Any, number: int, depth: int, ok: int
    ) -> bool:
        if self.mode not in ("verify-ca", "verify-full"):
            return True
        if ok != 1:
            self.problem = self.problem or _PROBLEMS.get(number, f"error {number}")
            return False
        named = depth > 0 or self.mode != "verify-full"
        if named or names_host(certificate.to_cryptography(), self.host):
            return True
        self.problem = f"Hostname mismatch, certificate is not valid for '{self.host}'"
        return False

    def failure(self) -> ssl.SSLCertVerificationError:
        """What was wrong, as Python's own TLS would raise it."""
        error = ssl.SSLCertVerificationError(1, self.problem)
        error.verify_message = self.problem
        return error


def context(choice: tls.TLS, verifier: Verifier, source: str) -> Any:
    """pyOpenSSL's context: TDS 7's handshake inside packets ends with TLS 1.2."""
    from OpenSSL import SSL

    if choice.verified or choice.cert:
        tls.context(choice, source)  # for its messages about unusable files
    made = SSL.Context(SSL.TLS_CLIENT_METHOD)
    made.set_min_proto_version(SSL.TLS1_2_VERSION)
    made.set_max_proto_version(SSL.TLS1_2_VERSION)
    made.set_verify(SSL.VERIFY_PEER if choice.verified else SSL.VERIFY_NONE, verifier)
    # Reading the system's list takes its time, so only where it is asked.
    if choice.verified and choice.ca:
        made.load_verify_locations(choice.ca)
    elif choice.verified:
        made.set_default_verify_paths()
    if choice.cert:
        made.use_certificate_chain_file(choice.cert)
        made.use_privatekey_file(choice.key or choice.cert)
    return made


def names_host(certificate: Any, host: str) -> bool:
    """Whether a certificate is of this host, by RFC 6125: a `*` is one whole leftmost label."""
    from cryptography import x509

    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        common = certificate.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
        return any(_matches(str(one.value), host) for one in common)
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return any(_matches(name, host) for name in names.get_values_for_type(x509.DNSName))
    return address in names.get_values_for_type(x509.IPAddress)


def _matches(pattern: str, host: str) -> bool:
    pattern, host = pattern.lower().rstrip("."), host.lower().rstrip(".")
    if pattern.startswith("*."):
        return host.partition(".")[2] == pattern[2:] and pattern.count(".") > 1
    return pattern == host
