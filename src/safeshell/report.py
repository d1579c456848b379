"""What a call answers: the envelope, the listing of the policy, the audit line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

from safeshell.plan import Step
from safeshell.policy import Command, Policy, bad_policy
from safeshell.run import NOT_FOUND, Result
from toolbelt.errors import ToolError

_CUT_HINT: Final = (
    "read less: head -n 50, tail -n 50, sed -n '100,200p', rg -m 20, or wc -l to count"
)


def result_body(command: Mapping[str, object], result: Result) -> dict[str, object]:
    """The envelope of a line that ran; `command` holds the keys that say what was asked."""
    stdout, clean_out = _text(bytes(result.stdout))
    stderr, clean_err = _text(bytes(result.stderr))
    body: dict[str, object] = {
        "ok": result.code == 0 and result.limit is None,
        **command,
        "stdout": stdout,
        "stderr": stderr,
        "exitCode": result.code,
        "durationMs": result.duration_ms,
        "timedOut": result.limit == "time",
        "truncated": _truncated(result),
        "encoding": "utf-8" if clean_out and clean_err else "utf-8-replaced",
        "cwd": result.cwd,
        "stages": [
            {
                "argv": [_text(os.fsencode(word))[0] for word in stage.argv],
                "exitCode": stage.code,
                "signal": stage.signal,
                "durationMs": stage.duration_ms,
            }
            for stage in result.stages
        ],
        "confinement": result.confinement,
    }
    if body["truncated"]:
        body["hint"] = _CUT_HINT
    if result.warnings:
        body["warnings"] = result.warnings
    if result.limit not in (None, "time"):
        body["limit"] = result.limit
    error = missing(result)
    return body | {"error": error.body()} if error else body


def missing(result: Result) -> ToolError | None:
    """MISSING_DEP when a program that is allowed, but not installed, gave the line its end."""
    if result.code != NOT_FOUND or not result.missing:
        return None
    return ToolError(
        "MISSING_DEP",
        f"{result.missing} is allowed, but not installed.",
        hint=f"apt-get install {_PACKAGES.get(result.missing, result.missing)}",
        detail={"token": result.missing},
        exit_code=NOT_FOUND,
    )


_PACKAGES: Final = {
    "rg": "ripgrep", "column": "bsdextrautils", "rev": "bsdextrautils", "diff": "diffutils",
    "cmp": "diffutils", "find": "findutils",
}  # fmt: skip


def _truncated(result: Result) -> object:
    """False, or the streams of which less was kept than was printed, with the bytes seen."""
    cut: dict[str, object] = {
        "stdout": result.seen_stdout if result.seen_stdout > len(result.stdout) else False,
        "stderr": result.seen_stderr if result.seen_stderr > len(result.stderr) else False,
    }
    return cut if cut["stdout"] or cut["stderr"] or result.limit == "output" else False


def _text(data: bytes) -> tuple[str, bool]:
    try:
        return data.decode("utf-8"), True
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace"), False


def check_body(command: Mapping[str, object], steps: Sequence[Step], cwd: str) -> dict[str, object]:
    """What --check answers for a line that may run."""
    stages = [
        {"argv": list(stage.argv), "builtin": stage.builtin}
        for step in steps
        for stage in next(iter(step.in_folder.values()))
    ]
    return {"ok": True, **command, "verdict": "allow", "cwd": cwd, "stages": stages}


def explain_body(
    command: Mapping[str, object], steps: Sequence[Step], policy: Policy, cwd: str
) -> dict[str, object]:
    """What --explain answers: every stage as it would run, in every folder it may run in."""
    told = []
    for step in steps:
        for folder, stages in step.in_folder.items():
            for stage in stages:
                told.append(
                    {
                        "index": stage.number,
                        "after": step.joiner,
                        "cwd": folder,
                        "argv": list(stage.argv),
                        "runs": "inside safe-shell" if stage.builtin else "as a confined program",
                        "stdin": list(stage.inputs) or None,
                        "stdout": stage.stdout,
                        "stderr": stage.stderr,
                        "environment": dict(stage.environment),
                    }
                )
    limits = dict(policy.table["limits"])
    return {
        "ok": True, **command, "verdict": "allow", "cwd": cwd, "stages": told, "limits": limits,
        "policy": ["recipes/shell.toml", *policy.sources],
    }  # fmt: skip


def list_body(policy: Policy, names: Sequence[str]) -> dict[str, object]:
    """What --list answers: all commands, or the named ones with their options."""
    if not names:
        return {
            "ok": True,
            "commands": policy.commands,
            "builtins": list(policy.builtins),
            "git": list(policy.table["git"]["sub"]),
            "grammar": "words, quotes, globs, {a,b}; | |& && || ; < FILE, 2>&1, >/dev/null",
            "limits": dict(policy.table["limits"]),
            "policy": ["recipes/shell.toml", *policy.sources],
            "hint": "safe-shell --list git grep shows their options",
        }
    return {"ok": True, "commands": {name: _described(policy, name) for name in names}}


def _described(policy: Policy, name: str) -> dict[str, object]:
    if name in policy.builtins:
        return {"builtin": True}
    if name == "git" and "git" in policy.commands:
        subs = policy.table["git"]["sub"]
        return {
            "flags": _flags(policy.git_globals.known, policy.git_globals.numeric),
            "subcommands": {sub: _subcommand(policy, sub) for sub in subs},
        }
    command = policy.command(name)
    if command is None:
        raise ToolError(
            "USAGE", f"{name} is not on the list.", hint=f"allowed: {', '.join(policy.commands)}"
        )
    return _command(command)


def _subcommand(policy: Policy, name: str) -> dict[str, object]:
    command = policy.subcommand(name)
    if command is None:
        raise AssertionError(name)
    told: dict[str, object] = {"flags": _flags(command.flags.known, command.flags.numeric)}
    for verb in command.verbs:
        built = policy.subcommand(name, verb)
        if built is not None:
            told[verb or "(no verb)"] = _flags(built.flags.known, built.flags.numeric)
    return told


def _command(command: Command) -> dict[str, object]:
    told: dict[str, object] = {
        "flags": _flags(command.flags.known, command.flags.numeric),
        "operands": command.operands,
    }
    if command.max_operands is not None:
        told["maxOperands"] = command.max_operands
    if command.forced:
        told["always"] = list(command.forced)
    if command.hints:
        told["instead"] = dict(command.hints)
    return told


def _flags(known: Mapping[str, Any], numeric: bool) -> list[str]:
    shown = ["-NUM"] if numeric else []
    for name, flag in known.items():
        value = "|".join(flag.choices) if flag.choices else flag.value
        joint = "" if not value else "[=" if flag.optional else "="
        shown.append(f"{name}{joint}{value}{']' if flag.optional else ''}")
    return shown


class Audit:
    """One JSON line a call at the end of the operator's file; opened before anything runs."""

    def __init__(self, path: str) -> None:
        self.fd = -1
        if not path:
            return
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            self.fd = os.open(path, flags, 0o600)
        except OSError as error:
            raise bad_policy(
                f"The audit file {path!r} cannot be opened: {error.strerror}.",
                "fix audit.path in the operator's policy",
            ) from error

    def write(
        self, command: Mapping[str, object], verdict: str, fields: Mapping[str, object]
    ) -> None:
        """verdict: allow, block or error. fields: exitCode, durationMs, reason; never output."""
        if self.fd < 0:
            return
        from datetime import UTC, datetime

        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"), **command,
            "verdict": verdict, **fields,
        }  # fmt: skip
        os.write(self.fd, (json.dumps(line) + "\n").encode())

    def failed(
        self, command: Mapping[str, object], error: ToolError, code: int, duration: object
    ) -> None:
        """The line of a call that was refused or failed."""
        verdict = {"BLOCKED": "block", "TIMEOUT": "allow"}.get(error.code, "error")
        reason = error.detail.get("reason", error.code)
        fields = {"reason": reason, "exitCode": code, "durationMs": duration}
        self.write(command, verdict, fields)


# C0 but tab and newline, DEL, C1, and the marks that turn text round or hide in it.
_UNSEEN: Final = dict.fromkeys(
    [c for c in (*range(0x20), *range(0x7F, 0xA0)) if c not in (9, 10)]
    + [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF]
)


def print_text(result: Result) -> None:
    """For people: both streams where they belong; on a terminal without control characters."""
    for fd, data in ((1, bytes(result.stdout)), (2, bytes(result.stderr))):
        if os.isatty(fd):
            data = data.decode("utf-8", "replace").translate(_UNSEEN).encode()
        while data:
            data = data[os.write(fd, data) :]
