"""What the search's modules hand each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

Key = tuple[str, str]


class Sense(NamedTuple):
    """One word of the schema that a word of the question may mean.

    via: name, domain, glossary, synonym, abbreviation, typo or sound.
    """

    weight: float
    via: str


@dataclass(frozen=True, slots=True)
class Group:
    """One word or phrase of a question and all it may mean, by stem."""

    text: str
    senses: Mapping[str, Sense]
    known: bool = True


@dataclass(frozen=True, slots=True)
class Domain:
    """A company's own words, as far as a search needs them.

    phrases: phrase -> words. terms: table -> further words of it.
    """

    phrases: Mapping[str, str] = field(default_factory=dict)
    terms: Mapping[Key, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """A table that answers. score: 1 is the best there could be; matched: the question's words."""

    doc: int
    score: float
    matched: tuple[str, ...]
