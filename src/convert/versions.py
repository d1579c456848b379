"""Whether the programs a row needs are new enough; the programs are asked."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Final

from convert import tools
from convert.recipe import Recipe
from toolbelt import process
from toolbelt.confine import SYSTEM, Confinement, python_roots

_OPERATORS: Final = {">=": lambda a, b: a >= b, "<": lambda a, b: a < b}


def outdated(recipe: Recipe) -> str:
    """Which of its programs is not of a version it needs; empty when all are."""
    path = tools.search_path(recipe.tools)
    for need, rule in recipe.needs_version.items():
        program = tools.find(need, path)
        if program is None or not program.startswith("/"):
            continue
        found = _version(program)
        if not satisfies(found, rule):
            shown = ".".join(map(str, found)) or "of unknown version"
            return f"{need!r} is {shown}, and {rule} is needed"
    return ""


def bundled(program: str) -> bool:
    """Whether a program came with a Python package of ours, whose version pip has settled."""
    return not program.startswith(("/usr/", "/bin/", "/sbin/", "/opt/")) or program.startswith(
        str(Path(sys.prefix))
    )


def satisfies(found: tuple[int, ...], rule: str) -> bool:
    """Whether a version keeps a rule such as `>=3.1.2`; several are joined by commas."""
    for part in rule.split(","):
        text = part.strip()
        operator = next((o for o in _OPERATORS if text.startswith(o)), "")
        wanted = tuple(int(n) for n in text[len(operator) :].strip().split(".") if n.isdecimal())
        if not operator or not found or not _OPERATORS[operator](found, wanted):
            return False
    return True


@cache
def _version(program: str) -> tuple[int, ...]:
    """The version a program says it has: the first dotted number of `--version`."""
    done = process.run(
        [program, "--version"], cwd="/", limits=process.Limits(timeout=20),
        confinement=Confinement(read=[*SYSTEM, *python_roots()], unix_sockets=True, proc="all"),
    )  # fmt: skip
    for word in done.stdout.text().replace("-", " ").split():
        parts = word.strip("v,;()").split(".")
        if len(parts) > 1 and all(part.isdecimal() for part in parts[:2]):
            return tuple(int(part) for part in parts if part.isdecimal())
    return ()
