"""PDF through reportlab's canvas: every string is drawn as text, never read as markup."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from io import BytesIO
from math import cos, radians, sin
from typing import IO, Any, Literal

from reporttools.document import Image
from reporttools.fonts import Fonts, is_shaped
from reporttools.render.outlines import Converter
from reporttools.render.shape import Shaper, available
from reporttools.render.surface import XY
from reporttools.sfnt import Face
from toolbelt.errors import missing_extra

# Cubic curves that follow a circle: the handle's length for an arc of ninety degrees.
_KAPPA = 0.5522847498
# Codes for glyphs of converted fonts that stand for no character by themselves (planes 15 and 16).
_PRIVATE = 0xF0000


class PdfSurface:
    """The current page of a PDF file; see `Surface`. Pages are begun with `page`."""

    def __init__(
        self, file: IO[bytes], fonts: Fonts, title: str, lang: str, moment: datetime
    ) -> None:
        try:
            from reportlab import rl_config
            from reportlab.pdfbase import pdfmetrics
            from reportlab.pdfgen.canvas import Canvas
        except ImportError as error:
            raise missing_extra("reportlab", "reports") from error
        # It keeps the first font of a name for good: a document before would lend us its own.
        pdfmetrics._reset()
        # Streams as bytes: text encoding would make them a quarter longer.
        rl_config.useA85 = 0
        self.fonts = fonts
        self._shaper = Shaper() if available() else None
        self._names: dict[int, str] = {}
        self._made: dict[str, Any] = {}
        self._colors: dict[str, tuple[float, float, float]] = {}
        self._images: dict[int, Any] = {}
        self._convert = Converter()
        self._converted: dict[int, list[tuple[str, dict[int, int]]]] = {}
        first = self._font(fonts.bases[False][0])
        # reportlab takes the dates of the document from here, and then derives its ID from content.
        os.environ["SOURCE_DATE_EPOCH"] = str(int(moment.timestamp()))
        self.canvas: Any = Canvas(
            file, pageCompression=1, initialFontName=first, lang=lang, invariant=1
        )
        self.canvas.setTitle(title)
        self.height = 0.0
        self.pages = 0

    def describe(self, author: str, subject: str) -> None:
        """What viewers show as the document's properties."""
        self.canvas.setAuthor(author or "report-run")
        self.canvas.setSubject(subject)
        self.canvas.setCreator("report-run")
        self.canvas.setViewerPreference("DisplayDocTitle", "true")

    def page(self, width: float, height: float) -> None:
        """Begin the next page."""
        if self.pages:
            self.canvas.showPage()
        self.pages += 1
        self.height = height
        self.canvas.setPageSize((width, height))

    def bookmark(self, title: str, y: float, level: int = 0) -> None:
        """An entry of the outline that leads to a height of this page."""
        key = f"b{self.pages}-{y:.0f}-{level}"
        self.canvas.bookmarkPage(key, fit="XYZ", left=0, top=self.height - y + 12)
        self.canvas.addOutlineEntry(title, key, level)

    def save(self) -> None:
        """Finish the file."""
        self.canvas.showPage()
        self.canvas.save()

    def _font(self, face: Face) -> str:
        name = self._names.get(id(face))
        if name is None:
            name = self._names[id(face)] = self._registered(str(face.path), face.index)
        return name

    def _registered(self, file: str | IO[bytes], index: int = 0) -> str:
        """The name of a font in this document: it holds the document's own subset."""
        from reportlab.pdfbase import pdfmetrics
        from reportlab.pdfbase.ttfonts import TTFont

        name = f"Report{len(self._made)}"
        self._made[name] = TTFont(name, file, subfontIndex=index)
        pdfmetrics.registerFont(self._made[name])
        return name

    def _font_with(self, face: Face, codes: Mapping[int, int]) -> str:
        """A font that has these glyphs of the face, by character code; made if need be."""
        if face.outlines:
            return self._font(face)
        made = self._converted.setdefault(id(face), [])
        for name, has in made:
            if codes.items() <= has.items():
                return name
        # With all that is known to be drawn, one font does for most documents.
        wanted = self.fonts.known(face) | dict(codes)
        name = self._registered(self._convert(face, wanted, f"Converted{len(self._made)}"))
        made.append((name, wanted))
        return name

    def _color(self, color: str) -> tuple[float, float, float]:
        rgb = self._colors.get(color)
        if rgb is None:
            red, green, blue = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
            rgb = self._colors[color] = (red, green, blue)
        return rgb

    def rect(
        self, x: float, y: float, w: float, h: float, fill: str = "", stroke: str = "",
        radius: float = 0.0, width: float = 0.7,
    ) -> None:  # fmt: skip
        """A rectangle."""
        canvas = self.canvas
        if fill:
            canvas.setFillColorRGB(*self._color(fill))
        if stroke:
            canvas.setStrokeColorRGB(*self._color(stroke))
            canvas.setLineWidth(width)
        bottom = self.height - y - h
        if radius and min(w, h) > 2 * radius:
            canvas.roundRect(x, bottom, w, h, radius, stroke=bool(stroke), fill=bool(fill))
        else:
            canvas.rect(x, bottom, w, h, stroke=bool(stroke), fill=bool(fill))

    def line(
        self, points: Sequence[XY], color: str, width: float, dash: Sequence[float] = ()
    ) -> None:
        """A line through points, with round joins."""
        canvas = self.canvas
        canvas.setStrokeColorRGB(*self._color(color))
        canvas.setLineWidth(width)
        canvas.setLineJoin(1)
        if dash:
            canvas.setDash(list(dash))
        canvas.drawPath(self._path(points), stroke=1, fill=0)
        if dash:
            canvas.setDash()

    def _path(self, points: Sequence[XY]) -> Any:
        path = self.canvas.beginPath()
        path.moveTo(points[0][0], self.height - points[0][1])
        for x, y in points[1:]:
            path.lineTo(x, self.height - y)
        return path

    def polygon(self, points: Sequence[XY], fill: str, alpha: float = 1.0) -> None:
        """A filled shape."""
        path = self._path(points)
        path.close()
        self._filled(path, fill, alpha)

    def _filled(self, path: Any, fill: str, alpha: float) -> None:
        canvas = self.canvas
        canvas.setFillColorRGB(*self._color(fill))
        if alpha < 1:
            canvas.saveState()
            canvas.setFillAlpha(alpha)
        canvas.drawPath(path, stroke=0, fill=1)
        if alpha < 1:
            canvas.restoreState()

    def ring(
        self, x: float, y: float, outer: float, inner: float, start: float, end: float, fill: str
    ) -> None:
        """A slice of a ring."""
        path = self.canvas.beginPath()
        self._arc(path, x, y, outer, start, end, move=True)
        self._arc(path, x, y, inner, end, start, move=False)
        path.close()
        self._filled(path, fill, 1.0)

    def _arc(
        self, path: Any, x: float, y: float, radius: float, start: float, end: float, *, move: bool
    ) -> None:
        """Curves along a circle, none longer than a quarter of it."""
        parts = max(1, int(abs(end - start) / 90 + 0.999))
        step = radians((end - start) / parts)
        handle = radius * _KAPPA * step / radians(90)
        ox = oy = 0.0
        for part in range(parts + 1):
            angle = radians(90 - start) - step * part
            px = x + radius * cos(angle)
            py = self.height - y + radius * sin(angle)
            tx, ty = handle * sin(angle), -handle * cos(angle)
            if part:
                path.curveTo(ox, oy, px - tx, py - ty, px, py)
            elif move:
                path.moveTo(px, py)
            else:
                path.lineTo(px, py)
            ox, oy = px + tx, py + ty

    def dot(
        self, x: float, y: float, radius: float, fill: str, alpha: float = 1.0, edge: str = ""
    ) -> None:
        """A disc."""
        path = self.canvas.beginPath()
        path.circle(x, self.height - y, radius)
        self._filled(path, fill, alpha)

    def text(
        self, x: float, y: float, text: str, size: float, color: str, bold: bool = False,
        align: Literal["left", "right", "center"] = "left", angle: float = 0.0,
    ) -> None:  # fmt: skip
        """One line of text."""
        if not text:
            return
        if align != "left":
            width = self.fonts.width(text, size, bold) * (1.0 if align == "right" else 0.5)
        else:
            width = 0.0
        canvas = self.canvas
        if angle:
            canvas.saveState()
            canvas.translate(x, self.height - y)
            canvas.rotate(angle)
            self._line(-width, 0.0, text, size, color, bold)
            canvas.restoreState()
        else:
            self._line(x - width, self.height - y, text, size, color, bold)

    def _line(self, x: float, y: float, text: str, size: float, color: str, bold: bool) -> None:
        canvas = self.canvas
        shaped = not text.isascii() and any(is_shaped(ord(c)) for c in text)
        if self._shaper is not None and shaped:
            self._shaped(x, y, text, size, color, bold)
            return
        # What is copied from the page: reportlab's map of a font knows no characters beyond U+FFFF.
        told = not text.isascii() and max(text) > "\uffff"
        if told:
            canvas.addLiteral(f"/Span <</ActualText <{_utf16(text)}>>> BDC")
        out = canvas.beginText()
        out.setTextOrigin(x, y)
        out.setFillColorRGB(*self._color(color))
        self._plain(out, text, size, color, bold)
        canvas.drawText(out)
        if told:
            canvas.addLiteral("EMC")

    def _plain(self, out: Any, text: str, size: float, color: str, bold: bool) -> None:
        """Letters one after the other, in as many fonts as they need."""
        for face, stretch, rtl in self.fonts.runs(text, bold):
            glyphs = {code: face.glyphs.get(code, 0) for code in map(ord, stretch)}
            out.setFont(self._font_with(face, glyphs), size)
            letter = next((c for c in stretch if c.isalpha()), "")
            thick = bold and letter != "" and face is self.fonts.face(letter)
            if thick:
                self._thicken(out, color, size)
            out.textOut(stretch[::-1] if rtl else stretch)
            if thick:
                out.setTextRenderMode(0)

    def _thicken(self, out: Any, color: str, size: float) -> None:
        """Bold for a font that has no bold face: its outline is drawn too."""
        self.canvas.setStrokeColorRGB(*self._color(color))
        self.canvas.setLineWidth(size * 0.035)
        out.setTextRenderMode(2)

    def _shaped(self, x: float, y: float, text: str, size: float, color: str, bold: bool) -> None:
        """Glyphs at their places, told letter by letter where the text runs from the right (readers
        of PDF turn such letters round themselves), else all at once."""
        assert self._shaper is not None  # noqa: S101
        canvas = self.canvas
        for face, stretch, rtl in self.fonts.runs(text, bold):
            glyphs = self._shaper(face, stretch, rtl)
            name = self._font_with(face, {_PRIVATE + g.number: g.number for g in glyphs})
            if not rtl:
                canvas.addLiteral(f"/Span <</ActualText <{_utf16(stretch)}>>> BDC")
            for glyph in glyphs:
                code = _PRIVATE + glyph.number
                if face.outlines:
                    code = _code(self._made[name].face, glyph.number)
                # A mark goes by itself when its letter told it already.
                told = rtl and glyph.text != chr(code)
                if told:
                    canvas.addLiteral(f"/Span <</ActualText <{_utf16(glyph.text)}>>> BDC")
                out = canvas.beginText()
                out.setFillColorRGB(*self._color(color))
                out.setFont(name, size)
                out.setTextOrigin(x + glyph.dx * size, y + glyph.dy * size)
                out.textOut(chr(code))
                canvas.drawText(out)
                if told:
                    canvas.addLiteral("EMC")
                x += glyph.advance * size
            if not rtl:
                canvas.addLiteral("EMC")

    def image(self, x: float, y: float, w: float, h: float, image: Image) -> None:
        """A picture."""
        from reportlab.lib.utils import ImageReader

        reader = self._images.get(id(image))
        if reader is None:
            reader = self._images[id(image)] = ImageReader(BytesIO(image.content))
        self.canvas.drawImage(reader, x, self.height - y - h, w, h, mask="auto")


def _utf16(text: str) -> str:
    return (b"\xfe\xff" + text.encode("utf-16-be")).hex().upper()


def _code(face: Any, glyph: int) -> int:
    """A character code that stands for the glyph; a private one when it has none."""
    codes = face.glyphToChar.get(glyph)
    if codes:
        return int(codes[0])
    code = 0xE000
    while code in face.charToGlyph:
        code += 1
    face.charToGlyph[code] = glyph
    face.glyphToChar[glyph] = [code]
    face.charWidths[code] = 0
    return code
