"""What may stand between a client and PostgreSQL: TLS, a pooler, a server of another language.

A proxy in front of a real server. It answers the start-up message itself where it must, and
passes everything else on.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from servers import Server

_SSL_REQUEST = (80877103).to_bytes(4, "big")
_PASSWORD_PLEASE = b"R" + (8).to_bytes(4, "big") + (3).to_bytes(4, "big")


class Between:
    """A proxy on a free loopback port.

    certificate: the server's key and certificate in one file; TLS is offered then. refuse: bytes
    of a start-up message that is answered with the FATAL error `message`, after the password was
    asked for if ask_password. plain: whether a connection without TLS is let through. stall: bytes
    from the client behind which the line goes dead both ways.
    """

    def __init__(
        self, server: Server, *, certificate: Path | None = None, plain: bool = True,
        refuse: bytes = b"", message: str = "", state: str = "08P01", ask_password: bool = False,
        stall: bytes = b"",
    ) -> None:  # fmt: skip
        self._server = server
        self._tls: ssl.SSLContext | None = None
        if certificate is not None:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(certificate)
        self._plain = plain
        self._refuse = refuse
        self._ask_password = ask_password
        self._stall = stall
        self._error = _fatal(state, message)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self._run(self._serve)

    @property
    def server(self) -> Server:
        """The server as it is seen through the proxy."""
        return replace(self._server, port=int(self._listener.getsockname()[1]))

    def close(self) -> None:
        """Stop listening and wait for every conversation to end."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(10)

    def _run(self, target: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                peer, _ = self._listener.accept()
                self._run(self._talk, peer)

    def _talk(self, peer: socket.socket) -> None:
        with suppress(OSError):
            encrypted = False
            first = peer.recv(65536)
            while first[4:8] == _SSL_REQUEST:
                peer.sendall(b"S" if self._tls else b"N")
                if self._tls:
                    peer = self._tls.wrap_socket(peer, server_side=True)
                    encrypted = True
                first = peer.recv(65536)
            if not first or self._answered(peer, first, encrypted):
                peer.close()
                return
            onward = socket.create_connection(("127.0.0.1", self._server.port))
            onward.sendall(first)
            self._run(_pump, onward, peer)
            _pump(peer, onward, self._stall)

    def _answered(self, peer: socket.socket, first: bytes, encrypted: bool) -> bool:
        if not self._plain and not encrypted:
            entry = 'no pg_hba.conf entry for host "127.0.0.1", user "owner", database "x"'
            peer.sendall(_fatal("28000", entry + ", no encryption"))
            return True
        if not self._refuse or self._refuse not in first:
            return False
        if self._ask_password:
            peer.sendall(_PASSWORD_PLEASE)
            peer.recv(65536)
        peer.sendall(self._error)
        return True


def _fatal(state: str, message: str) -> bytes:
    fields = b"SFATAL\0VFATAL\0C" + state.encode() + b"\0M" + message.encode() + b"\0\0"
    return b"E" + (len(fields) + 4).to_bytes(4, "big") + fields


def _pump(source: socket.socket, target: socket.socket, stall: bytes = b"") -> None:
    with suppress(OSError), source, target:
        while data := source.recv(65536):
            if stall and stall in data:
                # Nothing is passed on any more; the reading ends when the client leaves.
                while source.recv(65536):
                    pass
                break
            target.sendall(data)
        # Closing alone would not wake the thread that reads the other way.
        target.shutdown(socket.SHUT_RDWR)
        source.shutdown(socket.SHUT_RDWR)


def certificate(folder: Path, name: str, host: str) -> tuple[Path, Path]:
    """A self-signed certificate for a host: (key and certificate in one file, certificate)."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    public = made.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    both, alone = folder / f"{name}.both.pem", folder / f"{name}.pem"
    both.write_bytes(private + public)
    alone.write_bytes(public)
    return both, alone
