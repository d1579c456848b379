"""Every case of tests/cases/reports behaves as its `expect` says, in all of its formats."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from reportkit import (
    CASES,
    Made,
    command,
    generate,
    opens,
    pdf_info,
    pdf_text,
    sheet_rows,
    slide_charts,
    slide_texts,
)

FOUND = {path.stem: json.loads(path.read_text()) for path in sorted(CASES.glob("*.json"))}
ERRORS = {name for name, case in FOUND.items() if case["expect"]["outcome"] == "error"}
REPORTS = [n for n, case in FOUND.items() if n not in ERRORS and case["template"] != "chart"]


def body_of(case: dict[str, Any]) -> str:
    return str(case["raw"]) if "raw" in case else json.dumps(case["data"])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    """All rendering cases, each made once; filled as tests ask."""
    return {}


def report(name: str, made: dict[str, Made], tmp: pytest.TempPathFactory) -> Made:
    if name not in made:
        case = FOUND[name]
        folder = tmp.mktemp(name)
        made[name] = generate(folder, body_of(case), case["formats"], case["template"])
    return made[name]


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_refused(name: str, tmp_path: Path) -> None:
    case = FOUND[name]
    answer = generate(tmp_path, body_of(case), case["formats"], case["template"]).answer
    assert answer.code in (1, 2)
    assert answer.error["code"] == case["expect"]["code"]
    assert list(tmp_path.iterdir()) == []
    wanted = {
        "03-missing-title": ("/title", "required"),
        "05-string-as-number": ("/charts/0/data/1/value", "number expected, got string '431'"),
        "38-period-reversed": ("/period", "from 2026-10-31 is after to 2026-10-01"),
        "48-image-traversal": ("../../../etc/hostname",),
    }
    for text in wanted.get(name, ()):
        assert text in answer.error["message"]


@pytest.mark.parametrize("name", REPORTS)
def test_rendered(
    name: str, made: dict[str, Made], tmp_path_factory: pytest.TempPathFactory
) -> None:
    case = FOUND[name]
    result = report(name, made, tmp_path_factory)
    assert set(case["expect"].get("warnings", ())) <= set(result.codes)
    for form in case["formats"]:
        assert result.files(form), form
        for path in result.files(form):
            opens(path, form)
            size = next(f["bytes"] for f in result.body["files"] if f["path"] == str(path))
            assert path.stat().st_size == size
    assert "MISSING_GLYPHS" not in result.codes


class TestContent:
    """What the cases ask of the content of their files."""

    @pytest.fixture(autouse=True)
    def _tools(self, made: dict[str, Made], tmp_path_factory: pytest.TempPathFactory) -> None:
        self.get = lambda name: report(name, made, tmp_path_factory)

    def pdf(self, name: str) -> str:
        return pdf_text(self.get(name).one("pdf"))

    def csvs(self, name: str) -> list[list[list[str]]]:
        return [
            list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
            for path in self.get(name).files("csv")
        ]

    def test_seed_data_is_all_there(self) -> None:
        text = self.pdf("01-seed-basic")
        for part in ("Monthly Report", "2026-10-01", "2026-10-31", "Revenue", "1.28M", "+12.4%",
                     "Acme", "10.5", "Globex", "-3", "EU", "US", "Web", "App"):  # fmt: skip
            assert part in text
        assert pdf_info(self.get("01-seed-basic").one("pdf"))["Title"] == "Monthly Report"
        deck = self.get("01-seed-basic").one("pptx")
        assert len(slide_charts(deck)) == 3
        for label in ("EU", "US", "Web", "App"):
            assert label in slide_texts(deck)

    def test_empty_charts_say_so(self) -> None:
        assert self.pdf("07-chart-empty-data").count("No data") == 3
        assert slide_charts(self.get("07-chart-empty-data").one("pptx")) == []
        assert slide_texts(self.get("07-chart-empty-data").one("pptx")).count("No data") == 3

    def test_negative_slices_become_bars(self) -> None:
        warning = self.get("09-pie-negative").body["warnings"][0]
        assert warning["path"] == "/charts/0"
        assert "'c'" in warning["message"]
        chart = slide_charts(self.get("09-pie-negative").one("pptx"))[0]
        assert "COLUMN" in str(chart.chart_type)
        assert "-3" in self.pdf("09-pie-negative")

    def test_many_slices(self) -> None:
        text = self.pdf("11-pie-40-slices")
        shares = [float(w[:-1]) for w in text.split() if w.endswith("%") and w[0].isdigit()]
        assert len(shares) == 9
        assert sum(shares) == pytest.approx(100.0, abs=0.1)
        assert "Other (32)" in text
        values = next(rows for rows in self.csvs("11-pie-40-slices") if len(rows) == 41)
        assert values[1][0] == "Slice 0"
        sheet = sheet_rows(self.get("11-pie-40-slices").one("xlsx"), "Charts")
        assert sum(1 for row in sheet if str(row[0]).startswith("Slice ")) == 40

    def test_long_labels_are_whole_in_data(self) -> None:
        label = "Very long category label " * 8
        assert any(label == cell for rows in self.csvs("13-labels-200-chars") for cell in rows[1])
        assert "…" in self.pdf("13-labels-200-chars")

    def test_null_is_a_gap(self) -> None:
        chart = slide_charts(self.get("15-null-in-line").one("pptx"))[0]
        assert list(chart.plots[0].series[0].values) == [1.0, None, 3.0]
        assert ["b", ""] in next(r for r in self.csvs("15-null-in-line") if r[0][0] == "label")

    def test_minus_signs_survive(self) -> None:
        text = self.pdf("17-negative-values")
        for number in ("-202.17", "-41", "-1.23M", "-3.2%"):
            assert number in text
        assert "-202.17" in slide_texts(self.get("17-negative-values").one("pptx"))

    def test_cjk_is_found_again(self) -> None:
        text = self.pdf("19-cjk")
        for word in ("月度报告", "収入", "東京", "서울", "北京", "顧客", "株式会社サンプル"):
            assert word in text

    def test_emoji(self) -> None:
        text = self.pdf("21-emoji")
        assert "🚀" in text
        assert "DE" in text

    def test_dollars_are_literal(self) -> None:
        text = self.pdf("24-dollar-signs")
        for part in ("Cost $100 to $200", "Price $\\alpha_ {$", "$5_", "a$^$b", "$\\frac{"):
            assert part in text
        svg = self.get("24-dollar-signs").one("svg").read_text()
        assert "$\\frac{" in svg

    def test_identifiers_keep_their_digits(self) -> None:
        wanted = ["007", "12345678901234567890", "1e5", "2026-01-01", "12345678901234567890"]
        table = next(r for r in self.csvs("26-ids-as-text") if "bigint" in r[0])
        assert table[1] == wanted
        assert table[2][4] == "9007199254740993"
        assert sheet_rows(self.get("26-ids-as-text").one("xlsx"), "Table")[1] == wanted
        assert "12345678901234567890" in self.pdf("26-ids-as-text")

    def test_a_long_cell_runs_over_pages(self) -> None:
        case = FOUND["28-cell-20000-chars"]
        last = case["data"]["tables"][0]["rows"][0][1].split()[-1]
        path = self.get("28-cell-20000-chars").one("pdf")
        assert last in pdf_text(path)
        assert int(pdf_info(path)["Pages"]) > 2

    def test_a_long_word_wraps(self) -> None:
        text = self.pdf("30-unbroken-word")
        assert sum(line.count("x") for line in text.splitlines()) >= 300
        assert "595" in pdf_info(self.get("30-unbroken-word").one("pdf"))["Page size"]

    def test_repeated_headers_stay(self) -> None:
        path = self.get("32-duplicate-empty-headers").one("xlsx")
        assert sheet_rows(path, "Table")[:2] == [["a", "a", None], [1, 2, 3]]
        assert openpyxl.load_workbook(path)["Table"].auto_filter.ref == "A1:C2"

    def test_booleans(self) -> None:
        rows = sheet_rows(self.get("36-bool-null-cells").one("xlsx"), "Table")
        assert rows[1:] == [[True, None], [False, None], [None, "null"]]
        assert "yes" in self.pdf("36-bool-null-cells")

    def test_nested_values(self) -> None:
        name = "42-dbquery-nested"
        rows = next(r for r in self.csvs(name) if r[0][:2] == ["_id", "user"])
        assert rows[0] == ["_id", "user", "at", "extra"]
        assert rows[1] == [
            "65f0c0ffee",
            '{"name":"A","tags":["x","y"]}',
            "2026-10-01T00:00:00Z",
            "",
        ]
        assert rows[2] == ["65f0c0ff00", "", "", "1"]

    def test_mixed_column(self) -> None:
        rows = next(r for r in self.csvs("44-summary-mixed-column") if r[0][0] == "Column")
        kind, missing, distinct, low, high = (rows[1][i] for i in (1, 2, 3, 4, 6))
        assert kind.startswith("mixed")
        assert "number 2" in kind
        assert (missing, distinct, low, high) == ("1", "3", "1", "2.5")

    def test_stacked_series_are_aligned(self) -> None:
        chart = slide_charts(self.get("46-multi-series-stacked").one("pptx"))[0]
        assert [str(c) for c in chart.plots[0].categories] == ["x", "y", "z"]
        assert [list(s.values) for s in chart.plots[0].series] == [[1, 2, 0], [0, 3, 4]]
        assert chart.has_legend

    def test_units(self) -> None:
        text = self.pdf("52-units-percent")
        for part in ("2.4%", "€1,234.50", "1h 05m"):
            assert part in text


def test_chart_of_a_query(tmp_path: Path) -> None:
    case = FOUND["40-dbquery-chart"]
    for form in case["formats"]:
        result = command(
            tmp_path, "chart", "--type", "line", "--x", "month", "--y", "revenue",
            "--series", "region", "--data", "-", "--format", form, stdin=body_of(case),
        )  # fmt: skip
        opens(result.one(form), form)
