"""Words: identifiers and questions cut into them, and their stems."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

Stemmer = Callable[[str], str]


def split(text: str) -> list[str]:
    """The lower-case words of an identifier or a sentence: `custOrd_hdr2` is cust ord hdr 2.

    Any script: a change from small to capital letters, between letters and digits, and every
    other character part words. Chinese, Japanese and Korean text gives pairs of signs.
    """
    words: list[str] = []
    start, kind = 0, ""
    for at, char in enumerate(text):
        now = _kind(char)
        if now == kind or (kind == "U" and now == "l" and at - start == 1):
            kind = now
            continue
        if kind == "U" and now == "l":
            # HTTPServer: the last capital belongs to the word that follows.
            words.append(text[start : at - 1])
            start, kind = at - 1, now
            continue
        if kind:
            words.append(text[start:at])
        start, kind = at, now
    if kind:
        words.append(text[start:])
    return [w for word in words for w in _pairs(word.lower().replace("ё", "е"))]


def _kind(char: str) -> str:
    if char.isdigit():
        return "d"
    if not char.isalpha():
        return ""
    if char >= "\u2e80":
        return "c"
    return "U" if char.isupper() else "l"


def _pairs(word: str) -> list[str]:
    if word[0] < "\u2e80" or len(word) < 3:
        return [word]
    return [word[i : i + 2] for i in range(len(word) - 1)]


def is_cyrillic(word: str) -> bool:
    """Whether a word is written in Cyrillic letters."""
    return "\u0400" <= word[0] <= "\u04ff"


@cache
def stemmer() -> tuple[str, Stemmer]:
    """(its name, word -> stem): Snowball where it is installed, else a small one of our own."""
    try:
        import snowballstemmer
    except ModuleNotFoundError:
        return "small", cache(small_stem)
    english = snowballstemmer.stemmer("english").stemWord
    russian = snowballstemmer.stemmer("russian").stemWord

    def stem(word: str) -> str:
        return str(russian(word) if is_cyrillic(word) else english(word))

    return "snowball", cache(stem)


def stem(word: str) -> str:
    """The stem of a lower-case word."""
    return stemmer()[1](word)


_ENGLISH = (
    ("ations", 4, "at"), ("ation", 4, "at"), ("ies", 2, "i"), ("sses", 2, "ss"), ("ches", 2, "ch"),
    ("shes", 2, "sh"), ("xes", 2, "x"), ("ments", 4, ""), ("ment", 4, ""), ("ings", 3, ""),
    ("ing", 3, ""), ("ied", 2, "i"), ("ed", 3, ""), ("es", 3, ""), ("ss", 1, "ss"), ("us", 1, "us"),
    ("s", 2, ""), ("e", 3, ""), ("y", 2, "i"),
)  # fmt: skip
_RUSSIAN_ENDINGS = """
иями ями ами ией иям ием иях ия ья ию ью ии ие ье ов ев ей ий ый ой ом ем ам ям ах ях ую юю ая яя
ое ее ые ие ого его ому ему ыми ими ых их ым им ть ться тся лся лась лось лись ла ло ли л ет ют ут
ит ат ят ешь ишь ете ите нный нная нное нные нного нной нных н а е и о у ы ь ю я й
"""
ENDINGS = tuple(sorted(_RUSSIAN_ENDINGS.split(), key=len, reverse=True))


def small_stem(word: str) -> str:
    """A rough stem, where no real stemmer is installed: endings off, three letters left."""
    if is_cyrillic(word):
        for ending in ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                return word[: -len(ending)]
        return word
    for ending, least, instead in _ENGLISH:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)] + instead
    return word
