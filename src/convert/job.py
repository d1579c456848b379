"""The story of one conversion, top to bottom.

Paths, then the row, then its settings, then what the input really is, then what is needed; only
then is anything started. The work is done on a copy in a private folder, what comes of it is looked
at, and it appears in the workspace whole or not at all.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import IO

from convert import choose, needs, publish, verify
from convert.diagrams import draw
from convert.recipe import Recipe, Table, format_name
from convert.request import PIPE, Converted, Request, failed
from convert.resources import Fetch, supply
from convert.spawn import Job, run
from convert.stage import stage
from toolbelt.errors import ToolError
from toolbelt.job import job_folder
from toolbelt.workspace import Input, Workspace

_STDIN = "stdin"


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be done. hops: the rows to run in turn; values: of the last one's tokens.

    table: where rows for diagrams inside a document are found.
    """

    table: Table
    recipe: Recipe
    hops: tuple[Recipe, ...]
    preset: str | None
    values: Mapping[str, str]
    encoding: str


def convert(request: Request, table: Table, workspace: Workspace) -> Converted:
    """Do one conversion; ToolError with one of the five codes when it cannot be done."""
    begun = time.monotonic()
    with contextlib.ExitStack() as stack:
        source = _open(request, workspace, stack)
        plan = _plan(request, table, source)
        out = publish.Publication(request, workspace, source, plan.recipe.out_ext)
        stack.enter_context(out)
        timeout = min(plan.recipe.timeout, request.timeout or plan.recipe.timeout)
        for hop in plan.hops:
            needs.require(hop)
        folder = stack.enter_context(job_folder("file-convert"))
        job = Job(folder, begun + timeout, _shown(source))
        made = _work(job, plan, source, workspace, out.stem)
        if request.strict and job.warnings:
            raise failed(
                "warnings", f"{plan.recipe.pair} of {job.shown!r}: {next(iter(job.warnings))}.",
                "without --strict these are warnings", {"warnings": list(job.warnings)},
            )  # fmt: skip
        out.fill(made)
    return Converted(
        source=plan.recipe.source,
        target=plan.recipe.target,
        outputs=tuple(out.names),
        bytes=out.bytes,
        preset=plan.preset,
        warnings=tuple(job.warnings),
        duration_ms=int((time.monotonic() - begun) * 1000),
        confinement=job.confinement,
    )


def _open(request: Request, workspace: Workspace, stack: contextlib.ExitStack) -> Input | None:
    """The input, opened beneath the workspace; None for stdin."""
    if request.input != PIPE:
        try:
            return stack.enter_context(workspace.resolve_input(request.input))
        except ToolError as error:
            # `file-convert note.md pdf`: the two words the other way round.
            if error.detail.get("reason") == "not_found" and "." in request.target:
                error.hint = f"file-convert {request.input} {request.target}"
            raise
    if request.source is None:
        raise ToolError(
            "USAGE", "Input from stdin has no name.", hint="--from FORMAT says what it is"
        )
    if request.output is None:
        raise ToolError(
            "USAGE", "Input from stdin needs an output.", hint="-o FILE, or -o - for stdout"
        )
    return None


def _shown(source: Input | None) -> str:
    return _STDIN if source is None else source.relative


def _plan(request: Request, table: Table, source: Input | None) -> Plan:
    suffix = PurePosixPath("" if source is None else source.relative).suffix
    recipe = choose.find(table, format_name(request.source or suffix), request.target)
    preset = choose.preset_name(recipe, request.preset)
    formats = (recipe.source, *recipe.via, recipe.target)
    pairs = pairwise(formats)
    return Plan(
        table=table,
        recipe=recipe,
        hops=tuple(table.rows[pair] for pair in pairs) if recipe.via else (recipe,),
        preset=preset,
        values=choose.values(recipe, preset, request.options),
        encoding=choose.encoding(recipe, request.options),
    )


def _work(
    job: Job, plan: Plan, source: Input | None, workspace: Workspace, stem: str
) -> list[publish.Made]:
    """Run every hop in the job folder; the checked outputs of the last."""
    relative = PurePosixPath(source.relative) if source else PurePosixPath(f"{_STDIN}.x")
    base = job.folder / "in" / relative.parent
    base.mkdir(parents=True, mode=0o700)
    job.tmp.mkdir(mode=0o700)
    current = base / f"input.{plan.recipe.source}"
    with _stream(source, plan.recipe.max_input) as (file, size):
        staged = stage(file, size, job.shown, plan.recipe, current, plan.encoding)
    job.warn(*staged.warnings)
    for number, hop in enumerate(plan.hops):
        last = number == len(plan.hops) - 1
        out = job.folder / ("out" if last else f"out{number}")
        out.mkdir(mode=0o700)
        output = out / f"output.{hop.out_ext}"
        values = dict(plan.values) if last else choose.values(hop, hop.default_preset or None, {})
        values |= {
            "input": str(current), "output": str(output), "tmp": str(job.tmp),
            "script": str(hop.script), "source": relative.stem, "stem": stem,
        }  # fmt: skip
        fetch = Fetch(workspace, job, relative.parent, hop.resources == "web")
        mine = fetch if number == 0 and source is not None else None
        _hop(job, hop, values, mine, plan.table)
        made = _check(job, hop, output)
        current = output
    return made


def _hop(
    job: Job, hop: Recipe, values: Mapping[str, str], fetch: Fetch | None, table: Table
) -> None:
    """The programs of one row. One that asks for files gets them: the converter by a second run."""
    if hop.prepare:
        run(job, hop, hop.prepare, values, job.deadline - time.monotonic())
        if hop.resources:
            supply(job, fetch, draw(job, table, hop.target))
    run(job, hop, hop.argv, values, job.deadline - time.monotonic())
    if hop.resources and supply(job, fetch):
        run(job, hop, hop.argv, values, job.deadline - time.monotonic())


def _check(job: Job, hop: Recipe, output: Path) -> list[publish.Made]:
    """The files a row left, each verified through a descriptor that no link can redirect."""
    what = f"{hop.pair} of {job.shown!r}"
    inner = Workspace.at(output.parent)
    names = [output.name]
    if hop.multi_output:
        found = sorted(p.name for p in output.parent.iterdir() if p.name.startswith("output-"))
        names = [output.name, *found] if output.exists() else found
    made = []
    for name in names:
        try:
            source = inner.resolve_input(name)
        except ToolError as error:
            raise verify.nothing(what) from error
        kind = hop.check or hop.target if name == output.name else PurePosixPath(name).suffix[1:]
        verify.check(source.file, kind, hop.max_output, what)
        made.append(publish.Made(source, name.removeprefix("output")))
    if not made:
        raise verify.nothing(what)
    return made


@contextlib.contextmanager
def _stream(source: Input | None, limit: int) -> Iterator[tuple[IO[bytes], int]]:
    """The input's bytes and their number; stdin is read up to one byte more than allowed."""
    if source is not None:
        yield source.file, source.size
        return
    raw = sys.stdin.buffer.read(limit + 1 if limit else -1)
    yield io.BytesIO(raw), len(raw)
