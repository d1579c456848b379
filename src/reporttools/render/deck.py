"""The presentation being built: slides, text boxes whose text fits, pictures with alt text.

Everything is measured in points. Fonts are the viewer's: sizes are computed here, because the
flags that ask a viewer to shrink text do nothing until someone edits it.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import IO, Any, Final, Literal

from reporttools.bidi import is_rtl
from reporttools.document import Document, Image, Kpi
from reporttools.figures import delta
from reporttools.render import cards, notes
from reporttools.render.settings import Settings
from reporttools.render.style import GRID, INK, MUTED, PALETTE, SURFACE, WHITE
from reporttools.render.surface import Look
from reporttools.textflow import ellipsize, lines

WIDTH: Final = 960.0
HEIGHT: Final = 540.0
EMU: Final = 12_700
LATIN: Final = "Calibri"
TITLE: Final = 26.0
# The most that a property of an Office file holds.
PROPERTY: Final = 255


class Deck:
    """A presentation of 13.33 x 7.5 inches."""

    def __init__(self, settings: Settings, look: Look, document: Document) -> None:
        from pptx import Presentation

        self.settings = settings
        self.look = look
        self.document = document
        self.section = ""
        self.count = 0
        self.file: Any = Presentation()
        self._widen()
        properties = self.file.core_properties
        properties.title = document.title[:PROPERTY]
        properties.subject = document.subtitle[:PROPERTY]
        properties.author = document.author[:PROPERTY] or "report-run"
        properties.language = document.lang[:PROPERTY]
        properties.created = properties.modified = settings.moment.replace(tzinfo=None)
        properties.last_modified_by = "report-run"

    def _widen(self) -> None:
        """The default template is 4:3: its layouts are stretched along with the slide."""
        factor = WIDTH * EMU / self.file.slide_width
        self.file.slide_width, self.file.slide_height = int(WIDTH * EMU), int(HEIGHT * EMU)
        down = HEIGHT * EMU / 6_858_000
        master = self.file.slide_master
        for shapes in (master.shapes, *(layout.shapes for layout in master.slide_layouts)):
            for shape in shapes:
                if shape.width is not None:
                    shape.left, shape.width = int(shape.left * factor), int(shape.width * factor)
                    shape.top, shape.height = int(shape.top * down), int(shape.height * down)

    def save(self, file: IO[bytes]) -> None:
        """Write the presentation as python-pptx packs it."""
        self.file.save(file)

    def rgb(self, color: str) -> Any:
        """A colour of ours as python-pptx takes it."""
        from pptx.dml.color import RGBColor

        return RGBColor.from_string(color[1:])

    def slide(self, title: str, layout: int = 5) -> Any:
        """A new slide with a real title, foot and number; layout 0 is the cover."""
        slide = self.file.slides.add_slide(self.file.slide_layouts[layout])
        self.count += 1
        if layout == 0:
            return slide
        size = TITLE
        while size > 15 and len(lines(self.look.fonts, title, WIDTH - 86, size, 3, True)) > (
            1 if size > 19 else 2
        ):
            size -= 1
        shown = " ".join(lines(self.look.fonts, title, WIDTH - 86, size, 2, True))
        self.place(slide.shapes.title, 43, 24, WIDTH - 86, 50)
        self.fill(slide.shapes.title, shown, size, self.look.theme.band, bold=True)
        self.box(slide, 43, 78, 65, 3.6, self.look.theme.rule)
        foot = self.document.title
        if self.document.subtitle:
            foot += f"  ·  {self.document.subtitle}"
        foot = ellipsize(self.look.fonts, foot, WIDTH - 200, 10)
        self.text(slide, 43, HEIGHT - 30, WIDTH - 180, 16, foot, 10, MUTED)
        self._number(slide)
        return slide

    def _number(self, slide: Any) -> None:
        """The slide's number as a field, which follows when slides are moved."""
        from pptx.oxml import parse_xml

        frame = self.text(slide, WIDTH - 103, HEIGHT - 30, 60, 16, "", 10, MUTED, align="right")
        paragraph = frame.text_frame.paragraphs[0]._p
        for run in list(paragraph):
            if run.tag.endswith("}r"):
                paragraph.remove(run)
        field = (
            '<a:fld xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
            'id="{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}" type="slidenum">'
            f'<a:rPr lang="en-US" sz="1000"><a:solidFill><a:srgbClr val="{MUTED[1:]}"/>'
            f"</a:solidFill></a:rPr><a:t>{self.count}</a:t></a:fld>"
        )
        paragraph.append(parse_xml(field))

    def place(self, shape: Any, x: float, y: float, w: float, h: float) -> None:
        """Move and size a shape."""
        shape.left, shape.top = int(x * EMU), int(y * EMU)
        shape.width, shape.height = int(w * EMU), int(h * EMU)

    def box(
        self, slide: Any, x: float, y: float, w: float, h: float, fill: str, line: str = "",
        *, rounded: bool = False,
    ) -> Any:  # fmt: skip
        """A plain shape without text or shadow."""
        from pptx.enum.shapes import MSO_SHAPE

        kind = MSO_SHAPE.ROUNDED_RECTANGLE if rounded else MSO_SHAPE.RECTANGLE
        shape = slide.shapes.add_shape(kind, int(x * EMU), int(y * EMU), int(w * EMU), int(h * EMU))
        shape.fill.solid()
        shape.fill.fore_color.rgb = self.rgb(fill)
        if line:
            shape.line.color.rgb = self.rgb(line)
            shape.line.width = int(0.75 * EMU)
        else:
            shape.line.fill.background()
        if rounded:
            shape.adjustments[0] = 7 / max(14.0, min(w, h))
        _decorative(shape)
        return shape

    def text(
        self, slide: Any, x: float, y: float, w: float, h: float, text: str, size: float,
        color: str, *, bold: bool = False,
        align: Literal["left", "right", "center"] = "left",
        anchor: Literal["top", "middle", "bottom"] = "middle",
    ) -> Any:  # fmt: skip
        """A text box without margins."""
        shape = slide.shapes.add_textbox(int(x * EMU), int(y * EMU), int(w * EMU), int(h * EMU))
        self.fill(shape, text, size, color, bold=bold, align=align, anchor=anchor)
        return shape

    def fill(
        self, shape: Any, text: str, size: float, color: str, *, bold: bool = False,
        align: Literal["left", "right", "center"] = "left",
        anchor: Literal["top", "middle", "bottom"] = "middle",
    ) -> None:  # fmt: skip
        """One paragraph in a shape that has text."""
        from pptx.enum.text import MSO_ANCHOR

        frame = shape.text_frame
        frame.word_wrap = True
        frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
        frame.vertical_anchor = getattr(MSO_ANCHOR, anchor.upper())
        self.run(frame.paragraphs[0], text, size, color, bold=bold, align=align)

    def run(
        self, paragraph: Any, text: str, size: float, color: str, *, bold: bool = False,
        align: Literal["left", "right", "center", ""] = "left",
    ) -> None:  # fmt: skip
        """Words of one look, added to a paragraph; the direction follows the words."""
        from pptx.enum.text import PP_ALIGN
        from pptx.util import Pt

        for number, part in enumerate(text.replace("\t", " ").splitlines() or [""]):
            if number:
                paragraph.add_line_break()
            run = paragraph.add_run()
            run.text = part
            run.font.size = Pt(size)
            run.font.bold = bold
            run.font.color.rgb = self.rgb(color)
        if align:
            if is_rtl(text):
                paragraph._p.get_or_add_pPr().set("rtl", "1")
            paragraph.alignment = getattr(PP_ALIGN, align.upper())

    def paragraphs(
        self, slide: Any, x: float, y: float, w: float, h: float, found: Sequence[notes.Line]
    ) -> None:
        """Lines that are laid out already, their paragraphs in one text box."""
        from pptx.enum.text import PP_ALIGN
        from pptx.util import Pt

        shape = slide.shapes.add_textbox(int(x * EMU), int(y * EMU), int(w * EMU), int(h * EMU))
        frame = shape.text_frame
        frame.word_wrap = True
        frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
        paragraph = frame.paragraphs[0]
        for number, line in enumerate(found):
            color = self.look.theme.band if line.heading else INK
            if number and line.first:
                paragraph = frame.add_paragraph()
            if number == 0 or line.first:
                paragraph.space_before = Pt(line.before)
                if line.rtl:
                    paragraph._p.get_or_add_pPr().set("rtl", "1")
                    paragraph.alignment = PP_ALIGN.RIGHT
            if line.marker:
                self.run(paragraph, f"{line.marker}  ", line.size, color, align="")
            for word in line.words:
                self.run(paragraph, word.text, line.size, color, bold=word.bold, align="")

    def picture(self, slide: Any, image: Image, x: float, y: float, w: float, h: float) -> None:
        """A picture with its alternative text."""
        shape = slide.shapes.add_picture(
            BytesIO(image.content), int(x * EMU), int(y * EMU), int(w * EMU), int(h * EMU)
        )
        shape._element.nvPicPr.cNvPr.set(
            "descr", image.alt or image.caption or self.look.words("Picture")
        )

    def card(self, slide: Any, kpi: Kpi, x: float, y: float, w: float, h: float) -> None:
        """A key figure."""
        fonts, look = self.look.fonts, self.look
        color = cards.color_of(kpi)
        white = WHITE if self.document.layout == "board" else SURFACE
        self.box(slide, x, y, w, h, white, GRID, rounded=True)
        self.box(slide, x, y + 6, 4, h - 12, color)
        pad = min(20.0, w * 0.08)
        room = w - 2 * pad
        small = max(9.0, min(16.0, h * 0.105))
        name = " ".join(lines(fonts, kpi.metric, room, small, 2))
        rows = len(lines(fonts, kpi.metric, room, small, 2))
        self.text(slide, x + pad, y + h * 0.09, room, small * 1.25 * rows, name, small, MUTED,
                  anchor="top")  # fmt: skip
        value = cards.value_text(look, kpi)
        large = min(46.0, h * 0.3)
        while large > 10 and fonts.width(value, large, True) > room:
            large -= 1
        self.text(slide, x + pad, y + h * 0.38, room, large * 1.25, value, large, INK, bold=True)
        if kpi.change is not None:
            arrow = "▲ " if kpi.change > 0 else "▼ " if kpi.change < 0 else "■ "
            text = arrow + delta(kpi.change, look.marks)
            line = self.text(slide, x + pad, y + h * 0.77, room, small * 1.3, text, small, color,
                             bold=True)  # fmt: skip
            left = room - fonts.width(fonts.drawn(text), small, True) - 8
            note = ellipsize(
                fonts, kpi.change_label or look.words(cards.VERSUS), left, small * 0.85
            )
            if len(note) > 3:
                paragraph = line.text_frame.paragraphs[0]
                self.run(paragraph, f"  {note}", round(small * 0.85), MUTED, align="")

    def themed(self, name: str, content: bytes) -> bytes:
        """The theme's fonts and colours are the report's, so that what is added later fits."""
        if not name.startswith("ppt/theme/theme"):
            return content
        from lxml import etree

        root = etree.fromstring(content)
        space = {"a": "http://schemas.openxmlformats.org/drawingml/2006/main"}
        colors = {"dk2": self.look.theme.band, "lt2": SURFACE, "hlink": self.look.theme.first}
        colors |= {f"accent{i + 1}": color for i, color in enumerate(PALETTE[:6])}
        for key, color in colors.items():
            for slot in root.iterfind(f".//a:clrScheme/a:{key}", space):
                for old in list(slot):
                    slot.remove(old)
                etree.SubElement(slot, f"{{{space['a']}}}srgbClr", val=color[1:])
        for which in ("majorFont", "minorFont"):
            for tag, face in (("latin", LATIN), ("cs", "Arial")):
                for font in root.iterfind(f".//a:{which}/a:{tag}", space):
                    font.set("typeface", face)
        made: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
        return made


def _decorative(shape: Any) -> None:
    """Shapes that only please the eye: no theme effects, nothing for screen readers."""
    from pptx.oxml.ns import qn

    shape._element.nvSpPr.cNvPr.set("descr", "")
    style = shape._element.find(qn("p:style"))
    if style is not None:
        shape._element.remove(style)
