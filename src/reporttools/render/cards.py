"""Cards of key figures: name, value, change with arrow, sign and colour, a line of history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from reporttools.document import Kpi
from reporttools.figures import compact, delta, full
from reporttools.render.frame import Box
from reporttools.render.style import DOWN, FLAT, GRID, INK, MUTED, SURFACE, UP
from reporttools.render.surface import Look, Surface
from reporttools.textflow import ellipsize, lines

HEIGHT: Final = 68.0
GAP: Final = 11.0
MAX_BESIDE: Final = 4
VERSUS: Final = "vs previous"


def color_of(kpi: Kpi) -> str:
    """Green for a change that is good, red for one that is bad, grey for none."""
    change = kpi.change
    if change is None or change == 0 or kpi.good_when == "neutral":
        return FLAT
    return UP if (change > 0) == (kpi.good_when == "up") else DOWN


def rows_of(items: Sequence[Kpi], most: int = MAX_BESIDE) -> list[Sequence[Kpi]]:
    """Cards in even rows: five become three and two, eight become four and four."""
    count = len(items)
    rows = -(-count // most)
    each = -(-count // rows) if rows else 0
    return [items[start : start + each] for start in range(0, count, each)] if each else []


def height_of(items: Sequence[Kpi], scale: float = 1.0, most: int = MAX_BESIDE) -> float:
    """What `paint` needs for all rows."""
    rows = len(rows_of(items, most))
    return (rows * HEIGHT + max(0, rows - 1) * GAP) * scale


def paint(
    surface: Surface, look: Look, items: Sequence[Kpi], box: Box, most: int = MAX_BESIDE,
    fill: str = SURFACE,
) -> None:  # fmt: skip
    """All cards; a short last row keeps the width of the cards above it."""
    k = look.scale
    rows = rows_of(items, most)
    # One card alone would be a banner.
    beside = max([2, *map(len, rows)])
    width = (box.w - GAP * k * (beside - 1)) / beside
    tall = (box.h - GAP * k * (len(rows) - 1)) / max(1, len(rows))
    # A history in every card that has one, or in none: half of them would look like a fault.
    sparks = all(_spark_width(look, kpi, width - 22 * k) for kpi in items if _history(kpi))
    for row, items_of_row in enumerate(rows):
        for place, kpi in enumerate(items_of_row):
            x = box.x + place * (width + GAP * k)
            y = box.y + row * (tall + GAP * k)
            _card(surface, look, kpi, Box(x, y, width, tall), fill, sparks=sparks)


def _card(surface: Surface, look: Look, kpi: Kpi, box: Box, fill: str, *, sparks: bool) -> None:
    k, fonts = look.scale, look.fonts
    color = color_of(kpi)
    surface.rect(box.x, box.y, box.w, box.h, fill=fill, stroke=GRID, radius=5 * k)
    surface.rect(box.x, box.y + 3 * k, 3 * k, box.h - 6 * k, fill=color, radius=1.4 * k)
    left, room = box.x + 12 * k, box.w - 22 * k
    name = lines(fonts, kpi.metric, room, 8.2 * k, 2)
    y = box.y + (17.5 if len(name) < 2 else 14.0) * k
    for line in name:
        surface.text(left, y, line, 8.2 * k, MUTED)
        y += 9.6 * k
    text, value_size = _value(look, kpi, room)
    base = box.y + (42.5 if len(name) < 2 else 44.0) * k
    surface.text(left, base, text, value_size, INK, bold=True)
    if sparks and _history(kpi):
        _spark(surface, look, kpi, Box(left, base, room, 18 * k))
    if kpi.change is not None:
        _change(surface, look, kpi, left, box.y + box.h - 10 * k, room)
    elif kpi.change_label:
        note = ellipsize(fonts, kpi.change_label, room, 7.5 * k)
        surface.text(left, box.y + box.h - 10 * k, note, 7.5 * k, MUTED)


def _value(look: Look, kpi: Kpi, room: float) -> tuple[str, float]:
    """The value as large as it fits, and its size."""
    k, fonts = look.scale, look.fonts
    size = 18.0 * k if len(lines(fonts, kpi.metric, room, 8.2 * k, 2)) < 2 else 16.0 * k
    text = value_text(look, kpi)
    while size > 8 * k and fonts.width(text, size, True) > room:
        size -= 0.5 * k
    return ellipsize(fonts, text, room, size, bold=True), size


def value_text(look: Look, kpi: Kpi) -> str:
    """The value as a card shows it: short, unless its decimals are asked for."""
    if kpi.format.kind == "currency" and kpi.value is not None and abs(float(kpi.value)) < 1e5:
        return look.fonts.drawn(full(kpi.value, kpi.format, look.marks))
    return look.fonts.drawn(compact(kpi.value, kpi.format, look.marks))


def _change(surface: Surface, look: Look, kpi: Kpi, x: float, base: float, room: float) -> None:
    """An arrow that says the direction, the signed percentage, and what it is compared with."""
    k, fonts = look.scale, look.fonts
    size = 8.5 * k
    color = color_of(kpi)
    change = kpi.change or 0
    middle, half = base - size * 0.34, 2.9 * k
    if change > 0:
        tip = [(x, middle + half), (x + 2 * half, middle + half), (x + half, middle - half)]
        surface.polygon(tip, color)
    elif change < 0:
        tip = [(x, middle - half), (x + 2 * half, middle - half), (x + half, middle + half)]
        surface.polygon(tip, color)
    else:
        surface.rect(x, middle - half * 0.4, 2 * half, half * 0.8, fill=color)
    left = x + 2 * half + 3.5 * k
    text = ellipsize(fonts, delta(change, look.marks), x + room - left, size, bold=True)
    surface.text(left, base, text, size, color, bold=True)
    left += fonts.width(text, size, True) + 5 * k
    note = ellipsize(fonts, kpi.change_label or look.words(VERSUS), x + room - left, 7.5 * k)
    if len(note) > 3:
        surface.text(left, base, note, 7.5 * k, MUTED)


def _history(kpi: Kpi) -> bool:
    return sum(value is not None for value in kpi.spark) > 1


def _spark_width(look: Look, kpi: Kpi, room: float) -> float:
    """What a line of history gets beside the value; 0 when that is too little."""
    text, size = _value(look, kpi, room)
    width = min(70 * look.scale, room - look.fonts.width(text, size, True) - 10 * look.scale)
    return width if width >= 24 * look.scale else 0.0


def _spark(surface: Surface, look: Look, kpi: Kpi, box: Box) -> None:
    """The history of the value, to the right of it."""
    width = _spark_width(look, kpi, box.w)
    known = [value for value in kpi.spark if value is not None]
    low, high = min(known), max(known)
    # Halves: the whole span may be beyond a double.
    half = high / 2 - low / 2
    left, bottom = box.x + box.w - width, box.y
    points = [
        (
            left + width * place / (len(kpi.spark) - 1),
            bottom - box.h * 0.8 * ((value / 2 - low / 2) / half if half else 0.0),
        )
        for place, value in enumerate(kpi.spark)
        if value is not None
    ]
    surface.line(points, look.theme.first, 1.2 * look.scale)
    surface.dot(*points[-1], 1.8 * look.scale, look.theme.first)
