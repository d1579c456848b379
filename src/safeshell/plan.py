"""Checks a whole line before anything of it starts, and says what each stage will be.

A line may change folder (`cd src && ls`), and whether it does can depend on how a command ends. So
every pipeline is checked in each folder it may run in; what was checked is exactly what runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from safeshell import grammar
from safeshell.arguments import Place, check
from safeshell.builtins import Said, check_builtin
from safeshell.lexer import Word
from safeshell.paths import Roots
from safeshell.policy import Command, Policy
from safeshell.refusal import refuse
from safeshell.words import Arg, Expansion, expand, plain_text
from toolbelt.errors import ToolError, nearest

_MAX_FOLDERS: Final = 16
_NO_REPOSITORY: Final = Said(
    stderr=b"fatal: not a git repository (or any of the parent directories): .git\n", code=128
)


class StagePlan(NamedTuple):
    """One stage, checked. argv: final, with our options. args: as the caller gave them, for a
    builtin. inputs: real paths of `< FILE`, the last one read. stdout, stderr: `out`, `err` or
    `null`. environment: beyond the base. moves_to: where a `cd` leads. says: what is known without
    running it (git where there is no repository). number: of the stage in the line."""

    number: int
    argv: tuple[str, ...]
    builtin: bool
    inputs: tuple[str, ...] = ()
    stdout: str = "out"
    stderr: str = "err"
    environment: tuple[tuple[str, str], ...] = ()
    moves_to: str | None = None
    says: Said | None = None


class Step(NamedTuple):
    """One pipeline of the line. in_folder: its stages, for each folder it may run in."""

    joiner: str
    in_folder: dict[str, tuple[StagePlan, ...]]


def plan_line(line: str, policy: Policy, roots: Roots, cwd: str) -> list[Step]:
    """Check a command line; raises BLOCKED for the first thing in it that may not run."""
    limits = policy.limits
    if len(line.encode("utf-8", "surrogatepass")) > limits.command_bytes:
        raise refuse(
            "TOO_LONG", f"The line is longer than {limits.command_bytes} bytes.",
            "send it in several calls",
        )  # fmt: skip
    pipelines = grammar.parse(line, max_stages=limits.stages, max_words=limits.words)
    return _Planner(policy, roots).plan(pipelines, cwd)


def plan_argv(words: Sequence[str], policy: Policy, roots: Roots, cwd: str) -> list[Step]:
    """Check one command given as words, which nothing is expanded in."""
    limits = policy.limits
    size = sum(len(word.encode("utf-8", "surrogatepass")) + 1 for word in words)
    if size > limits.command_bytes or len(words) > limits.words:
        raise refuse(
            "TOO_LONG",
            f"The command is longer than {limits.command_bytes} bytes or {limits.words} words.",
            "name a folder, or fewer files",
        )  # fmt: skip
    if not words or not words[0]:
        raise refuse("EMPTY", "There is no command.", "safe-shell -- ls -la")
    if any("\0" in word for word in words):
        raise refuse("BAD_CHARACTER", "A word holds a NUL byte.", "drop it", token="U+0000")
    grammar.check_name(words[0])
    planner = _Planner(policy, roots)
    stage = planner.stage(0, [Arg(word) for word in words], Place(cwd, roots), piped=False)
    return [Step(";", {cwd: (stage,)})]


class _Planner:
    def __init__(self, policy: Policy, roots: Roots) -> None:
        self.policy = policy
        self.roots = roots
        limits = policy.limits
        self.expansion = Expansion(limits.brace_results, limits.glob_results, limits.glob_entries)
        self.assign = [
            (re.compile(name), re.compile(value))
            for name, value in policy.table["environment"]["assign"].items()
        ]

    def plan(self, pipelines: Sequence[grammar.Pipeline], cwd: str) -> list[Step]:
        """The steps of a line. A state is a folder and how the pipeline before ended: 0, 1, or
        None when only running it can tell."""
        states: dict[tuple[str, int | None], None] = {(cwd, 0): None}
        steps: list[Step] = []
        first = 0
        for pipeline in pipelines:
            step = Step(pipeline.joiner, {})
            after: dict[tuple[str, int | None], None] = {}
            for folder, code in states:
                runs = _may_run(pipeline.joiner, code)
                if False in runs:
                    after[(folder, 1 if pipeline.joiner == "&&" else 0)] = None
                if True in runs:
                    if folder not in step.in_folder:
                        step.in_folder[folder] = self._pipeline(pipeline, folder, first)
                    after[_outcome(step.in_folder[folder], folder)] = None
            if not step.in_folder:
                # It cannot run (`true || x`), but what may not run may not stand there either.
                folder = next(iter(states))[0]
                step.in_folder[folder] = self._pipeline(pipeline, folder, first)
            steps.append(step)
            states, first = after, first + len(pipeline.stages)
            if len({folder for folder, _ in states}) > _MAX_FOLDERS:
                raise refuse(
                    "TOO_LONG", f"The line may end in more than {_MAX_FOLDERS} folders.",
                    "use safe-shell --cwd, or one cd",
                )  # fmt: skip
        return steps

    def _pipeline(
        self, pipeline: grammar.Pipeline, folder: str, first: int
    ) -> tuple[StagePlan, ...]:
        stages = []
        for number, stage in enumerate(pipeline.stages):
            try:
                stages.append(self._stage(stage, folder, first + number, piped=number > 0))
            except ToolError as error:
                error.detail.setdefault("position", stage.position)
                error.detail["stage"] = first + number
                raise
        if len(stages) > 1:
            # A cd in a pipe changes the folder of nobody.
            stages = [stage._replace(moves_to=None) for stage in stages]
        return tuple(stages)

    def _stage(self, stage: grammar.Stage, folder: str, index: int, *, piped: bool) -> StagePlan:
        assigned = dict(self._assignment(word) for word in stage.environment)
        args = [
            arg for word in stage.words for arg in expand(word, folder, self.roots, self.expansion)
        ]
        if sum(len(arg.text) for arg in args) > 64 * self.policy.limits.command_bytes:
            raise refuse(
                "TOO_LONG", "The patterns find too many names for one command.", "name a folder",
                token=stage.words[0].text,
            )  # fmt: skip
        inputs, stdout, stderr = self._redirects(stage, folder)
        place = Place(folder, self.roots)
        plan = self.stage(index, args, place, piped=piped and not inputs)
        if inputs and plan.moves_to is not None:
            raise refuse(
                "REDIRECT", "cd reads nothing.", "drop the redirection", token="<",
                position=stage.position,
            )  # fmt: skip
        return plan._replace(
            inputs=inputs,
            stdout=stdout,
            stderr=stderr,
            environment=(*assigned.items(), *plan.environment),
        )

    def stage(self, index: int, args: Sequence[Arg], place: Place, *, piped: bool) -> StagePlan:
        """Check one command; raises BLOCKED."""
        name, *rest = args
        if name.text in self.policy.builtins:
            moves_to = check_builtin(name.text, rest, place)
            return StagePlan(index, tuple(a.text for a in args), builtin=True, moves_to=moves_to)
        if name.text == "git" and "git" in self.policy.commands:
            return self._git(index, rest, place, piped=piped)
        command = self.policy.command(name.text)
        if command is None:
            raise self._unknown(name)
        return StagePlan(index, (name.text, *_words(command, rest, place)), builtin=False)

    def _git(self, index: int, args: Sequence[Arg], place: Place, *, piped: bool) -> StagePlan:
        from safeshell import git, repository

        table = self.policy.table["git"]
        call = git.check(self.policy, args, place, piped=piped)
        found, says = None, None
        if call.needs_repository:
            found = repository.find(call.cwd, self.roots, table["refuse"])
            if found is None and "--no-index" not in call.argv:
                says = _NO_REPOSITORY
            elif found is not None and call.needs:
                says = None if os.path.lexists(f"{found.common}/{call.needs}") else Said()
        env = repository.environment(table, found, call.cwd)
        env["GIT_CEILING_DIRECTORIES"] = ":".join(
            root.rpartition("/")[0] or "/" for root in self.roots.roots
        )
        return StagePlan(
            index, ("git", *call.argv), builtin=False, environment=tuple(env.items()), says=says
        )

    def _assignment(self, word: Word) -> tuple[str, str]:
        name, _, value = word.text.partition("=")
        for names, values in self.assign:
            if names.fullmatch(name) and values.fullmatch(value):
                return name, value
        allowed = ", ".join(self.policy.table["environment"]["assign"])
        raise refuse(
            "ENV_ASSIGNMENT", f"{word.text!r} may not be set before a command.",
            f"{allowed} may be set, to plain values", token=word.text, position=word.position,
        )  # fmt: skip

    def _redirects(self, stage: grammar.Stage, folder: str) -> tuple[tuple[str, ...], str, str]:
        """(files of stdin, where stdout goes, where stderr goes), read from left to right."""
        inputs: list[str] = []
        stdout, stderr = "out", "err"
        for redirect in stage.redirects:
            if redirect.file is not None:
                name = plain_text(redirect.file, "The file")
                inputs.append(self.roots.check(name, folder, position=redirect.file.position))
            elif redirect.fd == -1:
                stdout = stderr = "null"
            elif redirect.fd == 1:
                stdout = {"null": "null", "1": stdout, "2": stderr}[redirect.to]
            else:
                stderr = {"null": "null", "1": stdout, "2": stderr}[redirect.to]
        return tuple(inputs), stdout, stderr

    def _unknown(self, name: Arg) -> ToolError:
        known = [*self.policy.commands, *self.policy.builtins]
        close = nearest(name.text, known)
        hint = self.policy.table["advice"].get(name.text) or (
            f"did you mean {' or '.join(close)}?" if close else f"allowed: {', '.join(known)}"
        )
        return refuse(
            "COMMAND_NOT_ALLOWED", f"{name.text} is not on the list.", hint, token=name.text,
            position=name.position,
        )  # fmt: skip


def _words(command: Command, args: Sequence[Arg], place: Place) -> list[str]:
    """The words to run after the program's name, by the grammar of its own words."""
    if command.grammar == "find":
        from safeshell import find

        return find.check(command, args, place)
    if command.grammar == "jq":
        from safeshell import jq

        return jq.check(command, args, place)
    if command.grammar == "sed":
        from safeshell import sed

        return sed.check(command, args, place)
    return check(command, args, place)


def _may_run(joiner: str, code: int | None) -> set[bool]:
    if joiner == ";":
        return {True}
    if code is None:
        return {True, False}
    return {(code == 0) == (joiner == "&&")}


def _outcome(stages: tuple[StagePlan, ...], folder: str) -> tuple[str, int | None]:
    """The folder after a pipeline, and how it ends where that is known before."""
    last = stages[-1]
    if last.argv[0] in ("true", "false") and last.builtin and not last.inputs:
        return folder, int(last.argv[0] == "false")
    if len(stages) == 1 and last.builtin and last.argv[0] == "cd":
        return (last.moves_to, 0) if last.moves_to is not None else (folder, 1)
    return folder, None
