"""One call of safe-shell, from its options to its answer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from safeshell import overrides, plan, report
from safeshell.paths import Roots
from safeshell.plan import Step
from safeshell.policy import Policy
from safeshell.refusal import EXIT_CODES, refuse
from toolbelt.envelope import write_success
from toolbelt.errors import ToolError
from toolbelt.workspace import Workspace

if TYPE_CHECKING:
    from safeshell.run import Result


class Options(NamedTuple):
    """What the command line asked for. words: the line as one word, or the words of one command
    (`as_argv`). mode: run, check, explain or list. timeout: seconds."""

    words: tuple[str, ...]
    as_argv: bool
    mode: str
    text: bool = False
    timeout: float | None = None
    cwd: str | None = None
    workspace: str | None = None
    pretty: bool = False


class Call:
    """`answer` does it; `failed` gives what belongs beside `error` when it raised."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.asked: dict[str, object] = {}
        self.partial: dict[str, object] = {}
        if options.as_argv:
            self.asked = {"command": _joined(options.words), "argv": list(options.words)}
        elif options.words and options.mode != "list":
            self.asked = {"command": options.words[0]}

    def failed(self, code: int) -> dict[str, object]:
        """The other keys of a failure's envelope."""
        return {**self.asked, **(self.partial or {"stdout": "", "stderr": "", "exitCode": code})}

    def answer(self) -> int:
        """Print the answer; the exit code. Raises ToolError for everything refused or failed."""
        options = self.options
        workspace = Workspace.find(options.workspace)
        policy = overrides.load(workspace.root, os.environ)
        _check_pinned(policy, workspace.root)
        if options.mode == "list":
            write_success(report.list_body(policy, options.words), pretty=options.pretty)
            return 0
        if not options.words:
            raise ToolError("USAGE", "There is no line to run.", hint="safe-shell 'ls -la'")
        timeout = _timeout(policy, options.timeout)
        audit = report.Audit(policy.table["audit"]["path"])
        try:
            code, duration = self._line(policy, workspace, timeout)
        except ToolError as error:
            code = EXIT_CODES.get(error.code, error.exit_code)
            audit.failed(self.asked, error, code, self.partial.get("durationMs", 0))
            raise
        audit.write(self.asked, "allow", {"exitCode": code, "durationMs": duration})
        return code

    def _line(self, policy: Policy, workspace: Workspace, timeout: float) -> tuple[int, int]:
        """Check the line, and run it unless only that was asked: (exit code, milliseconds)."""
        options, table = self.options, policy.table["workspace"]
        roots = Roots.at(
            str(workspace.root), str(workspace.given), table["read_extra"], table["secret_names"]
        )
        cwd = _start(options.cwd, roots)
        if options.as_argv:
            steps = plan.plan_argv(options.words, policy, roots, cwd)
        else:
            steps = plan.plan_line(options.words[0], policy, roots, cwd)
        if options.mode != "run":
            write_success(self._checked(steps, policy, cwd), pretty=options.pretty)
            return 0, 0
        from safeshell.run import run

        result = run(steps, policy, roots, cwd, timeout)
        return self._tell(result, timeout), result.duration_ms

    def _checked(self, steps: Sequence[Step], policy: Policy, cwd: str) -> dict[str, object]:
        if self.options.mode == "explain":
            return report.explain_body(self.asked, steps, policy, cwd)
        return report.check_body(self.asked, steps, cwd)

    def _tell(self, result: Result, timeout: float) -> int:
        if self.options.text:
            report.print_text(result)
        else:
            self.partial = report.result_body(self.asked, result)
        if result.limit == "time":
            self.partial |= {"exitCode": 124}
            self.partial.pop("ok", None)
            raise ToolError(
                "TIMEOUT", f"The line did not end within {timeout:g} s and was stopped.",
                hint="narrow it down (a folder, rg -m, --max-depth), or give a longer --timeout",
            )  # fmt: skip
        if self.partial:
            write_success(self.partial, pretty=self.options.pretty)
        return result.code


def _joined(words: Sequence[str]) -> str:
    import shlex

    return shlex.join(words)


def _check_pinned(policy: Policy, root: Path) -> None:
    """An operator's `workspace.root` can be narrowed, not left."""
    pinned = policy.table["workspace"].get("root", "")
    if pinned and not root.is_relative_to(Path(pinned).resolve()):
        raise refuse(
            "PATH_OUTSIDE", f"The workspace {str(root)!r} lies outside {pinned!r}.",
            f"use --workspace {pinned} or a folder beneath it", token=str(root),
        )  # fmt: skip


def _start(option: str | None, roots: Roots) -> str:
    """The folder a line starts in: --cwd, else the current one if it lies inside, else the root."""
    here = os.path.realpath(".")
    if here != roots.workspace and not here.startswith(f"{roots.workspace.rstrip('/')}/"):
        here = roots.workspace
    if option is None:
        return here
    real = roots.check(option, here)
    if not roots.is_folder(real):
        raise refuse(
            "PATH_OUTSIDE", f"--cwd names {option!r}, which is not a folder.",
            f"name a folder beneath {roots.workspace}", token=option,
        )  # fmt: skip
    return real


def _timeout(policy: Policy, wanted: float | None) -> float:
    limits = policy.limits
    if wanted is None:
        return float(limits.timeout_s)
    if not 0 < wanted <= limits.max_timeout_s:
        raise ToolError(
            "USAGE",
            f"--timeout must be above 0 and at most {limits.max_timeout_s} s, not {wanted:g}.",
            hint=f"safe-shell --timeout {limits.max_timeout_s} LINE",
        )
    return wanted
