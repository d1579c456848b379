"""`safe-shell`: options in, one checked and confined command line, one JSON document out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from toolbelt import cli
from toolbelt.envelope import warn, write_stdout, write_success
from toolbelt.errors import ToolError

if TYPE_CHECKING:
    from safeshell.policy import Policy
    from safeshell.report import Audit
    from safeshell.run import Result

EXIT_CODES = {
    "BLOCKED": 126, "BAD_PATH": 126, "TIMEOUT": 124, "BAD_CONFIG": 125, "MISSING_DEP": 125,
    "INTERNAL": 125,
}  # fmt: skip


@dataclass(slots=True)
class _Call:
    """What is known of a call so far, for the envelope of a failure."""

    asked: dict[str, object] = field(default_factory=dict)
    extra: dict[str, object] = field(default_factory=dict)


_CALL = _Call()


class _Command(click.Command):
    """Sees whether `--` came before the words: then they are one command, not a line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = list(args)
        rest = super().parse_args(ctx, args)
        words: tuple[str, ...] = ctx.params.get("words") or ()
        before = len(given) - len(words) - 1
        ctx.meta["argv"] = before >= 0 and bool(words) and given[before] == "--"
        return rest


@click.command(
    cls=_Command,
    context_settings=cli.CONTEXT | {"allow_interspersed_args": False},
    epilog="Exit codes: the command's own; 124 timed out, 125 safe-shell's own fault, 126 refused "
    "(nothing ran), 127 not installed, 2 usage.",
)
@click.option("--check", is_flag=True, help="Say whether the line may run; run nothing.")
@click.option("--explain", is_flag=True, help="Show each stage as it would run; run nothing.")
@click.option("--list", "list_", is_flag=True, help="What is allowed; of COMMANDS, with options.")
@click.option("--text", is_flag=True, help="Print stdout and stderr as they are, for people.")
@click.option("--timeout", type=float, metavar="SECONDS", help="Time limit of the line [30].")
@click.option("--cwd", metavar="FOLDER", help="Folder to start in, beneath the workspace.")
@click.option("--workspace", metavar="FOLDER", help="The folder that may be read.")
@click.option("--pretty", is_flag=True, help="Indent the JSON.")
@click.option("--debug", is_flag=True, help="Show where a failure came from.")
@cli.version_option
@click.argument("words", nargs=-1, metavar="LINE | -- COMMAND [ARGUMENT]...")
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...], **options: Any) -> int:
    """Run an allowlisted, read-only command LINE and answer in JSON.

    \b
    safe-shell 'git log --oneline | head -5'
    safe-shell 'cd src && rg -n "def main" | head'
    safe-shell -- rg 'a;b' src        one command, no line: nothing is special

    Pipes, && || ; newlines, quotes, globs, {a,b}, 2>&1, >/dev/null and < FILE work as in bash.
    Nothing is written, nothing is sent, no other program runs; what is refused says what to use.
    """
    as_argv = bool(ctx.meta["argv"]) or len(words) > 1
    if as_argv:
        import shlex

        _CALL.asked.update({"command": shlex.join(words), "argv": list(words)})
    elif words:
        _CALL.asked["command"] = words[0]
    try:
        return _answer(words, as_argv=as_argv, options=options)
    except ToolError as error:
        code = EXIT_CODES.get(error.code, error.exit_code)
        if not _CALL.extra:
            _CALL.extra = {"stdout": "", "stderr": "", "exitCode": code}
        if not options["text"]:
            raise
        warn(f"{error.message} Hint: {error.hint}" if error.hint else error.message)
        return code


def _answer(words: Sequence[str], *, as_argv: bool, options: dict[str, Any]) -> int:
    from safeshell import overrides, report
    from toolbelt.workspace import Workspace

    workspace = Workspace.find(options["workspace"])
    policy = overrides.load(workspace.root, os.environ)
    _check_pinned(policy, workspace.root)
    pretty = bool(options["pretty"])
    if options["list_"]:
        write_success(report.list_body(policy, words), pretty=pretty)
        return 0
    if not words:
        raise ToolError("USAGE", "There is no line to run.", hint="safe-shell 'ls -la'")
    timeout = _timeout(policy, options["timeout"])
    audit = report.Audit(policy.table["audit"]["path"])
    return _line(workspace, policy, audit, words, as_argv, timeout, options)


def _line(
    workspace: Any,
    policy: Policy,
    audit: Audit,
    words: Sequence[str],
    as_argv: bool,
    timeout: float,
    options: dict[str, Any],
) -> int:
    from safeshell import report
    from safeshell.paths import Roots
    from safeshell.plan import plan_argv, plan_line
    from safeshell.run import run

    table = policy.table["workspace"]
    roots = Roots.at(
        str(workspace.root), str(workspace.given), table["read_extra"], table["secret_names"]
    )
    try:
        cwd = _start(options["cwd"], roots)
        plan = plan_argv(words, policy, roots, cwd) if as_argv else plan_line(words[0], policy, roots, cwd)
        if options["explain"] or options["check"]:
            body = (
                report.explain_body(_CALL.asked, plan, policy, cwd)
                if options["explain"]
                else report.check_body(_CALL.asked, plan, cwd)
            )
            write_success(body, pretty=bool(options["pretty"]))
            return 0
        result = run(plan, policy, roots, cwd, timeout)
    except ToolError as error:
        verdict = "block" if error.code == "BLOCKED" else "error"
        reason = error.detail.get("reason", error.code)
        code = EXIT_CODES.get(error.code, error.exit_code)
        audit.write(_CALL.asked, verdict, {"reason": reason, "exitCode": code, "durationMs": 0})
        raise
    code = EXIT_CODES["TIMEOUT"] if result.limit == "time" else result.code
    audit.write(_CALL.asked, "allow", {"exitCode": code, "durationMs": result.duration_ms})
    return _tell(result, cwd, code, timeout, options)


def _tell(result: Result, cwd: str, code: int, timeout: float, options: dict[str, Any]) -> int:
    from safeshell import report

    if options["text"]:
        report.print_text(result)
    body = report.result_body(_CALL.asked, result, cwd)
    if result.limit == "time":
        body["exitCode"] = code
        _CALL.extra = {key: value for key, value in body.items() if key not in ("ok", "command", "argv")}
        raise ToolError(
            "TIMEOUT", f"The line did not end within {timeout:g} s and was stopped.",
            hint="narrow it down (a folder, -m, --max-depth, head), or give a longer --timeout",
        )  # fmt: skip
    if not options["text"]:
        write_success(body, pretty=bool(options["pretty"]))
    return code


def _check_pinned(policy: Policy, root: Path) -> None:
    """An operator's `workspace.root` can be narrowed, not left."""
    pinned = policy.table["workspace"].get("root", "")
    if pinned and not root.is_relative_to(Path(pinned).resolve()):
        from safeshell.refusal import refuse

        raise refuse(
            "PATH_OUTSIDE", f"The workspace {str(root)!r} lies outside {pinned!r}.",
            f"use --workspace {pinned} or a folder beneath it", token=str(root),
        )  # fmt: skip


def _start(option: str | None, roots: Any) -> str:
    """The folder a line starts in: --cwd, else the current one if it lies inside, else the root."""
    from safeshell.refusal import refuse

    workspace: str = roots.workspace
    here = os.path.realpath(".")
    inside = here == workspace or here.startswith(f"{workspace.rstrip('/')}/")
    if option is None:
        return here if inside else workspace
    real: str = roots.check(option, here if inside else workspace)
    if not roots.is_folder(real):
        raise refuse(
            "PATH_OUTSIDE", f"--cwd names {option!r}, which is not a folder.",
            f"name a folder beneath {workspace}", token=option,
        )  # fmt: skip
    return real


def _timeout(policy: Policy, wanted: float | None) -> float:
    limits = policy.limits
    if wanted is None:
        return float(limits.timeout_s)
    if not 0 < wanted <= limits.max_timeout_s:
        raise ToolError(
            "USAGE", f"--timeout must be above 0 and at most {limits.max_timeout_s} s, not {wanted:g}.",
            hint=f"safe-shell --timeout {limits.max_timeout_s} LINE",
        )  # fmt: skip
    return wanted


def main() -> NoReturn:
    """Console script."""
    cli.run(
        command, "safe-shell", exit_codes=EXIT_CODES,
        failure_extra=lambda: {**_CALL.asked, **_CALL.extra},
    )  # fmt: skip
