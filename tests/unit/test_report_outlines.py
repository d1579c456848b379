"""Fonts with PostScript outlines, which reportlab cannot embed, in a PDF all the same."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.t2CharStringPen import T2CharStringPen

from reportkit import pdf_text, rasterised
from reporttools import fonts
from reporttools.document import Document, Paragraph, Span, Text
from reporttools.notices import Notices
from reporttools.render import paper
from reporttools.render.outlines import Converter
from reporttools.render.settings import Settings
from reporttools.sfnt import read

LETTERS = "京都東語"


def cff_font(path: Path) -> None:
    """A font whose letters are discs of different sizes, drawn with cubic curves."""
    glyphs = {".notdef": T2CharStringPen(500, {}).getCharString()}
    for place, letter in enumerate(LETTERS):
        pen, r = T2CharStringPen(1000, {}), 200 + 50 * place
        k = r * 0.5523
        pen.moveTo((500 + r, 400))
        pen.curveTo((500 + r, 400 + k), (500 + k, 400 + r), (500, 400 + r))
        pen.curveTo((500 - k, 400 + r), (500 - r, 400 + k), (500 - r, 400))
        pen.curveTo((500 - r, 400 - k), (500 - k, 400 - r), (500, 400 - r))
        pen.curveTo((500 + k, 400 - r), (500 + r, 400 - k), (500 + r, 400))
        pen.closePath()
        glyphs[f"uni{ord(letter):04X}"] = pen.getCharString()
    builder = FontBuilder(1000, isTTF=False)
    builder.setupGlyphOrder(list(glyphs))
    builder.setupCharacterMap({ord(letter): f"uni{ord(letter):04X}" for letter in LETTERS})
    builder.setupCFF("Discs", {}, glyphs, {})
    builder.setupHorizontalMetrics(
        {name: (1000 if name != ".notdef" else 500, 0) for name in glyphs}
    )
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Discs", "psName": "Discs"})
    builder.setupOS2()
    builder.setupPost()
    builder.save(path)


def test_a_converted_font_has_the_glyphs_asked_for(tmp_path: Path) -> None:
    cff_font(tmp_path / "discs.otf")
    face = read(tmp_path / "discs.otf")
    assert face is not None and not face.outlines
    codes = {ord("京"): face.glyphs[ord("京")], 0xF0003: face.glyphs[ord("東")]}
    made = Converter()(face, codes, "Made")
    (tmp_path / "made.ttf").write_bytes(made.read())
    found = read(tmp_path / "made.ttf")
    assert found is not None and found.outlines
    assert found.glyphs.keys() == codes.keys()
    assert [found.advance(code) for code in codes] == [1.0, 1.0]
    assert Converter()(face, codes, "Made").read() == (tmp_path / "made.ttf").read_bytes()


def test_letters_of_such_a_font_are_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A document made before, with other fonts, lends this one none of its own.
    paper.write(Document("abc", ()), io.BytesIO(), Settings(notices=Notices()))
    cff_font(tmp_path / "discs.otf")
    only = {name: p for name, p in fonts.installed().items() if name.startswith("DejaVuSans")}
    monkeypatch.setattr(
        fonts, "installed", lambda: only | {"NotoSansCJK-Regular.ttc": tmp_path / "discs.otf"}
    )
    monkeypatch.setattr(fonts, "_asked_of_fontconfig", lambda _char: [])
    notices, file = Notices(), io.BytesIO()
    words = tuple(Span(f"{a} {LETTERS}", bold=a == "b") for a in "ab")
    made = Document(f"京 {LETTERS}", (Text((Paragraph("p", words),)),))
    paper.write(made, file, Settings(notices=notices))
    path = tmp_path / "made.pdf"
    path.write_bytes(file.getvalue())
    assert notices.items == []
    assert pdf_text(path).count(LETTERS) == 3
    assert rasterised(path, tmp_path / "pages")
