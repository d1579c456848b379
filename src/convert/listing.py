"""What can be converted on this machine, and why the rest cannot: `list`, which starts nothing.

A line is what must be known of a row to say so. Those of the built-in table are compiled (see
`generate`), because reading the table itself costs more than all the rest of a listing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Final

from convert import tools
from toolbelt.errors import ToolError

VARIABLE: Final = "TOOLBELT_CONVERSIONS"
BUILT_IN: Final = "built-in"
AVAILABLE, DEGRADED, UNAVAILABLE = "available", "degraded", "unavailable"
# From, to, needs, wants, launchers, folders of tools, and what is told of the row besides.
Line = tuple[
    str, str, tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...], dict[str, Any]
]


def listing(recipes: str | None, source: str | None, target: str | None) -> dict[str, object]:
    """The body of `list`; UNKNOWN_FORMAT when no row is from and to the formats named."""
    if recipes is None and not os.environ.get(VARIABLE):
        from convert.builtin_lines import LINES

        origin, lines = BUILT_IN, LINES
    else:
        from convert import manifest
        from convert.lines import line

        table = manifest.load(recipes)
        origin, lines = table.origin, [line(recipe) for recipe in table.rows.values()]
    entries = [entry(one) for one in chosen(lines, source, target)]
    return {"manifest": origin, "recipes": entries}


def chosen(lines: Iterable[Line], source: str | None, target: str | None) -> list[Line]:
    """The lines from and to the formats named."""
    start, end = _spelt(source), _spelt(target)
    found = [one for one in lines if start in ("", one[0]) and end in ("", one[1])]
    if found:
        return found
    asked = (f" from {source!r}" if source else "") + (f" to {target!r}" if target else "")
    raise ToolError("UNKNOWN_FORMAT", f"There is no recipe{asked}.", hint="file-convert list")


def _spelt(text: str | None) -> str:
    if not text:
        return ""
    from convert.recipe import format_name

    return format_name(text)


def entry(one: Line) -> dict[str, object]:
    """A row as `list` tells it."""
    source, target, _needs, _wants, _launchers, _tools, about = one
    status, reason, hint = state(one)
    told = {"from": source, "to": target, "status": status}
    if reason:
        told |= {"reason": reason, "hint": hint}
    return {**told, **about}


def state(one: Line) -> tuple[str, str, str]:
    """Status, reason and hint of a row, without starting anything."""
    _source, _target, needs, wants, launchers, folders, _about = one
    absent = tools.missing(needs, launchers, folders)
    if absent:
        return UNAVAILABLE, *_said(absent)
    absent = tools.missing(wants, (), folders)
    return (DEGRADED, *_said(absent)) if absent else (AVAILABLE, "", "")


def _said(absent: list[str]) -> tuple[str, str]:
    names = ", ".join(tools.named(need) for need in absent)
    hints = dict.fromkeys(tools.install_hint(need) for need in absent)
    return f"{names} not found", "; ".join(hints)
