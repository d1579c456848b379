"""Shaping with HarfBuzz: which glyphs a stretch of text becomes, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from reporttools.sfnt import Face


@dataclass(frozen=True, slots=True)
class Glyph:
    """A glyph from left to right. number: in the font. advance, dx, dy: in ems. text: the letters
    it stands for, empty when the glyph before it in their cluster has them."""

    number: int
    advance: float
    dx: float
    dy: float
    text: str


@cache
def available() -> bool:
    """HarfBuzz is installed; without it letters are drawn one by one."""
    from importlib.util import find_spec

    return find_spec("uharfbuzz") is not None


@dataclass(slots=True)
class Shaper:
    """Shapes stretches of one face; faces are opened once."""

    _fonts: dict[int, Any] = field(default_factory=dict)

    def __call__(self, face: Face, text: str, rtl: bool) -> list[Glyph]:
        """Glyphs in the order they stand on the line, from left to right."""
        import uharfbuzz

        font = self._fonts.get(id(face))
        if font is None:
            blob = uharfbuzz.Blob.from_file_path(str(face.path))
            font = self._fonts[id(face)] = uharfbuzz.Font(uharfbuzz.Face(blob, face.index))
        buffer = uharfbuzz.Buffer()
        buffer.add_str(text)
        buffer.guess_segment_properties()
        buffer.direction = "rtl" if rtl else "ltr"
        uharfbuzz.shape(font, buffer, {"kern": False})
        units = face.units
        told = _clusters([info.cluster for info in buffer.glyph_infos], text)
        return [
            Glyph(
                info.codepoint, at.x_advance / units, at.x_offset / units, at.y_offset / units, part
            )
            for info, at, part in zip(
                buffer.glyph_infos, buffer.glyph_positions, told, strict=True
            )
        ]  # fmt: skip

    def width(self, face: Face, text: str, rtl: bool) -> float:
        """The width of the shaped stretch, in ems."""
        return sum(glyph.advance for glyph in self(face, text, rtl))


def _clusters(starts: list[int], text: str) -> list[str]:
    """The letters of each glyph, given once for glyphs that share them."""
    ends = dict(zip(sorted(set(starts)), [*sorted(set(starts))[1:], len(text)], strict=True))
    seen: set[int] = set()
    told = []
    for start in starts:
        told.append("" if start in seen else text[start : ends[start]])
        seen.add(start)
    return told
