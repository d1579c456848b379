"""Running text on a surface, line by line, so that it may break anywhere between two lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from reporttools.bidi import is_rtl
from reporttools.document import Paragraph, Span
from reporttools.render.style import INK
from reporttools.render.surface import Look, Surface
from reporttools.textflow import pieces

SIZE: Final = 9.5
HEADINGS: Final = {"h1": 13.0, "h2": 11.5, "h3": 10.2}


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of one weight."""

    text: str
    bold: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One line. before: space above it. indent: of its text; the marker stands before it. rtl: it
    reads from the right edge of its room, which is a width. first: it begins a paragraph."""

    words: tuple[Piece, ...]
    size: float
    before: float
    indent: float
    marker: str = ""
    heading: bool = False
    rtl: bool = False
    room: float = 0.0
    first: bool = True

    @property
    def height(self) -> float:
        """With the space above."""
        return self.before + self.size * 1.45

    def draw(self, surface: Surface, look: Look, x: float, y: float) -> None:
        """At the left edge x, its top at y; lines that read from the right begin at their end."""
        base = y + self.before + self.size * 1.05
        color = look.theme.band if self.heading else INK
        words = self.words[::-1] if self.rtl else self.words
        start = x
        if self.rtl:
            used = sum(look.fonts.width(w.text, self.size, w.bold) for w in words)
            x += max(0.0, self.room - used) - self.indent
        if self.marker:
            edge = start + self.room - 2 if self.rtl else start + 2
            align: Literal["right", "left"] = "right" if self.rtl else "left"
            surface.text(edge, base, self.marker, self.size, color, align=align)
        x += self.indent
        for word in words:
            surface.text(x, base, word.text, self.size, color, word.bold)
            x += look.fonts.width(word.text, self.size, word.bold)


def layout(look: Look, paragraphs: Sequence[Paragraph], width: float) -> Iterator[Line]:
    """All lines of the paragraphs."""
    for number, paragraph in enumerate(paragraphs):
        heading = paragraph.kind in HEADINGS
        size = HEADINGS.get(paragraph.kind, SIZE) * look.scale
        listed = paragraph.kind in ("bullet", "number")
        marker = "•" if paragraph.kind == "bullet" else paragraph.marker
        indent = 16.0 * look.scale if listed else 0.0
        rtl = is_rtl("".join(span.text for span in paragraph.spans))
        before = 0.0 if number == 0 else size * (0.7 if heading else 0.15 if listed else 0.5)
        mark, first = look.fonts.drawn(marker), True
        for words in _broken(look, paragraph.spans, width - indent, size, bold=heading):
            joined = tuple(_joined(words))
            yield Line(joined, size, before, indent, mark, heading, rtl, width, first)
            before, mark, first = 0.0, "", False


def _joined(words: Sequence[Piece]) -> Iterator[Piece]:
    """Neighbours of one weight as one stretch: their order on the line is found together."""
    for bold, group in groupby(words, key=lambda word: word.bold):
        yield Piece("".join(word.text for word in group), bold)


def _broken(
    look: Look, spans: Sequence[Span], width: float, size: float, *, bold: bool
) -> Iterator[list[Piece]]:
    """Words of mixed weight filled into lines; a word longer than a line is cut."""
    fonts = look.fonts
    line: list[Piece] = []
    used = 0.0
    for span in spans:
        heavy = bold or span.bold
        for piece in pieces(fonts.drawn(span.text)):
            for part in _parts(look, piece, width, size, heavy):
                wide = fonts.width(part.rstrip(), size, heavy)
                if line and used + wide > width:
                    yield line
                    line, used = [], 0.0
                line.append(Piece(part, heavy))
                used += fonts.width(part, size, heavy)
    if line:
        yield line


def _parts(look: Look, piece: str, width: float, size: float, bold: bool) -> list[str]:
    if look.fonts.width(piece.rstrip(), size, bold) <= width:
        return [piece]
    from reporttools.textflow import wrap

    return wrap(look.fonts, piece, width, size, bold)
