"""From what was asked to a row of the table and the values of its tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from convert.recipe import Option, Recipe, Table, format_name
from convert.sniff import TEXT
from convert.text import codec
from toolbelt.errors import ToolError, nearest

ENCODING: Final = "encoding"


def find(table: Table, source: str, target: str) -> Recipe:
    """The row of a pair of formats; UNKNOWN_FORMAT with what there is instead."""
    target = format_name(target)
    recipe = table.get(source, target)
    if recipe is not None:
        return recipe
    targets = table.targets(source)
    if not source:
        message = "The input's name has no extension, so its format is unknown."
        hint = "--from FORMAT says what it is"
    elif targets:
        message = f"There is no recipe {source}->{target}."
        close = nearest(target, targets, 1)
        hint = f"from {source}: {', '.join(targets)}"
        hint = f"did you mean {close[0]}? {hint}" if close and close[0] != target else hint
    else:
        message = f"There is no recipe from {source!r} (to {target!r})."
        sources = table.sources(target)
        hint = f"to {target}: {', '.join(sources)}" if sources else "file-convert list"
    raise ToolError("UNKNOWN_FORMAT", message, hint=hint, detail={"reason": "no_recipe"})


def preset_name(recipe: Recipe, asked: str | None) -> str | None:
    """The preset in force; UNKNOWN_PRESET for one the row does not offer."""
    if asked is None:
        return recipe.default_preset or None
    if asked in recipe.presets:
        return asked
    if not recipe.presets:
        raise ToolError(
            "UNKNOWN_PRESET", f"Unknown preset {asked!r}: recipe {recipe.pair} has no presets.",
            hint="leave --preset out",
        )  # fmt: skip
    raise ToolError(
        "UNKNOWN_PRESET", f"Unknown preset {asked!r} for {recipe.pair}.",
        hint=f"presets: {', '.join(recipe.presets)}",
    )  # fmt: skip


def values(recipe: Recipe, preset: str | None, given: Mapping[str, str]) -> dict[str, str]:
    """The values of a row's tokens, from its preset, its defaults and what was asked."""
    chosen = dict(recipe.presets[preset]) if preset is not None else {}
    chosen |= {name: option.default for name, option in recipe.options.items()}
    for name, text in given.items():
        if name == ENCODING and recipe.source in TEXT:
            continue
        option = recipe.options.get(name)
        if option is None:
            raise _unknown_option(recipe, name)
        chosen[name] = _accepted(option, text)
    return chosen


def encoding(recipe: Recipe, given: Mapping[str, str]) -> str:
    """The codec that a caller named for a text input; empty when none."""
    label = given.get(ENCODING, "")
    if not label or label == "auto" or recipe.source not in TEXT:
        return ""
    name = codec(label)
    if name is None:
        raise ToolError(
            "USAGE", f"Unknown encoding {label!r}.",
            hint="such as utf-8, windows-1252, iso-8859-7, shift_jis, gb18030",
        )  # fmt: skip
    return name


def _accepted(option: Option, text: str) -> str:
    if option.accepts(text):
        return text
    raise ToolError(
        "USAGE", f"Option {option.name} is {text!r}.", hint=f"{option.name} takes {option.takes()}"
    )


def _unknown_option(recipe: Recipe, name: str) -> ToolError:
    known = [*recipe.options, *([ENCODING] if recipe.source in TEXT else [])]
    hint = f"options: {', '.join(known)}" if known else "it has no options"
    return ToolError("USAGE", f"Recipe {recipe.pair} has no option {name!r}.", hint=hint)
