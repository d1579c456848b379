"""Sheets of paper, and pages with what has found its place on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from reporttools.render.style import MM
from reporttools.render.surface import Look, Surface

# Draws something whose left edge and top are given.
Draw = Callable[[Surface, Look, float, float], None]


@dataclass(frozen=True, slots=True)
class Paper:
    """A sheet in points. height: infinity for one endless picture."""

    width: float
    height: float
    margin: float = 18 * MM
    top: float = 20 * MM
    bottom: float = 18 * MM
    band: float = 46 * MM

    def turned(self) -> Paper:
        """The same sheet in landscape."""
        return replace(self, width=self.height, height=self.width)

    @property
    def room(self) -> float:
        """The width between the margins."""
        return self.width - 2 * self.margin


A4: Final = Paper(210 * MM, 297 * MM)
LETTER: Final = Paper(8.5 * 72, 11 * 72)


@dataclass(frozen=True, slots=True)
class Placed:
    """Something that has found its place. title: an entry of the outline, or empty."""

    y: float
    draw: Draw
    title: str = ""


@dataclass(slots=True)
class Page:
    """One sheet and what is on it, positions in points from its top left corner."""

    paper: Paper
    first: bool
    items: list[Placed] = field(default_factory=list)
