"""Lines of text that fit: wrapping for every script, and cutting with an ellipsis."""

from __future__ import annotations

import unicodedata
from typing import Final

from reporttools.fonts import Fonts

# A line may not begin with these, nor end with those.
_CLOSING: Final = frozenset("!%),.:;?]}¢°’”›»、。々〉》」』】〕！），．：；？］｝…")
_OPENING: Final = frozenset("([{‘“‹«〈《「『【〔（［｛")
_AFTER: Final = frozenset("-/\\_&=+|,;@.")
ELLIPSIS: Final = "…"


def _breaks_anywhere(char: str) -> bool:
    """Scripts that are written without spaces between words."""
    code = ord(char)
    return (
        0x0E00 <= code <= 0x0EFF or 0x1000 <= code <= 0x109F or 0x1780 <= code <= 0x17FF
        or 0x2E80 <= code <= 0xA4CF or 0xAC00 <= code <= 0xD7AF or 0xF900 <= code <= 0xFAFF
        or 0xFF00 <= code <= 0xFFEF or 0x20000 <= code <= 0x3FFFF
    )  # fmt: skip


def clusters(text: str) -> list[str]:
    """Letters with the marks on them; these are never parted."""
    if text.isascii():
        return list(text)
    found: list[str] = []
    for char in text:
        joins = unicodedata.category(char) in ("Mn", "Mc", "Me") or char == "\u200d"
        if found and (joins or found[-1].endswith("\u200d") or _thai_tail(found[-1], char)):
            found[-1] += char
        else:
            found.append(char)
    return found


def _thai_tail(before: str, char: str) -> bool:
    """Thai and Lao vowels that are written with the letter before or after them."""
    code, last = ord(char), ord(before[-1])
    return code in (0x0E30, 0x0E32, 0x0E33, 0x0EB0, 0x0EB2, 0x0EB3) or (
        0x0E40 <= last <= 0x0E44 or 0x0EC0 <= last <= 0x0EC4
    )


def pieces(text: str) -> list[str]:
    """What may stand on lines of its own, spaces kept at the end of the piece before."""
    if text.isascii():
        return _ascii_pieces(text)
    found: list[str] = []
    for cluster in clusters(text):
        if not found:
            found.append(cluster)
            continue
        last = found[-1][-1]
        first = cluster[0]
        joined = (
            first in _CLOSING or last in _OPENING or first.isspace()
            or not (last.isspace() or _breaks_anywhere(last) or _breaks_anywhere(first))
        )  # fmt: skip
        if joined:
            found[-1] += cluster
        else:
            found.append(cluster)
    return found


def _ascii_pieces(text: str) -> list[str]:
    words = text.split(" ")
    found = [word + " " for word in words[:-1]]
    return found + ([words[-1]] if words[-1] else [])


def wrap(fonts: Fonts, text: str, width: float, size: float, bold: bool = False) -> list[str]:
    """Lines no wider than `width`; line breaks of the text are kept, long words are split."""
    lines: list[str] = []
    for paragraph in text.splitlines() or [""]:
        drawn = fonts.drawn(paragraph)
        if fonts.width(drawn, size, bold) <= width:
            lines.append(drawn.strip() if drawn.strip() else "")
        else:
            lines.extend(_wrapped(fonts, drawn, width, size, bold))
    return lines


def _wrapped(fonts: Fonts, text: str, width: float, size: float, bold: bool) -> list[str]:
    lines: list[str] = []
    line, used = "", 0.0
    for piece in pieces(text):
        wide = fonts.width(piece.rstrip(), size, bold)
        if line and used + wide > width:
            lines.append(line.rstrip())
            line, used = "", 0.0
        if wide > width:
            *full, piece = _split(fonts, piece, width, size, bold)
            lines.extend(full)
        line += piece
        used += fonts.width(piece, size, bold)
    if line.strip() or not lines:
        lines.append(line.rstrip())
    return lines


def _split(fonts: Fonts, word: str, width: float, size: float, bold: bool) -> list[str]:
    """A word too long for a line, cut after a separator where there is one, else anywhere."""
    parts: list[str] = []
    part, used, after = "", 0.0, 0
    for cluster in clusters(word):
        wide = sum(fonts.advance(c, bold) for c in cluster) * size
        if part and used + wide > width and not cluster.isspace():
            cut = after if after > len(part) // 2 else len(part)
            parts.append(part[:cut])
            part = part[cut:]
            used, after = fonts.width(part, size, bold), 0
        part += cluster
        used += wide
        if cluster in _AFTER:
            after = len(part)
    return [*parts, part]


def ellipsize(fonts: Fonts, text: str, width: float, size: float, bold: bool = False) -> str:
    """The text, or as much of its beginning as fits with an ellipsis; empty when nothing fits."""
    text = fonts.drawn(text).strip()
    if fonts.width(text, size, bold) <= width:
        return text
    room = width - fonts.width(ELLIPSIS, size, bold)
    if room <= 0:
        return ""
    kept, used = "", 0.0
    for cluster in clusters(text):
        used += sum(fonts.advance(c, bold) for c in cluster) * size
        if used > room:
            break
        kept += cluster
    return kept.rstrip(" ,.;:-–") + ELLIPSIS if kept else ELLIPSIS


def lines(
    fonts: Fonts, text: str, width: float, size: float, most: int, bold: bool = False
) -> list[str]:
    """At most so many lines; the last one ends in an ellipsis when something is left."""
    found = wrap(fonts, text, width, size, bold)
    if len(found) <= most:
        return found
    rest = found[most - 1].rstrip(ELLIPSIS) + ELLIPSIS
    while fonts.width(rest, size, bold) > width and len(rest) > 1:
        rest = rest[:-2].rstrip() + ELLIPSIS
    return [*found[: most - 1], rest]
