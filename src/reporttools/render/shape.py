"""Shaping with HarfBuzz: which glyphs a stretch of text becomes, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from reporttools.sfnt import Face


@dataclass(frozen=True, slots=True)
class Glyph:
    """A glyph from left to right. number: in the font. advance, dx, dy: in ems."""

    number: int
    advance: float
    dx: float
    dy: float


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
        return [
            Glyph(info.codepoint, at.x_advance / units, at.x_offset / units, at.y_offset / units)
            for info, at in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True)
        ]

    def width(self, face: Face, text: str, rtl: bool) -> float:
        """The width of the shaped stretch, in ems."""
        return sum(glyph.advance for glyph in self(face, text, rtl))
