"""Argument templates: `{name}` is replaced once, `{{` and `}}` are literal braces.

A template is split when the manifest is loaded. Filling it in walks those parts exactly once, so
text that comes in with a value (a file called `{scale}.html`) is never looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

TOOL: Final = "tool:"
_NAME: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")


class TemplateError(ValueError):
    """The text is not a template; the message says why."""


@dataclass(frozen=True, slots=True)
class Template:
    """parts: literal text and (at odd places) names, alternating. source: as written."""

    source: str
    parts: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names it mentions, in order."""
        return self.parts[1::2]

    def fill(self, values: Mapping[str, str], tool: Callable[[str], str]) -> str:
        """The text with every name replaced; `tool` gives the path of a `{tool:NAME}`."""
        out = []
        for place, part in enumerate(self.parts):
            if place % 2 == 0:
                out.append(part)
            elif part.startswith(TOOL):
                out.append(tool(part.removeprefix(TOOL)))
            else:
                out.append(values[part])
        return "".join(out)


def parse(text: str) -> Template:
    """Split a template; TemplateError for a brace without its partner or a bad name."""
    if "\0" in text:
        raise TemplateError("holds a NUL character")
    parts, literal, place = [], [], 0
    while place < len(text):
        char = text[place]
        if char in "{}" and text[place + 1 : place + 2] == char:
            literal.append(char)
            place += 2
        elif char == "{":
            end = text.find("}", place)
            if end < 0:
                raise TemplateError(
                    f"has a '{{' that is never closed (write {{{{ for a brace): {text!r}"
                )
            parts += ["".join(literal), _checked(text[place + 1 : end])]
            literal = []
            place = end + 1
        elif char == "}":
            raise TemplateError(f"has a '}}' without a '{{' (write }}}} for a brace): {text!r}")
        else:
            literal.append(char)
            place += 1
    return Template(text, (*parts, "".join(literal)))


def is_name(text: str) -> bool:
    """Whether a text may name a preset's value, an option or a token."""
    return bool(text) and text[0].isalpha() and _NAME.issuperset(text)


def _checked(name: str) -> str:
    if name.startswith(TOOL):
        if name != TOOL:
            return name
    elif is_name(name):
        return name
    raise TemplateError(f"names a token {{{name}}}; names are lower-case letters, digits, _ and -")
