"""What a page keeps of a table or of charts until it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from reporttools.document import Chart
from reporttools.render import chart, grid
from reporttools.render.frame import Box
from reporttools.render.sheets import Draw
from reporttools.render.surface import Look, Surface

GUTTER: Final = 17.0


def rows_of_table(made: grid.Layout, first: int, last: int) -> Draw:
    def draw(surface: Surface, look: Look, x: float, y: float) -> None:
        y = grid.draw_header(surface, look, made, x, y)
        grid.draw_rows(surface, look, made, x, y, first, last)

    return draw


def part_of_row(made: grid.Layout, row: int, start: int, count: int) -> Draw:
    def draw(surface: Surface, look: Look, x: float, y: float) -> None:
        y = grid.draw_header(surface, look, made, x, y)
        grid.draw_part(surface, look, made, x, y, row, start, count)

    return draw


def totals_of_table(made: grid.Layout) -> Draw:
    def draw(surface: Surface, look: Look, x: float, y: float) -> None:
        grid.draw_totals(surface, look, made, x, y)

    return draw


def charts_beside(row: Sequence[tuple[Chart, float]], room: float, tall: float) -> Draw:
    def draw(surface: Surface, look: Look, x: float, y: float) -> None:
        for item, share in row:
            wide = share * (room + GUTTER) - GUTTER
            chart.paint(surface, look, item, Box(x, y, wide, tall))
            x += wide + GUTTER

    return draw


def rows_that_fit(made: grid.Layout, row: int, room: float) -> int:
    while row < len(made.heights) and made.heights[row] <= room + 0.01:
        room -= made.heights[row]
        row += 1
    return row
