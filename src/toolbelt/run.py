"""The command's side of a run: start the supervisor, move the bytes, keep the time."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from toolbelt import linux, supervise
from toolbelt.capture import Buffer
from toolbelt.confine import Report
from toolbelt.confine_prepare import Prepared, protect_parent
from toolbelt.errors import ToolError
from toolbelt.process import Limits, Literal, Outcome, Stage, StageResult, base_env

_CHUNK: Final = 1 << 17
# Longer than the supervisor itself tries.
_SUPERVISOR_PATIENCE: Final = supervise.GIVE_UP + 5
_LONGEST_WAIT: Final = 3_600_000
_STOPS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Run:
    """One pipeline, used once: `outcome` runs it."""

    def __init__(
        self, stages: Sequence[Stage | Literal], cwd: str | int, limits: Limits, job: Path | None
    ) -> None:
        self.stages = list(stages)
        self.cwd, self.limits, self.job = cwd, limits, job
        self.stdout = Buffer(limits.stdout_bytes, tail=limits.overflow == "drain")
        self.stderr = [Buffer(limits.stderr_bytes, tail=True) for _ in self.stages]
        self.ended: dict[int, tuple[int, int, int, int]] = {}
        self.reports: dict[int, Report] = {}
        self.failed: list[tuple[int, int, str]] = []
        self.limit: str | None = None
        self.left_running = 0
        self.fault = ""
        self.ours: list[int] = []
        self.prepared: list[Prepared] = []
        self.control = -1
        self.supervisor = 0

    def outcome(self) -> Outcome:
        """Run to the end; whatever happens, no process and no descriptor is left."""
        begun = time.monotonic()
        try:
            if any(isinstance(stage, Stage) for stage in self.stages):
                self._go()
        finally:
            self._end()
        self._raise_failures()
        for index, stage in enumerate(self.stages):
            if isinstance(stage, Literal):
                self.stderr[index].add(stage.stderr)
        if isinstance(self.stages[-1], Literal):
            self.stdout.add(self.stages[-1].stdout)
        return Outcome(
            stages=tuple(self._result(index) for index in range(len(self.stages))),
            stdout=self.stdout.captured(),
            duration_ms=int((time.monotonic() - begun) * 1000),
            limit=self.limit,
            left_running=self.left_running,
        )

    def _go(self) -> None:
        _fill_standard_streams()
        out_read, out_write = self._pipe(_CHUNK)
        status_read, status_write = self._pipe()
        control_read, control = self._pipe()
        readers: dict[int, Buffer] = {out_read: self.stdout}
        children = []
        for index, stage in enumerate(self.stages):
            if isinstance(stage, Stage):
                error_read, error_write = self._pipe()
                readers[error_read] = self.stderr[index]
                children.append(self._child(index, stage, error_write))
        limits = self.limits
        plan = supervise.Plan(
            children=tuple(children), cwd=self.cwd, capture=out_write, control=control_read,
            status=status_write, grace=limits.grace, memory_bytes=limits.memory_bytes,
            folders=limits.folders, folder_bytes=limits.folder_bytes, orphaned=self.job,
        )  # fmt: skip
        protect_parent()
        self.control = control
        self._fork(plan, keep={*readers, status_read, control})
        self._move(readers, status_read)

    def _fork(self, plan: supervise.Plan, keep: set[int]) -> None:
        """Fork the supervisor; each side keeps its own ends of the pipes."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)
        try:
            self.supervisor = os.fork()
            if self.supervisor == 0:
                for fd in keep:
                    os.close(fd)
                supervise.Supervisor(plan).main()
            for fd in self.ours:
                if fd not in keep:
                    os.close(fd)
            self.ours = list(keep)
        finally:
            if self.supervisor:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)

    def _pipe(self, size: int = 0) -> tuple[int, int]:
        ends = os.pipe()
        self.ours += ends
        if size:
            # A larger pipe saves wake-ups; users have a quota of it.
            with contextlib.suppress(PermissionError):
                fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, size)
        return ends

    def _child(self, index: int, stage: Stage, error: int) -> supervise.Child:
        after = self.stages[index + 1] if index + 1 < len(self.stages) else None
        out = "pipe"
        if after is None:
            out = "capture"
        elif isinstance(after, Literal) or after.stdin is not None:
            out = "nobody"
        prepared = None
        if stage.confinement is not None:
            prepared = stage.confinement.prepare()
            self.prepared.append(prepared)
            self.reports[index] = prepared.report
        program = stage.program or stage.argv[0]
        if not program.startswith("/"):
            raise ValueError(f"a program is named by its absolute path, not {program!r}")
        home = self.cwd if isinstance(self.cwd, str) else "/"
        env = stage.env if stage.env is not None else base_env(home)
        return supervise.Child(
            program=linux.Exec(program, stage.argv, env), prepared=prepared,
            stdin=self._stdin(index, stage), out=out, stdout=stage.stdout, stderr=stage.stderr,
            error=error,
        )  # fmt: skip

    def _stdin(self, index: int, stage: Stage) -> int:
        before = self.stages[index - 1] if index else None
        given = stage.stdin
        if given is None and isinstance(before, Literal):
            given = before.stdout
        if isinstance(given, bytes):
            fd = _memory_file(given)
        elif given is not None:
            fd = os.dup(given)
        elif before is None:
            fd = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        else:
            return -1
        self.ours.append(fd)
        return fd

    def _move(self, readers: dict[int, Buffer], status: int) -> None:
        """Read all streams until the supervisor has ended and they are empty."""
        poll = select.poll()
        for fd in (*readers, status):
            poll.register(fd, select.POLLIN)
        end = time.monotonic() + self.limits.timeout
        notes, open_fds = b"", set(readers)
        while open_fds or status >= 0:
            wait = min(max(int((end - time.monotonic()) * 1000) + 1, 0), _LONGEST_WAIT)
            for fd, _ in poll.poll(wait):
                data = os.read(fd, _CHUNK)
                if not data:
                    poll.unregister(fd)
                    open_fds.discard(fd)
                if fd == status:
                    notes += data
                    if not data:
                        # Nobody is left to write: what is in the pipes comes at once.
                        status, end = -1, time.monotonic() + 1
                elif data:
                    readers[fd].add(data)
            if self._over():
                self._stop("output")
            if time.monotonic() >= end:
                if status < 0:
                    break
                end = self._late()
        self._read_notes(notes)

    def _over(self) -> bool:
        """Whether stdout has printed more than may be read."""
        most = self.limits.drain_bytes
        if self.limits.overflow == "stop":
            return self.stdout.full
        return most is not None and self.stdout.seen > most

    def _late(self) -> float:
        """The time is over: ask for the end, then insist; the next moment to look."""
        if self.limit is None:
            self._stop("time")
            return time.monotonic() + self.limits.grace + _SUPERVISOR_PATIENCE
        # It should have ended by now, whatever its children do; its own end still ends them.
        os.kill(self.supervisor, signal.SIGKILL)
        return time.monotonic() + _SUPERVISOR_PATIENCE

    def _stop(self, why: str) -> None:
        if self.limit is None:
            self.limit = why
            self._order(supervise.TERMINATE)

    def _order(self, order: bytes) -> None:
        # A supervisor that has ended needs no order.
        with contextlib.suppress(BrokenPipeError):
            os.write(self.control, order)

    def _end(self) -> None:
        if self.supervisor:
            if self.control >= 0:
                self._order(supervise.KILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.supervisor, 0)
        for fd in self.ours:
            os.close(fd)
        for prepared in self.prepared:
            prepared.close()

    def _read_notes(self, notes: bytes) -> None:
        for line in notes.decode("utf-8", "replace").splitlines():
            kind, _, rest = line.partition(" ")
            fields = rest.split()
            if kind == "S":
                index, status, took, cpu, peak = (int(field) for field in fields)
                self.ended[self._stage_index(index)] = (status, took, cpu, peak)
            elif kind == "E":
                self.failed.append((self._stage_index(int(fields[0])), int(fields[1]), fields[2]))
            elif kind == "L":
                self.left_running = int(rest)
            elif kind == "X":
                self.fault = rest
            else:
                self.limit = self.limit or {"M": "memory", "D": "disk"}[kind]

    def _stage_index(self, child: int) -> int:
        """The stage of a child: literals have none."""
        real = [i for i, stage in enumerate(self.stages) if isinstance(stage, Stage)]
        return real[child]

    def _raise_failures(self) -> None:
        for index, number, step in self.failed:
            stage = self.stages[index]
            name = stage.argv[0] if isinstance(stage, Stage) else ""
            why = os.strerror(number) if number else "an error of ours"
            what = {"exec": "could not be started", "cwd": "has no folder to run in"}.get(
                step, f"could not be confined or started ({step})"
            )
            if number == errno.E2BIG:
                raise ToolError(
                    "USAGE", f"{name!r} was given more arguments than the system takes.",
                    hint="name a folder, or fewer files", detail={"reason": step, "stage": index},
                )  # fmt: skip
            raise ToolError(
                "MISSING_DEP", f"{name!r} {what}: {why}.",
                hint="check that the program is installed, complete and executable",
                detail={"reason": step, "stage": index},
            )  # fmt: skip
        if self.fault:
            raise RuntimeError(f"the supervisor failed: {self.fault}")

    def _result(self, index: int) -> StageResult:
        stderr = self.stderr[index].captured()
        stage = self.stages[index]
        if isinstance(stage, Literal):
            return StageResult(stage.exit_code, None, stderr)
        if index not in self.ended:
            return StageResult(None, "SIGKILL", stderr, confinement=self.reports.get(index))
        status, took, cpu, peak = self.ended[index]
        code, name = _how(status)
        report = self.reports.get(index)
        return StageResult(code, name, stderr, took, cpu, peak * 1024, report)


def _fill_standard_streams() -> None:
    """Open the streams we were started without, so that no pipe of ours takes their numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _how(status: int) -> tuple[int | None, str | None]:
    """Exit code or signal name of a wait status."""
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status), None
    number = os.WTERMSIG(status)
    known = number in {s.value for s in signal.Signals}
    return None, signal.Signals(number).name if known else f"SIG{number}"


def _memory_file(data: bytes) -> int:
    """A read-only descriptor of a file in memory: no writer to feed, no deadlock."""
    fd = os.memfd_create("stdin")
    with os.fdopen(fd, "wb") as file:
        file.write(data)
        file.flush()
        return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_CLOEXEC)
