"""A recording stub of BigQuery's REST API, with replies shaped like the real service's.

It proves what no emulator does: bytes billed, job time-outs, cancelling, refusals of a login.
"""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from servers.certificates import Certificates

_TABLE = {"projectId": "p", "datasetId": "d", "tableId": "t"}
FIELDS = [{"name": "n", "type": "INTEGER", "mode": "NULLABLE"}]


def refusal(code: int, reason: str, message: str) -> tuple[int, dict[str, Any]]:
    """An error as the API writes it."""
    errors = [{"message": message, "domain": "global", "reason": reason}]
    return code, {"error": {"code": code, "message": message, "errors": errors}}


@dataclass
class Script:
    """What the stub answers. pages: rows of each page; a None page cuts the connection.

    login: the answer to the question for the dataset. dry, insert: instead of the usual answers.
    failed: the error of the finished job. running: the job never ends.
    """

    statement_type: str = "SELECT"
    bytes_processed: int = 1_000_000
    bytes_billed: int = 10_485_760
    schema: list[dict[str, Any]] = field(default_factory=lambda: FIELDS)
    pages: list[list[list[Any]] | None] = field(default_factory=lambda: [[["1"]]])
    login: tuple[int, Any] = (200, {"datasetReference": {"projectId": "p", "datasetId": "d"}})
    dry: tuple[int, Any] | None = None
    insert: tuple[int, Any] | None = None
    failed: dict[str, str] | None = None
    running: bool = False
    held: list[str] = field(default_factory=list)
    undeclared: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Stub:
    """The running stub: its address, its script and the requests that arrived."""

    script: Script = field(default_factory=Script)
    requests: list[tuple[str, str, Any]] = field(default_factory=list)
    address: str = ""
    waiting: threading.Event = field(default_factory=threading.Event)

    def jobs(self) -> list[dict[str, Any]]:
        """The configurations of all jobs that were to be started."""
        return [b["configuration"] for m, p, b in self.requests if m == "POST" and _is_insert(p)]

    def paths(self) -> list[str]:
        return [f"{method} {path.partition('?')[0]}" for method, path, _ in self.requests]


def _is_insert(path: str) -> bool:
    return path.partition("?")[0].endswith("/jobs")


class _Handler(BaseHTTPRequestHandler):
    stub: Stub

    def do_GET(self) -> None:
        self._answer("GET", None)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self._answer("POST", json.loads(raw) if raw.startswith(b"{") else None)

    def _answer(self, method: str, body: Any) -> None:
        self.stub.requests.append((method, self.path, body))
        reply = self._reply(method, self.path.partition("?")[0], body)
        if reply is None:
            self.connection.close()
            return
        status, content = reply
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _reply(self, method: str, path: str, body: Any) -> tuple[int, Any] | None:
        script = self.stub.script
        if path.endswith("/token"):
            return 200, {"access_token": "t0k3n", "expires_in": 3600, "token_type": "Bearer"}
        if path.endswith("/tables"):
            return 200, {"tables": [{"tableReference": _TABLE, "type": "TABLE"}]}
        if path.endswith("/tables/t"):
            return 200, {"tableReference": _TABLE, "schema": {"fields": script.schema}}
        if path.endswith(":testIamPermissions"):
            return 200, {"permissions": script.held}
        if "/datasets" in path:
            return script.login
        if path.endswith("/cancel"):
            self.stub.waiting.set()
            return 200, {"job": self._job("DONE", path.split("/")[-2])}
        if method == "POST":
            if body["configuration"].get("dryRun"):
                return script.dry or (200, self._dry(body))
            job_id = body["jobReference"]["jobId"]
            return script.insert or (200, self._job("RUNNING", job_id))
        job_id = path.rpartition("/")[2]
        if "/queries/" in path:
            return self._results(job_id)
        return 200, self._job("RUNNING" if script.running else "DONE", job_id)

    def _dry(self, body: Any) -> dict[str, Any]:
        script = self.stub.script
        query = {
            "statementType": script.statement_type,
            "totalBytesProcessed": str(script.bytes_processed),
            "schema": {"fields": script.schema},
            "undeclaredQueryParameters": script.undeclared,
            "referencedTables": [_TABLE],
        }
        return {
            "jobReference": {"projectId": "p", "location": "EU"},
            "configuration": body["configuration"],
            "statistics": {"totalBytesProcessed": str(script.bytes_processed), "query": query},
            "status": {"state": "DONE"},
        }

    def _job(self, state: str, job_id: str) -> dict[str, Any]:
        script = self.stub.script
        status: dict[str, Any] = {"state": state}
        if state == "DONE" and script.failed:
            status |= {"errorResult": script.failed, "errors": [script.failed]}
        query = {"statementType": "SELECT", "totalBytesBilled": str(script.bytes_billed)}
        return {
            "jobReference": {"projectId": "p", "jobId": job_id, "location": "EU"},
            "configuration": {"jobType": "QUERY", "query": {"query": "q"}},
            "statistics": {"query": query},
            "status": status,
        }

    def _results(self, job_id: str) -> tuple[int, Any] | None:
        script = self.stub.script
        reference = {"projectId": "p", "jobId": job_id, "location": "EU"}
        if script.running:
            self.stub.waiting.wait(20)
            return 200, {"jobReference": reference, "jobComplete": False}
        number = int(self.path.partition("pageToken=")[2].partition("&")[0] or 0)
        rows = script.pages[number]
        if rows is None:
            return None
        answer = {
            "jobReference": reference,
            "jobComplete": True,
            "schema": {"fields": script.schema},
            "totalRows": str(sum(len(page or ()) for page in script.pages)),
            "rows": [{"f": [{"v": cell} for cell in row]} for row in rows],
        }
        if number + 1 < len(script.pages):
            answer["pageToken"] = str(number + 1)
        return 200, answer

    def log_message(self, *_: Any) -> None:
        return


@contextmanager
def running(certificates: Certificates | None = None) -> Iterator[Stub]:
    """A stub on a free port of this machine; with certificates it speaks TLS as `localhost`."""
    stub = Stub()
    handler = type("Handler", (_Handler,), {"stub": stub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    port = server.server_address[1]
    stub.address = f"http://127.0.0.1:{port}"
    if certificates is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates.cert, certificates.key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        stub.address = f"https://localhost:{port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield stub
    finally:
        stub.waiting.set()
        server.shutdown()
        server.server_close()
