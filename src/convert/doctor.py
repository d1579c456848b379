"""What can be converted on this machine, and why the rest cannot.

A row is `available`; `degraded` when it runs but something it wants is not there; `unavailable`
when something it needs is missing. `list` only looks; `doctor` also asks programs their version,
and with `--deep` converts a small sample by every row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from convert import tools
from convert.recipe import Option, Recipe, Table, format_name
from toolbelt import envelope
from toolbelt.errors import ToolError

AVAILABLE, DEGRADED, UNAVAILABLE = "available", "degraded", "unavailable"


@dataclass(frozen=True, slots=True)
class Health:
    """The state of one row. reason, hint: empty when it is available."""

    recipe: Recipe
    status: str
    reason: str = ""
    hint: str = ""


def health(recipe: Recipe) -> Health:
    """The state of a row, without starting anything."""
    absent = tools.missing(recipe)
    if absent:
        return Health(recipe, UNAVAILABLE, *_said(absent))
    absent = tools.unwanted(recipe)
    if absent:
        return Health(recipe, DEGRADED, *_said(absent))
    return Health(recipe, AVAILABLE)


def _said(absent: list[str]) -> tuple[str, str]:
    names = ", ".join(tools.named(need) for need in absent)
    hints = dict.fromkeys(tools.install_hint(need) for need in absent)
    return f"{names} not found", "; ".join(hints)


def chosen(table: Table, source: str | None, target: str | None) -> Iterator[Recipe]:
    """The rows from and to the formats named; UNKNOWN_FORMAT when there is none."""
    start = None if source is None else format_name(source)
    end = None if target is None else format_name(target)
    rows = [r for (s, t), r in table.rows.items() if start in (None, s) and end in (None, t)]
    if not rows:
        asked = " ".join(f for f in (source and f"from {source}", target and f"to {target}") if f)
        raise ToolError("UNKNOWN_FORMAT", f"There is no recipe {asked}.", hint="file-convert list")
    yield from rows


def describe(table: Table, source: str | None, target: str | None) -> list[dict[str, object]]:
    """One entry a row, for `list`."""
    return [_entry(health(recipe)) for recipe in chosen(table, source, target)]


def _entry(state: Health) -> dict[str, object]:
    recipe = state.recipe
    entry: dict[str, object] = {"from": recipe.source, "to": recipe.target, "status": state.status}
    if state.reason:
        entry |= {"reason": state.reason, "hint": state.hint}
    if recipe.via:
        entry["via"] = list(recipe.via)
    if recipe.presets:
        entry |= {"presets": list(recipe.presets), "defaultPreset": recipe.default_preset}
    if recipe.options:
        entry["options"] = {o.name: _option(o) for o in recipe.options.values()}
    if recipe.description:
        entry["description"] = recipe.description
    return entry


def _option(option: Option) -> dict[str, object]:
    about: dict[str, object] = {"takes": option.takes(), "default": option.default}
    return about | ({"description": option.description} if option.description else {})


def resolved(table: Table, source: str, target: str, preset: str | None) -> dict[str, object]:
    """What a row would run, for `show`; nothing is run."""
    from convert import choose

    recipe = choose.find(table, format_name(source), target)
    name = choose.preset_name(recipe, preset)
    values = choose.values(recipe, name, {}) | {
        "input": "INPUT", "output": "OUTPUT", "tmp": "TMP", "source": "NAME",
        "stem": "NAME",
        "script": str(recipe.script),
    }  # fmt: skip
    path = tools.search_path(recipe.tools)
    body: dict[str, object] = {"format": recipe.target, "from": recipe.source, "preset": name}
    for key, templates in (("prepare", recipe.prepare), ("argv", recipe.argv)):
        if templates:
            body[key] = [
                t.fill(values, lambda need: tools.find(need, path) or need) for t in templates
            ]
    if recipe.via:
        body["via"] = list(recipe.via)
    return body | {
        "needs": list(recipe.needs),
        "timeout": recipe.timeout,
        "confine": recipe.confine,
    }


def examine(
    table: Table, source: str | None, target: str | None, *, deep: bool, pretty: bool
) -> int:
    """`doctor`: print what was found; 5 when a row is not as it should be, else 0."""
    from convert.deep import sample_of, try_row
    from convert.versions import outdated

    entries, bad = [], 0
    for recipe in chosen(table, source, target):
        state = health(recipe)
        if state.status != UNAVAILABLE and (reason := outdated(recipe)):
            state = Health(recipe, UNAVAILABLE, reason, "upgrade it")
        if deep and state.status != UNAVAILABLE and (reason := try_row(recipe, table)):
            state = Health(recipe, UNAVAILABLE, reason, state.hint)
        if state.status != AVAILABLE:
            bad += 1
            hint = f" ({state.hint})" if state.hint else ""
            envelope.warn(
                f"file-convert: recipe {recipe.pair} {state.status.upper()} - {state.reason}{hint}"
            )
        tried = {"tried": sample_of(recipe.source) is not None} if deep else {}
        entries.append(_entry(state) | tried)
    body = {"manifest": table.origin, "rows": len(entries), "bad": bad, "recipes": entries}
    envelope.write_success(body, pretty=pretty, rows_key="recipes")
    return 5 if bad else 0
