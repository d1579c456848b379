"""A headless Chromium for one page, driven over a pipe: no port, no socket, nothing of the user's.

The page lives at an address that does not exist; every request comes to us, and is answered from
the job's own folder or refused. So a page reaches neither the network nor a file of the machine,
and because its origin is not `file:`, the browser itself refuses it every `file:` address.
"""

from __future__ import annotations

import base64
import json
import os
import select
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final
from urllib.parse import unquote, urlsplit

from convert.steps import told
from convert.steps.chrome_start import Started

ORIGIN: Final = "https://document.invalid"
_TYPES: Final = {
    ".html": "text/html; charset=utf-8", ".htm": "text/html; charset=utf-8", ".css": "text/css",
    ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json",
    ".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg",
    ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif", ".ico": "image/x-icon",
    ".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf", ".otf": "font/otf",
}  # fmt: skip
_PATIENCE: Final = 60.0
Message = dict[str, object]


class Browser:
    """One browser with one page; use it in a `with` block.

    folder: what the page may load, as the root of its origin. virtual: files by their path below
    the origin that are not in the folder. refused: addresses the page asked for in vain.
    """

    def __init__(
        self, started: Started, folder: Path, virtual: Mapping[str, bytes] | None = None
    ) -> None:
        self.started = started
        self.folder = folder
        self.virtual = dict(virtual or {})
        self.refused: dict[str, None] = {}
        self.buffer = b""
        self.number = 0
        self.session = ""
        self.events: list[Message] = []

    def __enter__(self) -> Browser:
        targets = self._targets()
        attached = self.call("Target.attachToTarget", targetId=targets, flatten=True)
        self.session = str(attached["sessionId"])
        self.call("Page.enable")
        self.call("Fetch.enable", patterns=[{"urlPattern": "*"}])
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _where: TracebackType | None,
    ) -> None:
        self.started.end()

    def _targets(self) -> str:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            infos = self.call("Target.getTargets")["targetInfos"]
            for info in infos if isinstance(infos, list) else []:
                if info.get("type") == "page":
                    return str(info["targetId"])
            time.sleep(0.02)
        raise told.Problem("missing", "The browser opened no page.")

    def open(self, path: str, budget: int) -> None:
        """Load the page at a path below the origin and let it run `budget` ms of its own time."""
        if not budget:
            self.call("Page.navigate", url=f"{ORIGIN}/{path}")
            self.wait("Page.loadEventFired")
            return
        # The page's clock stands still until the page is there, then runs to the budget's end.
        self.call("Emulation.setVirtualTimePolicy", policy="pause")
        self.call("Page.navigate", url=f"{ORIGIN}/{path}")
        self.events.clear()
        self.call(
            "Emulation.setVirtualTimePolicy", policy="pauseIfNetworkFetchesPending",
            budget=budget, maxVirtualTimeTaskStarvationCount=100_000,
        )  # fmt: skip
        self.wait("Emulation.virtualTimeBudgetExpired")

    def evaluate(self, script: str) -> object:
        """The value of a script in the page; promises are awaited."""
        done = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        details = done.get("exceptionDetails")
        if isinstance(details, dict):
            thrown = details.get("exception")
            text = thrown.get("description") if isinstance(thrown, dict) else None
            raise told.Problem("bad_input", str(text or details.get("text")).splitlines()[0])
        result = done.get("result")
        return result.get("value") if isinstance(result, dict) else None

    def stream(self, handle: str, target: Path) -> None:
        """Write a stream of the browser to a file."""
        with target.open("wb") as file:
            while True:
                piece = self.call("IO.read", handle=handle, size=1 << 20)
                data = str(piece.get("data", ""))
                file.write(base64.b64decode(data) if piece.get("base64Encoded") else data.encode())
                if piece.get("eof"):
                    return

    def call(self, method: str, **parameters: object) -> Message:
        """One command and its result; Problem when the browser refuses or is gone."""
        number = self._send(method, parameters)
        while True:
            message = self._receive()
            if message.get("id") != number:
                self._handle(message)
                continue
            error = message.get("error")
            if isinstance(error, dict):
                raise told.Problem(
                    "bad_input", f"The browser cannot do it: {error.get('message')}."
                )
            result = message.get("result")
            return result if isinstance(result, dict) else {}

    def wait(self, event: str) -> None:
        """Answer the page's requests until an event comes."""
        while True:
            for place, message in enumerate(self.events):
                if message.get("method") == event:
                    del self.events[: place + 1]
                    return
            self._handle(self._receive())

    def _send(self, method: str, parameters: Mapping[str, object]) -> int:
        self.number += 1
        message: Message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        try:
            while data:
                data = data[os.write(self.started.write_fd, data) :]
        except BrokenPipeError as error:
            raise self._gone() from error
        return self.number

    def _gone(self) -> told.Problem:
        """The browser is no more; its last words where it left any."""
        said = Path(self.started.log).read_text(encoding="utf-8", errors="replace").strip()
        last = f": {said.splitlines()[-1]}" if said else "."
        return told.Problem("bad_input", f"The browser ended by itself{last}")

    def _receive(self) -> Message:
        while b"\0" not in self.buffer:
            select.select([self.started.read_fd], [], [])
            data = os.read(self.started.read_fd, 1 << 20)
            if not data:
                raise self._gone()
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(line)
        return message if isinstance(message, dict) else {}

    def _handle(self, message: Message) -> None:
        method = message.get("method")
        if method == "Fetch.requestPaused":
            parameters = message.get("params")
            self._answer(parameters if isinstance(parameters, dict) else {})
        elif method == "Page.javascriptDialogOpening":
            self._send("Page.handleJavaScriptDialog", {"accept": True})
        elif method in ("Inspector.targetCrashed", "Target.targetCrashed"):
            raise told.Problem("memory", "The page crashed, most likely for want of memory.")
        elif isinstance(method, str):
            self.events.append(message)
            del self.events[:-1000]

    def _answer(self, paused: Message) -> None:
        """Serve a request from the job, or refuse it."""
        request = paused.get("request")
        address = str(request.get("url")) if isinstance(request, dict) else ""
        kind, content = self._content(address)
        elsewhere = paused.get("resourceType") == "Document" and not self._ours(address)
        if content is None or elsewhere:
            if not address.startswith(("data:", "blob:")) and not address.endswith("/favicon.ico"):
                self.refused[address] = None
            self._send(
                "Fetch.failRequest",
                {"requestId": paused["requestId"], "errorReason": "Aborted"},
            )
            return
        headers = [
            {"name": "Content-Type", "value": kind},
            {"name": "Access-Control-Allow-Origin", "value": "*"},
        ]
        self._send("Fetch.fulfillRequest", {
            "requestId": paused["requestId"], "responseCode": 200, "responseHeaders": headers,
            "body": base64.b64encode(content).decode(),
        })  # fmt: skip

    def _ours(self, address: str) -> bool:
        return address.startswith(f"{ORIGIN}/")

    def _content(self, address: str) -> tuple[str, bytes | None]:
        """Type and content of an address below our origin."""
        if not self._ours(address):
            return "", None
        name = unquote(urlsplit(address).path).lstrip("/")
        kind = _TYPES.get(Path(name).suffix.lower(), "application/octet-stream")
        if name in self.virtual:
            return kind, self.virtual[name]
        path = self.folder / name
        try:
            inside = path.resolve(strict=True).is_relative_to(self.folder.resolve())
            return kind, path.read_bytes() if inside and path.is_file() else None
        except (OSError, ValueError):
            return kind, None
