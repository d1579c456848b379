"""The word lists of the search: shipped ones from a compiled table, own ones from a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from toolbelt.errors import ToolError


@dataclass(frozen=True, slots=True)
class Lexicon:
    """abbreviations, synonyms, glossary: word or phrase -> words, the likeliest first.

    stop: words that name nothing. twins: words that mark a copy of another table.
    """

    abbreviations: Mapping[str, tuple[str, ...]]
    synonyms: Mapping[str, tuple[str, ...]]
    glossary: Mapping[str, tuple[str, ...]]
    stop: frozenset[str]
    twins: frozenset[str]


def is_twin_word(word: str) -> bool:
    """Whether a word of a table's name marks a copy that nobody means: `old`, `tmp`, `v2`."""
    stem = word.rstrip("0123456789")
    return stem in _twins() or (stem == "v" and stem != word)


@cache
def _twins() -> frozenset[str]:
    if os.environ.get("TOOLBELT_LEXICON"):
        return lexicon().twins
    from dbtools.search.twin_tables import TWINS

    return TWINS


@cache
def lexicon() -> Lexicon:
    """The lists in force: TOOLBELT_LEXICON's folder, else the shipped ones."""
    folder = os.environ.get("TOOLBELT_LEXICON", "")
    if folder:
        return _own(Path(folder))
    from dbtools.search import lexicon_tables as shipped
    from dbtools.search.twin_tables import TWINS

    return Lexicon(shipped.ABBREVIATIONS, shipped.SYNONYMS, shipped.GLOSSARY, shipped.STOP, TWINS)


def _own(folder: Path) -> Lexicon:
    from dbtools.search.generate import read_folder
    from toolbelt.data import recipes

    if not folder.is_absolute() or not folder.is_dir():
        raise ToolError(
            "BAD_CONFIG", f"TOOLBELT_LEXICON is {str(folder)!r}, which is no folder.",
            hint="the absolute path of a folder with files named as in recipes/lexicon",
        )  # fmt: skip
    return read_folder(folder, recipes() / "lexicon")
