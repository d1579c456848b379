"""Where `recipes/` lies: inside the wheel, or at the root of a source checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from toolbelt.errors import ToolError


@cache
def recipes() -> Path:
    """The folder of data files that ship with the commands."""
    here = Path(__file__).resolve().parent
    for folder in (here / "recipes", here.parents[1] / "recipes"):
        if folder.is_dir():
            return folder
    raise ToolError(
        "BAD_CONFIG", "The recipes folder is missing from this installation.",
        hint="pip install --force-reinstall sandbox-toolbelt",
    )  # fmt: skip
