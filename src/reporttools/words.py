"""The words that reports say by themselves ("Total", "Page 2 of 5"), in the report's language.

They are named by their English text; `recipes/reports/words/ru.toml` and its like hold the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from toolbelt.data import recipes


@dataclass(frozen=True, slots=True)
class Words:
    """One language; what it has no word for is said in English."""

    table: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, text: str, **values: object) -> str:
        """The text in this language, its `{names}` filled when values are given."""
        found = self.table.get(text, text)
        return found.format(**values) if values else found

    @property
    def date_code(self) -> str:
        """What makes Excel write the dates of a number format in this language."""
        return self.table.get("excel-language", "")


ENGLISH = Words()


@cache
def words(language: str) -> Words:
    """Words for `ru`, `ru-RU`, `ru_RU`, ...; English ones for a language without a file."""
    tag = language.replace("_", "-").lower().partition("-")[0]
    if not (tag.isascii() and tag.isalpha()):
        return ENGLISH
    path = recipes() / "reports" / "words" / f"{tag}.toml"
    if not path.is_file():
        return ENGLISH
    import tomllib

    return Words(tomllib.loads(path.read_text(encoding="utf-8")))
