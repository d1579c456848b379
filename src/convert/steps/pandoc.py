"""The second half of a pandoc conversion: pictures made fit, then the document written.

`write TARGET DOCUMENT OUTPUT TITLE [ARGUMENT...]`: DOCUMENT is pandoc's JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from convert.steps import told
from toolbelt.programs import which

# What each format shows wherever it is opened; anything else becomes PNG.
_ALLOWED: Final = {
    "html": frozenset({"png", "jpg", "gif", "svg", "webp"}),
    "epub": frozenset({"png", "jpg", "gif", "svg"}),
}
_OFFICE: Final = frozenset({"png", "jpg", "gif"})
_TITLED: Final = ("html", "epub")
_HEAP: Final = ("+RTS", "-M768M", "-RTS")


def main() -> NoReturn:
    """Program."""
    told.run(_write)


def run(arguments: Sequence[str]) -> None:
    """Run pandoc without access to files beyond those named; Problem with what it says."""
    program = which("pandoc", os.environ["PATH"])
    if program is None:
        raise told.Problem("missing", "pandoc is not found.")
    done = subprocess.run(
        [program, "--sandbox=true", *_HEAP, *arguments], stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    text = done.stderr.decode("utf-8", "replace")
    sys.stderr.write(text)
    if done.returncode == 251 or "heap exhausted" in text.lower():
        raise told.Problem("memory", "pandoc needed more memory than it may have.")
    if done.returncode:
        lines = [line for line in text.splitlines() if not line.startswith("[WARNING]")]
        raise told.Problem("bad_input", f"pandoc: {' '.join(lines)[:400] or done.returncode}")


def _write(arguments: Sequence[str], warnings: told.Warnings) -> None:
    from convert.steps import pictures

    target, document, output, title, *more = arguments
    have = {}
    for number, (reference, picture) in enumerate(pictures.found().items(), 1):
        large = pictures.too_large(picture)
        fitting = None if large else pictures.fit(picture, _ALLOWED.get(target, _OFFICE))
        if fitting is None:
            why = "too many pixels" if large else "damaged picture"
            warnings.add(f"left out ({why}): {Path(reference).name!r}")
            continue
        name = f"picture-{number}.{fitting.kind}"
        have[reference] = {"path": str(fitting.path), "kind": fitting.kind, "name": name}
    (told.scratch() / "pictures.json").write_text(json.dumps(have), encoding="utf-8")
    fallback = [f"--metadata=fallback-title:{title}"] if target in _TITLED else []
    scripts = Path(sys.argv[0]).resolve().parent
    run([
        "--from=json", f"--to={target}", "--standalone", f"--lua-filter={scripts}/resolve.lua",
        *fallback, *more, f"--output={output}", "--", document,
    ])  # fmt: skip
