"""The look that all formats share: colours, and sizes in points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# Okabe and Ito's order, told apart by colour-blind readers; grey last.
PALETTE: Final = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#5B5EA6", "#8A8D91",
)  # fmt: skip
INK: Final = "#1B2430"
MUTED: Final = "#667085"
GRID: Final = "#E4E7EC"
AXIS: Final = "#C9CFD8"
ZERO: Final = "#98A2B3"
SURFACE: Final = "#F6F8FB"
BOARD: Final = "#EEF2F6"
WHITE: Final = "#FFFFFF"
UP: Final = "#00795C"
DOWN: Final = "#B4431B"
FLAT: Final = "#667085"
TEXT_FONT: Final = "Calibri"

MM: Final = 72 / 25.4


@dataclass(frozen=True, slots=True)
class Theme:
    """band: title bands and table heads. rule: the thin line under a band. soft: text on a band.
    first: the colour of single series."""

    band: str = "#12355B"
    rule: str = "#E69F00"
    soft: str = "#C9D8EA"
    first: str = PALETTE[0]

    def color(self, index: int, own: str = "") -> str:
        """The colour of the nth series."""
        if own:
            return own
        return self.first if index == 0 else PALETTE[index % len(PALETTE)]


THEMES: Final = {
    "navy": Theme(),
    "teal": Theme("#0B4F4A", "#F2B134", "#C5E4E0", "#00796B"),
    "plum": Theme("#4A2545", "#E39AB6", "#E6D3E4", "#7B3F73"),
    "graphite": Theme("#2B3138", "#8A8D91", "#D5D9DE", "#3F4A56"),
}


def theme(name: str) -> Theme:
    """A theme by name, the first one for none."""
    return THEMES.get(name, THEMES["navy"])


def readable_on(color: str) -> str:
    """White or ink, whichever is better to read on a colour."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 150 else WHITE


def mixed(color: str, share: float, other: str = WHITE) -> str:
    """A share of one colour on another, as a solid colour."""
    parts = []
    for i in (1, 3, 5):
        a, b = int(color[i : i + 2], 16), int(other[i : i + 2], 16)
        parts.append(round(a * share + b * (1 - share)))
    return "#{:02X}{:02X}{:02X}".format(*parts)
