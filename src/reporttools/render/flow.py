"""Blocks onto pages: what goes where, decided before anything is drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from reporttools.document import (
    Block,
    Chart,
    Document,
    Heading,
    Image,
    Kpis,
    PageBreak,
    Table,
    Text,
)
from reporttools.render import cards, chart, drawers, grid, notes
from reporttools.render.chartrows import chart_height, chart_rows
from reporttools.render.frame import Box
from reporttools.render.sheets import Draw, Page, Paper, Placed
from reporttools.render.style import MM, MUTED
from reporttools.render.surface import Look, Surface
from reporttools.textflow import ellipsize
from reporttools.textflow import lines as fitted_lines

HEADING: Final = 12.5
SPACE: Final = 16.0
MIN_ROWS: Final = 3


class Flow:
    """Fills pages from top to bottom."""

    def __init__(self, look: Look, paper: Paper, document: Document) -> None:
        self.look = look
        self.paper = paper
        self.pages: list[Page] = []
        self.y = 0.0
        self._heading: Heading | None = None
        self._turn(paper, first=True)
        blocks = list(document.blocks)
        while blocks:
            taken = self._next(blocks)
            del blocks[:taken]

    @property
    def endless(self) -> bool:
        """The sheet has no end."""
        return math.isinf(self.paper.height)

    @property
    def height(self) -> float:
        """What an endless sheet came to."""
        return self.y + self.paper.margin * 0.8

    def _turn(self, paper: Paper, *, first: bool = False) -> None:
        self.pages.append(Page(paper, first))
        self.y = paper.band + 8 * MM if first else paper.top

    @property
    def _page(self) -> Page:
        return self.pages[-1]

    @property
    def _left(self) -> float:
        """Height that is left on the page."""
        return self._page.paper.height - self._page.paper.bottom - self.y

    @property
    def _fresh(self) -> bool:
        return not self._page.items

    def _next(self, blocks: Sequence[Block]) -> int:
        """Place the first block, or the run of charts it begins; how many were placed."""
        block = blocks[0]
        if isinstance(block, Heading):
            self._flush_heading(0.0)
            self._heading = block
            return 1
        if isinstance(block, PageBreak):
            if not self._fresh and not self.endless:
                self._turn(self.paper)
            return 1
        if isinstance(block, Chart):
            run = [block]
            for other in blocks[1:]:
                if not isinstance(other, Chart):
                    break
                run.append(other)
            self._charts(run)
            return len(run)
        if isinstance(block, Table):
            self._table(block)
        elif isinstance(block, Kpis):
            self._kpis(block)
        elif isinstance(block, Text):
            self._text(block)
        elif isinstance(block, Image):
            self._image(block)
        return 1

    def _put(self, height: float, draw: Draw, title: str = "", after: float = SPACE) -> None:
        """Something that is never parted; a waiting heading comes along."""
        self._portrait()
        self._flush_heading(height)
        if height > self._left and not self._fresh:
            self._turn(self._page.paper)
        self._page.items.append(Placed(self.y, draw, title))
        self.y += height + after

    def _portrait(self) -> None:
        if self._page.paper is not self.paper:
            self._turn(self.paper)

    def _flush_heading(self, follows: float) -> None:
        if self._heading is None:
            return
        heading, self._heading = self._heading, None
        self._title(heading.text, follows)

    def _title(self, text: str, follows: float) -> None:
        """A heading, on the next page when what follows would not stand under it."""
        size = HEADING * self.look.scale
        room = self._page.paper.room
        broken = fitted_lines(self.look.fonts, text, room, size, 2, bold=True)
        tall = size * 1.3 * len(broken) + 5
        if tall + min(follows, self._page.paper.height / 2) > self._left and not self._fresh:
            self._turn(self._page.paper)

        def draw(surface: Surface, look: Look, x: float, y: float) -> None:
            for line in broken:
                y += size * 1.3
                surface.text(x, y - size * 0.35, line, size, look.theme.band, bold=True)

        self._page.items.append(Placed(self.y, draw, text))
        self.y += tall

    def _kpis(self, block: Kpis) -> None:
        most = 6 if self.endless else cards.MAX_BESIDE
        if block.title:
            self._flush_heading(0.0)
            self._heading = Heading(block.title)
        tall = cards.height_of(block.items, self.look.scale, most)
        if tall > self.paper.height - self.paper.top - self.paper.bottom:
            per_page = most * 8
            for start in range(0, len(block.items), per_page):
                self._kpis(Kpis(block.items[start : start + per_page]))
            return

        def draw(surface: Surface, look: Look, x: float, y: float) -> None:
            cards.paint(surface, look, block.items, Box(x, y, self.paper.room, tall), most)

        self._put(tall, draw)

    def _charts(self, charts: Sequence[Chart]) -> None:
        k = self.look.scale
        for row in chart_rows(charts):
            tall = max(chart_height(item, len(row) == 1) for item, _ in row) * k
            self._put(tall, drawers.charts_beside(row, self.paper.room, tall), after=SPACE * 1.1)

    def _text(self, block: Text) -> None:
        if block.title:
            self._flush_heading(0.0)
            self._heading = Heading(block.title)
        for line in notes.layout(self.look, block.paragraphs, self.paper.room):
            self._put(line.height, line.draw, after=0.0)
        self.y += SPACE

    def _image(self, block: Image) -> None:
        caption = 12.0 if block.caption else 0.0
        usable = self.paper.height - self.paper.top - self.paper.bottom - caption
        wide = self.paper.room / (2 if block.half else 1)
        wide = min(wide, block.width * 0.75)
        ratio = block.height / block.width
        if wide * ratio > usable:
            wide = usable / ratio
        tall = wide * ratio

        def draw(surface: Surface, look: Look, x: float, y: float) -> None:
            surface.image(x, y, wide, tall, block)
            if block.caption:
                text = ellipsize(look.fonts, block.caption, self.paper.room, 8.0)
                surface.text(x, y + tall + 10, text, 8.0, MUTED)

        self._put(tall + caption, draw)

    def _table(self, table: Table) -> None:
        rows = grid.shown_rows(table)
        if not rows or not table.columns:
            self._no_rows(table)
            return
        layouts = self._fitted(table)
        for number, made in enumerate(layouts):
            title = table.title
            if len(layouts) > 1:
                first, last = made.places[1] + 1, made.places[-1] + 1
                text = "{title} (columns {first}–{last} of {count})"
                title = self.look.words(
                    text, title=title, first=first, last=last, count=len(table.columns)
                )
            self._grid(made, title, last=number == len(layouts) - 1)

    def _fitted(self, table: Table) -> list[grid.Layout]:
        """As it is, smaller, on a turned page, or in groups of columns."""
        size = grid.SIZE * self.look.scale
        tries = [(self.paper, size), (self.paper, size * 0.88)]
        if not self.endless:
            wide = self.paper.turned()
            tries += [(wide, size), (wide, size * 0.85)]
        for paper, points in tries:
            made = grid.fit(self.look, table, paper.room, points)
            if made is not None:
                self._ready(paper)
                return made
        paper = self.paper if self.endless else self.paper.turned()
        self._ready(paper)
        return grid.split(self.look, table, paper.room, size)

    def _ready(self, paper: Paper) -> None:
        if self._page.paper != paper:
            self._flush_heading(0.0)
            if self._fresh:
                self._page.paper = paper
                self.y = paper.band + 8 * MM if self._page.first else paper.top
            else:
                self._turn(paper)

    def _no_rows(self, table: Table) -> None:
        size = grid.SIZE * self.look.scale
        self._portrait()
        self._flush_heading(60.0)
        if table.title:
            self._title(table.title, 50.0)
        tall = size * 3.2

        def draw(surface: Surface, look: Look, x: float, y: float) -> None:
            if table.columns:
                names = ", ".join(column.title for column in table.columns)
                said = f"{look.words(chart.NO_DATA)} ({names})"
                text = ellipsize(look.fonts, said, self.paper.room, size)
            else:
                text = look.fonts.drawn(look.words(chart.NO_DATA))
            surface.text(x, y + size * 1.6, text, size, MUTED)

        self._put(tall, draw)

    def _grid(self, made: grid.Layout, title: str, *, last: bool) -> None:
        """Title, header and rows over as many pages as they need."""
        ahead = made.header_height + min(sum(made.heights[:MIN_ROWS]), MIN_ROWS * 60.0)
        self._flush_heading(ahead + 20)
        if title:
            self._title(title, ahead)
        row = 0
        count = len(made.heights)
        if ahead > self._left and not self._fresh:
            self._turn(self._page.paper)
        while row < count:
            room = self._left - made.header_height
            end = drawers.rows_that_fit(made, row, room)
            if end == row:
                row = self._tall_row(made, row)
                continue
            if 0 < count - end < MIN_ROWS and end - row >= 2 * MIN_ROWS:
                # No lonely rows on the last page.
                end = count - MIN_ROWS
            self._page.items.append(Placed(self.y, drawers.rows_of_table(made, row, end)))
            self.y += made.header_height + sum(made.heights[row:end])
            row = end
            if row < count:
                self._turn(self._page.paper)
        self._after_rows(made, last=last)

    def _tall_row(self, made: grid.Layout, row: int) -> int:
        """A row that does not fit under the header: to the next page, or line by line."""
        whole = self._page.paper.height - self._page.paper.top - self._page.paper.bottom
        if made.heights[row] <= whole - made.header_height:
            self._turn(self._page.paper)
            return row
        lines = max(len(found) for key, found in made.wrapped.items() if key[0] == row)
        start = 0
        while start < lines:
            room = self._left - made.header_height - made.size * 0.85
            count = min(lines - start, int(room // (made.size * grid.LEADING)))
            if count < min(3, lines - start):
                self._turn(self._page.paper)
                continue
            self._page.items.append(Placed(self.y, drawers.part_of_row(made, row, start, count)))
            self.y += made.header_height + made.size * (grid.LEADING * count + 0.85)
            start += count
            if start < lines:
                self._turn(self._page.paper)
        if row + 1 < len(made.heights):
            self._turn(self._page.paper)
        return row + 1

    def _after_rows(self, made: grid.Layout, *, last: bool) -> None:
        tall = made.row_height if made.totals is not None else 0.0
        if tall > self._left:
            self._turn(self._page.paper)
        if tall:
            self._page.items.append(Placed(self.y, drawers.totals_of_table(made)))
            self.y += tall
        note = grid.shown_note(made.table, self.look)
        if note and last:
            size = 7.5 * self.look.scale

            def draw(surface: Surface, look: Look, x: float, y: float) -> None:
                text = ellipsize(look.fonts, note, made.width, size)
                surface.text(x, y + size * 1.4, text, size, MUTED)

            self._page.items.append(Placed(self.y, draw))
            self.y += size * 1.6
        self.y += SPACE
