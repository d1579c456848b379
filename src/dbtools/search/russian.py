"""Russian names in a schema: written in Cyrillic, or in Latin letters as they sound.

Spellings differ from hand to hand (`schyot`, `schet`, `scet`), so words are compared by a skeleton
that drops what the ways of writing disagree on.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from dbtools.search.lexicon import lexicon
from dbtools.search.words import ENDINGS, is_cyrillic, stem

# Shorter words read as Russian by chance; `cena` and its like stand among the abbreviations.
_SHORTEST: Final = 5
_LONGEST_ENDING: Final = 4
_MOST_MEANINGS: Final = 2
_SOUNDS: Final = {
    "shch": "ш", "sch": "ш", "zh": "ж", "kh": "х", "ts": "ц", "tc": "ц", "tz": "ц", "ch": "ч",
    "sh": "ш", "yu": "ю", "ju": "ю", "iu": "ю", "ya": "я", "ja": "я", "ia": "я", "yo": "е",
    "jo": "е", "io": "е", "ye": "е", "je": "е", "a": "а", "b": "б", "c": "ц", "d": "д", "e": "е",
    "f": "ф", "g": "г", "h": "х", "i": "и", "j": "и", "k": "к", "l": "л", "m": "м", "n": "н",
    "o": "о", "p": "п", "q": "к", "r": "р", "s": "с", "t": "т", "u": "у", "v": "в", "w": "в",
    "x": "х", "y": "и", "z": "з",
}  # fmt: skip
_SAME: Final = str.maketrans({"щ": "ш", "ы": "и", "й": "и", "э": "е", "ё": "е", "ь": "", "ъ": ""})


def skeleton(word: str) -> str:
    """A lower-case word in Cyrillic letters without soft signs and doubled letters."""
    letters = (word if is_cyrillic(word) else _read(word)).translate(_SAME).replace("сч", "ш")
    return "".join(c for at, c in enumerate(letters) if at == 0 or c != letters[at - 1])


def _read(word: str) -> str:
    found, at = [], 0
    while at < len(word):
        for length in (4, 3, 2, 1):
            sound = _SOUNDS.get(word[at : at + length])
            if sound is not None and at + length <= len(word):
                found.append(sound)
                at += length
                break
        else:
            found.append(word[at])
            at += 1
    return "".join(found)


@cache
def meanings(word: str) -> tuple[str, ...]:
    """What a word of a name means in English, where it is a Russian one; else nothing."""
    if not word.isascii():
        return _by_stem().get(stem(word), ())[:_MOST_MEANINGS]
    if len(word) < _SHORTEST or not word.isalpha():
        return ()
    bones = skeleton(word)
    for cut in range(len(bones), max(2, len(bones) - _LONGEST_ENDING - 1), -1):
        found = _by_skeleton().get(bones[:cut])
        if found is not None and bones[cut:] in _endings():
            return found[:_MOST_MEANINGS]
    return ()


def sounds_like(own: str, name: str) -> bool:
    """Whether a word of a name may be the Russian word of this stem in Latin letters."""
    bones, other = skeleton(own), skeleton(name)
    if len(bones) < _SHORTEST - 1 or not other.startswith(bones):
        return False
    return other[len(bones) :] in _endings()


@cache
def _endings() -> frozenset[str]:
    return frozenset({"", *map(skeleton, ENDINGS)})


@cache
def _by_stem() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for key, targets in lexicon().glossary.items():
        if " " not in key:
            found.setdefault(stem(key.replace("ё", "е")), targets)
    return found


@cache
def _by_skeleton() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for own, targets in _by_stem().items():
        found.setdefault(skeleton(own), targets)
    return {bones: targets for bones, targets in found.items() if len(bones) > 2}
