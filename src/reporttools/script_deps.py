"""Packages that report code asks for: names and versions, nothing else.

    python("seaborn==0.13.2")       Dependency("seaborn", "==0.13.2")
    javascript("@scope/name@^1.2")  Dependency("@scope/name", "^1.2")

USAGE for everything else: options, paths, URLs, git addresses and aliases would let the text choose
where code comes from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toolbelt.errors import ToolError

MOST: Final = 50
_PYTHON: Final = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?)"
    r"(?P<version>(?:==|>=|<=|~=|<|>)[0-9][0-9A-Za-z.+!_-]{0,60})?"
)
_JAVASCRIPT: Final = re.compile(
    r"(?P<name>(?:@[a-z0-9][a-z0-9._-]{0,98}/)?[a-z0-9][a-z0-9._-]{0,98})"
    r"(?:(?:@|==)(?P<version>latest|[\^~]?[0-9]{1,9}(?:\.(?:[0-9]{1,9}|x)){0,2}"
    r"(?:-[0-9A-Za-z.-]{1,60})?))?"
)


@dataclass(frozen=True, slots=True)
class Dependency:
    """name: as the registry spells it. version: pip's `==1.2`, npm's `^1.2`, or nothing."""

    name: str
    version: str = ""

    @property
    def requirement(self) -> str:
        """As pip takes it."""
        return f"{self.name}{self.version}"

    @property
    def key(self) -> str:
        """The name with its spellings made one: Foo.Bar and foo-bar are the same package."""
        return re.sub(r"[-_.]+", "-", self.name).lower()


def python(text: str) -> Dependency:
    """A package of PyPI."""
    found = _PYTHON.fullmatch(text)
    if found is None:
        raise _bad(text, "--dependency openpyxl==3.1.5")
    return Dependency(found["name"], found["version"] or "")


def javascript(text: str) -> Dependency:
    """A package of npm; NAME==VERSION is taken too."""
    found = _JAVASCRIPT.fullmatch(text)
    if found is None:
        raise _bad(text, "--dependency simple-statistics@7.8.8")
    version = found["version"] or ""
    return Dependency(found["name"], "" if version == "latest" else version)


def parse(language: str, texts: Sequence[str]) -> tuple[Dependency, ...]:
    """All of them, each once; USAGE for too many or for two versions of one."""
    if len(texts) > MOST:
        raise ToolError(
            "USAGE", f"{len(texts)} dependencies are more than the {MOST} allowed.",
            hint="name only what the code imports and the sandbox has not",
        )  # fmt: skip
    one = python if language == "python" else javascript
    found: dict[str, Dependency] = {}
    for text in texts:
        dependency = one(text.strip())
        key = dependency.key if language == "python" else dependency.name
        before = found.setdefault(key, dependency)
        if before.version != dependency.version:
            raise ToolError(
                "USAGE", f"{dependency.name} is asked for in two versions.", hint="name one"
            )
    return tuple(found[key] for key in sorted(found))


def _bad(text: str, example: str) -> ToolError:
    return ToolError(
        "USAGE", f"{text!r} is not the name of a package, or a name and a version.",
        hint=f"{example} (no URLs, paths or options)", detail={"reason": "dependency"},
    )  # fmt: skip
