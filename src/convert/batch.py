"""`file-convert batch`: many files, several at a time, one JSON line each.

Every conversion runs in a process of its own, forked while nothing is open yet; the lines come in
the order in which the conversions end, the last one sums up.
"""

from __future__ import annotations

import contextlib
import glob
import os
import selectors
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn

from convert import choose, faces, manifest
from convert.recipe import Table, format_name
from convert.request import PIPE, Request
from toolbelt import envelope, linux
from toolbelt.beneath import bad_path
from toolbelt.errors import ToolError
from toolbelt.workspace import Workspace


@dataclass(slots=True)
class Batch:
    """A run over many files. codes: exit codes of those that failed."""

    table: Table
    workspace: Workspace
    requests: list[Request]
    keep_going: bool
    running: dict[int, tuple[int, Request, bytearray]] = field(default_factory=dict)
    codes: list[int] = field(default_factory=list)
    done: int = 0

    def run(self, jobs: int) -> None:
        """Do all of them, `jobs` at a time."""
        waiting = list(reversed(self.requests))
        with selectors.DefaultSelector() as selector:
            try:
                while waiting or self.running:
                    stop = self.codes and not self.keep_going
                    while waiting and len(self.running) < jobs and not stop:
                        selector.register(self._start(waiting.pop()), selectors.EVENT_READ)
                    if not self.running:
                        break
                    for key, _ in selector.select():
                        self._read(key.fd, selector)
            finally:
                self._end_all()

    def _start(self, request: Request) -> int:
        reader, writer = os.pipe()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
            self._child(request, writer)
        os.close(writer)
        self.running[reader] = (pid, request, bytearray())
        return reader

    def _child(self, request: Request, writer: int) -> NoReturn:
        """In the child: one conversion, its envelope into the pipe."""
        code = 70
        try:
            body, code = outcome(request, self.table, self.workspace)
            with os.fdopen(writer, "wb") as pipe:
                pipe.write(f"{code} {envelope.dumps(body)}".encode())
        finally:
            os._exit(code)

    def _read(self, fd: int, selector: selectors.BaseSelector) -> None:
        pid, request, buffer = self.running[fd]
        if data := os.read(fd, 1 << 16):
            buffer += data
            return
        selector.unregister(fd)
        os.close(fd)
        del self.running[fd]
        _, status = os.waitpid(pid, 0)
        text = buffer.decode()
        if not text:
            error = ToolError("INTERNAL", f"The conversion ended by itself ({status}).")
            body = {"ok": False, "format": request.target, "error": error.body()}
            text = f"70 {envelope.dumps(body | {'input': request.input})}"
        code, _, line = text.partition(" ")
        if code != "0":
            self.codes.append(int(code))
        self.done += 1
        envelope.write_stdout(line + "\n")
        state = "ok" if code == "0" else "failed"
        envelope.warn(f"[{self.done}/{len(self.requests)}] {request.input}: {state}")

    def _end_all(self) -> None:
        for fd, (pid, _request, _buffer) in self.running.items():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            os.waitpid(pid, 0)
            os.close(fd)
        self.running.clear()


def outcome(request: Request, table: Table, workspace: Workspace) -> tuple[dict[str, object], int]:
    """The envelope and exit code of one conversion."""
    from convert.job import convert

    try:
        done = convert(request, table, workspace)
    except ToolError as error:
        return {
            "ok": False, "format": request.target, "input": request.input, "error": error.body(),
        }, error.exit_code  # fmt: skip
    except KeyboardInterrupt:
        stopped = ToolError("CANCELLED", "Stopped.")
        return {
            "ok": False, "format": request.target, "input": request.input, "error": stopped.body(),
        }, stopped.exit_code  # fmt: skip
    return {"ok": True, "input": request.input, **done.body()}, 0


def batch(target: str, patterns: tuple[str, ...], rest: Mapping[str, Any]) -> int:
    """Convert every file that matches; 0, or the exit code of what failed."""
    begun = time.monotonic()
    workspace = Workspace.find(rest["workspace"])
    table = manifest.load(rest["recipes"], workspace.root)
    target = format_name(target)
    inputs = list(dict.fromkeys(_inputs(workspace, patterns, rest["from_file"])))
    if not inputs:
        raise ToolError("USAGE", "No file is named.", hint="file-convert batch FORMAT GLOB...")
    folder = workspace.folder(rest["out_dir"], create=True)
    requests = _requests(table, target, inputs, folder, dict(rest))
    run = Batch(table, workspace, requests, rest["keep_going"])
    run.run(rest["jobs"])
    summary = {
        "total": len(requests), "converted": run.done - len(run.codes), "failed": len(run.codes),
        "skipped": len(requests) - run.done, "durationMs": int((time.monotonic() - begun) * 1000),
    }  # fmt: skip
    envelope.write_stdout(envelope.dumps({"ok": not run.codes, "summary": summary}) + "\n")
    return 0 if not run.codes else run.codes[0] if len(set(run.codes)) == 1 else 4


def _inputs(
    workspace: Workspace, patterns: tuple[str, ...], from_file: str | None
) -> Iterator[str]:
    """The files named, patterns expanded beneath the workspace."""
    words = [*patterns, *(_listed(workspace, from_file) if from_file else ())]
    here = Path.cwd()
    start = here if here.is_relative_to(workspace.root) else workspace.root
    for word in words:
        if word == PIPE:
            yield from (line for line in sys.stdin.read().splitlines() if line)
            continue
        if not glob.has_magic(word) or (start / word).is_file():
            yield word
            continue
        found = sorted(glob.glob(word, root_dir=start, recursive=True))  # noqa: PTH207
        files = [name for name in found if not (start / name).is_dir()]
        if not files:
            raise bad_path("not_found", f"No file matches {word!r}.", "quote the pattern")
        yield from files


def _listed(workspace: Workspace, name: str) -> list[str]:
    if name == PIPE:
        text = sys.stdin.read()
    else:
        text = workspace.read_bytes(name, 16 << 20).decode("utf-8")
    return [line for line in text.splitlines() if line]


def _requests(
    table: Table, target: str, inputs: list[str], folder: Path, rest: dict[str, Any]
) -> list[Request]:
    """One request a file; BAD_PATH when two would write the same output."""
    taken: dict[str, str] = {}
    requests = []
    for name in inputs:
        path = PurePosixPath(name)
        source = format_name(rest["kind"] or path.suffix)
        recipe = table.get(source, target)
        extension = recipe.out_ext if recipe is not None else target
        output = str(folder / f"{path.stem}.{extension}")
        if output in taken:
            raise bad_path(
                "collision", f"{taken[output]!r} and {name!r} would both become {output!r}.",
                "convert them in two runs with two folders",
            )  # fmt: skip
        taken[output] = name
        requests.append(faces.request(target, name, output, rest))
    if requests:
        _check_target(table, requests[0], rest)
    return requests


def _check_target(table: Table, request: Request, rest: Mapping[str, Any]) -> None:
    """UNKNOWN_FORMAT at once when nothing can become the format asked for."""
    if not table.sources(request.target):
        suffix = PurePosixPath(request.input).suffix
        choose.find(table, format_name(rest["kind"] or suffix), request.target)
