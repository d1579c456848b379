"""A row of the table as a line of a listing."""

from __future__ import annotations

from convert import needs
from convert.listing import Line
from convert.recipe import Option, Recipe


def line(recipe: Recipe) -> Line:
    """What `list` must know of a row."""
    return (
        recipe.source, recipe.target, recipe.needs, recipe.wants, needs.launchers(recipe),
        recipe.tools, about(recipe),
    )  # fmt: skip


def about(recipe: Recipe) -> dict[str, object]:
    """What is told of a row: its chain, presets, options, description."""
    told: dict[str, object] = {}
    if recipe.via:
        told["via"] = list(recipe.via)
    if recipe.presets:
        told |= {"presets": list(recipe.presets), "defaultPreset": recipe.default_preset}
    if recipe.options:
        told["options"] = {option.name: _option(option) for option in recipe.options.values()}
    if recipe.description:
        told["description"] = recipe.description
    return told


def _option(option: Option) -> dict[str, object]:
    told: dict[str, object] = {"takes": option.takes(), "default": option.default}
    return told | ({"description": option.description} if option.description else {})
