"""Run report code that an agent wrote: confined, limited, and its files told.

    result = execute(Request("python", code, "chart.py", (), 60.0, output, workspace))
    result.body()     # the envelope's keys
    result.error      # ToolError CODE_FAILED or TIMEOUT when the script did not end well

The script runs from a private folder, with the output folder as its current one; of the rest it
may read the workspace, the system's programs and the packages made ready for it. DEP_FAILED and
MISSING_DEP are raised before it starts.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from reporttools import script_files as files
from reporttools.script_deps import Dependency
from reporttools.script_failure import failure
from reporttools.script_place import lent
from reporttools.script_runtime import Ready, check_syntax, node, python
from toolbelt import confine_landlock
from toolbelt.confine import SYSTEM, Confinement
from toolbelt.errors import ToolError
from toolbelt.job import job_folder
from toolbelt.process import Completed, Limits, base_env, run

STDOUT_BYTES: Final = 1 << 20
STDERR_BYTES: Final = 256 << 10
FILE_BYTES: Final = 1 << 30
OUTPUT_BYTES: Final = 2 << 30
MEMORY_BYTES: Final = 2 << 30
PROCESSES: Final = 128
OPEN_FILES: Final = 1024
_GRACE: Final = 2.0
_NEIGHBOURS: Final = 1000


@dataclass(frozen=True, slots=True)
class Request:
    """language: python or javascript. name: the code's, for tracebacks. timeout: seconds.

    output: an existing folder beneath the workspace. beside: the folder that the code came from,
    whose modules it may import; None for code from stdin.
    """

    language: str
    code: bytes
    name: str
    dependencies: tuple[Dependency, ...]
    timeout: float
    output: Path
    workspace: Path
    network: bool = False
    beside: Path | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """How a script ended, and what it left."""

    done: Completed
    stderr: str
    changes: files.Changes
    warnings: list[dict[str, object]]
    dependencies: dict[str, object]
    error: ToolError | None = field(default=None)

    def body(self) -> dict[str, object]:
        """The envelope's keys, the seed's first."""
        done = self.done
        return {
            "files": self.changes.files,
            "stdout": done.stdout.text(),
            "stderr": self.stderr,
            "exitCode": done.exit_code,
            "signal": done.signal,
            "timedOut": done.timed_out,
            "stdoutBytes": done.stdout.seen,
            "stderrBytes": done.stderr.seen,
            "stdoutTruncated": done.stdout.truncated,
            "stderrTruncated": done.stderr.truncated,
            "removed": self.changes.removed,
            "dependencies": self.dependencies,
            "confinement": done.confinement,
            "peakBytes": done.peak_bytes,
            "warnings": self.warnings,
            "durationMs": done.duration_ms,
        }


def execute(request: Request) -> Result:
    """Run the code to its end or its time; see the module."""
    with job_folder("report-code") as job:
        script = _write(request, job)
        ready = _prepare(request, job, script)
        return _run(request, job, script, ready)


def _write(request: Request, job: Path) -> Path:
    """The code in the private folder, with the folders a script expects."""
    for name in ("code", "home", "home/matplotlib"):
        (job / name).mkdir()
    script = job / "code" / _file_name(request)
    script.write_bytes(request.code)
    if request.language == "javascript":
        _link_neighbours(script.parent, (request.beside, request.output))
    return script


def _link_neighbours(private: Path, folders: tuple[Path | None, ...]) -> None:
    """Let `./data.json` and `./helper.js` be found, which Node looks for beside the script."""
    taken = {"node_modules", "package.json", *(p.name for p in private.iterdir())}
    for folder in folders:
        names = [] if folder is None else sorted(p.name for p in folder.iterdir())
        for name in names[:_NEIGHBOURS]:
            if folder is not None and name not in taken:
                (private / name).symlink_to(folder / name)
                taken.add(name)


def _file_name(request: Request) -> str:
    """A name of ours: a script called `pandas.py` would be found for the library."""
    endings = (".py",) if request.language == "python" else (".js", ".mjs", ".cjs")
    ending = next((one for one in endings if request.name.endswith(one)), endings[0])
    return f"script{ending}"


def _prepare(request: Request, job: Path, script: Path) -> Ready:
    """The interpreter with its packages; code that does not parse needs none to say so."""

    def parses(ready: Ready) -> bool:
        done = check_syntax(ready, script, _confinement(request, job, ready), job)
        return done.exit_code != 1

    make = python if request.language == "python" else node
    return make(request.dependencies, job, script, parses)


def _run(request: Request, job: Path, script: Path, ready: Ready) -> Result:
    with lent(request.output, request.timeout):
        before = files.snapshot(request.output, files.MOST_WATCHED)
        held = sum(seen.size for seen in before.files.values())
        limits = Limits(
            timeout=request.timeout, grace=_GRACE, stdout_bytes=STDOUT_BYTES,
            stderr_bytes=STDERR_BYTES, memory_bytes=MEMORY_BYTES,
            folder=(request.output, job), folder_bytes=held + OUTPUT_BYTES,
        )  # fmt: skip
        done = run(
            [*ready.argv, str(script)], cwd=request.output, env=_env(request, job, ready),
            confinement=_confinement(request, job, ready), limits=limits, job=job,
        )  # fmt: skip
        changes = files.changes(request.output, before)
    warnings = [*ready.warnings, *changes.warnings]
    if done.left_running:
        text = f"{done.left_running} processes could not be ended"
        warnings.append({"code": "LEFT_RUNNING", "message": text})
    error = None
    if not done.ok:
        error = failure(
            request.name, script, job, done,
            network=request.network, timeout=request.timeout, ready=ready,
        )  # fmt: skip
    told = {"installed": ready.installed, "cached": ready.cached}
    return Result(done, ready.shown(done, script, request.name), changes, warnings, told, error)


def _env(request: Request, job: Path, ready: Ready) -> dict[str, str]:
    """The script's whole environment: nothing of ours but SOURCE_DATE_EPOCH."""
    home = job / "home"
    env = base_env(home) | {
        "OUTPUT_DIR": str(request.output),
        "WORKSPACE": str(request.workspace),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "CODE_REPORT": str(job / "report.json"),
        "CODE_BESIDE": ":".join(str(p) for p in (request.beside, request.output) if p is not None),
    }
    if "SOURCE_DATE_EPOCH" in os.environ:
        env["SOURCE_DATE_EPOCH"] = os.environ["SOURCE_DATE_EPOCH"]
    return env | ready.env


def _confinement(request: Request, job: Path, ready: Ready) -> Confinement:
    return Confinement(
        # /opt belongs to other programs, whose files only root may read perhaps.
        read=[*(place for place in SYSTEM if place != "/opt"), *ready.read, request.workspace],
        write=[request.output],
        job=job,
        network=request.network,
        memory_bytes=ready.address_bytes,
        file_bytes=FILE_BYTES,
        processes=PROCESSES,
        open_files=OPEN_FILES,
        memory_files=False,
        metadata=False,
        # As root the script is another user; what it may read at all is Landlock's to say.
        read_as_owner=True if confine_landlock.abi() else None,
    )
