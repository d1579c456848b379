"""Every case of tests/cases/convert, by the built command, with what its check asks for."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from cli.commands import Answer
from converting import (
    CASES,
    SECRET,
    Shop,
    left_behind,
    listening,
    overlaps,
    page_size,
    pages,
    pdf_text,
    shop,
)

Check = Callable[[Shop, Answer, Path], None]
LINES = (CASES / "cases.jsonl").read_text(encoding="utf-8").splitlines()
BY_ID: dict[str, dict[str, Any]] = {c["id"]: c for c in map(json.loads, LINES)}


@pytest.fixture
def ws(tmp_path: Path) -> Shop:
    return shop(tmp_path)


def holds(path: Path, *texts: str) -> None:
    content = pdf_text(path) if path.suffix == ".pdf" else path.read_text(encoding="utf-8")
    for text in texts:
        assert text in content, f"{text!r} is not in {path.name}:\n{content[:2000]}"


def md_pdf(_ws: Shop, _answer: Answer, out: Path) -> None:
    holds(out, "Quarterly Report", "季度报告", "Отчёт")
    raw = out.read_bytes()
    assert b"/Image" in raw
    assert b"https://example.com/very/long" in raw
    assert overlaps(out) == []


def a4(_ws: Shop, _answer: Answer, out: Path) -> None:
    width, height = page_size(out)
    assert abs(width - 595) <= 2
    assert abs(height - 842) <= 2


def md_html(_ws: Shop, _answer: Answer, out: Path) -> None:
    text = out.read_text(encoding="utf-8")
    assert "<title>Quarterly Report" in text
    assert "data:image/png;base64," in text
    assert "<math" in text
    assert 'src="http' not in text
    assert "<script" not in text
    links = {part.split('"')[0] for part in text.split('href="')[1:]}
    assert {link for link in links if not link.startswith("#")} == {
        "https://example.com/very/long/path/that/keeps/going/and/going/and/going/until/it/must/wrap?query=1"
    }


def md_pptx(_ws: Shop, _answer: Answer, out: Path) -> None:
    from pptx import Presentation

    assert len(Presentation(str(out)).slides) >= 2


def bad_yaml(ws: Shop, answer: Answer, _out: Path) -> None:
    assert "line 2" in answer.error["message"]
    assert not (ws.root / "badyaml.pdf").exists()


def no_secret(_ws: Shop, _answer: Answer, out: Path) -> None:
    content = pdf_text(out) if out.suffix == ".pdf" else out.read_text(encoding="utf-8")
    assert SECRET not in content


def html_pdf(_ws: Shop, _answer: Answer, out: Path) -> None:
    holds(out, "JS ran after 1500ms")
    assert "screen only" not in pdf_text(out)
    assert pages(out) == 2
    a4(_ws, _answer, out)


def picture(width: int, height: int, kind: str = "PNG") -> Check:
    def check(_ws: Shop, _answer: Answer, out: Path) -> None:
        with Image.open(out) as image:
            assert image.size == (width, height)
            assert image.format == kind
            image.load()

    return check


def bad_preset(_ws: Shop, answer: Answer, _out: Path) -> None:
    assert "mobile" in answer.error["hint"]


def html_md(_ws: Shop, _answer: Answer, out: Path) -> None:
    text = out.read_text(encoding="utf-8")
    assert text.startswith("# Dashboard")
    assert "<" not in text


def docx_pdf(_ws: Shop, _answer: Answer, out: Path) -> None:
    holds(out, "Title", "r1c2")
    assert pages(out) == 1
    assert [round(side) for side in page_size(out)] == [612, 792]
    assert b"/Image" in out.read_bytes()


def docx_md(_ws: Shop, _answer: Answer, out: Path) -> None:
    holds(out, "# ", "| r0c0 |", "**bold**")


def pptx_pdf(_ws: Shop, _answer: Answer, out: Path) -> None:
    holds(out, "Slide 1")
    assert pages(out) == 1
    assert [round(side) for side in page_size(out)] == [720, 540]


def xlsx_csv(_ws: Shop, answer: Answer, out: Path) -> None:
    rows = list(csv.reader(out.open(encoding="utf-8", newline="")))
    assert rows[1][:3] == ["1", "00123", "2026-01-02T03:04:05"]
    assert rows[2][2] == "2026-02-03"
    assert any("Über" in line for line in answer.json()["warnings"])
    assert any("Hidden" in line for line in answer.json()["warnings"])


def csv_xlsx(_ws: Shop, _answer: Answer, out: Path) -> None:
    from openpyxl import load_workbook

    rows = list(load_workbook(out).active.iter_rows(values_only=True))
    assert rows[1] == ("1", "00123", "Ann, B", "2026-01-02", "12345678901234567890")
    assert rows[2][4] == "9007199254740993"
    with zipfile.ZipFile(out) as archive:
        assert b"<f" not in archive.read("xl/worksheets/sheet1.xml")


def csv_json_de(_ws: Shop, _answer: Answer, out: Path) -> None:
    rows = json.loads(out.read_text(encoding="utf-8"))
    assert next(iter(rows[0])) == "id"
    assert rows[0] == {"id": "001", "name": "Müller", "amount": "1.234,50", "date": "2026-01-02"}
    assert rows[1]["name"] == "Semi;colon"


def csv_json_na(_ws: Shop, _answer: Answer, out: Path) -> None:
    rows = json.loads(out.read_text(encoding="utf-8"))
    assert [row["country"] for row in rows] == ["NA", "null", "TRUE"]


def json_csv(_ws: Shop, _answer: Answer, out: Path) -> None:
    rows = list(csv.reader(out.open(encoding="utf-8", newline="")))
    assert rows == [["a", "b", "d"], ["1", '{"c": [1, 2]}', ""], ["2", "", "x"]]


def jsonl_csv(_ws: Shop, _answer: Answer, out: Path) -> None:
    assert out.read_text(encoding="utf-8") == "a,b\n1,\n2,é\n"


def pdf_txt(_ws: Shop, _answer: Answer, out: Path) -> None:
    holds(out, "Quarterly Report", "季度报告")


def reason(expected: str, *words: str) -> Check:
    def check(_ws: Shop, answer: Answer, _out: Path) -> None:
        assert answer.error["reason"] == expected
        for word in words:
            assert word in answer.error["message"]

    return check


def jpg_alpha(_ws: Shop, _answer: Answer, out: Path) -> None:
    with Image.open(out) as image:
        assert image.mode == "RGB"
        assert image.format == "JPEG"
        assert max(image.getpixel((0, 0))) > 100


def ipynb_html(_ws: Shop, _answer: Answer, out: Path) -> None:
    text = out.read_text(encoding="utf-8")
    assert ">NB</h1>" in text
    assert "<code>1\n</code>" in text
    assert "<script" not in text
    assert 'src="http' not in text


def untouched(ws: Shop, _answer: Answer, _out: Path) -> None:
    original = CASES / "in" / "report.md"
    assert (ws.root / "report.md").read_bytes() == original.read_bytes()


def named(name: str) -> Check:
    def check(ws: Shop, answer: Answer, _out: Path) -> None:
        assert answer.json()["output_path"] == name
        assert (ws.root / name).is_file()

    return check


def no_shell(ws: Shop, _answer: Answer, _out: Path) -> None:
    assert not list(ws.root.rglob("PWNED"))
    assert not Path("PWNED").exists()


def nothing_outside(ws: Shop, _answer: Answer, _out: Path) -> None:
    assert sorted(p.name for p in ws.outside.iterdir()) == ["chart.png", "secret.md", "secret.txt"]


def reachable(_ws: Shop, answer: Answer, _out: Path) -> None:
    assert "pdf" in answer.error["hint"]
    assert "docx" in answer.error["hint"]


CHECKS: dict[str, Check] = {
    "md-pdf-basic": md_pdf, "md-pdf-a4": a4, "md-html": md_html, "md-pptx": md_pptx,
    "md-bad-yaml": bad_yaml, "md-typst-readout": no_secret, "html-pdf-js": html_pdf,
    "html-png-mobile": picture(1170, 2532), "html-png-desktop": picture(2560, 1600),
    "html-png-bad-preset": bad_preset, "html-url-chars": lambda _w, _a, out: holds(out, "url chars"),
    "html-md": html_md, "docx-pdf": docx_pdf, "docx-md": docx_md, "docx-junk": reason("wrong_type"),
    "pptx-pdf": pptx_pdf, "xlsx-csv": xlsx_csv, "csv-xlsx": csv_xlsx, "csv-json-de": csv_json_de,
    "csv-json-na": csv_json_na, "json-csv-nested": json_csv, "jsonl-csv": jsonl_csv,
    "pdf-txt-scan": reason("no_text"), "pdf-txt-encrypted": reason("password", "password-protected"),
    "svg-png": picture(600, 240), "svg-huge": reason("too_large"), "png-jpg-alpha": jpg_alpha,
    "png-webp": picture(600, 300, "WEBP"), "ipynb-html": ipynb_html, "out-eq-in": untouched,
    "name-unicode": named("ünï 中文 🚀.html"), "name-dash": named("dash.html"),
    "md-upper-ext": named("UPPER.html"), "name-shell": no_shell,
    "path-out-dir-symlink": nothing_outside, "fmt-unknown": reachable,
}  # fmt: skip
# Cases with a set-up of their own.
APART = {"dep-missing", "manifest-malformed", "svg-xxe", "pdf-txt"}


@pytest.mark.parametrize("name", [name for name in BY_ID if name not in APART])
def test_case(ws: Shop, name: str) -> None:
    case = BY_ID[name]
    before = set(ws.root.rglob("*"))
    answer = ws.convert(case["format"], case["input"].removeprefix("@"), *case["args"])
    body = answer.json()
    assert body["ok"] is case["expect"]["ok"], answer.stdout
    out = ws.root / str(body.get("output_path", "none"))
    if case["expect"]["ok"]:
        assert answer.code == 0
        assert out.stat().st_size > 0
    else:
        assert body["error"]["code"] == case["expect"]["code"]
        assert answer.code in (1, 2, 4, 5)
        assert set(ws.root.rglob("*")) == before, "a refusal left something behind"
    assert body["format"] == case["format"]
    assert left_behind() == []
    if name in CHECKS:
        CHECKS[name](ws, answer, out)


def test_pdf_txt(ws: Shop) -> None:
    pdf_txt(ws, ws.convert(), ws.made("txt", "printed.pdf"))


def test_dep_missing(ws: Shop, tmp_path: Path) -> None:
    manifest = tmp_path / "m.toml"
    manifest.write_text(
        '[[recipe]]\nfrom="md"\nto="pdf"\nargv=["/bin/sh","-c","touch RAN"]\n'
        'needs=["no-such-typst"]\nout_ext="pdf"\n'
    )
    answer = ws.convert("pdf", "report.md", "--recipes", str(manifest))
    assert answer.code == 5
    assert answer.error["code"] == "MISSING_DEP"
    assert "no-such-typst" in answer.error["message"]
    assert "md->pdf" in answer.error["message"]


def test_manifest_malformed(ws: Shop, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[[recipe]\n")
    answer = ws.convert("pdf", "report.md", "--recipes", str(tmp_path / "bad.toml"))
    assert answer.code == 2
    assert "bad.toml" in answer.error["message"]
    assert "line 1" in answer.error["message"]
    inside = ws.write("bad.toml", "[[recipe]\n")
    assert ws.convert("pdf", "report.md", "--recipes", inside).code == 2


def test_svg_xxe(ws: Shop) -> None:
    with listening() as server:
        text = (
            (ws.root / "x.svg").read_text().replace("127.0.0.1:18765", f"127.0.0.1:{server.port}")
        )
        answer = ws.convert("png", ws.write("x2.svg", text))
        assert answer.error["code"] == "CONVERT_FAILED"
        assert server.hits == []
    assert not (ws.root / "x2.png").exists()
