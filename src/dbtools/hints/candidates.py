"""Names that a wrong name may have meant: by its letters, its words and what the words mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from dbtools.catalog import Table, TableColumn
from dbtools.search.index import Index, identifier_terms
from dbtools.search.model import Domain, Group, Sense
from dbtools.search.question import read
from dbtools.search.spelling import alikeness, distance
from dbtools.search.words import split

_MOST: Final = 3
# From this likeness on a corrected statement is offered.
SURE: Final = 0.55
# Below this a name has nothing to do with the one that was meant.
_LEAST: Final = 0.3
# What a column outside FROM loses against one inside, and how like the name it must be.
_ELSEWHERE: Final = 0.2
_LEAST_ELSEWHERE: Final = 0.6
# Endings of names that say "a moment", and what types of moments are called.
_MOMENTS: Final = frozenset("at on dt ts date time datetime timestamp day when".split())
_MOMENT: Final = "date"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A table, or a column of one. score: 1 is the same name."""

    table: Table
    column: TableColumn | None
    score: float
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """A wrong name, read once for many comparisons."""

    name: str
    plain: str
    groups: Sequence[Group]

    @classmethod
    def of(cls, name: str, index: Index) -> Wanted:
        """The name as letters and as the words it is made of."""
        words = split(name)
        groups = read(" ".join(words) or name, index, Domain())
        if words and words[-1] in _MOMENTS and not any(_MOMENT in g.senses for g in groups):
            groups.append(Group(words[-1], {_MOMENT: Sense(1.0, "name")}))
        return cls(name, _squashed(name), groups)


def likeness(wanted: Wanted, name: str, type_: str = "") -> float:
    """Between 0 and 1: how likely the wrong name meant this one, a column of this type."""
    plain = _squashed(name)
    if not plain or not wanted.plain:
        return 0.0
    if plain == wanted.plain:
        return 1.0
    longest = max(len(plain), len(wanted.plain))
    slips = distance(wanted.plain, plain, longest)
    letters = max(1 - slips / longest, 0.9 * alikeness(wanted.plain, plain))
    words = _shared_words(wanted, name, type_)
    return min(0.99, max(letters, words) * 0.8 + min(letters, words) * 0.2)


def _squashed(name: str) -> str:
    plain = "".join(split(name))
    return plain.removesuffix("s") if len(plain) > 3 else plain


def _shared_words(wanted: Wanted, name: str, type_: str) -> float:
    """The share of words that both names have, or mean, in common."""
    terms = identifier_terms(name)
    if type_.lower().startswith(("date", "time")):
        terms = (*terms, _MOMENT)
    own = len(split(name))
    if not wanted.groups or not own:
        return 0.0
    shared = sum(
        max((s.weight for term, s in g.senses.items() if term in terms), default=0.0)
        for g in wanted.groups
    )
    return 2 * shared / (len(wanted.groups) + own)


def columns(
    name: str, inside: Iterable[Table], outside: Iterable[Table], index: Index
) -> list[Candidate]:
    """The likeliest columns of the tables in FROM, then of tables near them; three at most."""
    wanted = Wanted.of(name, index)
    found = [
        Candidate(table, column, likeness(wanted, column.name, column.type))
        for table in inside
        for column in table.columns
    ]
    here = {c.column.name.lower() for c in found if c.column}
    for table in outside:
        for column in table.columns:
            if column.name.lower() in here:
                continue
            score = likeness(wanted, column.name)
            if score >= _LEAST_ELSEWHERE:
                found.append(Candidate(table, column, score - _ELSEWHERE, elsewhere=True))
    return _best(found)


def tables(name: str, known: Iterable[Table], index: Index) -> list[Candidate]:
    """The likeliest tables; three at most."""
    wanted = Wanted.of(name.rpartition(".")[2], index)
    return _best(Candidate(table, None, likeness(wanted, table.name)) for table in known)


def _best(found: Iterable[Candidate]) -> list[Candidate]:
    """The three likeliest, no more than one of them from a table outside FROM."""
    good = [c for c in found if c.score >= _LEAST]

    def order(c: Candidate) -> tuple[float, int, str]:
        name = c.column.name if c.column else c.table.name
        return (-round(c.score, 3), len(c.table.name), name)

    ranked = sorted(good, key=order)
    outside = [c for c in ranked if c.elsewhere][:1]
    return [c for c in ranked if not c.elsewhere or c in outside][:_MOST]
