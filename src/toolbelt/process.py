"""Run programs: no shell, a clean environment, confined, limited, and nothing left running.

    done = run([which("pdftotext"), "-", "-"], cwd=job, stdin=data, timeout=30,
               confinement=Confinement(read=LIBRARIES, job=job))
    done.exit_code, done.signal, done.limit, done.stdout.data, done.stderr.text()

    outcome = pipeline([Stage(argv1, confinement=c1), Stage(argv2, confinement=c2)], cwd=root, ...)
    outcome.stages[-1].exit_code, outcome.stdout.data, outcome.stages[0].stderr.data

A supervisor process (see `supervise`) is forked first, then one process a stage, which confines
itself and becomes the program at once: no second interpreter, 1 to 3 ms a stage. Forking is right
here because our commands have one Python thread: a fork copies only the calling thread, so a lock
that another one holds would stay locked for ever. `pipeline` refuses (RuntimeError, a bug of ours)
when there are more, unless THREADS_ARE_IDLE says that they hold nothing (a test run whose servers
live in threads). Jobs that must run at once run in processes of their own.

Failures to start raise ToolError MISSING_DEP; what a program does is told by its result.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolbelt.capture import Captured
from toolbelt.confine import Confinement, Report
from toolbelt.errors import ToolError
from toolbelt.programs import PATH as PATH
from toolbelt.programs import which as which

THREADS_ARE_IDLE = False
_SECRET_PREFIXES: Final = (
    "DB_", "AWS_", "AZURE_", "GOOGLE_", "GCLOUD_", "GCP_", "TOOLBELT_", "LD_", "DYLD_", "PG",
    "MYSQL_", "MONGO", "CLICKHOUSE_",
)  # fmt: skip
_SECRET_WORDS: Final = ("TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "API_KEY", "_KEY")


def base_env(home: str | os.PathLike[str], **more: str) -> dict[str, str]:
    """A child's environment from nothing: PATH, UTF-8, UTC, HOME and TMPDIR in one folder."""
    folder = os.fspath(home)
    env = {"PATH": PATH, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "HOME": folder, "TMPDIR": folder}
    return env | {"TZ": "UTC"} | more


def pass_env(names: Sequence[str], env: Mapping[str, str]) -> dict[str, str]:
    """Variables a caller asked to hand on; USAGE for one that names a secret or a loader."""
    for name in names:
        upper = name.upper()
        bad = upper.startswith(_SECRET_PREFIXES) or any(word in upper for word in _SECRET_WORDS)
        if bad or upper == "DATABASE_URL" or not name or "=" in name or "\0" in name:
            raise ToolError(
                "USAGE", f"{name!r} is never handed on to a child process.",
                hint="pass harmless settings only; write data to a file in the workspace",
            )  # fmt: skip
    return {name: env[name] for name in names if name in env}


@dataclass(frozen=True, slots=True)
class Stage:
    """One program of a pipeline.

    argv: argv[0] is absolute unless `program` names the file. env: all of it; None is base_env of
    the current folder. stdin: bytes, a descriptor (not closed), or None for the stage before (the
    first reads nothing). stdout, stderr: where each goes at last: `out` (next stage or capture),
    `err` (this stage's captured stderr), `null`; `2>&1` is stderr="out".
    """

    argv: Sequence[str]
    program: str | None = None
    env: Mapping[str, str] | None = None
    confinement: Confinement | None = None
    stdin: bytes | int | None = None
    stdout: str = "out"
    stderr: str = "err"


@dataclass(frozen=True, slots=True)
class Literal:
    """A stage that needs no process: its output is known; it reads nothing."""

    stdout: bytes = b""
    stderr: bytes = b""
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class StageResult:
    """How one stage ended. exit_code: None when a signal ended it (or it never ended).

    signal: its name, such as `SIGKILL`. peak_bytes: largest resident size of one process.
    """

    exit_code: int | None
    signal: str | None
    stderr: Captured
    duration_ms: int = 0
    cpu_ms: int = 0
    peak_bytes: int = 0
    confinement: Report | None = None

    @property
    def shell_code(self) -> int:
        """The exit code as a shell gives it: 128 + the signal's number where one ended it."""
        if self.exit_code is not None:
            return self.exit_code
        import signal

        known = signal.Signals.__members__.get(self.signal or "", signal.SIGKILL)
        return 128 + known.value


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a pipeline ended.

    limit: why we ended it ourselves: `time`, `output`, `memory`, `disk`; None when we did not.
    left_running: processes that could not be killed (in uninterruptible waits): 0, or a fault.
    """

    stages: tuple[StageResult, ...]
    stdout: Captured
    duration_ms: int
    limit: str | None
    left_running: int

    @property
    def timed_out(self) -> bool:
        return self.limit == "time"


@dataclass(frozen=True, slots=True)
class Completed:
    """How one program ended; fields as in StageResult and Outcome."""

    exit_code: int | None
    signal: str | None
    stdout: Captured
    stderr: Captured
    duration_ms: int
    cpu_ms: int
    peak_bytes: int
    limit: str | None
    left_running: int
    confinement: Report | None

    @property
    def timed_out(self) -> bool:
        return self.limit == "time"

    @property
    def ok(self) -> bool:
        return self.exit_code == 0 and self.limit is None


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a whole run.

    timeout: seconds. grace: seconds between SIGTERM and SIGKILL. stdout_bytes: kept of stdout;
    stderr_bytes: kept of each stage's. overflow: `stop` ends the run when stdout is full, `drain`
    reads on and keeps head and tail (stderr is always drained), until more than drain_bytes came.
    memory_bytes: of the whole tree, looked at four times a second. folder, folder_bytes: a folder,
    or several together, that may not outgrow a size.
    """

    timeout: float = 60.0
    grace: float = 0.5
    stdout_bytes: int = 1 << 20
    stderr_bytes: int = 1 << 16
    overflow: str = "drain"
    drain_bytes: int | None = None
    memory_bytes: int | None = None
    folder: Path | Sequence[Path] | None = None
    folder_bytes: int | None = None

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders watched, whichever way they were given."""
        if self.folder is None:
            return ()
        return (self.folder,) if isinstance(self.folder, Path) else tuple(self.folder)


_DEFAULT: Final = Limits()


def run(
    argv: Sequence[str],
    *,
    cwd: str | os.PathLike[str] | int,
    env: Mapping[str, str] | None = None,
    stdin: bytes | int | None = None,
    confinement: Confinement | None = None,
    limits: Limits = _DEFAULT,
    job: Path | None = None,
) -> Completed:
    """Run one program to its end; see Stage, Limits and Completed.

    job: a job folder to remove should this process be killed in the middle.
    """
    stage = Stage(argv, env=env, stdin=stdin, confinement=confinement)
    outcome = pipeline([stage], cwd=cwd, limits=limits, job=job)
    only = outcome.stages[0]
    return Completed(
        exit_code=only.exit_code, signal=only.signal, stdout=outcome.stdout, stderr=only.stderr,
        duration_ms=outcome.duration_ms, cpu_ms=only.cpu_ms, peak_bytes=only.peak_bytes,
        limit=outcome.limit, left_running=outcome.left_running, confinement=only.confinement,
    )  # fmt: skip


def pipeline(
    stages: Sequence[Stage | Literal],
    *,
    cwd: str | os.PathLike[str] | int,
    limits: Limits = _DEFAULT,
    job: Path | None = None,
) -> Outcome:
    """Run stages joined by pipes to the end of all of them; see Stage, Limits and Outcome."""
    threading = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1 and not THREADS_ARE_IDLE:
        raise RuntimeError("programs are started from a single-threaded process only")
    from toolbelt.run import Run

    return Run(stages, cwd if isinstance(cwd, int) else os.fspath(cwd), limits, job).outcome()
