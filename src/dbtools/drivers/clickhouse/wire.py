"""ClickHouse's HTTP interface: one statement a request, the answer as it arrives."""

from __future__ import annotations

import base64
import http.client
import json
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from dbtools.connection import Connection
from dbtools.drivers import network, tls
from toolbelt.errors import ToolError

_PLAIN_PORT: Final = 8123
_TLS_PORT: Final = 8443
_TLS_PORTS: Final = (8443, 443)
_CHUNK: Final = 1 << 18
_LONGEST_ERROR: Final = 100_000
_AGENT: Final = "sandbox-toolbelt"
_NEAR: Final = ("127.", "localhost", "::1")


class Broken(Exception):
    """The connection ended before the answer did."""


@dataclass(frozen=True, slots=True)
class Refused(Exception):
    """An answer that says no. code: ClickHouse's error number, 0 when it is not ClickHouse's."""

    status: int
    code: int
    text: str


class Answer:
    """A running answer. zone: the time zone of DateTime columns that name none, '' unknown.

    format: what it is written in, '' unknown. tag: what frames an error in mid-answer (newer
    servers). broken: why the body ended before its end; a server that fails in mid-answer has no
    other way to say so.
    """

    def __init__(self, response: http.client.HTTPResponse, wire: Wire) -> None:
        self._response = response
        self._wire = wire
        self.zone = response.headers.get("X-ClickHouse-Timezone", "")
        self.tag = response.headers.get("X-ClickHouse-Exception-Tag")
        self.format = response.headers.get("X-ClickHouse-Format", "")
        self.broken = ""

    def chunks(self) -> Iterator[bytes]:
        """The body in pieces. One that breaks off ends too: what came last may say why."""
        unpack = _unpacker(self._response.headers.get("Content-Encoding", ""))
        while True:
            try:
                piece = self._response.read1(_CHUNK)
            except (http.client.HTTPException, OSError) as error:
                self.broken = _why(error)
                return
            if not piece:
                return
            try:
                unpacked = unpack(piece)
            except RuntimeError:  # lz4's
                self.broken = "the answer is not packed as it says"
                return
            if unpacked:
                yield unpacked

    def rows(self) -> list[list[str]]:
        """All rows of a short answer in the format JSONCompactStringsEachRow; raises Broken."""
        body = b"".join(self.chunks()).decode("utf-8", "backslashreplace")
        if self.broken:
            raise Broken(self.broken)
        try:
            return [json.loads(line) for line in body.split("\n") if line]
        except ValueError as error:
            raise Broken("the answer is not the JSON that was asked for") from error

    def close(self) -> None:
        """Hang up at once, which ends the statement on the server too."""
        self._wire.close()


class _Socket(http.client.HTTPConnection):
    """An HTTP connection that connects our way: within the time limit, with TLS where asked for."""

    def __init__(self, connection: Connection, seconds: float) -> None:
        self._connection = connection
        self._seconds = seconds
        self.tls = tls_choice(connection)
        port = connection.port or (_TLS_PORT if self.tls.needed else _PLAIN_PORT)
        try:
            super().__init__(connection.host, port)
        except http.client.InvalidURL as error:
            nowhere = socket.gaierror(socket.EAI_NONAME, "not a host name")
            where = place(connection)
            raise network.unreachable("ClickHouse", where, nowhere, connection) from error

    def connect(self) -> None:
        """Raises CONNECTION_FAILED. Called again when the server closed after a refusal."""
        try:
            sock = network.dial(self.host, self.port, self._seconds)
            sock.settimeout(self._seconds)
            if self.tls.needed:
                sock = _encrypted(sock, self.tls, self._connection)
            sock.settimeout(None)
        except OSError as error:
            where = place(self._connection)
            raise network.unreachable("ClickHouse", where, error, self._connection) from error
        self.sock = sock


class Wire:
    """One HTTP connection, used for one statement after the other."""

    def __init__(self, connection: Connection, seconds: float | None = None) -> None:
        """Connected, or CONNECTION_FAILED; seconds: the time limit for it."""
        self._raw = _Socket(connection, seconds or connection.limits.connect_timeout_ms / 1000)
        self._headers = _login(connection, cert=bool(self._raw.tls.cert))
        self._database = connection.database or connection.schema
        self.compress = _wants_compression(connection)
        self._raw.connect()

    def ask(self, statement: str, parameters: Mapping[str, str], form: str) -> Answer:
        """Send a statement and wait for its answer to begin.

        parameters: settings, query_id and bound values. form: the answer's format. Raises Refused,
        Broken.
        """
        query = {"default_format": form, **parameters}
        if self._database:
            query["database"] = self._database
        headers = dict(self._headers)
        if self.compress:
            headers["Accept-Encoding"] = "lz4"
        try:
            self._raw.request("POST", f"/?{urlencode(query)}", statement.encode(), headers)
            response = self._raw.getresponse()
        except (http.client.HTTPException, OSError) as error:
            raise Broken(_why(error)) from error
        code = response.headers.get("X-ClickHouse-Exception-Code", "0")
        if response.status == http.HTTPStatus.OK and code == "0":
            return Answer(response, self)
        unpack = _unpacker(response.headers.get("Content-Encoding", ""))
        try:
            text = unpack(response.read(_LONGEST_ERROR)).decode("utf-8", "backslashreplace")
        except (http.client.HTTPException, OSError, RuntimeError) as error:
            raise Broken(_why(error)) from error
        raise Refused(response.status, int(code) if code.isdecimal() else 0, text)

    def close(self) -> None:
        """Disconnect; may be called twice."""
        self._raw.close()


def _why(error: Exception) -> str:
    """A broken connection in words, without Python's numbers and names."""
    if isinstance(error, http.client.IncompleteRead) or not str(error):
        return "the answer broke off"
    return getattr(error, "strerror", None) or str(error)


def place(connection: Connection) -> str:
    """Where the server is, for a human."""
    port = connection.port or (_TLS_PORT if tls_choice(connection).needed else _PLAIN_PORT)
    return f"{connection.host}:{port}"


def tls_choice(connection: Connection) -> tls.TLS:
    """HTTP cannot try TLS and go on without: 'prefer' means what the port says."""
    choice = tls.read(connection, "verify-full" if connection.port in _TLS_PORTS else "disable")
    if choice.mode != "prefer":
        return choice
    mode = "require" if connection.port in _TLS_PORTS else "disable"
    return tls.TLS(mode, choice.ca, choice.cert, choice.key)


def _encrypted(plain: socket.socket, choice: tls.TLS, connection: Connection) -> ssl.SSLSocket:
    context = tls.context(choice, network.prefix(connection))
    try:
        return context.wrap_socket(plain, server_hostname=connection.host)
    except BaseException:
        plain.close()
        raise


def _login(connection: Connection, *, cert: bool) -> dict[str, str]:
    headers = {"User-Agent": _AGENT}
    user = connection.user or "default"
    password = connection.password.reveal() if connection.password else ""
    if ":" in user:
        raise ToolError(
            "BAD_CONFIG", f"{network.prefix(connection)}USER holds a colon, which HTTP's login "
            "cannot carry.", hint="use a user of another name",
        )  # fmt: skip
    if cert and not password:
        headers |= {"X-ClickHouse-User": user, "X-ClickHouse-SSL-Certificate-Auth": "on"}
    else:
        token = base64.b64encode(f"{user}:{password}".encode()).decode()
        headers["Authorization"] = f"Basic {token}"
    return headers


def _wants_compression(connection: Connection) -> bool:
    asked = connection.options.get("compress", "").lower()
    if asked in ("0", "false", "off", "no"):
        return False
    return not connection.host.startswith(_NEAR)


def _unpacker(encoding: str) -> Callable[[bytes], bytes]:
    """What turns the body's pieces into the answer's."""
    if encoding != "lz4":
        return _as_it_is
    import lz4.frame

    state = lz4.frame.LZ4FrameDecompressor()

    def unpack(piece: bytes) -> bytes:
        return bytes(state.decompress(piece)) if not state.eof else b""

    return unpack


def _as_it_is(piece: bytes) -> bytes:
    return piece
