"""The conversion table's data types: a row, its presets, its options, and the formats' names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from convert.template import Template

# Spellings of one format: (written, meant).
ALIASES: Final = {
    "jpeg": "jpg", "jpe": "jpg", "htm": "html", "xhtml": "html", "markdown": "md", "mdown": "md",
    "mkd": "md", "mkdn": "md", "yml": "yaml", "tif": "tiff", "mermaid": "mmd", "ndjson": "jsonl",
    "tab": "tsv", "text": "txt", "pq": "parquet",
}  # fmt: skip
RESERVED: Final = ("script", "input", "output", "tmp", "source", "stem")
CONFINE: Final = ("required", "best-effort", "off")
PROFILES: Final = ("plain", "browser", "office")
RESOURCES: Final = ("", "pictures", "web")


def format_name(text: str) -> str:
    """A format or file extension in its one spelling: lower case, no dot, aliases applied."""
    name = text.strip().removeprefix(".").lower()
    return ALIASES.get(name, name)


@dataclass(frozen=True, slots=True)
class Option:
    """One value a caller may choose. kind: enum | int | bool | length | pattern.

    values: of an enum. minimum, maximum: of an int, or of a length in millimetres. pattern: a
    regular expression that the whole value must match (64 characters at most).
    """

    name: str
    kind: str
    default: str
    values: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int = 0
    pattern: str = ""
    description: str = ""

    def takes(self) -> str:
        """What it accepts, in words for a hint."""
        if self.kind in ("enum", "bool"):
            return " | ".join(self.values)
        if self.kind == "int":
            return f"a whole number from {self.minimum} to {self.maximum}"
        if self.kind == "length":
            return f"a length of {self.minimum}mm to {self.maximum}mm, such as 20mm, 2.5cm or 1in"
        return f"text of the form {self.pattern}"

    def accepts(self, text: str) -> bool:
        """Whether a value is one of its own."""
        if self.kind in ("enum", "bool"):
            return text in self.values
        if self.kind == "int":
            digits = text.removeprefix("-")
            plain = digits.isascii() and digits.isdecimal() and len(digits) <= 9
            return plain and self.minimum <= int(text) <= self.maximum
        if self.kind == "length":
            size = millimetres(text)
            return size is not None and self.minimum <= size <= self.maximum
        import re

        return len(text) <= 64 and re.fullmatch(self.pattern, text) is not None


def millimetres(text: str) -> float | None:
    """A length such as `2.5cm` in millimetres; None for any other text."""
    number, unit = text[:-2], text[-2:]
    factor = {"mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72}.get(unit)
    whole, dot, part = number.partition(".")
    digits = whole + part
    if factor is None or not whole or (dot and not part) or len(digits) > 6:
        return None
    return float(number) * factor if digits.isascii() and digits.isdecimal() else None


@dataclass(frozen=True, slots=True)
class Recipe:
    """One row of the table.

    source, target: formats. argv: the program and its arguments; empty for a chain. prepare: run
    before it. resources: `pictures` or `web`, the files that either may ask for (the converter is
    run again when it has them). via: the formats between, for a chain. script: what `{script}`
    stands for. needs: without them it cannot run; wants: without them it runs worse. tools: further
    folders of programs. presets: name -> values. timeout: seconds. max_input, max_output, memory:
    bytes, 0 for no limit. check: the format the output must have. read: further paths the programs
    may read.
    multi_output: several files may come of it, beside `{output}`.
    """

    source: str
    target: str
    out_ext: str
    script: Path
    argv: tuple[Template, ...] = ()
    prepare: tuple[Template, ...] = ()
    via: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    wants: tuple[str, ...] = ()
    needs_version: Mapping[str, str] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    presets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    default_preset: str = ""
    options: Mapping[str, Option] = field(default_factory=dict)
    description: str = ""
    timeout: float = 60
    max_input: int = 50 << 20
    max_output: int = 200 << 20
    memory: int = 1 << 30
    check: str = ""
    confine: str = "best-effort"
    profile: str = "plain"
    read: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    env_pass: tuple[str, ...] = ()
    resources: str = ""
    multi_output: bool = False

    @property
    def pair(self) -> str:
        """`md->pdf`."""
        return f"{self.source}->{self.target}"


@dataclass(frozen=True, slots=True)
class Table:
    """The rows in force. origin: the manifest's path, or `built-in`."""

    origin: str
    rows: Mapping[tuple[str, str], Recipe]

    def get(self, source: str, target: str) -> Recipe | None:
        """The row of a pair of formats in their one spelling."""
        return self.rows.get((source, target))

    def targets(self, source: str) -> list[str]:
        """The formats that can be made from one."""
        return sorted(t for s, t in self.rows if s == source)

    def sources(self, target: str) -> list[str]:
        """The formats that one can be made from."""
        return sorted(s for s, t in self.rows if t == target)
