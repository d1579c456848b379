"""What stands in the files: formulas that are none, exact numbers, the same bytes twice."""

from __future__ import annotations

import csv
import json
import struct
import zipfile
import zlib
from pathlib import Path

import openpyxl
import pytest
from PIL import Image

from reportkit import (
    ALL,
    generate,
    monthly,
    pdf_info,
    pdf_text,
    sheet_rows,
    slide_charts,
    slide_texts,
)

HOSTILE = "<img src='/etc/hostname'> <b>&amp; =1+1 ${7*7} $\\frac{"


def png(width: int = 40, height: int = 20) -> bytes:
    """A small picture."""
    rows = b"".join(b"\0" + b"\x12\x35\x5b" * width for _ in range(height))

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def test_the_same_data_gives_the_same_bytes(tmp_path: Path) -> None:
    env = {"SOURCE_DATE_EPOCH": "1767225600"}
    data = monthly(notes="**x**", summary=[{"metric": "a", "value": 1, "change": 1}])
    runs = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        made = generate(folder, data, ALL, env=env)
        runs.append({f["path"].rpartition("/")[2]: Path(f["path"]).read_bytes()
                     for f in made.body["files"]})  # fmt: skip
    assert runs[0] == runs[1]
    assert len(runs[0]) == 8
    assert pdf_info(tmp_path / "one/output/monthly-report.pdf")["CreationDate"].endswith(
        "Jan  1 00:00:00 2026 UTC"
    )


def test_data_is_text_in_every_format(tmp_path: Path) -> None:
    data = monthly(
        title=HOSTILE,
        summary=[{"metric": HOSTILE, "value": 1, "change": 0}],
        charts=[{"type": "bar", "title": HOSTILE, "data": [{"label": HOSTILE, "value": 1}]}],
        tables=[
            {"title": "T", "headers": ["=x"], "rows": [[HOSTILE], ["=cmd|'/C calc'!A0"], ["#N/A"]]}
        ],
        notes=HOSTILE,
    )
    made = generate(tmp_path, data, ALL)
    assert "/etc/hostname" in pdf_text(made.one("pdf"))
    assert "<b>&amp; =1+1" in slide_texts(made.one("pptx"))
    book = openpyxl.load_workbook(made.one("xlsx"))
    cells = [cell for row in book["T"].iter_rows() for cell in row]
    assert [cell.value for cell in cells] == ["=x", HOSTILE, "=cmd|'/C calc'!A0", "#N/A"]
    assert {cell.data_type for cell in cells} == {"s"}
    assert (
        HOSTILE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        in made.one("svg").read_text()
    )
    host = Path("/etc/hostname").read_text().strip()
    assert all(host not in path.read_bytes().decode("latin-1") for path in made.files("pdf"))


def test_formulas_in_csv(tmp_path: Path) -> None:
    rows = [["=1+1", "-3"], ["+49 170", "-abc"], ["@x", "+5%"], ["plain", -4]]
    data = monthly(tables=[{"title": "T", "headers": ["a", "b"], "rows": rows}])
    path = next(p for p in generate(tmp_path, data, ["csv"]).files("csv") if p.stem.endswith("-t"))
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    found = list(csv.reader(path.read_text("utf-8-sig").splitlines()))
    assert found[1:] == [["'=1+1", "-3"], ["+49 170", "'-abc"], ["'@x", "+5%"], ["plain", "-4"]]
    made = generate(tmp_path, data, ["csv"], "monthly", "--no-guard", "--no-bom")
    path = next(p for p in made.files("csv") if p.stem.endswith("-t"))
    assert list(csv.reader(path.read_text("utf-8").splitlines()))[1][0] == "=1+1"


def test_excel_keeps_what_it_is_given(tmp_path: Path) -> None:
    long = "x" * 40_000
    title = "A/B: [History] of a very long table title indeed"
    data = monthly(
        tables=[
            {"title": title, "headers": ["a"], "rows": [["_x000D_"], [long], [2**53 + 1], [0.1]]},
            {"title": title, "headers": ["a"], "rows": [[True]]},
            {"title": "history", "headers": ["a"], "rows": []},
        ]
    )
    made = generate(tmp_path, data, ["xlsx"])
    names = openpyxl.load_workbook(made.one("xlsx")).sheetnames
    assert names[:2] == ["Summary", "Charts"]
    assert all(len(name) <= 31 for name in names)
    assert len({name.lower() for name in names}) == 5
    assert "history" not in names
    rows = sheet_rows(made.one("xlsx"), names[2])
    # Excel reads this as the seven characters that were given, not as a line end.
    assert rows[1] == ["_x005F_x000D_"]
    assert len(rows[2][0]) == 32_767
    assert rows[3] == ["9007199254740993"]
    assert {"TEXT_CUT", "PRECISION"} <= set(made.codes)
    assert sheet_rows(made.one("xlsx"), names[4])[1] == ["No data"]


def test_excel_formats_and_totals(tmp_path: Path) -> None:
    table = {
        "title": "T",
        "headers": ["Item", "Qty", "Price", "Year"],
        "columns": [
            {},
            {"total": "sum"},
            {"format": "currency", "unit": "EUR", "total": "avg"},
            {},
        ],
        "rows": [["a", 1000, 2.5, 2025], ["b", 2, 3, 2026]],
    }
    made = generate(tmp_path, monthly(tables=[table]), ["xlsx", "pdf"])
    sheet = openpyxl.load_workbook(made.one("xlsx"))["T"]
    assert sheet["B2"].number_format == "#,##0"
    assert sheet["C2"].number_format == '"€"#,##0.00;-"€"#,##0.00'
    assert sheet["D2"].number_format == "0"
    assert sheet["B4"].value == "=SUBTOTAL(109,B2:B3)"
    assert sheet.freeze_panes == "A2"
    assert {cell.font.name for row in sheet.iter_rows() for cell in row} == {"Calibri"}
    text = pdf_text(made.one("pdf"))
    for part in ("1,000", "€2.50", "2026", "Total", "1,002", "€2.75"):
        assert part in text


def test_native_charts(tmp_path: Path) -> None:
    points = [{"label": f"2026-0{m}-01", "value": m} for m in range(1, 7)]
    kinds = ("bar", "barh", "line", "area", "pie", "donut")
    charts = [{"type": kind, "title": kind, "data": points} for kind in kinds]
    charts.append(
        {"type": "scatter", "title": "s", "data": [{"x": 1, "y": 2}, {"x": 2, "y": None}]}
    )
    two = [{"name": "bars", "data": points}, {"name": "line", "type": "line", "data": points}]
    charts.append({"type": "bar", "title": "both", "series": two})
    made = generate(tmp_path, monthly(charts=charts), ["pptx", "xlsx", "png"])
    found = slide_charts(made.one("pptx"))
    kinds_made = [str(chart.chart_type).partition(" ")[0] for chart in found]
    assert kinds_made[:7] == [
        "COLUMN_CLUSTERED", "BAR_CLUSTERED", "LINE", "AREA", "DOUGHNUT", "DOUGHNUT", "XY_SCATTER",
    ]  # fmt: skip
    assert [len(plot.series) for plot in found[7].plots] == [1, 1]
    assert len(openpyxl.load_workbook(made.one("xlsx"))["Charts"]._charts) == 8
    assert len(made.files("png")) == 9


def test_slides_have_titles_and_alternative_texts(tmp_path: Path) -> None:
    from pptx import Presentation

    made = generate(tmp_path, monthly(), ["pptx"])
    slides = list(Presentation(str(made.one("pptx"))).slides)
    assert [s.shapes.title.text_frame.text for s in slides] == [
        "Monthly Report", "Key figures", "By region", "Top",
    ]  # fmt: skip
    chart = next(shape for shape in slides[2].shapes if shape.has_chart)
    described = chart._element.nvGraphicFramePr.cNvPr.get("descr")
    assert described == "Bar chart of By region, 2 points from EU to US."


def test_images(tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(png())
    (tmp_path / "text.png").write_text("no picture")
    data = monthly(images=[{"path": "logo.png", "caption": "Our logo"}], logo="logo.png")
    made = generate(tmp_path, data, ["pdf", "pptx", "png", "xlsx", "csv", "svg"])
    assert "Our logo" in pdf_text(made.one("pdf"))
    for path, code in (
        ("text.png", "BAD_DATA"),
        ("missing.png", "BAD_PATH"),
        ("/etc/passwd", "BAD_PATH"),
    ):
        error = generate(tmp_path, monthly(images=[{"path": path}]), ["csv"]).answer.error
        assert error["code"] == code
        assert error["path"] == "/images/0/path"
        assert path in error["message"]


def test_a_workbook_holds_pictures(tmp_path: Path) -> None:
    Image.new("RGB", (1440, 300), "#0072B2").save(tmp_path / "a.png")
    Image.new("RGB", (60, 40), "red").save(tmp_path / "b.jpg")
    data = monthly(images=[{"path": "a.png", "caption": "Floor plan"}, {"path": "b.jpg"}])
    made = generate(tmp_path, data, ["xlsx"])
    sheet = openpyxl.load_workbook(made.one("xlsx"))["Pictures"]
    assert sheet["A1"].value == "Floor plan"
    assert [(p.width, p.height) for p in sheet._images] == [(1440, 300), (60, 40)]
    assert [p.anchor._from.row for p in sheet._images] == [1, 11]
    # Drawn at the width of a page.
    assert sheet._images[0].anchor.ext.width == 720 * 9525


def test_bars_of_a_workbook_begin_at_zero_and_say_their_unit(tmp_path: Path) -> None:
    bars = {
        "type": "bar",
        "title": "Near",
        "data": [{"label": "a", "value": 60_000}, {"label": "b", "value": 58_000}],
    }
    below = {
        "type": "barh",
        "title": "Below",
        "data": [{"label": "a", "value": -60}, {"label": "b", "value": 5}],
    }
    made = generate(tmp_path, monthly(charts=[bars, below]), ["xlsx"])
    with zipfile.ZipFile(made.one("xlsx")) as archive:
        first, second = (archive.read(f"xl/charts/chart{n}.xml").decode() for n in (1, 2))
    code = "#,##0,&quot;K&quot;;-#,##0,&quot;K&quot;;0"
    assert f'<dLbls><numFmt formatCode="{code}" sourceLinked="0"/>' in first
    assert '<min val="0"' in first
    assert "<min " not in second


def test_a_broken_image_is_the_data_s_fault(tmp_path: Path) -> None:
    (tmp_path / "cut.png").write_bytes(png()[:60])
    error = generate(tmp_path, monthly(images=[{"path": "cut.png"}]), ["pdf"]).answer.error
    assert error["code"] == "BAD_DATA"


@pytest.mark.parametrize("form", ["pdf", "png", "svg", "pptx", "xlsx", "csv"])
def test_empty_reports(form: str, tmp_path: Path) -> None:
    data = monthly(summary=[], charts=[], tables=[])
    assert generate(tmp_path, data, [form]).one(form).stat().st_size > 0
    rows = {"ok": True, "rows": [], "rowCount": 0, "columns": [{"name": "a", "type": "int"}]}
    made = generate(tmp_path, rows, [form], "data-summary")
    assert made.one(form).stat().st_size > 0
    if form == "pdf":
        assert "No data" in pdf_text(made.one("pdf"))


def test_pages_of_a_long_table(tmp_path: Path) -> None:
    rows = [[100_000 + i, f"Customer {i}", i * 1.5] for i in range(300)]
    data = monthly(
        tables=[{"title": "Long", "headers": ["Order id", "Customer", "Sum"], "rows": rows}]
    )
    path = generate(tmp_path, data).one("pdf")
    pages = int(pdf_info(path)["Pages"])
    assert pages > 5
    for page in range(2, pages + 1):
        text = pdf_text(path, "-f", str(page), "-l", str(page))
        assert "Order id" in text
        assert f"Page {page} of {pages}" in text
    whole = pdf_text(path)
    assert all(str(100_000 + i) in whole for i in range(300))
    assert "300 rows" in whole


def test_wide_tables_keep_all_columns(tmp_path: Path) -> None:
    heads = ["Key", *(f"Column{i}" for i in range(1, 60))]
    rows = [[f"r{r}", *(f"v{r}x{c}" for c in range(1, 60))] for r in range(3)]
    path = generate(tmp_path, monthly(tables=[{"title": "W", "headers": heads, "rows": rows}])).one(
        "pdf"
    )
    text = pdf_text(path)
    assert all(head in text for head in heads)
    assert all(cell in text for row in rows for cell in row)


def test_every_script_in_pdf_text(tmp_path: Path) -> None:
    words = ["Привет", "東京", "서울", "שלום", "مرحبا", "हिन्दी", "ภาษาไทย", "Ελλάδα", "−5", "🚀"]
    rows = [[word] for word in words]
    made = generate(tmp_path, monthly(tables=[{"title": "Σ", "headers": ["w"], "rows": rows}]))
    text = pdf_text(made.one("pdf"))
    for word in words:
        assert word in text, word
    assert "MISSING_GLYPHS" not in made.codes


def test_unknown_signs_are_reported(tmp_path: Path) -> None:
    made = generate(
        tmp_path, monthly(title="A \U0001fad8 \U000f0000"), ["pdf", "png", "svg", "pptx"]
    )
    assert "MISSING_GLYPHS" in made.codes


def test_svg_text_can_be_outlined(tmp_path: Path) -> None:
    text = generate(tmp_path, monthly(), ["svg"]).one("svg").read_text()
    assert "By region" in text
    assert "<title>Monthly Report</title>" in text
    outlined = generate(tmp_path, monthly(), ["svg"], "monthly", "--svg-text", "outline").one("svg")
    assert "<text" not in outlined.read_text()


def test_letter_paper(tmp_path: Path) -> None:
    path = generate(tmp_path, monthly(), ["pdf"], "monthly", "--page", "letter").one("pdf")
    assert pdf_info(path)["Page size"].startswith("612 x 792")


def test_two_formats_into_a_folder(tmp_path: Path) -> None:
    made = generate(tmp_path, monthly(), ["pdf", "xlsx"], "monthly", "--output", "a/b/")
    assert {f["path"] for f in made.body["files"]} == {
        str(tmp_path / "a/b/monthly-report.pdf"), str(tmp_path / "a/b/monthly-report.xlsx"),
    }  # fmt: skip


def test_nothing_is_left_when_one_format_fails(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "monthly-report.xlsx").mkdir()
    answer = generate(
        tmp_path, monthly(), ["pdf", "xlsx"], "monthly", "--output", "out", "--force"
    ).answer
    assert answer.code == 1
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["monthly-report.xlsx"]


def test_a_workbook_of_many_rows_is_streamed(tmp_path: Path) -> None:
    rows = [[i, f"0{i}", "=1+1", None, True] for i in range(50_001)]
    table = {"title": "Big", "headers": ["n", "code", "f", "x", "b"], "rows": rows}
    made = generate(tmp_path, monthly(tables=[table]), ["xlsx"])
    assert "NO_CHARTS" in made.codes
    assert made.body["files"][0]["rows"] >= 50_001
    book = openpyxl.load_workbook(made.one("xlsx"), read_only=True)
    found = list(book["Big"].iter_rows(values_only=True, max_row=3))
    assert found[1:] == [(0, "00", "=1+1", None, True), (1, "01", "=1+1", None, True)]
    with zipfile.ZipFile(made.one("xlsx")) as archive:
        assert archive.testzip() is None


def test_dashboard_grows_instead_of_overlapping(tmp_path: Path) -> None:
    chart = {"type": "bar", "title": "c", "data": [{"label": "a", "value": 1}], "span": 12}
    data = {"title": "D", "charts": [chart] * 9}
    made = generate(tmp_path, data, ["png", "pptx"], "dashboard", "--scale", "1")
    assert "GREW" in made.codes
    assert made.body["files"][0]["width"] == 1600
    assert made.body["files"][0]["height"] > 900
    assert made.body["files"][1]["slides"] > 1
    plain = generate(
        tmp_path, json.loads(json.dumps({"title": "D"})), ["png"], "dashboard", "--scale", "1"
    )
    assert (plain.body["files"][0]["width"], plain.body["files"][0]["height"]) == (1600, 900)
