"""What a style sheet refers to: `url(...)` and `@import`, found in one pass over the text."""

from __future__ import annotations

from collections.abc import Iterator

_SPACE = " \t\r\n\f"


def references(text: str) -> Iterator[str]:
    """The references of a style sheet in order, as written, without those inside comments."""
    place = 0
    while place < len(text):
        char = text[place]
        if char == "/" and text.startswith("/*", place):
            end = text.find("*/", place + 2)
            place = len(text) if end < 0 else end + 2
        elif char in "uU" and text[place : place + 4].lower() == "url(":
            reference, place = _url(text, place + 4)
            if reference:
                yield reference
        elif char == "@" and text[place : place + 7].lower() == "@import":
            reference, place = _quoted(text, _skip(text, place + 7))
            if reference:
                yield reference
        elif char in "\"'":
            place = _quoted(text, place)[1]
        else:
            place += 1


def _url(text: str, place: int) -> tuple[str, int]:
    place = _skip(text, place)
    if text[place : place + 1] in ('"', "'"):
        return _quoted(text, place)
    end = text.find(")", place)
    end = len(text) if end < 0 else end
    return text[place:end].strip(_SPACE), end


def _quoted(text: str, place: int) -> tuple[str, int]:
    """A quoted string at a place and where it ends; empty when none stands there."""
    quote = text[place : place + 1]
    if quote not in ('"', "'"):
        return "", max(place, 1)
    out, place = [], place + 1
    while place < len(text) and text[place] != quote and text[place] != "\n":
        if text[place] == "\\":
            place += 1
        out.append(text[place : place + 1])
        place += 1
    return "".join(out), place + 1


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in _SPACE:
        place += 1
    return place
