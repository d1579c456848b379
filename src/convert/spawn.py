"""One program of a recipe, run in its job folder: its arguments, its rights, how it ended.

A program may leave `report.json` in its TMPDIR: {"warnings": [...]}, or, when it failed,
{"reason": ..., "message": ..., "hint": ...}. It is read as untrusted data.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from convert import tools
from convert.recipe import Recipe
from convert.request import failed
from convert.template import Template
from toolbelt import process
from toolbelt.confine import SYSTEM, Confinement, Report, python_roots
from toolbelt.data import recipes
from toolbelt.errors import ToolError
from toolbelt.workspace import Workspace

# What a program may say went wrong; anything else is `exit_status`.
REASONS: Final = frozenset(
    "password no_text bad_input truncated too_large wrong_type empty memory timeout missing"
    " empty_output".split()
)
_OFFICE: Final = ("/etc/libreoffice", "/var/lib/libreoffice", "/var/spool/libreoffice")
_BROWSER: Final = ("/etc/chromium.d", "/etc/chromium")
_REPORT_BYTES: Final = 1 << 16
_TAIL: Final = 2048
_MODE: Final[Mapping[str, str | None]] = {"required": "require", "best-effort": None, "off": "off"}


@dataclass(slots=True)
class Job:
    """A job folder and what is known so far. folder: private, outside the workspace."""

    folder: Path
    deadline: float
    shown: str
    warnings: dict[str, None] = field(default_factory=dict)
    confinement: Report | None = None

    @property
    def tmp(self) -> Path:
        return self.folder / "tmp"

    def warn(self, *lines: str) -> None:
        """Add warnings, each once."""
        self.warnings.update(dict.fromkeys(lines))


def run(
    job: Job, recipe: Recipe, templates: tuple[Template, ...], values: Mapping[str, str],
    seconds: float,
) -> None:  # fmt: skip
    """Run one program to its end; CONVERT_FAILED with a reason when it did not do its work."""
    argv = _argv(recipe, templates, values)
    limits = process.Limits(
        timeout=max(seconds, 0.01),
        memory_bytes=recipe.memory or None,
        folder=job.folder,
        folder_bytes=(recipe.max_output or 1 << 30) * 2 + (256 << 20),
    )
    done = process.run(
        argv,
        cwd=job.tmp,
        env=_environment(job, recipe),
        confinement=_confinement(job, recipe, seconds),
        limits=limits,
        job=job.folder,
    )
    job.confinement = _weaker(job.confinement, done.confinement)
    report = _report(job)
    job.warn(*report.warnings)
    if not done.ok:
        raise _failure(job, recipe, done, report)


def _argv(recipe: Recipe, templates: tuple[Template, ...], values: Mapping[str, str]) -> list[str]:
    path = tools.search_path(recipe.tools)

    def tool(need: str) -> str:
        found = tools.find(need, path)
        if found is None:
            raise ToolError("MISSING_DEP", f"{need!r} is gone.", hint=tools.install_hint(need))
        return found

    argv = [template.fill(values, tool) for template in templates]
    return [sys.executable, *argv] if argv[0].endswith(".py") else argv


def _environment(job: Job, recipe: Recipe) -> dict[str, str]:
    env = process.base_env(job.tmp, PATH=tools.search_path(recipe.tools))
    env |= process.pass_env(("SOURCE_DATE_EPOCH", "TZ", *recipe.env_pass), os.environ)
    return {**env, **recipe.env}


def _confinement(job: Job, recipe: Recipe, seconds: float) -> Confinement:
    read: list[str | os.PathLike[str]] = [
        *SYSTEM,
        *python_roots(),
        recipes(),
        recipe.script,
        *recipe.read,
        *recipe.tools,
    ]
    extra = {"office": _OFFICE, "browser": _BROWSER}.get(recipe.profile, ())
    plain = recipe.profile == "plain"
    return Confinement(
        read=[*read, *extra],
        job=job.folder,
        proc="self" if plain else "all",
        bind_sockets=("/tmp",) if recipe.profile == "office" else (),  # noqa: S108
        unix_sockets=not plain,
        # An address space limit ends browsers and office suites at once: they reserve, not use.
        memory_bytes=(recipe.memory or None) if plain else None,
        cpu_seconds=int(seconds * 4) + 10,
        file_bytes=recipe.max_output or None,
        processes=256 if plain else 1024,
        mode=_MODE[recipe.confine],
    )


def _weaker(one: Report | None, other: Report | None) -> Report | None:
    """What held both of two programs."""
    if one is None or other is None:
        return other if one is None else one
    order = ("inherited", "namespace", "seccomp")
    return Report(
        landlock=min(one["landlock"], other["landlock"]),
        network=min(one["network"], other["network"], key=order.index),
        rlimits=one["rlimits"] and other["rlimits"],
    )


@dataclass(frozen=True, slots=True)
class Told:
    """What a program said of itself."""

    warnings: tuple[str, ...] = ()
    reason: str = ""
    message: str = ""
    hint: str = ""


def _report(job: Job) -> Told:
    """The program's report, if it left one; taken away, so that the next starts anew."""
    path = job.tmp / "report.json"
    if not path.is_file() or path.is_symlink():
        return Told()
    try:
        told = json.loads(Workspace.at(job.tmp).read_bytes("report.json", _REPORT_BYTES))
    except (ValueError, RecursionError, ToolError):
        # Whatever a program we do not trust has written here instead.
        return Told()
    finally:
        path.unlink()
    if not isinstance(told, dict):
        return Told()
    warnings = told.get("warnings", [])
    lines = [str(w)[:500] for w in warnings[:50]] if isinstance(warnings, list) else []
    texts = {key: str(told.get(key) or "")[:1000] for key in ("reason", "message", "hint")}
    return Told(tuple(lines), **texts)


def _failure(job: Job, recipe: Recipe, done: process.Completed, told: Told) -> ToolError:
    """Why a program did not do its work, in one of our reasons."""
    tail = _tail(job, done.stderr.text())
    detail: dict[str, object] = {"stderrTail": tail} if tail else {}
    if done.left_running:
        detail["leftRunning"] = done.left_running
    what = f"{recipe.pair} of {job.shown!r}"
    if done.limit == "time":
        return failed(
            "timeout", f"{what} took longer than it may.",
            "--timeout may only shorten the recipe's own; a smaller input helps",
            detail,
        )  # fmt: skip
    if done.limit == "memory" or _out_of_memory(done, tail):
        limit = f"{recipe.memory >> 20} MB" if recipe.memory else "all there is"
        return failed(
            "memory", f"{what} needed more memory than it may have ({limit}).", detail=detail
        )
    if done.limit == "disk" or done.signal == "SIGXFSZ":
        return failed("too_large", f"{what} wrote more than it may.", detail=detail)
    if told.reason in REASONS and told.message:
        return failed(told.reason, told.message, told.hint, detail)
    if done.signal == "SIGXCPU":
        return failed("timeout", f"{what} used up its processor time.", detail=detail)
    if done.signal is not None:
        return failed("signal", f"{what}: the converter was ended by {done.signal}.", detail=detail)
    said = _first_line(told.message or tail)
    message = f"{what} failed with exit code {done.exit_code}" + (f": {said}" if said else ".")
    return failed("exit_status", message, told.hint, {"exitCode": done.exit_code, **detail})


def _out_of_memory(done: process.Completed, tail: str) -> bool:
    """Whether a program ran into its address space limit, by what runtimes say then."""
    words = ("MemoryError", "heap exhausted", "Heap exhausted", "out of memory", "bad_alloc",
             "memory allocation of", "Cannot allocate memory")  # fmt: skip
    return any(word in tail for word in words) or done.exit_code == 251


def _tail(job: Job, text: str) -> str:
    """The end of what a program said, without our own paths and terminal control."""
    text = text.replace(f"{job.folder}/in/", "").replace(f"{job.folder}/", "")
    clean = "".join(c for c in text if c.isprintable() or c in "\n\t").strip()
    return clean[-_TAIL:]


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " ".join(lines[:3])[:400]
