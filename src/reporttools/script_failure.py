"""Why a script did not end well, in words its author can act on."""

from __future__ import annotations

import errno
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolbelt.errors import ToolError
from toolbelt.process import Completed

if TYPE_CHECKING:
    from reporttools.script_runtime import Ready

_REPORT_BYTES: Final = 100_000
_LIMITS: Final = {
    "memory": "used more memory than it may",
    "disk": "wrote more than it may",
    "output": "printed more than it may",
}
_NOT_THERE: Final = ("ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND")


@dataclass(frozen=True, slots=True)
class Told:
    """What the script's last uncaught error was, by the hook in it: not to be trusted blindly."""

    name: str = ""
    message: str = ""
    line: int | None = None
    number: int | None = None
    code: str = ""
    module: str = ""
    network: bool = False


def read(job: Path) -> Told:
    """The hook's report; the script may have written it, so only its types are relied on."""
    from toolbelt.workspace import Workspace

    try:
        raw = json.loads(Workspace.at(job).read_bytes("report.json", _REPORT_BYTES))
    except (ToolError, ValueError, RecursionError):
        return Told()
    if not isinstance(raw, dict):
        return Told()

    def text(key: str) -> str:
        value = raw.get(key)
        return value[:2000] if isinstance(value, str) else ""

    def number(key: str) -> int | None:
        value = raw.get(key)
        return value if type(value) is int and abs(value) < 1 << 31 else None

    return Told(
        text("name"), text("message"), number("line"), number("errno"), text("code"),
        text("module"), raw.get("network") is True,
    )  # fmt: skip


def failure(
    name: str, script: Path, job: Path, done: Completed, *, network: bool,
    timeout: float = 0, ready: Ready | None = None,
) -> ToolError:  # fmt: skip
    """The error of a run that was not ok."""
    if done.timed_out:
        return ToolError(
            "TIMEOUT", f"The script did not end within {timeout:g} s and was stopped.",
            hint="do less, or allow more with --timeout (600 at most)",
            detail={"reason": "timeout"},
        )  # fmt: skip
    if done.limit is not None:
        return _limit(done.limit)
    told = read(job)
    # A Node without our options says so and ends with 9.
    if told.name == "NodeVersion" or (done.exit_code == 9 and "bad option" in done.stderr.text()):
        from reporttools.script_npm import INSTALL_NODE

        return ToolError(
            "MISSING_DEP", f"Node {told.message} is too old.".replace("  ", " "), hint=INSTALL_NODE,
            detail={"reason": "too_old"},
        )  # fmt: skip
    if ready is not None and ready.unavailable is not None and told.code in _NOT_THERE:
        return ready.unavailable
    reason = _reason(told, done, network=network)
    if reason in _LIMITS or reason == "file_size":
        return _limit(reason)
    detail: dict[str, object] = {"reason": reason}
    if told.name:
        detail |= {"name": told.name, "line": told.line}
    return ToolError(
        "CODE_FAILED", _message(told, done, script, name), detail=detail,
        hint=_hint(reason, told),
    )  # fmt: skip


def _limit(reason: str) -> ToolError:
    if reason == "file_size":
        text, hint = "The script wrote a file larger than 1 GiB.", "write less, or several files"
    else:
        text, hint = f"The script {_LIMITS[reason]} and was stopped.", "do less at once"
    return ToolError("CODE_FAILED", text, hint=hint, detail={"reason": reason})


def _reason(told: Told, done: Completed, *, network: bool) -> str:
    if told.name == "MemoryError" or (
        done.signal == "SIGABRT" and "heap out of memory" in done.stderr.text()
    ):
        return "memory"
    if done.signal == "SIGXFSZ" or told.number == errno.EFBIG or told.code == "EFBIG":
        return "file_size"
    if told.network and not network:
        return "network"
    if told.module or told.code in _NOT_THERE:
        return "module"
    if told.name == "SyntaxError":
        return "syntax"
    if told.name:
        return "exception"
    return "signal" if done.signal else "exit"


def _message(told: Told, done: Completed, script: Path, name: str) -> str:
    if told.name:
        where = f"{name}, line {told.line}: " if told.line else ""
        said = told.message.replace(script.as_uri(), name).replace(str(script), name)
        return f"{where}{told.name}: {said}" if said else f"{where}{told.name}"
    if done.signal:
        return f"The script was ended by {done.signal}."
    return f"The script ended with exit code {done.exit_code}."


def _hint(reason: str, told: Told) -> str:
    if reason == "network":
        return "the network is off for scripts: --network, or read a file of the workspace"
    if reason == "module":
        return f"--dependency {told.module or 'NAME'}"
    if told.name == "PermissionError" or told.code in ("EACCES", "EPERM"):
        return "write to the current folder (OUTPUT_DIR) or a temporary one; read the workspace"
    if told.name == "FileNotFoundError" or told.code == "ENOENT":
        return "it starts in the output folder; the workspace is named by the variable WORKSPACE"
    if reason == "signal":
        return "it may have used too much memory, or crashed in a library"
    return "see stderr; correct the code and run it again"
