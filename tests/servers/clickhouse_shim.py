"""ClickHouse's HTTP interface in front of chDB, the same engine in a process.

Run by the pinned environment's Python: clickhouse_shim.py PORT CONFIG.json
CONFIG: {"path": data folder, "requests": file, "users": {name: {"password", "readonly"}}}.

Every request gets a connection of its own, because settings stick to a connection. Each request
is written to the `requests` file as one JSON line, so that tests can see what was sent.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import chdb  # type: ignore[import-not-found, unused-ignore]

# Parameters of the protocol; everything else in the URL is a setting.
PROTOCOL = frozenset((
    "query", "database", "default_format", "session_id", "session_timeout", "session_check",
    "compress", "decompress", "enable_http_compression", "client_protocol_version", "user",
    "password", "wait_end_of_query", "send_progress_in_http_headers", "query_id", "buffer_size",
    "http_headers_progress_interval_ms", "role", "cancel_http_readonly_queries_on_client_close",
))  # fmt: skip
# Error number -> HTTP status, as ClickHouse answers; 500 for the rest.
STATUS = {516: 403, 497: 403, 62: 400, 60: 404, 81: 404, 164: 403, 159: 408}
_CODE = re.compile(r"Code: (\d+)")
_KILL = re.compile(r"\s*KILL\s+QUERY\b", re.IGNORECASE)
_BY_ID = re.compile(r"query_id\s*=\s*'([^']*)'")


class ClickHouseError(Exception):
    """An answer that the engine does not give itself: refused logins."""


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request, taken apart."""

    sql: str
    query: dict[str, str]
    user: str
    password: str

    @property
    def settings(self) -> dict[str, str]:
        keys = self.query.keys() - PROTOCOL
        return {k: self.query[k] for k in self.query if k in keys and not k.startswith("param_")}

    @property
    def parameters(self) -> dict[str, str]:
        return {k: v for k, v in self.query.items() if k.startswith("param_")}


class Engine:
    """The engine, its users and the record of what was asked."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.path = config["path"]
        self.users: dict[str, dict[str, str]] = config["users"]
        self._record = Path(config["requests"])
        self._lock = threading.Lock()
        # Keeps the data folder open between requests.
        self._root = chdb.connect(self.path)
        self._root.query("CREATE DATABASE IF NOT EXISTS toolbelt")

    def record(self, request: Request) -> None:
        line = {"sql": request.sql, "user": request.user, "settings": request.settings}
        line |= {"query_id": request.query.get("query_id", ""), "parameters": request.parameters}
        with self._lock, self._record.open("a", encoding="utf-8") as record:
            record.write(json.dumps(line) + "\n")

    def run(self, request: Request, form: str) -> Iterator[bytes]:
        """The answer's chunks. Raises before the first one when the statement is refused."""
        user = self.users.get(request.user)
        if user is None or user["password"] != request.password:
            raise ClickHouseError(
                f"Code: 516. DB::Exception: {request.user}: Authentication failed: password is "
                "incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)"
            )
        connection = chdb.connect(self.path)
        for name, value in request.parameters.items():
            connection.query(f"SET {name} = {_text(value)}")
        if request.query.get("database"):
            connection.query(f"USE `{request.query['database']}`")
        if user["readonly"] != "0":
            connection.query(f"SET readonly = {user['readonly']}")
        for name, value in _readonly_last(request.settings):
            number = re.fullmatch(r"-?\d+(\.\d+)?", value)
            connection.query(f"SET {name} = {value if number else _text(value)}")
        chunks = _stream(connection, _tagged(request), form)
        first = next(chunks, b"")
        return chain((first,), chunks)


def _readonly_last(settings: dict[str, str]) -> list[tuple[str, str]]:
    """`readonly` forbids changing further settings, so it goes last, as within one real request."""
    return sorted(settings.items(), key=lambda item: item[0] == "readonly")


def _tagged(request: Request) -> str:
    """The statement with its query id in a comment, by which KILL QUERY finds it.

    chDB gives every query an id of its own, so a KILL by id is turned into one by that comment.
    """
    sql = request.sql
    if _KILL.match(sql):
        return _BY_ID.sub(lambda m: f"position(query, '{_tag(m[1])}') > 0", sql)
    identity = request.query.get("query_id")
    return f"{sql}\n/* {_tag(identity)} */" if identity else sql


def _tag(query_id: str) -> str:
    return f"id:{query_id}:di"


def _stream(connection: Any, sql: str, form: str) -> Iterator[bytes]:
    if re.match(r"\s*(SELECT|WITH)\b", sql, re.IGNORECASE):
        for chunk in connection.send_query(sql, form):
            yield chunk.bytes()
    else:
        answer = connection.query(sql, form)
        yield answer.bytes() if answer is not None else b""


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


class Handler(BaseHTTPRequestHandler):
    """GET and POST, as a ClickHouse server answers them."""

    protocol_version = "HTTP/1.1"
    engine: Engine

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """No access log: the record has it all."""

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self._body())

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _request(self, body: bytes) -> Request:
        url = urlsplit(self.path)
        query = {k: v[-1] for k, v in parse_qs(url.query, keep_blank_values=True).items()}
        parts = [query.get("query", ""), body.decode("utf-8", "surrogateescape")]
        user, password = self._login(query)
        return Request("\n".join(filter(None, parts)), query, user, password)

    def _login(self, query: dict[str, str]) -> tuple[str, str]:
        header = self.headers.get("Authorization", "")
        if header.startswith("Basic "):
            try:
                plain = base64.b64decode(header[6:], validate=True).decode("utf-8")
            except (binascii.Error, UnicodeDecodeError):
                return "", ""
            user, _, password = plain.partition(":")
            return user, password
        name = self.headers.get("X-ClickHouse-User") or query.get("user", "default")
        return name, self.headers.get("X-ClickHouse-Key") or query.get("password", "")

    def _answer(self, body: bytes) -> None:
        if urlsplit(self.path).path in ("/ping", "/replicas_status"):
            self._send(200, b"Ok.\n", {})
            return
        request = self._request(body)
        self.engine.record(request)
        form = request.query.get("default_format", "TabSeparated")
        try:
            chunks = self.engine.run(request, form)
        except (ClickHouseError, RuntimeError, ValueError) as error:
            found = _CODE.search(str(error))
            code = int(found[1]) if found else 1002
            headers = {"X-ClickHouse-Exception-Code": str(code)}
            self._send(STATUS.get(code, 500), str(error).encode(), headers)
            return
        self._send_chunks(chunks, {"X-ClickHouse-Format": form, "X-ClickHouse-Summary": "{}"})

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _send_chunks(self, chunks: Iterator[bytes], headers: dict[str, str]) -> None:
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("X-ClickHouse-Timezone", "UTC")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for chunk in chunks:
                if chunk:
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
            self.wfile.write(b"0\r\n\r\n")
        except (RuntimeError, BrokenPipeError, ConnectionResetError):
            # The headers are out: a cut answer is the only way left to say that it failed.
            self.close_connection = True


def main(port: int, config: Path) -> None:
    """Serve until a signal ends the process."""
    Handler.engine = Engine(json.loads(config.read_text(encoding="utf-8")))
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    server.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
