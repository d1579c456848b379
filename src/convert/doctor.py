"""`doctor`: every row looked at, its programs asked for their version, samples converted on demand;
`show`: what a row would run.
"""

from __future__ import annotations

from convert import listing, tools
from convert.lines import line
from convert.listing import AVAILABLE, UNAVAILABLE
from convert.recipe import Recipe, Table, format_name
from toolbelt import envelope


def resolved(table: Table, source: str, target: str, preset: str | None) -> dict[str, object]:
    """What a row would run; nothing is run."""
    from convert import choose

    recipe = choose.find(table, format_name(source), target)
    name = choose.preset_name(recipe, preset)
    values = choose.values(recipe, name, {}) | {
        "input": "INPUT", "output": "OUTPUT", "tmp": "TMP", "source": "NAME", "stem": "NAME",
        "script": str(recipe.script),
    }  # fmt: skip
    path = tools.search_path(recipe.tools)
    body: dict[str, object] = {"format": recipe.target, "from": recipe.source, "preset": name}
    for key, templates in (("prepare", recipe.prepare), ("argv", recipe.argv)):
        if templates:
            filled = [
                t.fill(values, lambda need: tools.find(need, path) or need) for t in templates
            ]
            body[key] = filled
    if recipe.via:
        body["via"] = list(recipe.via)
    return body | {
        "needs": list(recipe.needs), "timeout": recipe.timeout, "confine": recipe.confine,
    }  # fmt: skip


def examine(
    table: Table, source: str | None, target: str | None, *, deep: bool, pretty: bool
) -> int:
    """Print what was found, a loud line a bad row; 5 when there is one, else 0."""
    from convert.deep import sample_of

    entries, bad = [], 0
    lines = listing.chosen([line(recipe) for recipe in table.rows.values()], source, target)
    for one in lines:
        recipe = table.rows[one[0], one[1]]
        entry = listing.entry(one)
        if entry["status"] != UNAVAILABLE and (reason := _fault(recipe, table, deep=deep)):
            entry |= {"status": UNAVAILABLE, "reason": reason}
        if entry["status"] != AVAILABLE:
            bad += 1
            hint = f" ({entry['hint']})" if entry.get("hint") else ""
            status = str(entry["status"]).upper()
            envelope.warn(f"file-convert: recipe {recipe.pair} {status} - {entry['reason']}{hint}")
        tried = {"tried": sample_of(recipe.source) is not None} if deep else {}
        entries.append(entry | tried)
    body = {"manifest": table.origin, "rows": len(entries), "bad": bad, "recipes": entries}
    envelope.write_success(body, pretty=pretty, rows_key="recipes")
    return 5 if bad else 0


def _fault(recipe: Recipe, table: Table, *, deep: bool) -> str:
    """Why a row that looks well does not work; empty when it does."""
    from convert.deep import try_row
    from convert.versions import outdated

    return outdated(recipe) or (try_row(recipe, table) if deep else "")
