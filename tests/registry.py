"""A package index on loopback: one wheel, one source archive whose set-up code leaves a mark."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WHEEL = "toolbelt_sample-1.2-py3-none-any.whl"
ARCHIVE = "toolbelt_source-1.0.tar.gz"


def wheel() -> bytes:
    """A package `toolbelt_sample` with one value."""
    info = "toolbelt_sample-1.2.dist-info"
    files = {
        "toolbelt_sample.py": "VALUE = 42\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: toolbelt-sample\nVersion: 1.2\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
        record += f"{name},sha256={digest.decode()},{len(text)}\n"
    files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return whole.getvalue()


def source(mark: str) -> bytes:
    """A source archive; its set-up code would make the file `mark`."""
    text = f"open({mark!r}, 'w').close()\n".encode()
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:gz") as archive:
        entry = tarfile.TarInfo("toolbelt_source-1.0/setup.py")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    return whole.getvalue()


@contextmanager
def index(mark: str) -> Iterator[str]:
    """The index's address while the block runs; anything it has not is a 404."""
    pages = {
        "/simple/toolbelt-sample/": f'<a href="/files/{WHEEL}">{WHEEL}</a>'.encode(),
        "/simple/toolbelt-source/": f'<a href="/files/{ARCHIVE}">{ARCHIVE}</a>'.encode(),
        f"/files/{WHEEL}": wheel(),
        f"/files/{ARCHIVE}": source(mark),
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path)
            self.send_response(404 if page is None else 200)
            self.send_header("Content-Type", "text/html" if "simple" in self.path else "a/b")
            self.send_header("Content-Length", str(len(page or b"")))
            self.end_headers()
            self.wfile.write(page or b"")

        def log_message(self, *_: object) -> None:
            """Quiet: the tests look at answers."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
