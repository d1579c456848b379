"""An HTTP server that gives recorded answers of ClickHouse versions that cannot be had here.

Not an engine: what a current server sends (blocks with info, tagged errors in mid-answer) and what
old ones sent, written down byte by byte.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from servers import Server

INFO = b"\x01\x00\x02\xff\xff\xff\xff\x00"


@dataclass(frozen=True)
class Reply:
    """status, headers and body; cut: the body breaks off without its end."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False


def refusal(code: int, text: str, status: int = 500) -> Reply:
    """An error before the answer began."""
    body = f"Code: {code}. DB::Exception: {text} (version 25.8.1.1 (official build))\n"
    return Reply(body.encode(), status, {"X-ClickHouse-Exception-Code": str(code)})


def block(*columns: tuple[str, str, bytes], rows: int = 1, info: bytes = b"") -> bytes:
    """A Native block: (name, type, the cells' bytes) a column; short names and few rows."""
    made = info + bytes([len(columns), rows])
    for name, kind, cells in columns:
        made += bytes([len(name)]) + name.encode() + bytes([len(kind)]) + kind.encode() + cells
    return made


@dataclass
class Fake:
    """answer: from a statement and the request's parameters to its reply. seen: what came."""

    answer: Callable[[str, Mapping[str, str]], Reply]
    seen: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    port: int = 0

    def server(self) -> Server:
        """How a client sees it."""
        return Server("clickhouse", "", port=self.port, database="shop")


@contextmanager
def running(answer: Callable[[str, Mapping[str, str]], Reply]) -> Iterator[Fake]:
    """The server on a free loopback port."""
    fake = Fake(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """No access log."""

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            query = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
            fake.seen.append((text, query))
            reply = fake.answer(text, query)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(reply.body), reply.body))
            if reply.cut:
                self.close_connection = True
            else:
                self.wfile.write(b"0\r\n\r\n")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    fake.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
