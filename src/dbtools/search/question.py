"""A question in plain words, read as groups of words that the schema may use for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final

from dbtools.search.index import Index
from dbtools.search.lexicon import lexicon
from dbtools.search.model import Domain, Group, Sense
from dbtools.search.russian import sounds_like
from dbtools.search.spelling import closest, distance
from dbtools.search.words import is_cyrillic, split, stem

# Words beyond this many add nothing but time.
_MOST_WORDS: Final = 60
# No stemmer touches the first letters of a word.
_HEAD: Final = 2
_SHORT: Final = 0.8
_SYNONYM: Final = 0.5
_TYPO: Final = 0.8
_ABBREVIATION: Final = 0.6


def read(question: str, index: Index, domain: Domain) -> list[Group]:
    """One group for every word or known phrase that may name something."""
    stop = lexicon().stop
    spoken = list(dict.fromkeys(split(question[:4000])))
    words = [w for w in spoken if w not in stop and (len(w) > 1 or w.isdigit())][:_MOST_WORDS]
    words = [w for w in words if not _is_misspelt_stop_word(w, index)] or words
    # A table may be called `one`: where nothing else is said, that is what was meant.
    words = words or [w for w in spoken if len(w) > 2 and stem(w) in index.postings][:_MOST_WORDS]
    said = {stem(w) for w in spoken[: 4 * _MOST_WORDS]}
    groups = list(_domain_groups(said, domain))
    phrases, used = _phrases(said, {w[:_HEAD] for w in spoken})
    groups += phrases
    groups += [_group(w, index) for w in words if stem(w) not in used]
    return groups


def _is_misspelt_stop_word(word: str, index: Index) -> bool:
    """`wher`, `tabel`: as a name it would be unknown, as a word it says nothing."""
    table = "glossary" if is_cyrillic(word) else "synonyms"
    if len(word) < 4 or stem(word) in index.postings or _by_stem(table, word):
        return False
    meant = closest(word, lexicon().stop)
    return meant is not None and distance(word, meant, 1) == 1 and not closest(word, index.words)


def _domain_groups(said: set[str], domain: Domain) -> Iterator[Group]:
    for phrase, target in domain.phrases.items():
        if said.issuperset(stem(w) for w in split(phrase)):
            yield from (Group(phrase, {stem(w): Sense(1.0, "domain")}) for w in split(target))


def _phrases(said: set[str], heads: set[str]) -> tuple[list[Group], set[str]]:
    """Groups of the known phrases in a question, and the stems that they used up.

    heads: how the question's words begin; it saves stemming whole lists. A foreign phrase is
    replaced by its words; an English one also stands for itself.
    """
    possible = []
    for words, text, targets, via in _known_phrases():
        if all(w[:_HEAD] in heads for w in words):
            stems = frozenset(map(stem, words))
            if stems <= said:
                possible.append((stems, text, tuple(map(stem, targets)), via))
    groups, used = [], set[str]()
    for stems, text, targets, via in sorted(possible, key=lambda phrase: -len(phrase[0])):
        if stems & used:
            continue
        if via == "glossary":
            groups += [Group(text, {target: Sense(1.0, via)}) for target in targets]
            used |= stems
        else:
            groups.append(Group(text, {target: Sense(0.8, via) for target in targets}))
    return groups, used


@cache
def _known_phrases() -> list[tuple[list[str], str, tuple[str, ...], str]]:
    """(its words, phrase, its targets, kind of list)."""
    words = lexicon()
    return [
        (split(key), key, targets, via)
        for table, via in ((words.glossary, "glossary"), (words.synonyms, "synonym"))
        for key, targets in table.items()
        if " " in key
    ]


def _group(word: str, index: Index) -> Group:
    own = stem(word)
    senses: dict[str, Sense] = {own: Sense(1.0, "name")}
    if is_cyrillic(word):
        _translate(word, senses)
    else:
        _add(senses, lexicon().abbreviations.get(word, ()), _SHORT, "abbreviation")
        _add(senses, _synonyms(word), _SYNONYM, "synonym")
    if not any(s in index.postings for s in senses):
        _guess(word, senses, index)
    return Group(word, senses, any(s in index.postings for s in senses))


def _translate(word: str, senses: dict[str, Sense]) -> None:
    """Add a Russian word's English senses, the first one at full weight."""
    targets = _by_stem("glossary", word)
    via = "glossary"
    if not targets:
        targets, via = _misspelt("glossary", stem(word)), "typo"
    for place, target in enumerate(targets):
        _add(senses, (target,), 1.0 if place == 0 else 0.7, via)
    if targets:
        _add(senses, _synonyms(targets[0]), _SYNONYM * 0.8, "synonym")


def _add(senses: dict[str, Sense], words: Iterable[str], weight: float, via: str) -> None:
    for word in words:
        found = stem(word)
        if weight > senses.get(found, Sense(0.0, "")).weight:
            senses[found] = Sense(weight, via)


def _synonyms(word: str) -> tuple[str, ...]:
    return _by_stem("synonyms", word)


def _by_stem(table: str, word: str) -> tuple[str, ...]:
    """A list's line for a word in any of its forms."""
    lines: Mapping[str, tuple[str, ...]] = getattr(lexicon(), table)
    if word in lines:
        return lines[word]
    return _stems(table, word[:_HEAD]).get(stem(word), ())


@cache
def _stems(table: str, head: str = "") -> dict[str, tuple[str, ...]]:
    """The lines of a list by the stems of their words, of those that begin so."""
    lines: Mapping[str, tuple[str, ...]] = getattr(lexicon(), table)
    found: dict[str, tuple[str, ...]] = {}
    for key, targets in lines.items():
        plain = key.replace("ё", "е")
        if plain.startswith(head) and " " not in plain:
            found.setdefault(stem(plain), targets)
    return found


def _guess(word: str, senses: dict[str, Sense], index: Index) -> None:
    """Nothing known matches: a slip of the fingers, or a shortened form in the schema."""
    if len(word) >= 4 and not is_cyrillic(word):
        meant = closest(word, index.words)
        if meant:
            _add(senses, (meant,), _TYPO, "typo")
            return
        _add(senses, _misspelt("synonyms", word), _SYNONYM * _TYPO, "typo")
    if any(s in index.postings for s in senses):
        return
    if is_cyrillic(word):
        own = stem(word)
        _add(senses, (name for name in index.words if sounds_like(own, name)), _TYPO, "sound")
    for whole in [word, *(s for s in list(senses) if not is_cyrillic(s))]:
        for term in index.postings:
            if term not in senses and shortens(term, whole):
                senses[term] = Sense(_ABBREVIATION, "abbreviation")


def _misspelt(table: str, word: str) -> tuple[str, ...]:
    """The line of a list for a misspelt key."""
    if len(word) < 4:
        return ()
    stems = _stems(table)
    close = closest(word, stems) if is_cyrillic(word) else None
    if close is None and not is_cyrillic(word):
        lines: Mapping[str, tuple[str, ...]] = getattr(lexicon(), table)
        key = closest(word, lines)
        return lines[key] if key else ()
    return stems[close] if close else ()


def shortens(short: str, whole: str) -> bool:
    """Whether `short` may be an abbreviation: same first letter, its letters in order."""
    if len(short) < 2 or len(whole) < len(short) + 2 or short[0] != whole[0] or not short.isalpha():
        return False
    letters = iter(whole)
    if not all(c in letters for c in short):
        return False
    if whole.startswith(short):
        return len(short) >= 3
    return len(short) / len(whole) >= 0.3 and (len(short) >= 3 or len(whole) <= 7)
