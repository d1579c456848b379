"""Which tables answer a question: BM25 over words and what they mean, then the neighbourhood."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dbtools.search.index import Index
from dbtools.search.model import Domain, Found, Group
from dbtools.search.question import read
from dbtools.search.words import stem

# Of a score, how much hangs on the share of the question's words that matched.
_COVERAGE: Final = 0.3
_NEIGHBOURS: Final = 0.15
_TWIN: Final = 0.5
_WEAK: Final = 0.25


@dataclass(frozen=True, slots=True)
class Ranking:
    """A question's groups, and the score of every document that matched any of them."""

    groups: list[Group]
    scores: dict[int, float]
    matched: dict[int, set[str]]


def rank(question: str, index: Index, domain: Domain) -> Ranking:
    """Scores between 0 and about 1; 1 would be a table named after every word of the question."""
    groups = read(question, index, domain)
    scores: dict[int, float] = defaultdict(float)
    matched: dict[int, set[str]] = {}
    average = index.average()
    for group in groups:
        best: dict[int, float] = {}
        for term, sense in group.senses.items():
            for doc, weight in index.weights(term, average):
                if sense.weight * weight > best.get(doc, 0.0):
                    best[doc] = sense.weight * weight
        for doc, value in best.items():
            scores[doc] += value
            matched.setdefault(doc, set()).add(group.text)
    known = max(1, sum(g.known for g in groups))
    for doc in scores:
        scores[doc] *= 1 - _COVERAGE + _COVERAGE * len(matched[doc]) / known
    _lift_neighbours(scores, index)
    _lower_twins(scores, index, groups)
    ideal = sum(max(map(index.ideal, g.senses)) for g in groups) or 1.0
    return Ranking(groups, {doc: s / ideal for doc, s in scores.items()}, matched)


def _lift_neighbours(scores: dict[int, float], index: Index) -> None:
    """A table next to good ones is more likely meant."""
    lifts = {
        doc: sum(sorted((scores.get(n, 0.0) for n in index.near[doc]), reverse=True)[:2])
        for doc in scores
    }
    for doc, lift in lifts.items():
        scores[doc] += _NEIGHBOURS * lift


def _lower_twins(scores: dict[int, float], index: Index, groups: list[Group]) -> None:
    """Copies rank below what they copy, unless the question asks for a copy."""
    asked = {term for g in groups for term in g.senses}
    for doc, marks in index.twins.items():
        if doc in scores and not any(stem(m) in asked for m in marks):
            scores[doc] *= _TWIN


def fuse(rankings: Sequence[Ranking], most: int) -> list[Found]:
    """The best documents over several phrasings of one question."""
    total: dict[int, float] = defaultdict(float)
    for ranking in rankings:
        for doc, score in ranking.scores.items():
            total[doc] += score
    matched = {
        doc: tuple(dict.fromkeys(t for r in rankings for t in sorted(r.matched.get(doc, ()))))
        for doc in total
    }
    best = sorted(total.items(), key=lambda item: (-item[1], item[0]))[:most]
    return [Found(doc, score / len(rankings), matched[doc]) for doc, score in best]


def is_weak(hits: Sequence[Found], groups: Sequence[Group]) -> bool:
    """Whether the best hit matched less than half of the question, or says too little."""
    if not hits or not groups:
        return True
    texts = {g.text for g in groups}
    return len(texts & set(hits[0].matched)) * 2 < len(texts) or hits[0].score < _WEAK
