"""How files are to be written; the same for every format."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from reporttools.document import Document
from reporttools.figures import marks
from reporttools.fonts import Fonts
from reporttools.notices import Notices
from reporttools.progress import Progress
from reporttools.render.shape import Shaper, available
from reporttools.render.style import theme
from reporttools.render.surface import Look
from reporttools.words import words
from toolbelt.errors import ToolError


def moment_of_making() -> datetime:
    """SOURCE_DATE_EPOCH when it is set, so that the same data gives the same bytes; else now."""
    text = os.environ.get("SOURCE_DATE_EPOCH", "").strip()
    if not text:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        return datetime.fromtimestamp(int(text), UTC)
    except (ValueError, OverflowError, OSError):
        raise ToolError(
            "BAD_CONFIG", f"SOURCE_DATE_EPOCH must be seconds since 1970, not {text!r}.",
            hint="export SOURCE_DATE_EPOCH=1767225600",
        ) from None  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """paper: of the PDF. scale: pixels of a PNG for each of its hundredths of an inch. outline:
    SVG text as shapes. bom, guard: of CSV. moment: written as the time of making."""

    paper: Literal["A4", "Letter"] = "A4"
    scale: float = 2.0
    outline: bool = False
    bom: bool = True
    guard: bool = True
    moment: datetime = field(default_factory=moment_of_making)
    notices: Notices = field(default_factory=Notices)
    progress: Progress = field(default_factory=Progress)

    def fonts(self) -> Fonts:
        """A chain of fonts whose missing characters become warnings."""
        fonts = Fonts(self.notices)
        if available():
            fonts.shaped_width = Shaper().width
        return fonts

    def look(self, document: Document, fonts: Fonts, scale: float = 1.0) -> Look:
        """The report's colours, separators and direction with a chain of fonts."""
        from reporttools.bidi import is_rtl

        return Look(
            theme(document.theme), marks(document.locale), fonts, scale, is_rtl(document.title),
            words(document.lang),
        )  # fmt: skip
