"""Titles, names, labels and units of nothing but white space or invisible characters, everywhere."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from reporttools import templates
from reporttools.compose import compose
from reporttools.notices import Notices
from reporttools.oneline import one_line
from reporttools.render import csvfile, paper, poster, pptx, sheet
from reporttools.render.settings import Settings
from toolbelt.workspace import Workspace

AWKWARD = (
    "\n",
    " \t",
    "\nx",
    "a\n\nb",
    "\u2028",
    "\u200b",
    "\u202e",
    "\ud800",
    "\x0b\x0c",
    "\U000e0001",
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain", "plain"), ("", ""), ("\nx", "x"), (" a\r\n\n\tb ", "a b"), ("\u200b\n\u200b", ""),
        ("\xa0", ""), ("10\xa0000", "10\xa0000"), ("\x07\n", ""), ("\ud800", "\ufffd"), ("👍\u200d🏽", "👍\u200d🏽"),
        ("\n %\n\\京", "% \\京"), ("a\x0bb\u2028c", "ab c"),
    ],
)  # fmt: skip
def test_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


def _awkward(text: str) -> dict[str, Any]:
    """A report in which every title, name, label and unit is this text."""
    charts: list[dict[str, Any]] = [
        {"type": kind, "title": text, "subtitle": text, "xTitle": text, "yTitle": text, "unit": text[:12],
         "alt": text, "series": [{"name": text, "data": [{"label": text, "value": 3},
                                                         {"label": text + "2", "value": 1}]}]}
        for kind in ("barh", "line", "donut")
    ]  # fmt: skip
    charts.append({"type": "scatter", "title": text, "xTitle": text, "yTitle": text,
                   "series": [{"name": text, "data": [{"x": 1, "y": 2, "label": text}]}]})  # fmt: skip
    return {
        "title": "." + text, "author": text, "lang": text, "notes": f"# {text}\n- {text}\n\n{text}",
        "period": {"from": "2026-10-01", "to": "2026-10-31"},
        "summary": [{"metric": text, "value": 1, "change": 2, "changeLabel": text, "unit": text[:12]}],
        "charts": charts,
        "tables": [
            {"title": text, "headers": [text, text], "rows": [[text, 1], [text, 2]],
             "columns": [{}, {"total": "sum", "unit": text[:12]}]},
            {"title": text, "headers": [text], "rows": []},
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("template", "text"),
    [*(("monthly", text) for text in AWKWARD), *(("dashboard", text) for text in AWKWARD[:3])],
    ids=ascii,
)
def test_awkward_text_is_drawn(template: str, text: str, tmp_path: Path) -> None:
    data = _awkward(text)
    if template == "dashboard":
        data |= {"kpis": data.pop("summary"), "asOf": text}
        del data["period"], data["author"], data["lang"]
    workspace, how = Workspace.at(tmp_path), Settings(scale=0.25)
    made = compose(templates.find(template, workspace, None), data, workspace, Notices())
    assert paper.write(made, io.BytesIO(), how) > 0
    assert pptx.write(made, io.BytesIO(), how) > 0
    sheet.write(made, io.BytesIO(), how)
    poster.write(made, io.BytesIO(), "svg", how)
    for _, names, rows in csvfile.parts(made):
        csvfile.write(names, rows, io.BytesIO(), how)
