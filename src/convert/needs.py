"""Whether a recipe can run here: asked before anything of it is started."""

from __future__ import annotations

from convert import tools
from convert.recipe import Recipe
from toolbelt.errors import ToolError


def launchers(recipe: Recipe) -> tuple[str, ...]:
    """The programs a recipe starts by path, `{script}` filled in."""
    firsts = (templates[0].source for templates in (recipe.prepare, recipe.argv) if templates)
    return tuple(
        first.replace("{script}", str(recipe.script))
        for first in firsts
        if not first.startswith("{tool:")
    )


def require(recipe: Recipe) -> None:
    """MISSING_DEP unless all is there; nothing has been started by then."""
    absent = tools.missing(recipe.needs, launchers(recipe), recipe.tools)
    if not absent:
        return
    raise ToolError(
        "MISSING_DEP",
        f"file-convert {recipe.pair} needs {' and '.join(tools.named(a) for a in absent)},"
        " not found. Recipe present, dependency missing.",
        hint="; ".join(dict.fromkeys(tools.install_hint(a) for a in absent)),
        detail={"reason": "not_found", "missing": absent, "recipe": recipe.pair},
    )
