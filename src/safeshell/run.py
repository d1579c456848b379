"""Runs the steps of a checked line: pipes, `&&`, `||`, `;`, each program confined on its own."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from safeshell import builtins
from safeshell.arguments import Place
from safeshell.builtins import Said
from safeshell.paths import Roots
from safeshell.plan import StagePlan, Step
from safeshell.policy import Policy
from toolbelt.errors import ToolError

if TYPE_CHECKING:
    from toolbelt.confine import Confinement, Report
    from toolbelt.process import Literal, Outcome, Stage

NOT_FOUND: Final = 127
CUT: Final = 141  # as if the reader of an endless output had gone away


class Ran(NamedTuple):
    """How one stage ended. code: as a shell gives it. signal: what ended it, such as `SIGKILL`."""

    argv: tuple[str, ...]
    code: int
    signal: str | None
    duration_ms: int


class Result:
    """How a line ended.

    stdout, stderr: what was kept. seen_stdout, seen_stderr: bytes printed in all. code: of the
    last pipeline that ran. limit: what ended the line before its time: `time`, `output`, `memory`.
    missing: an allowed program that is not installed and gave the line its code. warnings: stages
    that failed in front of others, which a pipeline's code does not show.
    """

    def __init__(self) -> None:
        self.stages: list[Ran] = []
        self.stdout, self.stderr = bytearray(), bytearray()
        self.seen_stdout = self.seen_stderr = 0
        self.code = 0
        self.cwd = ""
        self.limit: str | None = None
        self.missing = ""
        self.warnings: list[str] = []
        self.confinement: Report | None = None
        self.duration_ms = 0


def run(steps: Sequence[Step], policy: Policy, roots: Roots, cwd: str, timeout: float) -> Result:
    """Run a plan; `timeout` in seconds for the whole line. Raises ToolError when a stage cannot be
    confined as required."""
    runner = _Runner(policy, roots, cwd, timeout)
    begun = time.monotonic()
    for step in steps:
        if step.joiner != ";" and (runner.result.code == 0) != (step.joiner == "&&"):
            continue
        runner.step(step)
        if runner.result.limit is not None:
            break
    runner.result.cwd = runner.cwd
    runner.result.duration_ms = int((time.monotonic() - begun) * 1000)
    return runner.result


class _Runner:
    def __init__(self, policy: Policy, roots: Roots, cwd: str, timeout: float) -> None:
        self.policy = policy
        self.roots = roots
        self.cwd = cwd
        self.end = time.monotonic() + timeout
        self.result = Result()
        self.opened: list[int] = []

    def step(self, step: Step) -> None:
        """Run one pipeline in the folder the line is in now."""
        plans = step.in_folder[self.cwd]
        self.result.missing = ""
        try:
            ready = [self._ready(plan) for plan in plans]
            if all(isinstance(stage, Said) for stage in ready):
                self._all_said(plans, [stage for stage in ready if isinstance(stage, Said)])
            else:
                self._programs(plans, ready)
        finally:
            while self.opened:
                os.close(self.opened.pop())
        if plans[-1].moves_to is not None and len(plans) == 1 and self.result.code == 0:
            self.cwd = plans[-1].moves_to

    def _ready(self, plan: StagePlan) -> Said | Stage:
        """What a stage comes to: known output, or a program to start."""
        stdin: int | None = None
        for path in plan.inputs:
            try:
                stdin = self._open(path)
            except OSError as error:
                said = f"{os.path.basename(path)}: {error.strerror}\n"  # noqa: PTH119
                return Said(stderr=said.encode("utf-8", "surrogateescape"), code=1)
        if plan.builtin:
            context = builtins.Context(self.policy, Place(self.cwd, self.roots), self.locate)
            return _redirected(builtins.run(plan.argv, plan.moves_to, context), plan)
        if plan.says is not None:
            return _redirected(plan.says, plan)
        program = self.locate(plan.argv[0])
        if program is None:
            self.result.missing = plan.argv[0]
            text = f"{plan.argv[0]}: allowed, but not installed\n"
            return _redirected(Said(stderr=text.encode(), code=NOT_FOUND), plan)
        return self._stage(plan, program, stdin)

    def _stage(self, plan: StagePlan, program: str, stdin: int | None) -> Stage:
        from toolbelt.process import Stage

        return Stage(
            argv=plan.argv,
            program=program,
            env=self._environment(plan),
            confinement=self._confinement(plan.argv[0], program),
            stdin=stdin,
            stdout=plan.stdout,
            stderr=plan.stderr,
        )

    def _environment(self, plan: StagePlan) -> dict[str, str]:
        """A stage's whole environment: nothing is inherited but what the policy passes."""
        table = self.policy.table["environment"]
        env = {"PATH": table["path"], **table["set"]}
        env.update({name: os.environ[name] for name in table["pass"] if name in os.environ})
        if os.environ.get("TZ", "").startswith((":", "/", ".")):
            env.pop("TZ", None)  # a path, not a zone
        return env | dict(plan.environment)

    def _confinement(self, name: str, program: str) -> Confinement:
        from toolbelt.confine import LIBRARIES, Confinement
        from toolbelt.confine_landlock import abi

        limits = self.policy.limits
        command = self.policy.command(name)
        more = command.executes if command is not None else ()
        return Confinement(
            read=(*LIBRARIES, *self.roots.roots),
            execute=(program, *more),
            children=bool(more),
            # The caller's own files, whatever their mode; Landlock says which.
            read_as_owner=abi() > 0,
            memory_bytes=limits.address_bytes,
            cpu_seconds=limits.cpu_s,
            file_bytes=0,
            open_files=limits.open_files,
        )

    def _programs(self, plans: Sequence[StagePlan], ready: Sequence[Said | Stage]) -> None:
        from toolbelt.process import Limits, Literal, pipeline

        limits = self.policy.limits
        stages: list[Stage | Literal] = [
            Literal(stage.stdout, stage.stderr, stage.code) if isinstance(stage, Said) else stage
            for stage in ready
        ]
        outcome = pipeline(
            stages,
            cwd=self.cwd,
            limits=Limits(
                timeout=max(self.end - time.monotonic(), 0.01),
                stdout_bytes=max(limits.stdout_bytes - len(self.result.stdout), 1),
                stderr_bytes=limits.stderr_bytes,
                memory_bytes=limits.memory_bytes,
                drain_bytes=limits.drain_bytes,
            ),
        )
        self._take(plans, outcome)

    def _take(self, plans: Sequence[StagePlan], outcome: Outcome) -> None:
        result = self.result
        for plan, stage in zip(plans, outcome.stages, strict=True):
            code = stage.shell_code
            result.stages.append(Ran(plan.argv, code, stage.signal, stage.duration_ms))
            self._add_stderr(stage.stderr.data, stage.stderr.seen)
            result.confinement = result.confinement or stage.confinement
            # 1 says "nothing found" or "they differ"; 141, that the reader had enough.
            if stage is not outcome.stages[-1] and code > 1 and code != CUT:
                result.warnings.append(
                    f"{plan.argv[0]} failed (exit code {code}): what follows it saw part of its "
                    "output"
                )
        result.stdout += outcome.stdout.data
        result.seen_stdout += outcome.stdout.seen
        result.limit = outcome.limit
        result.code = CUT if outcome.limit == "output" else outcome.stages[-1].shell_code

    def _all_said(self, plans: Sequence[StagePlan], said: Sequence[Said]) -> None:
        """A pipeline of builtins: no process at all."""
        for plan, one in zip(plans, said, strict=True):
            self.result.stages.append(Ran(plan.argv, one.code, None, 0))
            self._add_stderr(one.stderr, len(one.stderr))
        room = max(self.policy.limits.stdout_bytes - len(self.result.stdout), 0)
        self.result.stdout += said[-1].stdout[:room]
        self.result.seen_stdout += len(said[-1].stdout)
        self.result.code = said[-1].code

    def _add_stderr(self, data: bytes, seen: int) -> None:
        room = max(self.policy.limits.stderr_bytes - len(self.result.stderr), 0)
        self.result.stderr += data[:room]
        self.result.seen_stderr += seen

    def _open(self, path: str) -> int:
        """Open a file of `< FILE`, and see that it is still where the check found it."""
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        self.opened.append(fd)
        real = os.readlink(f"/proc/self/fd/{fd}")  # noqa: PTH115
        if path != "/dev/null" and real != path:
            raise ToolError("BLOCKED", f"{path!r} changed while it was opened.", hint="try again")
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise IsADirectoryError(21, os.strerror(21))
        os.set_blocking(fd, True)
        return fd

    def locate(self, name: str) -> str | None:
        """The file of an allowed program; never one in the workspace."""
        command = self.policy.command(name)
        fixed = command.program if command is not None else ""
        folders = self.policy.table["environment"]["path"].split(":")
        for path in [fixed] if fixed else [f"{folder}/{name}" for folder in folders]:
            real = os.path.realpath(path)
            inside = any(
                real == r or real.startswith(f"{r.rstrip('/')}/") for r in self.roots.roots
            )
            if not inside and os.access(real, os.X_OK) and os.path.isfile(real):  # noqa: PTH113
                return path
        return None


def _redirected(said: Said, plan: StagePlan) -> Said:
    """A builtin's output after its redirects: stdout comes before stderr in a shared stream."""
    sent = {"out": b"", "err": b"", "null": b""}
    sent[plan.stdout] += said.stdout
    sent[plan.stderr] += said.stderr
    return Said(sent["out"], sent["err"], said.code)
