"""python-tds below its DB-API: no statement is rewritten, no wait is hidden, no digit is lost.

Its cursor fills parameters in with `%`, its connect() sleeps before it tells of a wrong database,
and its times keep six of SQL Server's seven digits.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytds import lcid, tds_base, tds_types, tz
from pytds.row_strategies import list_row_strategy
from pytds.tds_socket import _TdsSocket

from dbtools.drivers.mssql.reading import Reader, reading
from dbtools.drivers.mssql.values import exact
from dbtools.result import Row

_ATTENTION: Final = 0x20
_DONE_SIZE: Final = 13
_DONE_TOKENS: Final = b"\xfd\xfe\xff"


@dataclass(frozen=True, slots=True)
class Login:
    """What goes into LOGIN7. context: pyOpenSSL's, None for no encryption at all."""

    host: str
    user: str
    password: str
    database: str
    application: str
    read_only: bool
    context: Any | None


@dataclass(frozen=True, slots=True)
class WireColumn:
    """A column of COLMETADATA. number: the type's on the wire. size: units; -1 is `max`."""

    name: str
    number: int
    usertype: int
    size: int
    precision: int
    scale: int
    udt: str = ""


class _Factory(tds_types.SerializerFactory):  # type: ignore[misc]
    """Remembers the numbers of the types that COLMETADATA named: the library forgets them."""

    def __init__(self, version: int) -> None:
        super().__init__(version)
        self.numbers: list[int] = []

    def get_type_serializer(self, tds_type_id: int) -> Any:
        self.numbers.append(tds_type_id)
        return super().get_type_serializer(tds_type_id)


class Wire:
    """One logged-in connection. Raises what python-tds raises, and OSError."""

    def __init__(self, connected: socket.socket, login: Login, seconds: float) -> None:
        connected.settimeout(seconds)
        self._socket = connected
        self._tds = _TdsSocket(
            sock=connected, login=_login(login, seconds), row_strategy=list_row_strategy
        )
        self.route = self._tds.login()
        self._session = self._tds.main_session
        old = self._session._reader
        self._session._reader = Reader(self._session, old._transport, old.get_block_size())
        self._factory = _Factory(self._tds.tds_version)
        self._tds.type_factory = self._factory

    def messages(self) -> list[tuple[int, str]]:
        """(number, text) of what the server said last."""
        return [(m["msgno"], m["message"]) for m in self._session.messages]

    def wait(self, seconds: float) -> None:
        """How long to wait for each piece of an answer from now on."""
        self._tds.sock.settimeout(seconds)

    def begin(self) -> None:
        """Begin the transaction that rollback() ends."""
        with reading():
            self._session.begin_tran()

    def batch(self, text: str) -> None:
        """Send a batch as it is, and read as far as its first columns."""
        self._session.messages = []
        self._session.submit_plain_query(text)
        self._answered()

    def call(self, text: str, parameters: Mapping[str, object]) -> None:
        """The same through sp_executesql, with the parameters beside the text."""
        session = self._session
        session.messages = []
        bound = [session.make_param(f"@{name}", value) for name, value in parameters.items()]
        declared = ",".join(f"{p.name} {p.type.get_declaration()}" for p in bound)
        arguments = [session.make_param("", text), session.make_param("", declared), *bound]
        session.submit_rpc(tds_base.SP_EXECUTESQL, arguments, 0)
        self._answered()

    def declared(self, parameters: Mapping[str, object]) -> str:
        """`@a INT, @b NVARCHAR(MAX)`: the parameters' types without their values."""
        bound = [self._session.make_param(f"@{n}", v) for n, v in parameters.items()]
        return ", ".join(f"{p.name} {p.type.get_declaration()}" for p in bound)

    def _answered(self) -> None:
        self._session.res_info = None
        with reading():
            self._session.begin_response()
            self._session.find_result_or_done()
        self._exactly()

    def next_set(self) -> bool:
        """Go on to the next result of a batch; what is left of this one is skipped."""
        with reading():
            while self._session.next_row():
                continue
            found = bool(self._session.next_set())
        self._exactly()
        return found

    def _exactly(self) -> None:
        for column in self._found():
            column.serializer = exact(column.serializer)

    def _found(self) -> list[Any]:
        info = self._session.res_info
        return [] if info is None else list(info.columns)

    def columns(self) -> list[WireColumn]:
        """The columns of the result that rows() reads."""
        found = self._found()
        numbers = self._factory.numbers[-len(found) :] if found else []
        return [_column(c, number) for c, number in zip(found, numbers, strict=True)]

    def rows(self) -> Iterator[Row]:
        """The rows of this result."""
        if not self._found():
            return
        with reading():
            while self._session.next_row():
                yield tuple(self._session.row)

    def attention(self, seconds: float) -> None:
        """Have the running statement stopped, and wait that long for the server to say so.

        The stream may have been left in the middle of a token, so it is not parsed any more.
        """
        if not self._session.in_cancel:
            self._session.put_cancel()
        self._tds.sock.settimeout(seconds)
        tail = b""
        while not _stopped(tail):
            data = self._tds.sock.recv(65536)
            if not data:
                return
            tail = (tail + data)[-_DONE_SIZE:]

    def rollback(self, seconds: float) -> None:
        """Leave unread rows and undo the transaction."""
        self._tds.sock.settimeout(seconds)
        with reading():
            self._session.cancel_if_pending()
            if self._tds.tds72_transaction:
                self._session.submit_rollback(False)
                self._session.process_simple_request()

    def close(self) -> None:
        """Hang up without another word."""
        self._socket.close()


def _stopped(tail: bytes) -> bool:
    """Whether a stream ends with DONE for an ATTENTION."""
    return len(tail) == _DONE_SIZE and tail[0] in _DONE_TOKENS and bool(tail[1] & _ATTENTION)


def _login(login: Login, seconds: float) -> Any:
    made = tds_base._TdsLogin()
    made.client_host_name = socket.gethostname()[:128]
    made.library = made.app_name = login.application
    made.server_name = login.host
    made.user_name, made.password = login.user, login.password
    made.database = login.database
    made.client_lcid = lcid.LANGID_ENGLISH_US
    made.client_tz = tz.utc
    # ANSI settings on, as ODBC has them.
    made.option_flag2 = tds_base.TDS_ODBC_ON
    made.connect_timeout = made.query_timeout = seconds
    made.readonly = login.read_only
    made.bytes_to_unicode = True
    # Our own verifier looks at the name too.
    made.validate_host = False
    made.tls_ctx = login.context
    encrypted = login.context is not None
    flags = tds_base.PreLoginEnc
    made.enc_flag = flags.ENCRYPT_ON if encrypted else flags.ENCRYPT_NOT_SUP
    return made


def _column(column: Any, number: int) -> WireColumn:
    serializer = column.serializer
    size = serializer.size
    long = type(serializer).__name__.endswith(("MaxSerializer", "SerializerMax"))
    return WireColumn(
        name=column.column_name,
        number=number,
        usertype=column.column_usertype,
        size=-1 if long or size in (None, 0xFFFF) else int(size),
        precision=int(serializer.precision or 0),
        scale=int(serializer.scale or 0),
        udt=str(getattr(serializer, "type_name", "")),
    )
