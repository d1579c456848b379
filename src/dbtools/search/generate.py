"""Compile recipes/lexicon/*.toml into two Python tables: `python -m dbtools.search.generate`.

The TOML files are what people read and review; a search that had to read TOML at every start
would cost twice as much, and the list of names needs no more than the words for copies. A test
compares the two.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from textwrap import wrap
from typing import Any

from dbtools.search.lexicon import Lexicon
from toolbelt.data import recipes
from toolbelt.errors import ToolError

FILES = {
    "abbreviations": ("abbreviations.toml", "abbreviations"),
    "synonyms": ("synonyms.toml", "synonyms"),
    "glossary": ("russian.toml", "glossary"),
}


def read_folder(folder: Path, fallback: Path | None = None) -> Lexicon:
    """The lists of a folder; a file that it does not have comes from the fallback."""

    def source(name: str) -> dict[str, Any]:
        path = folder / name
        if fallback is not None and not path.is_file():
            path = fallback / name
        try:
            return tomllib.loads(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ToolError(
                "BAD_CONFIG", f"The word list {path} cannot be read: {error}.",
                hint="compare it with recipes/lexicon of the installation",
            ) from error  # fmt: skip

    lists = {key: _words(source(name).get(part, {})) for key, (name, part) in FILES.items()}
    words = source("words.toml")
    stop = " ".join(words.get("stop", {}).values())
    return Lexicon(
        abbreviations=lists["abbreviations"],
        synonyms=lists["synonyms"],
        glossary=lists["glossary"],
        stop=frozenset(stop.split()),
        twins=frozenset(words.get("twins", {}).get("words", "").split()),
    )


def _words(table: dict[str, str]) -> dict[str, tuple[str, ...]]:
    return {key.lower(): tuple(text.split()) for key, text in table.items()}


def compiled(lexicon: Lexicon) -> dict[str, str]:
    """File name -> the Python text of its lists."""
    parts = [_head()]
    for name in ("abbreviations", "synonyms", "glossary"):
        table = getattr(lexicon, name)
        lines = "".join(f"    {key!r}: {table[key]!r},\n" for key in sorted(table))
        parts.append(f"{name.upper()}: dict[str, tuple[str, ...]] = {{\n{lines}}}\n")
    parts.append(_set("STOP", lexicon.stop))
    return {
        "lexicon_tables.py": "\n".join(parts),
        "twin_tables.py": "\n".join([_head(), _set("TWINS", lexicon.twins)]),
    }


def _head() -> str:
    return (
        '"""Compiled from recipes/lexicon/*.toml by dbtools.search.generate."""\n\n'
        "from __future__ import annotations\n"
    )


def _set(name: str, words: frozenset[str]) -> str:
    text = "".join(f"    {line + ' '!r}\n" for line in wrap(" ".join(sorted(words)), 80))
    return f"{name} = frozenset((\n{text}).split())\n"


def main() -> int:
    """Write the tables."""
    for name, text in compiled(read_folder(recipes() / "lexicon")).items():
        Path(__file__).with_name(name).write_text(text, "utf-8")
        sys.stdout.write(f"{name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
