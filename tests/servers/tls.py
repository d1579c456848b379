"""Certificates for test servers: one authority, one certificate for `localhost`, one stranger."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HOST = "localhost"


@dataclass(frozen=True, slots=True)
class Certificates:
    """PEM files. authority signed certificate (for the name `localhost` only, so that the address
    127.0.0.1 is a mismatch); stranger is an authority that signed nothing."""

    authority: Path
    certificate: Path
    key: Path
    stranger: Path


def make(folder: Path) -> Certificates:
    """Write fresh certificates, valid for a day, into a folder."""
    ca_key, ca = _authority("toolbelt test authority")
    _, other = _authority("somebody else")
    key = ec.generate_private_key(ec.SECP256R1())
    names = x509.SubjectAlternativeName([x509.DNSName(HOST)])
    leaf = (
        _builder(HOST, "toolbelt test authority", key)
        .add_extension(names, critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    made = Certificates(*(folder / n for n in ("ca.pem", "server.pem", "server.key", "other.pem")))
    for path, certificate in (
        (made.authority, ca), (made.certificate, leaf), (made.stranger, other),
    ):  # fmt: skip
        path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    made.key.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    made.key.chmod(0o600)
    return made


def _authority(name: str) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = (
        _builder(name, name, key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return key, certificate


def _builder(subject: str, issuer: str, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
    )
