"""What layouts draw on: a sheet measured in points from its top left corner, y downwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from reporttools.document import Image
from reporttools.figures import Marks, number_text
from reporttools.fonts import Fonts
from reporttools.render.style import Theme
from reporttools.words import ENGLISH, Words

XY = tuple[float, float]


class Surface(Protocol):
    """A page of a PDF, a PNG or an SVG. Text must be `fonts.drawn` text; y is its baseline."""

    fonts: Fonts

    def rect(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        fill: str = "",
        stroke: str = "",
        radius: float = 0.0,
        width: float = 0.7,
    ) -> None:
        """A rectangle, filled, outlined or both."""

    def line(
        self, points: Sequence[XY], color: str, width: float, dash: Sequence[float] = ()
    ) -> None:
        """A line through points."""

    def polygon(self, points: Sequence[XY], fill: str, alpha: float = 1.0) -> None:
        """A filled shape."""

    def ring(
        self, x: float, y: float, outer: float, inner: float, start: float, end: float, fill: str
    ) -> None:
        """A slice of a ring; degrees clockwise from twelve o'clock."""

    def dot(
        self, x: float, y: float, radius: float, fill: str, alpha: float = 1.0, edge: str = ""
    ) -> None:
        """A disc."""

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        color: str,
        bold: bool = False,
        align: Literal["left", "right", "center"] = "left",
        angle: float = 0.0,
    ) -> None:
        """One line of text; angle counts counter-clockwise about the point."""

    def image(self, x: float, y: float, w: float, h: float, image: Image) -> None:
        """A picture."""


@dataclass(frozen=True, slots=True)
class Look:
    """What every painter needs. scale: 1 on paper, more where text must be larger."""

    theme: Theme
    marks: Marks
    fonts: Fonts
    scale: float = 1.0
    rtl: bool = False
    words: Words = ENGLISH

    def number(self, count: int) -> str:
        """A count with separators."""
        return number_text(count, 0, self.marks)
