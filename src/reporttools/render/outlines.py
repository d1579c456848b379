"""TrueType made of PostScript outlines (Noto CJK has such), which reportlab cannot embed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Final

from reporttools.sfnt import Face

# How far, in thousandths of an em, a quadratic curve may be from the cubic one that it stands for.
_ERROR: Final = 1.0


@dataclass(slots=True)
class Converter:
    """Fonts of chosen glyphs; the files they come from are opened once."""

    _opened: dict[int, Any] = field(default_factory=dict)

    def __call__(self, face: Face, codes: Mapping[int, int], name: str) -> BytesIO:
        """A font file that has these glyphs of the face. codes: character code to glyph number."""
        from fontTools.fontBuilder import FontBuilder

        source = self._source(face)
        order = source.getGlyphOrder()
        numbers = [0, *sorted(set(codes.values()) - {0})]
        names = {number: f"g{number}" if number else ".notdef" for number in numbers}
        glyphs = {names[n]: self._glyph(face, order[n]) for n in numbers}
        builder = FontBuilder(face.units, isTTF=True)
        builder.setupGlyphOrder(list(glyphs))
        builder.setupCharacterMap({code: names[number] for code, number in codes.items()})
        builder.setupGlyf(glyphs)
        last = len(face.advances) - 1
        builder.setupHorizontalMetrics(
            {names[n]: (face.advances[min(n, last)], glyphs[names[n]].xMin) for n in numbers}
        )
        ascent, descent = round(face.ascent * face.units), -round(face.descent * face.units)
        builder.setupHorizontalHeader(ascent=ascent, descent=descent)
        builder.setupOS2(sTypoAscender=ascent, sTypoDescender=descent)
        builder.setupNameTable({"familyName": face.family, "psName": name})
        builder.setupPost(keepGlyphNames=False)
        # The time of making would make equal reports differ.
        builder.font["head"].created = builder.font["head"].modified = 0
        builder.font.recalcTimestamp = False
        made = BytesIO()
        builder.save(made)
        made.seek(0)
        return made

    def _source(self, face: Face) -> Any:
        from fontTools.ttLib import TTFont

        if id(face) not in self._opened:
            number = face.index if face.path.suffix in (".ttc", ".otc") else -1
            self._opened[id(face)] = TTFont(face.path, fontNumber=number, lazy=True)
        return self._opened[id(face)]

    def _glyph(self, face: Face, name: str) -> Any:
        from fontTools.pens.cu2quPen import Cu2QuPen
        from fontTools.pens.ttGlyphPen import TTGlyphPen

        pen = TTGlyphPen(None)
        error = _ERROR * face.units / 1000
        source = self._source(face)
        source.getGlyphSet()[name].draw(Cu2QuPen(pen, error, reverse_direction=True))
        glyph = pen.glyph()
        glyph.recalcBounds(None)
        return glyph
