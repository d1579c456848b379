"""Whatever fits the schema is drawn: no data makes a renderer fail."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from reporttools import templates
from reporttools.compose import compose
from reporttools.document import Document
from reporttools.notices import Notices
from reporttools.render import csvfile, paper, poster, pptx, sheet
from reporttools.render.settings import Settings
from toolbelt.errors import ToolError
from toolbelt.workspace import Workspace

TEXT = st.one_of(
    st.text(max_size=40),
    st.text(
        alphabet="שלום مرحبا हिन्दी ภาษา 東京 🚀👍🏽 -−5$%^{}\\_\n\t=+@<>&'\"\u202e\ud800",
        max_size=30,
    ),
    st.sampled_from(
        ["", " ", "x" * 300, "long words here " * 20, "2026-10-01", "2026-10", "0", "-1"]
    ),
)
NUMBER = st.one_of(
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0, -0.0, 1e300, -1e300, 5e-324, 0.1, 1e15, 2**53 + 1]),
)
MAYBE = st.one_of(st.none(), NUMBER)
FORMAT = st.fixed_dictionaries(
    {},
    optional={
        "format": st.sampled_from(["number", "percent", "currency", "duration", "bytes"]),
        "unit": st.sampled_from(["EUR", "kg", "%", "", '"']),
        "decimals": st.integers(0, 10),
    },
)


def merged(*parts: Any) -> Any:
    return st.tuples(*parts).map(lambda found: {k: v for part in found for k, v in part.items()})


POINT = st.fixed_dictionaries({"label": TEXT, "value": MAYBE})
DOT = st.fixed_dictionaries(
    {"x": NUMBER, "y": MAYBE}, optional={"label": TEXT, "size": st.floats(0.1, 1e6)}
)
SERIES = st.fixed_dictionaries(
    {"name": TEXT, "data": st.lists(POINT, max_size=6)},
    optional={"type": st.sampled_from(["bar", "line", "area"]), "color": st.just("#123456")},
)
MORE = {
    "stacked": st.sampled_from([True, False, "percent"]), "subtitle": TEXT, "xTitle": TEXT,
    "yTitle": TEXT, "sort": st.sampled_from(["asc", "desc", "none"]), "limit": st.integers(1, 5),
}  # fmt: skip
KINDS = st.sampled_from(["bar", "barh", "line", "area", "pie", "donut"])
CHART = st.one_of(
    merged(
        st.fixed_dictionaries({"type": KINDS, "title": TEXT, "data": st.lists(POINT, max_size=30)},
                              optional=MORE), FORMAT,
    ),
    merged(
        st.fixed_dictionaries(
            {"type": KINDS, "title": TEXT, "series": st.lists(SERIES, min_size=1, max_size=10)},
            optional=MORE,
        ), FORMAT,
    ),
    st.fixed_dictionaries(
        {"type": st.just("scatter"), "title": TEXT, "data": st.lists(DOT, max_size=20)}
    ),
)  # fmt: skip
CELL = st.one_of(TEXT, NUMBER, st.booleans(), st.none())


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    width = draw(st.integers(1, 12))
    return {
        "title": draw(TEXT),
        "headers": draw(st.lists(TEXT, min_size=width, max_size=width)),
        "rows": draw(st.lists(st.lists(CELL, min_size=width, max_size=width), max_size=20)),
        "columns": draw(st.lists(
            merged(FORMAT, st.fixed_dictionaries({}, optional={
                "align": st.sampled_from(["left", "right", "center"]),
                "total": st.sampled_from(["sum", "avg", "min", "max", "count"]),
                "width": st.floats(0.1, 100)})), max_size=width)),
    }  # fmt: skip


KPI = merged(
    st.fixed_dictionaries(
        {"metric": TEXT, "value": MAYBE, "change": MAYBE},
        optional={
            "goodWhen": st.sampled_from(["up", "down", "neutral"]), "changeLabel": TEXT,
            "spark": st.lists(MAYBE, max_size=8),
        },
    ),
    FORMAT,
)  # fmt: skip
MONTHLY = st.fixed_dictionaries(
    {
        "title": TEXT.filter(lambda text: text != ""),
        "period": st.just({"from": "2026-10-01", "to": "2026-10-31"}),
        "summary": st.lists(KPI, max_size=6),
        "charts": st.lists(CHART, max_size=4),
        "tables": st.lists(tables(), max_size=3),
    },
    optional={"notes": TEXT, "locale": st.sampled_from(["de", "ru", "xx"]), "author": TEXT},
)
ROWS = st.fixed_dictionaries(
    {"rows": st.lists(st.dictionaries(TEXT, st.one_of(CELL, st.lists(CELL, max_size=2)), max_size=5),
                      max_size=12)}
)  # fmt: skip
# A report takes a second to draw, so few examples and no shrinking: the traceback says enough.
MANY = settings(
    max_examples=settings.default.max_examples // 10, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large,
                           HealthCheck.function_scoped_fixture],
)  # fmt: skip


def document(template: str, data: Any, folder: Path) -> Document | None:
    workspace = Workspace.at(folder)
    found = templates.find(template, workspace, None)
    try:
        return compose(found, data, workspace, Notices())
    except ToolError as error:
        assert error.code == "BAD_DATA"
        return None


def draw_all(made: Document | None) -> None:
    if made is None:
        return
    how = Settings(scale=0.5)
    assert paper.write(made, io.BytesIO(), how) > 0
    assert pptx.write(made, io.BytesIO(), how) > 0
    sheet.write(made, io.BytesIO(), how)
    poster.write(made, io.BytesIO(), "svg", how)
    for _, names, rows in csvfile.parts(made):
        csvfile.write(names, rows, io.BytesIO(), how)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")


@MANY
@given(MONTHLY)
def test_monthly(folder: Path, data: Any) -> None:
    draw_all(document("monthly", data, folder))


@MANY
@given(MONTHLY)
def test_dashboard(folder: Path, data: Any) -> None:
    board = {"title": data["title"], "kpis": data["summary"], "charts": data["charts"],
             "tables": data["tables"]}  # fmt: skip
    draw_all(document("dashboard", board, folder))


@MANY
@given(ROWS)
def test_data_summary(folder: Path, data: Any) -> None:
    draw_all(document("data-summary", data, folder))
