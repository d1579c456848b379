"""Words a slip of the fingers away from each other."""

from __future__ import annotations

from collections.abc import Iterable

# Words that share fewer pairs of letters than this cannot be meant; it saves the slow comparison.
_ALIKE = 0.3
_VERY_ALIKE = 0.5


def closest(word: str, vocabulary: Iterable[str]) -> str | None:
    """The word most likely meant by a misspelt one; None if none is near enough."""
    own, most = _pairs(word), slips_allowed(word)
    best: tuple[float, str] | None = None
    for other in vocabulary:
        if abs(len(other) - len(word)) > most or len(other) < 3:
            continue
        alike = _alike(own, _pairs(other))
        if alike < _ALIKE:
            continue
        slips = distance(word, other, most)
        if slips > 1 and (alike < _VERY_ALIKE or other[0] != word[0]):
            # Two slips make another word of a good one: `letter` is no misspelt `meter`.
            continue
        if slips <= most and (best is None or (slips - alike, other) < best):
            best = (slips - alike, other)
    return best[1] if best else None


def slips_allowed(word: str) -> int:
    """How many wrong, missing, added or swapped letters a word of this length may have."""
    return 0 if len(word) < 4 else 1 if len(word) < 6 else 2 if len(word) < 10 else 3


def alikeness(one: str, other: str) -> float:
    """Between 0 and 1: the share of the pairs of letters that two words have in common."""
    return _alike(_pairs(one), _pairs(other))


def _pairs(word: str) -> set[str]:
    framed = f"^{word}$"
    return {framed[i : i + 2] for i in range(len(framed) - 1)}


def _alike(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other))


def distance(one: str, other: str, most: int) -> int:
    """Letters to change, add, drop or swap with a neighbour; most + 1 for anything above."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        last, before, row = before, row, [i]
        for j, b in enumerate(other, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
