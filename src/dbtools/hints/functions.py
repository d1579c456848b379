"""What an engine has in place of a function that it lacks, told in words."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any


def instead(engine: str, function: str) -> str:
    """A line that says how to write it on this engine; '' for a function nobody wrote down."""
    known = _table().get(engine, {}).get(function.lower(), "")
    return f"{function} is written otherwise here: {known}" if known else ""


@cache
def _table() -> dict[str, Any]:
    import tomllib

    return tomllib.loads(Path(__file__).with_name("functions.toml").read_text("utf-8"))
