"""Notes: a small part of Markdown (headings, lists, bold); everything else is plain text."""

from __future__ import annotations

import re
from typing import Final, Literal

from reporttools.document import Paragraph, Span

_LEVELS: Final[tuple[Literal["h1", "h2", "h3"], ...]] = ("h1", "h2", "h3")
_HEADING: Final = re.compile(r"(#{1,3})\s+(.*)")
_BULLET: Final = re.compile(r"[-*+•]\s+(.*)")
_NUMBER: Final = re.compile(r"(\d{1,3}[.)])\s+(.*)")
_BOLD: Final = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|__(?=\S)(.+?)(?<=\S)__")


def parse(text: str) -> tuple[Paragraph, ...]:
    """Paragraphs of a note; lines of one paragraph are joined, a blank line ends it."""
    found: list[Paragraph] = []
    running: list[str] = []

    def flush() -> None:
        if running:
            found.append(Paragraph("p", spans(" ".join(running))))
            running.clear()

    for raw in text.splitlines():
        line = raw.strip()
        if not line:
            flush()
        elif heading := _HEADING.fullmatch(line):
            flush()
            found.append(Paragraph(_LEVELS[len(heading[1]) - 1], spans(heading[2])))
        elif bullet := _BULLET.fullmatch(line):
            flush()
            found.append(Paragraph("bullet", spans(bullet[1])))
        elif number := _NUMBER.fullmatch(line):
            flush()
            found.append(Paragraph("number", spans(number[2]), number[1].replace(")", ".")))
        else:
            running.append(line)
    flush()
    return tuple(found)


def spans(text: str) -> tuple[Span, ...]:
    """Plain and bold stretches of a line."""
    found: list[Span] = []
    at = 0
    for match in _BOLD.finditer(text):
        if match.start() > at:
            found.append(Span(text[at : match.start()]))
        found.append(Span(match[1] or match[2], bold=True))
        at = match.end()
    if at < len(text) or not found:
        found.append(Span(text[at:]))
    return tuple(found)
