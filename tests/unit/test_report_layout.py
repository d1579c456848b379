"""Charts, cards and tables keep inside their box, and no two texts of a chart touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, isfinite, radians, sin
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporttools.chartdata import drawable
from reporttools.document import Chart, Cloud, Column, Kpi, Point, Series, Table
from reporttools.figures import Marks
from reporttools.fonts import Fonts
from reporttools.render import cards, chart, grid
from reporttools.render.frame import Box
from reporttools.render.style import theme
from reporttools.render.surface import Look

FONTS = Fonts()
LOOK = Look(theme(""), Marks(), FONTS)
XY = tuple[float, float]


@dataclass(slots=True)
class Paper:
    """A surface that only remembers where things are."""

    fonts: Fonts = FONTS
    texts: list[tuple[str, Box, float]] = field(default_factory=list)
    points: list[XY] = field(default_factory=list)

    def rect(self, x: float, y: float, w: float, h: float, *_rest: Any, **_more: Any) -> None:
        assert w >= 0
        assert h >= 0
        self.points += [(x, y), (x + w, y + h)]

    def line(self, points: Sequence[XY], *_rest: Any, **_more: Any) -> None:
        self.points += points

    def polygon(self, points: Sequence[XY], *_rest: Any, **_more: Any) -> None:
        self.points += points

    def ring(self, x: float, y: float, outer: float, *_rest: Any, **_more: Any) -> None:
        self.points += [(x - outer, y - outer), (x + outer, y + outer)]

    def dot(self, x: float, y: float, radius: float, *_rest: Any, **_more: Any) -> None:
        self.points += [(x - radius, y - radius), (x + radius, y + radius)]

    def text(
        self, x: float, y: float, text: str, size: float, color: str, bold: bool = False,
        align: str = "left", angle: float = 0.0,
    ) -> None:  # fmt: skip
        width = self.fonts.width(text, size, bold)
        shift = {"left": 0.0, "center": 0.5, "right": 1.0}[align] * width
        if angle:
            turn = radians(angle)
            for along in (-shift, width - shift):
                self.points.append((x + along * cos(turn), y - along * sin(turn)))
            return
        self.texts.append((text, Box(x - shift, y - size * 0.74, width, size * 0.9), size))

    def image(self, x: float, y: float, w: float, h: float, image: object) -> None:
        self.points += [(x, y), (x + w, y + h)]

    def check(self, box: Box, slack: float = 1.0) -> None:
        """Everything is inside, and texts do not overlap."""
        for x, y in self.points:
            assert box.x - slack <= x <= box.x + box.w + slack, (x, y, box)
            assert box.y - slack <= y <= box.y + box.h + slack, (x, y, box)
        for text, spot, _ in self.texts:
            assert spot.x >= box.x - slack, text
            assert spot.x + spot.w <= box.x + box.w + slack, text
            assert spot.y >= box.y - 3, text
            assert spot.y + spot.h <= box.y + box.h + 3, text
        for place, (text, a, _) in enumerate(self.texts):
            for other, b, _ in self.texts[place + 1 :]:
                apart = (
                    a.x + a.w <= b.x + 0.5 or b.x + b.w <= a.x + 0.5
                    or a.y + a.h <= b.y + 1.2 or b.y + b.h <= a.y + 1.2
                )  # fmt: skip
                assert apart, (text, other)


def many(kind: Any, count: int, series: int = 1, label: str = "Label", **more: Any) -> Chart:
    values = tuple(
        Series(f"Series {s}", tuple(((i * 37 + s * 11) % 97) * 1000 - 2000 for i in range(count)))
        for s in range(series)
    )
    return Chart(kind, "A title", tuple(f"{label} {i}" for i in range(count)), values, **more)


CHARTS = [
    many("bar", 4), many("bar", 12, label="A label of several words"), many("bar", 30),
    many("bar", 200), many("bar", 3, label="x" * 200), many("bar", 5, 3, stacked="sum"),
    many("bar", 8, 8), many("barh", 5, label="A rather long label indeed"), many("barh", 60),
    many("barh", 4, 3), many("barh", 6, 3, stacked="percent"), many("line", 30), many("line", 1),
    many("line", 10, 8, y_title="Euros", x_title="Weeks"), many("area", 12, 3, stacked="percent"),
    Chart("pie", "P", ("a", "b", "c"), (Series("s", (5, 3, 1)),)),
    Chart("pie", "P", tuple(f"slice {i} " * 6 for i in range(40)), (Series("s", (1,) * 40),)),
    Chart("bar", "Long title " * 40, ("a",), (Series("s", (1e300,)),), subtitle="sub " * 90),
    Chart("line", "D", tuple(f"2026-{m:02d}-15" for m in range(1, 13)), (Series("s", (1,) * 12),)),
    Chart("scatter", "S", clouds=(Cloud("c", (Point(1, 2, "a", 5), Point(3, 4, "b", 50))),)),
    Chart("bar", "None", ("a", "b"), (Series("s", (None, None)),)),
]  # fmt: skip


@pytest.mark.parametrize("size", [(500, 172), (240, 164), (240, 110), (700, 400)])
@pytest.mark.parametrize("number", range(len(CHARTS)))
def test_charts_keep_inside(number: int, size: tuple[int, int]) -> None:
    paper = Paper()
    box = Box(30.0, 40.0, *map(float, size))
    chart.paint(paper, LOOK, CHARTS[number], box)
    paper.check(box)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["bar", "barh", "line", "area", "pie"]),
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=25),
    st.text(alphabet="abc defg-", max_size=30),
    st.floats(160, 700),
    st.floats(110, 400),
)
def test_any_chart_keeps_inside(
    kind: Any, values: list[int], label: str, width: float, height: float
) -> None:
    labels = tuple(f"{label}{i}" for i in range(len(values)))
    paper, box = Paper(), Box(10.0, 10.0, width, height)
    chart.paint(paper, LOOK, Chart(kind, "T", labels, (Series("s", tuple(values)),)), box)
    paper.check(box)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.builds(
            Kpi, st.text(alphabet="abc defg", max_size=60),
            st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
            st.one_of(st.none(), st.floats(-1e6, 1e6)),
        ),
        min_size=1, max_size=9,
    ),
    st.floats(300, 1100),
)  # fmt: skip
def test_cards_keep_inside(items: list[Kpi], width: float) -> None:
    paper = Paper()
    box = Box(10.0, 10.0, width, cards.height_of(items))
    cards.paint(paper, LOOK, items, box)
    paper.check(box)


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 9), st.data())
def test_table_cells_do_not_touch(width: int, data: st.DataObject) -> None:
    cell = st.one_of(st.text(alphabet="abc xyz", max_size=60), st.integers(-(10**9), 10**9))
    rows = data.draw(
        st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=6)
    )
    columns = tuple(Column(f"Column {i}") for i in range(width))
    table = Table("T", columns, rows)
    made = grid.fit(LOOK, table, 500.0, 8.3) or grid.split(LOOK, table, 500.0, 8.3)
    for layout in made:
        paper = Paper()
        y = grid.draw_header(paper, LOOK, layout, 10.0, 10.0)
        y = grid.draw_rows(paper, LOOK, layout, 10.0, y, 0, len(rows))
        assert layout.width <= 500.5
        paper.check(Box(10.0, 10.0, layout.width, y - 10.0))


def test_what_is_drawn_of_a_pie_sums_up() -> None:
    whole = Chart("pie", "P", tuple(map(str, range(40))), (Series("s", tuple(range(1, 41))),))
    made = drawable(whole)
    assert len(made.labels) == 9
    assert sum(v or 0 for v in made.series[0].values) == sum(range(1, 41))
    assert made.labels[-1] == "Other (32)"


HUGE = [
    (1e308,) * 4,
    (1.6e308, 1.6e308, 5e-324, 1),
    (10**308, 10**308, 0.5, -(10**308)),
    (1e306,) * 4,
]


@pytest.mark.parametrize("values", HUGE, ids=range(len(HUGE)))
@pytest.mark.parametrize("kind", ["bar", "barh", "line", "area", "donut"])
@pytest.mark.parametrize("stacked", ["", "sum", "percent"])
def test_sums_beyond_a_double_are_drawn(values: tuple[float, ...], kind: Any, stacked: Any) -> None:
    series = tuple(Series(name, values) for name in ("a", "b")[: 1 if kind == "donut" else 2])
    made = Chart(kind, "Huge", tuple("wxyz"), series, stacked=stacked)
    paper, box = Paper(), Box(10, 10, 400, 200)
    chart.paint(paper, LOOK, drawable(made), box)
    assert all(isfinite(place) for point in paper.points for place in point)
    paper.check(box)


@pytest.mark.parametrize("spark", [(1e308, -1e308, 0), (5e-324, 0), (10**308, -(10**308)), (1, 1)])
def test_a_history_of_any_size_is_drawn(spark: tuple[float, ...]) -> None:
    paper, box = Paper(), Box(10, 10, 400, 70)
    cards.paint(paper, LOOK, [Kpi("a", 1, spark=spark)], box)
    assert all(isfinite(place) for point in paper.points for place in point)
    paper.check(box)


def test_no_word_of_a_title_is_broken_for_a_rounding() -> None:
    for size in (6.1, 7.3, 8.3, 9.7):
        for title in ("Missing", "Distinct", "Количество", "a", "Revenue", "WWWWW"):
            columns = tuple(Column(title, "number") for _ in range(9))
            table = Table("", columns, (tuple(1.0 for _ in columns),))
            least = [grid.needs(LOOK, table, p, size).least for p in range(len(columns))]
            made = grid.fit(LOOK, table, sum(least), size)
            assert made is not None
            assert [line for head in made[0].header for line in head] == [title] * len(columns)
