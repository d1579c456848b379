"""Which legacy encoding a text is in, from how its letters sit together.

Multi-byte encodings of East Asia must decode without an error and give the characters their
languages use most. Of the single-byte ones, that is best whose letters form words: of one script,
with capitals only where capitals stand, and made of that script's frequent letters.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

SAMPLE: Final = 1 << 16
FALLBACK: Final = "cp1252"
_ASCII: Final = bytes(range(128))
_BEFORE: Final = 64
# Encoding -> the letters that make up most of a text in its languages.
_FREQUENT: Final = {
    "cp1251": "оеаинтсрвлкмдпуяыьгзбчйхж",
    "koi8-r": "оеаинтсрвлкмдпуяыьгзбчйхж",
    "iso8859-5": "оеаинтсрвлкмдпуяыьгзбчйхж",
    "cp866": "оеаинтсрвлкмдпуяыьгзбчйхж",
    "cp1253": "αοιετσνηυρπκμλςωάέίόήύώγδ",
    "cp1255": "יוהלאמרבתשנעדחקפכצטגזםןסך",
    "cp1256": "اليمنتربوعدفسهكقحةجشصخضطأ",
    "cp1250": "áéíóúýčďěňřšťžůąćęłńśźżőű",
    "cp1254": "çğıöşüâîû",
    "cp1252": "éèêëàâäáãåçñöôóõøüûúùíìîïßæœ",
}
_SCRIPTS: Final = {
    "cp1251": (0x400, 0x4FF), "koi8-r": (0x400, 0x4FF), "iso8859-5": (0x400, 0x4FF),
    "cp866": (0x400, 0x4FF), "cp1253": (0x370, 0x3FF), "cp1255": (0x590, 0x5FF),
    "cp1256": (0x600, 0x6FF),
}  # fmt: skip
_LATIN: Final = (0xC0, 0x24F)
_MARKS: Final = frozenset("\xa0–—‘’“”„«»…•€£§©®°№·™")
_QUOTES: Final = frozenset("\xa0–—‘’“”„«»…")
# A score no text of another encoding reaches by chance.
_CERTAIN: Final = 1.75


def guess(raw: bytes) -> str:
    """Python's name of the likeliest encoding of bytes that are not UTF-8."""
    sample = _sample(raw)
    scores = {name: _score(sample, name) for name in _FREQUENT}
    best = max(scores, key=lambda name: scores[name])
    asian = _asian(sample) if scores[best] < _CERTAIN else None
    if asian is not None:
        return asian
    # Western is what most files are: another one must be clearly better.
    return best if scores[best] > scores[FALLBACK] + 0.1 else _decodable(raw)


def _decodable(raw: bytes) -> str:
    """The fallback, or Latin-1 where the fallback has no character for a byte."""
    return "latin-1" if any(byte in raw for byte in b"\x81\x8d\x8f\x90\x9d") else FALLBACK


def _sample(raw: bytes) -> bytes:
    """The lines that hold bytes above ASCII, up to a size."""
    lines, size = [], 0
    for line in raw.split(b"\n"):
        if not line.isascii():
            # A page or a document may be one long line: from a little before the first such byte.
            first = len(line) - len(line.lstrip(_ASCII))
            piece = line[max(first - _BEFORE, 0) :][:SAMPLE]
            lines.append(piece)
            size += len(piece)
        if size > SAMPLE:
            break
    return b"\n".join(lines)


def _asian(sample: bytes) -> str | None:
    """The multi-byte encoding of a text, if it is one."""
    for name in ("euc-jp", "cp932"):
        text = _strict(sample, name)
        if text is None:
            continue
        wide = [char for char in text if char > "\x7f"]
        if not wide:
            return None
        kana = sum("\u3040" <= char <= "\u30ff" for char in wide)
        half = sum("\uff61" <= char <= "\uff9f" for char in wide)
        if kana >= 0.2 * len(wide) and half <= 0.3 * len(wide):
            return name
    if (found := _two_bytes(sample)) is not None:
        return found
    text = _strict(sample, "big5hkscs")
    if text is None:
        return None
    leads = _leads(sample)
    common = sum(lead == 0xA1 or 0xA4 <= lead <= 0xC6 for lead in leads)
    return "big5hkscs" if leads and common >= 0.85 * len(leads) else None


def _two_bytes(sample: bytes) -> str | None:
    """GB 2312 or EUC-KR, which share one grid and differ in which rows are busy."""
    leads = _leads(sample)
    busy = sum(0xB0 <= lead <= 0xD7 for lead in leads)
    if not leads or busy < 0.6 * len(leads):
        return None
    late = sum(lead > 0xC8 for lead in leads)
    korean = late < 0.1 * len(leads) and _strict(sample, "cp949") is not None
    if korean:
        return "cp949"
    text = _strict(sample, "gb18030")
    # Letters of other scripts, two by two, look like rare characters at odd distances.
    return "gb18030" if text is not None and _grid(sample) else None


def _leads(sample: bytes) -> list[int]:
    """The first bytes of the pairs that high bytes form."""
    leads, place = [], 0
    while place < len(sample):
        if sample[place] < 0x80:
            place += 1
        else:
            leads.append(sample[place])
            place += 2
    return leads


def _grid(sample: bytes) -> bool:
    """Whether nearly all pairs lie in the grid of GB 2312 (both bytes high)."""
    inside = outside = place = 0
    while place < len(sample) - 1:
        if sample[place] < 0x80:
            place += 1
            continue
        inside += sample[place + 1] >= 0xA1
        outside += sample[place + 1] < 0xA1
        place += 2
    return inside > 9 * outside


def _strict(sample: bytes, name: str) -> str | None:
    try:
        return sample.decode(name)
    except UnicodeDecodeError:
        return None


def _score(sample: bytes, name: str) -> float:
    """From 0 to 2: how much of what is above ASCII reads like words of the encoding's script."""
    text = _strict(sample, name)
    if text is None:
        return 0.0
    low, high = _SCRIPTS.get(name, _LATIN)
    frequent = frozenset(_FREQUENT[name])
    counts: Counter[str] = Counter()
    before = " "
    for place, char in enumerate(text):
        if char > "\x7f":
            counts["all"] += 1
            after = text[place + 1] if place + 1 < len(text) else " "
            if low <= ord(char) <= high and char.isalpha() and _sits(before, char, after, low):
                counts["words"] += 1
                counts["frequent"] += char.lower() in frequent
            elif char in _MARKS:
                # Quotes, dashes and the like say little.
                counts["marks"] += 1
        before = char
    total = counts["all"] - min(counts["marks"], counts["all"] // 4)
    return (counts["words"] + counts["frequent"]) / total if total else 0.0


def _sits(before: str, char: str, after: str, low: int) -> bool:
    """Whether a letter may stand between these two."""
    if any(n > "\x7f" and not n.isalpha() and n not in _QUOTES for n in (before, after)):
        return False
    if low >= 0x370:
        # These scripts do not mix with Latin letters inside a word.
        mixed = (before.isascii() and before.isalpha()) or (after.isascii() and after.isalpha())
        alone = not before.isalpha() and not after.isalpha()
        if mixed or (alone and low > 0x4FF):
            return False
    elif before > "\x7f" and after > "\x7f" and before.isalpha() and after.isalpha():
        # Latin words have letters of ASCII between their accents.
        return False
    return not (char.isupper() and before.islower())
