"""The index of a catalog: which words stand in which tables, and how much they say."""

from __future__ import annotations

import json
import math
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from dbtools.catalog import Table
from dbtools.search.families import Family, collapse
from dbtools.search.lexicon import is_twin_word, lexicon
from dbtools.search.model import Domain, Key
from dbtools.search.russian import meanings
from dbtools.search.words import split, stem

_NAME: Final = 3.0
_COLUMN: Final = 1.0
_COMMENT: Final = 0.6
# BM25's own two numbers.
_SATURATION: Final = 1.2
_LENGTH: Final = 0.5


@dataclass(frozen=True, slots=True)
class Index:
    """One document a table, or a family of tables. postings: stem -> [doc, weight, doc, ...].

    twins: documents that are copies of another, with the words that say so. near: documents one
    foreign key away. words: every word of the names as it is written, for slips of the fingers.
    """

    keys: list[Key]
    patterns: dict[int, str]
    postings: dict[str, list[float]]
    lengths: list[float]
    near: list[list[int]]
    twins: dict[int, list[str]]
    words: list[str]

    def idf(self, term: str) -> float:
        """How much a word tells: a rare one much, one in every table next to nothing."""
        count = len(self.postings.get(term, ())) / 2
        return math.log(1 + (len(self.keys) - count + 0.5) / (count + 0.5))

    def average(self) -> float:
        """The average length of a document."""
        return sum(self.lengths) / max(1, len(self.lengths)) or 1.0

    def weights(self, term: str, average: float) -> Iterable[tuple[int, float]]:
        """(document, how well the word describes it) by BM25."""
        flat, idf = self.postings.get(term, []), self.idf(term)
        for at in range(0, len(flat), 2):
            doc, often = int(flat[at]), flat[at + 1]
            norm = _SATURATION * (1 - _LENGTH + _LENGTH * self.lengths[doc] / average)
            yield doc, idf * often * (_SATURATION + 1) / (often + norm)

    def ideal(self, term: str) -> float:
        """The most that any document could score for a word."""
        return self.idf(term) * (_SATURATION + 1) * _NAME / (_NAME + _SATURATION)

    def between(self, docs: Sequence[int]) -> set[int]:
        """The documents on the shortest ways, by foreign keys, from each to those before it."""
        found = set(docs[:1])
        for goal in docs[1:]:
            came = self._ways(found, goal)
            at = goal
            while at not in found:
                found.add(at)
                at = came.get(at, at)
        return found

    def _ways(self, starts: Iterable[int], goal: int) -> dict[int, int]:
        """Of every document met on the way to the goal: the one that it was met from."""
        came = {doc: doc for doc in starts}
        queue = deque(came)
        while queue and goal not in came:
            doc = queue.popleft()
            for other in self.near[doc]:
                if other not in came:
                    came[other] = doc
                    queue.append(other)
        return came


def fingerprint() -> str:
    """Changes with the word lists."""
    import hashlib

    words = lexicon()
    lists = [sorted(words.abbreviations.items()), sorted(words.stop), sorted(words.twins)]
    return hashlib.sha256(repr(lists).encode()).hexdigest()[:16]


def dumps(index: Index, mark: Sequence[str]) -> bytes:
    """The index as JSON; `mark` says what it was made from."""
    parts = [
        list(mark), index.keys, index.patterns, index.postings, index.lengths, index.near,
        index.twins, index.words,
    ]  # fmt: skip
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def loads(data: bytes | None, mark: Sequence[str]) -> Index | None:
    """An index that dumps() wrote for the same mark, else None."""
    if data is None:
        return None
    try:
        written, keys, patterns, postings, lengths, near, twins, said = json.loads(data)
    except ValueError:
        return None
    if written != list(mark):
        return None
    return Index(
        [(schema, name) for schema, name in keys],
        {int(d): p for d, p in patterns.items()},
        postings, lengths, near,
        {int(d): t for d, t in twins.items()},
        said,
    )  # fmt: skip


def build(tables: Sequence[Table]) -> Index:
    """The index of a catalog's tables; copies and rows of tables are one document."""
    families = collapse(tables)
    doc_of = {(t.schema, t.name): doc for doc, f in enumerate(families) for t in f.members}
    postings: dict[str, list[float]] = defaultdict(list)
    lengths: list[float] = []
    for doc, family in enumerate(families):
        counted = _terms(family.head)
        lengths.append(round(sum(counted.values()), 1))
        for term, often in counted.items():
            postings[term] += [doc, round(often, 1)]
    return Index(
        keys=[(f.head.schema, f.head.name) for f in families],
        patterns={d: f.pattern for d, f in enumerate(families) if f.pattern != f.head.name},
        postings=dict(postings),
        lengths=lengths,
        near=_near(families, doc_of),
        twins=_twins(families),
        words=sorted({w for f in families for n in _names(f.head) for w in _all_words(n)}),
    )


def with_domain(index: Index, domain: Domain) -> Index:
    """The index with a domain file's own terms of its tables."""
    if not domain.terms:
        return index
    docs = {key: doc for doc, key in enumerate(index.keys)}
    postings, lengths = dict(index.postings), list(index.lengths)
    for key, texts in domain.terms.items():
        doc = docs.get(key)
        if doc is None:
            continue
        for term in dict.fromkeys(t for text in texts for t in comment_terms(text)):
            flat = list(postings.get(term, ()))
            at = flat.index(doc, 0) if doc in flat[::2] else -1
            if at >= 0 and at % 2 == 0:
                flat[at + 1] += _NAME
            else:
                flat += [doc, _NAME]
            postings[term] = flat
    return replace(index, postings=postings, lengths=lengths)


def _terms(table: Table) -> dict[str, float]:
    """The stems of a table and their weights."""
    counted: dict[str, float] = defaultdict(float)
    for term in identifier_terms(table.name):
        counted[term] += _NAME
    for column in table.columns:
        for term in set(identifier_terms(column.name)):
            counted[term] += _COLUMN
        for value in column.values[:50]:
            for term in set(comment_terms(value)):
                counted[term] += _COMMENT
        for term in set(comment_terms(column.comment)):
            counted[term] += _COMMENT
    for term in set(comment_terms(table.comment)):
        counted[term] += _NAME * _COMMENT
    return counted


def _names(table: Table) -> Iterable[str]:
    yield table.name
    for column in table.columns:
        yield column.name


@cache
def _all_words(name: str) -> tuple[str, ...]:
    """The words of a name, each followed by what it stands for."""
    return tuple(w for word in split(name) for w in (word, *expansions(word)))


@cache
def identifier_terms(name: str) -> tuple[str, ...]:
    """The stems of a name, of what its abbreviations stand for and of words run together."""
    return tuple(map(stem, _all_words(name)))


@cache
def expansions(word: str) -> tuple[str, ...]:
    """What a shortened or Russian word stands for, and the parts of two words run together."""
    short = lexicon().abbreviations.get(word)
    if short is not None:
        return short
    if len(word) < 4 or word in _known():
        return ()
    return (_parts(word) if len(word) >= 6 else ()) or meanings(word)


def _parts(word: str) -> tuple[str, ...]:
    known = _known()
    for at in range(len(word) - 3, 2, -1):
        if word[:at] in known and word[at:] in known:
            return word[:at], word[at:]
    return ()


@cache
def _known() -> frozenset[str]:
    """Every English word of the lists, in its plain and its plural form."""
    words = lexicon()
    found: set[str] = set()
    for table in (words.abbreviations, words.synonyms, words.glossary):
        for targets in table.values():
            found.update(targets)
    for key in words.synonyms:
        found.update(key.split())
    found = {w for w in found if len(w) >= 3}
    return frozenset(found | {f"{w}s" for w in found})


def comment_terms(text: str) -> tuple[str, ...]:
    """The stems of a comment's words, those that name nothing left out."""
    stop = lexicon().stop
    return tuple(stem(w) for w in split(text[:500]) if len(w) > 1 and w not in stop)


def _near(families: Sequence[Family], doc_of: Mapping[Key, int]) -> list[list[int]]:
    near: list[set[int]] = [set() for _ in families]
    for doc, family in enumerate(families):
        for key in family.head.foreign_keys:
            other = doc_of.get((key.schema or family.head.schema, key.table))
            if other is not None and other != doc:
                near[doc].add(other)
                near[other].add(doc)
    return [sorted(n) for n in near]


def _twins(families: Sequence[Family]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for doc, family in enumerate(families):
        words = split(family.head.name)
        marks = [w for w in words if is_twin_word(w)]
        if len(words) > 1 and words[-1].isdigit() and len(words[-1]) in (4, 6, 8):
            marks.append(words[-1])
        if marks and len(marks) < len(words):
            found[doc] = marks
    return found
