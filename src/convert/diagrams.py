"""Mermaid blocks of a document: drawn by the table's own row for Mermaid, where that can run.

The prepare step (confined) writes the blocks it found to `diagrams.json`, a list of texts, and
leaves each in the document as the block `diagram`, number N. A block that is not drawn, for want of
a browser or for a mistake in it, stays what it is: its text, with a warning.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Final

from convert import choose, needs, verify
from convert.recipe import Recipe, Table
from convert.spawn import Job, run
from toolbelt.errors import ToolError
from toolbelt.workspace import Workspace

MOST: Final = 50
_LIST: Final = "diagrams.json"
_LIST_BYTES: Final = 4 << 20
_FOLDER: Final = "diagrams"
# Keeps a little of the time for the document itself.
_SHARE: Final = 0.7


def draw(job: Job, table: Table, target: str) -> dict[str, dict[str, str]]:
    """Draw what the prepare step found, as pictures for a document of format `target`.

    The answer is of the shape of resources.json: {"diagram:1": {"path": ..., "kind": "png"}}.
    """
    blocks = _blocks(job)
    if not blocks:
        return {}
    # A PDF keeps the letters of a PDF; everything else shows pictures.
    kind = "pdf" if target == "pdf" else "png"
    row = table.get("mmd", kind)
    if row is None or row.via:
        return _kept(job, f"{len(blocks)} diagrams", "no row of the table draws them")
    try:
        needs.require(row)
    except ToolError as error:
        return _kept(job, f"{len(blocks)} diagrams", f"{error.message} {error.hint}")
    if len(blocks) > MOST:
        _kept(job, f"{len(blocks) - MOST} diagrams", f"{MOST} are drawn at most")
    end = time.monotonic() + (job.deadline - time.monotonic()) * _SHARE
    drawn = {}
    for number, text in enumerate(blocks[:MOST], 1):
        try:
            drawn[f"diagram:{number}"] = {
                "path": str(_one(job, row, number, text, end)),
                "kind": kind,
            }
        except ToolError as error:
            if error.code != "CONVERT_FAILED":
                raise
            _kept(job, f"diagram {number}", error.message)
    return drawn


def _blocks(job: Job) -> list[str]:
    if not (job.tmp / _LIST).is_file():
        return []
    try:
        found = json.loads(Workspace.at(job.tmp).read_bytes(_LIST, _LIST_BYTES))
    except (ValueError, RecursionError, ToolError):
        # Written by a program we do not trust: what cannot be read draws nothing.
        return []
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []


def _kept(job: Job, what: str, why: str) -> dict[str, dict[str, str]]:
    job.warn(f"{what} shown as text: {why}")
    return {}


def _one(job: Job, row: Recipe, number: int, text: str, end: float) -> Path:
    """One diagram as a checked picture in the job folder."""
    inner = Workspace.at(job.folder)
    folder = inner.folder(_FOLDER, create=True)
    source, output = folder / f"{number}.mmd", folder / f"{number}.{row.out_ext}"
    with source.open("x", encoding="utf-8") as file:
        file.write(text)
    values = choose.values(row, row.default_preset or None, {}) | {
        "input": str(source), "output": str(output), "tmp": str(job.tmp),
        "script": str(row.script), "source": str(number), "stem": str(number),
    }  # fmt: skip
    run(job, row, row.argv, values, min(row.timeout, end - time.monotonic()))
    what = f"diagram {number} of {job.shown!r}"
    try:
        made = inner.resolve_input(os.path.join(_FOLDER, output.name))  # noqa: PTH118
    except ToolError as error:
        raise verify.nothing(what) from error
    with made:
        verify.check(made.file, row.check or row.target, row.max_output, what)
    return output
