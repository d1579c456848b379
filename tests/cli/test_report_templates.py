"""Templates of one's own: a file or a folder beside the data; a malformed one is an error."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import run

from reportkit import ALL, Made, command, generate, opens, pdf_text

WEEKLY = """
name = "weekly"
description = "Sales of a week"
title = "Week of {/week/from}"
subtitle = "{/shop}"
theme = "teal"

[[block]]
kind = "text"
text = "Shop **{/shop}**"

[[block]]
kind = "kpis"
from = "/figures"
title = "Figures"

[[block]]
kind = "chart"
from = "/sales"
type = "line"
x = "day"
y = ["revenue", "orders"]
title = "Sales"
span = 8

[[block]]
kind = "heading"
title = "Best"

[[block]]
kind = "table"
from = "/top"
title = "Top customers"
limit = 1
columns = [
  { key = "name", title = "Customer" },
  { key = "amount", title = "Amount", format = "currency", unit = "EUR", total = "sum" },
]

[[block]]
kind = "pagebreak"

[[block]]
kind = "text"
from = "/notes"
"""
DATA = {
    "week": {"from": "2026-10-05"},
    "shop": "Main street",
    "figures": [{"metric": "Visits", "value": 120, "change": -2}],
    "sales": [
        {"day": "2026-10-05", "revenue": 10.5, "orders": 1},
        {"day": "2026-10-06", "revenue": 20, "orders": 3},
    ],
    "top": [{"name": "Acme", "amount": "10.25"}, {"name": "Globex", "amount": 5}],
    "notes": "# Plan\\n- one",
}


def weekly(folder: Path, data: object = DATA, formats: tuple[str, ...] = ("pdf",)) -> Made:
    (folder / "mine").mkdir(exist_ok=True)
    (folder / "mine" / "weekly.toml").write_text(WEEKLY)
    return generate(folder, data, formats, "weekly", "--templates", "mine")


def test_a_template_of_one_s_own(tmp_path: Path) -> None:
    made = weekly(tmp_path, formats=ALL)
    for form in ALL:
        for path in made.files(form):
            opens(path, form)
    text = pdf_text(made.one("pdf"))
    for part in ("Week of 2026-10-05", "Main street", "Visits", "-2%", "Sales", "Revenue", "Best",
                 "€10.25", "Total", "€15.25", "First 1 of 2 rows"):  # fmt: skip
        assert part in text


def test_its_schema_is_derived(tmp_path: Path) -> None:
    error = weekly(tmp_path, {"figures": [{"metric": 3}], "sales": "x"}).answer.error
    paths = {problem["path"] for problem in error["problems"]}
    assert {"/figures/0/metric", "/figures/0/value", "/sales", "/top"} <= paths
    listed = command(tmp_path, "list-templates", "--templates", "mine/weekly.toml").body[
        "templates"
    ]
    mine = next(t for t in listed if t["name"] == "weekly")
    assert mine["required"] == ["figures", "sales", "top"]


def test_a_folder_by_the_environment(tmp_path: Path) -> None:
    weekly(tmp_path)
    env = {"TOOLBELT_REPORTS": str(tmp_path / "mine")}
    answer = run("report-run", "list-templates", env=env, cwd=tmp_path)
    assert "weekly" in [t["name"] for t in answer.json()["templates"]]
    gone = run("report-run", "list-templates", env={"TOOLBELT_REPORTS": "/nowhere"}, cwd=tmp_path)
    assert gone.error["code"] == "BAD_CONFIG"


def test_a_name_of_ours_may_be_taken(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text(WEEKLY.replace('name = "weekly"', 'name = "monthly"'))
    made = generate(tmp_path, DATA, ("pdf",), "monthly", "--templates", "m.toml")
    assert "Week of" in pdf_text(made.one("pdf"))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('name = "weekly"', ""), "'name'"),
        (('name = "weekly"', 'name = "a b"'), "a-z"),
        (('kind = "kpis"', 'kind = "kpi"'), "did you mean 'kpis'?"),
        (('type = "line"', 'type = "lines"'), "did you mean 'line'?"),
        (('x = "day"', ""), "'x'"),
        (("limit = 1", 'limit = "1"'), "'limit'"),
        (('from = "/top"', 'from = "top"'), "'/top'"),
        (("span = 8", "spam = 8"), "did you mean 'span'?"),
        (('theme = "teal"', 'schema = "none.json"'), "none.json"),
        (('theme = "teal"', 'schema = "../x.json"'), "beside"),
        (('theme = "teal"', 'formats = ["docx"]'), "docx"),
        (('theme = "teal"', "= 3"), "line"),
        (('key = "name",', ""), "'key'"),
    ],
)
def test_malformed(change: tuple[str, str], says: str, tmp_path: Path) -> None:
    assert change[0] in WEEKLY
    (tmp_path / "w.toml").write_text(WEEKLY.replace(*change))
    for arguments in (("list-templates",), ("validate", "--template", "monthly")):
        answer = command(tmp_path, *arguments, "--templates", "w.toml", stdin="{}").answer
        assert answer.code == 2
        assert answer.error["code"] == "BAD_CONFIG"
        assert says in answer.error["message"] + answer.error["hint"]


def test_a_schema_may_stand_beside(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text('schema = "w.json"\n' + WEEKLY)
    (tmp_path / "w.json").write_text('{"type": "object", "required": ["extra"]}')
    error = generate(tmp_path, DATA, ("pdf",), "weekly", "--templates", "w.toml").answer.error
    assert error["path"] == "/extra"
    (tmp_path / "w.json").write_text('{"typ": "object"}')
    error = generate(tmp_path, DATA, ("pdf",), "weekly", "--templates", "w.toml").answer.error
    assert error["code"] == "BAD_CONFIG"
    assert "'typ'" in error["message"]


def test_templates_lie_in_the_workspace(tmp_path: Path) -> None:
    answer = command(tmp_path, "list-templates", "--templates", "/etc").answer
    assert answer.error["code"] == "BAD_PATH"
