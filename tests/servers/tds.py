"""A scripted TDS server: it speaks SQL Server's protocol and knows no SQL.

No SQL Server can be had from the package registries, so this proves the protocol's side of the
driver: the login, the exact statements sent, cancelling, errors, types. Tests script its replies:

    fake.reply(r"select 42", Result([Column("x", "int")], [[42]]))
    fake.reply(r"from missing", Failure(208, "Invalid object name 'missing'."))
    fake.calls      # everything that arrived, in order
"""

from __future__ import annotations

import re
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from servers import certificates, process, tds_wire
from servers.base import Engine, Server
from servers.tds_types import Column
from servers.tds_wire import Call, Channel, LoginRequest

_DATABASE = "toolbelt"


@dataclass(frozen=True, slots=True)
class Result:
    """Rows. cut_after: the connection breaks after so many of them."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[object]] = ()
    cut_after: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """An error of the server."""

    number: int
    message: str
    severity: int = 16
    line: int = 1


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer until the client sends ATTENTION or leaves."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Recorded reply tokens, sent as they are."""

    raw: bytes


Reply = Result | Failure | Hang | Tokens


@dataclass(slots=True)
class _Rule:
    pattern: re.Pattern[str]
    replies: tuple[Reply, ...]


@dataclass(slots=True)
class _Session:
    """One client: what goes over the wire now (a socket, later TLS above it), and who it is."""

    socket: socket.socket
    channel: Channel
    login: LoginRequest | None = None
    encrypt: bool = False


class FakeSqlServer(Engine):
    """encryption: `off` (cannot), `on` (if asked), `required`; the certificate is for localhost."""

    engine = "mssql"
    title = "SQL Server (scripted TDS)"
    install_hint = "nothing to install: it is part of the tests"

    def __init__(self, encryption: str = "off") -> None:
        self.encryption = encryption
        self.calls: list[Call] = []
        self.logins: list[LoginRequest] = []
        self.encryption_asked: list[int] = []
        self.server = Server(self.engine, "15.0.2000", database=_DATABASE)
        self.certificates: certificates.Certificates | None = None
        self._rules: list[_Rule] = []
        self._folder = Path()
        self._listener: socket.socket | None = None
        self._clients: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._context: ssl.SSLContext | None = None

    def reply(self, pattern: str, *replies: Reply) -> None:
        """Answer statements that the pattern is found in; the newest rule that fits wins."""
        self._rules.insert(0, _Rule(re.compile(pattern, re.IGNORECASE | re.DOTALL), replies))

    def statements(self) -> list[str]:
        """The texts of all statements that arrived."""
        return [call.text for call in self.calls if call.kind in ("batch", "rpc")]

    def start(self) -> Server:
        if self.encryption != "off":
            self._folder = process.scratch_folder("tds", process.Identity())
            self.certificates = certificates.make(self._folder, "localhost")
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            # TDS 7 wraps the handshake in packets, which ends before TLS 1.3's last messages.
            self._context.maximum_version = ssl.TLSVersion.TLSv1_2
            self._context.load_cert_chain(self.certificates.cert, self.certificates.key)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._spawn(self._accept, self._listener)
        self.server = replace(self.server, port=int(self._listener.getsockname()[1]))
        return self.server

    def load_flights(self, server: Server) -> Server:
        raise NotImplementedError("the scripted server keeps no data")

    def _spawn(self, target: Callable[[socket.socket], None], end: socket.socket) -> None:
        thread = threading.Thread(target=target, args=(end,), daemon=True)
        self._threads.append(thread)
        thread.start()

    def stop(self) -> None:
        if self._listener is not None:
            # Closing alone would leave a thread in accept() where it is.
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        for client in list(self._clients):
            with suppress(OSError):  # it may have left just now
                client.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)
        self._threads.clear()
        if self._folder != Path():
            process.remove_folder(self._folder)
            self._folder = Path()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return  # stopped
            self._clients.add(client)
            self._spawn(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        try:
            session = _Session(client, client)
            while (message := tds_wire.read_message(session.channel)) is not None:
                self._answer(session, *message)
        except (ConnectionError, ssl.SSLError, OSError):
            return  # the client left, or a script cut the line
        finally:
            self._clients.discard(client)
            client.close()

    def _answer(self, session: _Session, kind: int, body: bytes) -> None:
        if kind == tds_wire.PRELOGIN:
            self._prelogin(session, body)
        elif kind == tds_wire.LOGIN7:
            self._log_in(session, body)
        else:
            call = tds_wire.parse_call(kind, body)
            self.calls.append(call)
            if call.kind in ("begin", "commit", "rollback"):
                self._send(session, tds_wire.transaction_reply(call.kind))
            elif call.kind == "attention":
                self._send(session, tds_wire.done(tds_wire.ATTENTION_BIT))
            else:
                self._run(session, call)

    def _prelogin(self, session: _Session, body: bytes) -> None:
        asked = tds_wire.prelogin_encryption(body)
        self.encryption_asked.append(asked)
        if self._context is None:
            session.channel.sendall(tds_wire.prelogin_reply(2))
            return
        # 0 off, 1 on, 2 not supported, 3 required.
        required = self.encryption == "required" or asked in (1, 3)
        session.channel.sendall(
            tds_wire.prelogin_reply(3 if self.encryption == "required" else int(required))
        )
        if asked != 2:
            wrapped = _Tls(session.socket, self._context)
            wrapped.handshake()
            # With "off" only the login is encrypted; what follows is plain again.
            session.channel, session.encrypt = wrapped, required

    def _log_in(self, session: _Session, body: bytes) -> None:
        login = tds_wire.parse_login(body)
        self.logins.append(login)
        if not session.encrypt:
            session.channel = session.socket
        known = {one.user: one.password for one in (self.server.owner, self.server.reader)}
        if known.get(login.user) != login.password:
            refusal = Failure(18456, f"Login failed for user '{login.user}'.", 14)
        elif login.database not in ("", "master", _DATABASE):
            text = f'Cannot open database "{login.database}" requested by the login.'
            refusal = Failure(4060, f"{text} The login failed.", 11)
        else:
            session.login = login
            self._send(session, tds_wire.login_reply(login.database or "master"))
            return
        self._send(session, _failure(refusal))
        session.socket.close()

    def _run(self, session: _Session, call: Call) -> None:
        rule = next((r for r in self._rules if r.pattern.search(call.text)), None)
        replies: tuple[Reply, ...] = rule.replies if rule else ()
        if rule is None and not re.match(r"\s*(set|if|use)\b", call.text, re.IGNORECASE):
            replies = (Failure(50000, f"The test has no reply to: {call.text}"),)
        out = b""
        for number, reply in enumerate(replies, start=1):
            more = tds_wire.MORE if number < len(replies) else 0
            if isinstance(reply, Hang):
                self._wait_for_attention(session, out)
                return
            if isinstance(reply, Result) and reply.cut_after is not None:
                rows = reply.rows[: reply.cut_after]
                out += _result(Result(reply.columns, rows), more)
                session.channel.sendall(tds_wire.packets(out)[: -tds_wire.DONE_SIZE])
                tds_wire.hang_up(session.socket)
                return
            out += _reply(reply, more)
        self._send(session, out or tds_wire.done())

    def _wait_for_attention(self, session: _Session, before: bytes) -> None:
        if before:
            session.channel.sendall(tds_wire.packets(before, final=False))
        message = tds_wire.read_message(session.channel)
        if message is not None:
            self.calls.append(tds_wire.parse_call(*message))
            self._send(session, tds_wire.done(tds_wire.ATTENTION_BIT))

    def _send(self, session: _Session, body: bytes) -> None:
        session.channel.sendall(tds_wire.packets(body))


def _reply(reply: Reply, more: int) -> bytes:
    if isinstance(reply, Result):
        return _result(reply, more)
    if isinstance(reply, Failure):
        return _failure(reply, more)
    return reply.raw if isinstance(reply, Tokens) else b""


def _result(result: Result, more: int) -> bytes:
    rows = b"".join(tds_wire.row(result.columns, cells) for cells in result.rows)
    ending = tds_wire.done(tds_wire.COUNT | more, len(result.rows))
    return tds_wire.metadata(result.columns) + rows + ending


def _failure(failure: Failure, more: int = 0) -> bytes:
    token = tds_wire.error(failure.number, failure.message, failure.severity, failure.line)
    return token + tds_wire.done(tds_wire.ERROR_BIT | more)


@dataclass(slots=True)
class _Tls:
    """TLS above the socket; TDS carries the handshake's messages inside PRELOGIN packets."""

    socket: socket.socket
    context: ssl.SSLContext
    incoming: ssl.MemoryBIO = field(default_factory=ssl.MemoryBIO)
    outgoing: ssl.MemoryBIO = field(default_factory=ssl.MemoryBIO)
    layer: ssl.SSLObject = field(init=False)

    def __post_init__(self) -> None:
        self.layer = self.context.wrap_bio(self.incoming, self.outgoing, server_side=True)

    def handshake(self) -> None:
        while True:
            try:
                self.layer.do_handshake()
            except ssl.SSLWantReadError:
                self._flush_wrapped()
                message = tds_wire.read_message(self.socket)
                if message is None:
                    raise ConnectionError("the client left during the handshake") from None
                self.incoming.write(message[1])
            else:
                self._flush_wrapped()
                return

    def _flush_wrapped(self) -> None:
        data = self.outgoing.read()
        if data:
            self.socket.sendall(tds_wire.packets(data, tds_wire.PRELOGIN))

    def recv(self, size: int, /) -> bytes:
        while True:
            try:
                return self.layer.read(size)
            except ssl.SSLWantReadError:
                data = self.socket.recv(65536)
                if not data:
                    return b""
                self.incoming.write(data)

    def sendall(self, data: bytes, /) -> None:
        self.layer.write(data)
        self.socket.sendall(self.outgoing.read())
