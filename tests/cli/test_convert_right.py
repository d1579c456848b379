"""Right, not merely done: what plain tools get wrong on real files."""

from __future__ import annotations

import base64
import csv
import io
import json
import subprocess
import zipfile
from pathlib import Path

import pytest
from PIL import Image

import hostile
from converting import Shop, overlaps, page_size, pages, pdf_text, shop, words


@pytest.fixture
def ws(tmp_path: Path) -> Shop:
    return shop(tmp_path)


def warnings(ws: Shop, *arguments: str) -> str:
    answer = ws.convert(*arguments)
    assert answer.code == 0, answer.stdout
    return " / ".join(answer.json().get("warnings", []))


def test_a_long_table_breaks_over_pages(ws: Shop) -> None:
    rows = "\n".join(f"| part-{n:03} | {n * 7} | some words about it |" for n in range(160))
    out = ws.made("pdf", ws.write("long.md", f"| part | n | about |\n|---|--:|---|\n{rows}\n"))
    assert pages(out) > 2
    assert overlaps(out) == []
    text = pdf_text(out)
    assert all(f"part-{n:03}" in text for n in range(160))


def test_long_definitions_break_over_pages(ws: Shop) -> None:
    items = "\n\n".join(
        f"term{n}\n\n:   " + " ".join(f"word{n}x{i}" for i in range(300)) for n in range(12)
    )
    out = ws.made("pdf", ws.write("terms.md", items))
    assert overlaps(out) == []
    text = pdf_text(out)
    assert all(f"word{n}x{i}" in text for n in range(12) for i in range(0, 300, 17))


@pytest.mark.parametrize("columns", [2, 5, 8, 14, 24])
def test_wide_tables_stay_in_their_cells(ws: Shop, columns: int) -> None:
    head = "|".join(f"column_name_{n}" for n in range(columns))
    cells = "|".join(f"LongUnbreakableIdentifierNumber{n}_ABCDEFGHIJ" for n in range(columns))
    text = f"|{head}|\n|{'---|' * columns}\n" + f"|{cells}|\n" * 4
    out = ws.made("pdf", ws.write("wide.md", text))
    assert overlaps(out) == []
    width, _ = page_size(out)
    flipped = max(page_size(out))
    assert all(word.right <= max(width, flipped) for word in words(out))


def test_long_words_and_lines_stay_on_the_page(ws: Shop) -> None:
    long = "x" * 300
    text = f"# {long}\n\n{long}\n\n`{long}`\n\n```\n{long}\n{'word ' * 80}\n```\n\n> {long}\n\n- {long}\n"
    out = ws.made("pdf", ws.write("words.md", text))
    width, height = page_size(out)
    assert overlaps(out) == []
    assert all(w.left >= 0 and w.right <= width and w.bottom <= height for w in words(out))


BADGE = "[![build](https://ci.invalid/badge.svg)](https://ci.invalid/)"
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + hostile.png(8, 8)[8:]).decode()


@pytest.mark.parametrize("target", ["pdf", "docx", "pptx", "html", "epub"])
def test_no_picture_stops_a_document(ws: Shop, target: str) -> None:
    ws.write("broken.png", b"\x89PNG\r\n\x1a\nrubbish")
    ws.write("broken.svg", "<svg><rect")
    text = (
        f"# Pictures\n\n{BADGE}\n\n![gone](gone.png)\n\n![broken](broken.png)\n\n![b2](broken.svg)\n\n"
        f"![inline](data:image/png;base64,{PIXEL})\n\n![odd](data:image/png;base64,AAAA)\n\n"
        "![](img/chart.png)\n\n[empty]()\n\n[nowhere](#nowhere)\n\nlast words\n"
    )
    answer = ws.convert(target, ws.write("pictures.md", text))
    assert answer.code == 0, answer.stdout
    said = " / ".join(answer.json()["warnings"])
    for name in ("gone.png", "broken.png", "ci.invalid"):
        assert name in said
    out = ws.root / answer.json()["output_path"]
    if target == "pdf":
        assert "last words" in pdf_text(out)
        assert "build" in pdf_text(out)
    if target == "html":
        html = out.read_text(encoding="utf-8")
        assert html.count("data:image/png") == 2
        assert 'src="http' not in html
    strict = ws.convert(target, "pictures.md", "--strict", "--force")
    assert strict.error["reason"] == "warnings"


@pytest.mark.parametrize("target", ["pdf", "docx"])
def test_a_picture_may_be_called_anything(ws: Shop, target: str) -> None:
    chart = (ws.root / "img" / "chart.png").read_bytes()
    text = ""
    for name in ('a"b.png', "a\\b.png", "a\\u{62}.png", "#a(b).png", "ü 世\x01.png", "$x$.png"):
        ws.write(name, chart)
        shown = name.replace("\\", "\\\\")
        text += f"![chart](<{shown}>)\n\n"
    answer = ws.convert(target, ws.write("called.md", text))
    assert answer.json()["ok"], answer.stdout
    assert "warnings" not in answer.json()


def test_every_format_of_picture_is_shown(ws: Shop) -> None:
    with Image.open(ws.root / "img" / "chart.png") as chart:
        for kind in ("gif", "bmp", "tiff", "webp", "jpg"):
            chart.convert("RGB").save(ws.root / f"p.{kind}")
    ws.write("p.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><g/></svg>')
    text = "\n\n".join(f"![{k}](p.{k})" for k in ("gif", "bmp", "tiff", "webp", "jpg", "svg"))
    for target in ("pdf", "docx", "pptx", "html", "epub"):
        assert warnings(ws, target, ws.write("all.md", text), "--force") == ""


FORGE = """Intro:
- first
- second
# Heading without a blank line

<p align="center"><img src="img/chart.png" width="200"></p>

<table><tr><td>one</td><td>two</td></tr></table>

A <b>bold</b> word, H<sub>2</sub>O, a<br>break, <kbd>Ctrl</kbd> and --flag "quoted".

<details><summary>More</summary>

Hidden *words*.

</details>

> [!NOTE]
> An alert.

@someone mentioned it, see #12 and https://example.com/x_y_z and $5 or $6. :rocket:

<!-- a comment nobody sees -->
<script>alert("no")</script>
"""


@pytest.mark.parametrize("target", ["pdf", "html", "docx", "md.txt"])
def test_what_people_write_on_forges(ws: Shop, target: str) -> None:
    target = target.removeprefix("md.")
    out = ws.made(target, ws.write("forge.md", FORGE))
    if target == "docx":
        with zipfile.ZipFile(out) as archive:
            text = archive.read("word/document.xml").decode()
            assert any(name.startswith("word/media/") for name in archive.namelist())
    else:
        text = pdf_text(out) if target == "pdf" else out.read_text(encoding="utf-8")
    for part in ("first", "Heading without", "one", "two", "bold", "Ctrl", "--flag", "Hidden",
                 "An alert", "@someone", "https://example.com/x_y_z", "$5 or $6"):  # fmt: skip
        assert part in text, part
    for part in ("nobody sees", 'alert("no")', "<td>", "[!NOTE]", ":rocket:"):
        assert part not in text or (target == "html" and part == "<td>"), part


ENCODED = {
    "cp1251": "Привет, мир: отчёт", "shift_jis": "売上は増加しました。テスト", "euc_jp": "売上は増加しました。テスト",
    "utf-16": "Grüße 世界", "gb18030": "季度报告，收入增长，我们", "iso8859_7": "Καλημέρα κόσμε",
    "cp1252": "Müller – déjà vu", "utf-8-sig": "Grüße",
}  # fmt: skip


@pytest.mark.parametrize("encoding", ENCODED)
def test_a_page_says_its_encoding(ws: Shop, encoding: str) -> None:
    label = encoding.replace("_", "-").replace("-sig", "")
    text = ENCODED[encoding]
    page = f'<!doctype html><meta charset="{label}"><h1>{text}</h1>'
    name = ws.write("page.html", page.encode(encoding))
    assert text in ws.made("md", name).read_text(encoding="utf-8")
    shown = "".join(pdf_text(ws.made("pdf", name)).split())
    assert "".join(text.split()) in shown


@pytest.mark.parametrize("encoding", ENCODED)
def test_a_table_in_an_old_encoding_is_read_with_a_warning(ws: Shop, encoding: str) -> None:
    rows = "".join(f'{n},"{ENCODED[encoding]}"\n' for n in range(40))
    name = ws.write("t.csv", f"id,text\n{rows}".encode(encoding))
    said = warnings(ws, "json", name)
    found = json.loads((ws.root / "t.json").read_text(encoding="utf-8"))
    assert found[3]["text"] == ENCODED[encoding]
    if encoding not in ("utf-16", "utf-8-sig"):
        assert "guess" in said


def test_the_caller_settles_the_encoding(ws: Shop) -> None:
    name = ws.write("g.csv", "id,name\n1,ΑΒΓ\n".encode("iso8859_7"))
    made = ws.made("json", name, "--opt", "encoding=iso-8859-7")
    assert json.loads(made.read_text(encoding="utf-8")) == [{"id": "1", "name": "ΑΒΓ"}]
    assert ws.convert("json", name, "--opt", "encoding=klingon").code == 2
    name = ws.write("j.csv", "id,name\n1,髙橋\n".encode("cp932"))
    made = ws.made("json", name, "--opt", "encoding=shift_jis")
    assert json.loads(made.read_text(encoding="utf-8"))[0]["name"] == "髙橋"


def test_a_header_may_hold_any_character(ws: Shop) -> None:
    header = ["a\vb", 'c"d', "e\ff\u2028g", "h;i\nj"]
    buffer = io.StringIO()
    csv.writer(buffer).writerows([header, ["1", "2", "3", "4"]])
    made = ws.made("json", ws.write("h.csv", buffer.getvalue()))
    assert list(json.loads(made.read_text(encoding="utf-8"))[0]) == header


def test_nothing_useful_is_a_failure(ws: Shop) -> None:
    sample = (ws.root / "doc.docx").read_bytes()
    for name, content, reason in (
        ("cut.docx", sample[: len(sample) // 2], "truncated"),
        ("tiny.odt", b"PK\x03\x04 not really one", "truncated"),
        ("empty.docx", b"", "empty"),
        ("text.docx", b"just some words", "wrong_type"),
        ("picture.pdf", (ws.root / "alpha.png").read_bytes(), "wrong_type"),
        ("cut.pdf", (ws.root / "printed.pdf").read_bytes()[:30_000], "truncated"),
        ("cut.png", (ws.root / "img" / "chart.png").read_bytes()[:700], "truncated"),
        ("cut.json", b'[{"a": 1}, {"a"', "truncated"),
        ("broken.json", b'[{"a": 1,}]', "bad_input"),
        ("nan.json", b'[{"a": NaN}]', "bad_input"),
        ("cut.jsonl", b'{"a": 1}\n{"a": ', "truncated"),
        ("data.md", bytes(range(256)) * 20, "bad_input"),
        ("cut.parquet", b"PAR1" + b"\0" * 100, "truncated"),
        ("none.csv", b"", "empty"),
        ("old.svg", b"<html><body>no picture</body></html>", "wrong_type"),
        ("cut.svg", b'<svg xmlns="http://www.w3.org/2000/svg"><g>', "truncated"),
        ("cut.ipynb", b'{"cells": [', "truncated"),
        ("no.ipynb", b'{"a": 1}', "wrong_type"),
    ):
        ws.write(name, content)
        target = {"pdf": "txt", "png": "jpg", "json": "csv", "jsonl": "csv", "md": "html",
                  "parquet": "csv", "csv": "json", "svg": "png", "ipynb": "html"}  # fmt: skip
        kind = name.rpartition(".")[2]
        answer = ws.convert(target.get(kind, "pdf"), name, "-o", f"made.{kind}.out")
        assert answer.code == 4, (name, answer.stdout)
        assert answer.error["reason"] == reason, (name, answer.stdout)
        assert not list(ws.root.glob("made.*"))


def test_an_encrypted_office_file_is_told_from_a_broken_one(ws: Shop) -> None:
    samples = Path(__file__).parents[1] / "cases" / "convert" / "locked"
    for path in sorted(samples.iterdir()):
        target = "csv" if path.suffix in (".xlsx", ".xls", ".ods") else "pdf"
        answer = ws.convert(target, ws.write(path.name, path.read_bytes()))
        assert answer.error["reason"] == "password", path.name


CURVED = """<svg xmlns="http://www.w3.org/2000/svg" width="200" height="120">
<path id="p" d="M10 60 Q100 0 190 60" fill="none"/>
<text font-size="16"><textPath href="#p">words on a path</textPath></text>
<text x="180" y="10" font-size="12" writing-mode="tb">down</text></svg>"""


def test_text_on_a_path_is_drawn(ws: Shop) -> None:
    with Image.open(ws.made("png", ws.write("curve.svg", CURVED))) as drawn:
        alpha = drawn.convert("RGBA").getchannel("A")
        assert sum(alpha.crop((20, 20, 380, 130)).histogram()[128:]) > 800
        lower = alpha.crop((340, 40, 400, 110))
        assert lower.getbbox() is not None
    text = pdf_text(ws.made("pdf", "curve.svg"))
    assert "path" in "".join(text.split())


@pytest.mark.parametrize(
    ("head", "size"),
    [("width='72pt' height='36pt'", (192, 96)), ("viewBox='0 0 50 20'", (100, 40)),
     ("width='100%' height='100%' viewBox='0 0 50 20'", (100, 40)),
     ("height='20' viewBox='0 0 50 20'", (100, 40))],
)  # fmt: skip
def test_a_drawing_has_the_size_it_says(ws: Shop, head: str, size: tuple[int, int]) -> None:
    text = f"<svg xmlns='http://www.w3.org/2000/svg' {head}><rect width='9' height='9'/></svg>"
    with Image.open(ws.made("png", ws.write("s.svg", text))) as drawn:
        assert drawn.size == size


def test_the_labels_of_a_diagram_are_text(ws: Shop) -> None:
    name = ws.write(
        "flow.mmd", "graph TD; A[Start 季度]-->B{Is it?}; B-->|yes|C[End]; B-->|no|D;\n"
    )
    svg = ws.made("svg", name).read_text(encoding="utf-8")
    assert "foreignObject" not in svg
    for label in ("Start", "季度", "Is", "it?", "yes", "End"):
        assert label in svg
    assert "100%" not in svg.split(">", 1)[0]
    ws.made("png", "flow.svg", "-o", "again.png")
    with Image.open(ws.made("png", name)) as drawn:
        assert min(drawn.size) > 200
    assert "Start" in pdf_text(ws.made("pdf", name))
    broken = ws.convert("png", ws.write("e.mmd", "graph TD; A--"))
    assert broken.error["reason"] == "bad_input"


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": "# Plots"},
        {
            "cell_type": "code", "execution_count": 1, "metadata": {}, "source": "plot()",
            "outputs": [
                {"output_type": "display_data", "metadata": {}, "data": {
                    "application/pdf": "JVBERi0=", "image/png": PIXEL, "text/plain": "<Figure>"}},
                {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {
                    "text/html": "<table><tr><th>k</th></tr><tr><td>v</td></tr></table>",
                    "text/plain": "k v"}},
                {"output_type": "display_data", "metadata": {}, "data": {
                    "text/html": "<script>steal()</script><b>chart</b>", "text/plain": "Chart"}},
                {"output_type": "error", "ename": "E", "evalue": "boom",
                 "traceback": ["\x1b[31mE: boom\x1b[0m"]},
                {"output_type": "stream", "name": "stdout", "text": ["\x1b[1mbold\x1b[0m\n"]},
            ],
        },
    ],
    "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
}  # fmt: skip


def test_a_notebook_shows_its_plots_and_runs_nothing(ws: Shop) -> None:
    name = ws.write("plots.ipynb", json.dumps(NOTEBOOK))
    page = ws.made("html", name).read_text(encoding="utf-8")
    assert "data:image/png" in page
    assert "<embed" not in page
    assert "steal" not in page
    assert "<td>v</td>" in page.replace('<td style="text-align: left;">', "<td>")
    assert "\x1b" not in page
    text = ws.made("md", name).read_text(encoding="utf-8")
    for part in ("# Plots", "plot()", "boom", "bold"):
        assert part in text
    assert "<div" not in text
    assert "steal" not in text
    assert "Plots" in pdf_text(ws.made("pdf", name))


def sheet(*cells: str) -> str:
    return "".join(f'<row r="{n}">{cell}</row>' for n, cell in enumerate(cells, 1))


def test_error_cells_are_not_blank(ws: Shop) -> None:
    rows = sheet(
        '<c r="A1" t="str"><v>name</v></c><c r="B1" t="str"><v>value</v></c>',
        '<c r="A2" t="str"><v>a</v></c><c r="B2" t="e"><f>1/0</f><v>#DIV/0!</v></c>',
        '<c r="A3" t="str"><v>b</v></c><c r="B3"><f>A1+1</f></c>',
    )
    said = warnings(ws, "csv", ws.write("e.xlsx", hostile.xlsx(rows)))
    assert (ws.root / "e.csv").read_text() == "name,value\na,#DIV/0!\nb,\n"
    assert "1 formulas have no saved result" in said


def test_error_cells_of_every_workbook_keep_their_place(ws: Shop, tmp_path: Path) -> None:
    """Below and beside blank cells, by what LibreOffice saves."""
    rows = (
        '<row r="4"><c r="C4" t="str"><v>n</v></c><c r="D4" t="str"><v>m</v></c></row><row r="5">'
        '<c r="C5" t="e"><f>1/0</f><v>#DIV/0!</v></c></row><row r="6"><c r="D6"><v>5</v></c></row>'
        '<row r="8"><c r="C8" t="e"><v>#N/A</v></c><c r="D8" t="e"><f>foo()</f><v>#NAME?</v></c></row>'
    )
    (tmp_path / "e.xlsx").write_bytes(hostile.xlsx(rows))
    for kind in ("xls", "ods"):
        subprocess.run(
            ["soffice", f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}", "--headless",
             "--convert-to", kind, "e.xlsx"],
            cwd=tmp_path, check=True, capture_output=True, timeout=120,
        )  # fmt: skip
    for kind in ("xlsx", "xls", "ods"):
        name = ws.write(f"e.{kind}", (tmp_path / f"e.{kind}").read_bytes())
        made = ws.made("csv", name, "--force")
        assert made.read_text() == "n,m\n#DIV/0!,\n,5\n,\n#N/A,#NAME?\n", kind


def test_a_table_begins_with_its_first_filled_row(ws: Shop) -> None:
    rows = "".join(f'<row r="{r}"><c r="B{r}" t="str"><v>b{r}</v></c></row>' for r in (3, 4))
    made = ws.made("json", ws.write("lead.xlsx", hostile.xlsx(rows)))
    assert json.loads(made.read_text()) == [{"b3": "b4"}]


def test_sheets_fit_the_page(ws: Shop) -> None:
    from datetime import datetime

    from openpyxl import Workbook

    book = Workbook()
    page = book.active
    page.append([f"column {n}" for n in range(24)])
    for day in range(1, 25):
        page.append([datetime(2026, 1, day, 12, 30)] * 12 + [123456.789 * day] * 12)
    hidden = book.create_sheet("Hidden")
    hidden.append(["unseen"])
    hidden.sheet_state = "hidden"
    book.save(ws.root / "wide.xlsx")
    said = warnings(ws, "pdf", "wide.xlsx")
    out = ws.root / "wide.pdf"
    text = pdf_text(out)
    assert pages(out) == 1
    assert "###" not in text
    assert "column 23" in text.replace("\n", " ")
    assert "unseen" not in text
    assert "Hidden" in said
    assert overlaps(out) == []


CHANGED = (
    '<w:p><w:r><w:t>kept </w:t></w:r><w:ins w:id="1" w:author="a"><w:r><w:t>added </w:t></w:r></w:ins>'
    '<w:del w:id="2" w:author="a"><w:r><w:delText>removed</w:delText></w:r></w:del></w:p>'
)


def test_tracked_changes_are_warned_about(ws: Shop) -> None:
    name = ws.write("t.docx", hostile.docx(CHANGED))
    assert "tracked changes" in warnings(ws, "pdf", name)
    assert "tracked changes" in warnings(ws, "md", name)
    text = (ws.root / "t.md").read_text()
    assert "added" in text
    assert "removed" not in text


MERGED = """<table><tr><th>a</th><th colspan="2">b</th></tr>
<tr><td rowspan="2"><p>x</p><ul><li>l1</li><li>l2</li></ul></td><td>1<br>2</td><td>3</td></tr>
<tr><td>4</td><td>5</td></tr></table>"""


def test_no_table_is_dropped_from_markdown(ws: Shop) -> None:
    made = ws.made("md", ws.write("m.html", MERGED)).read_text()
    assert "[TABLE]" not in made
    for part in ("x", "l1", "l2", "1 2", "| 4", "| 5"):
        assert part in made


def test_pictures_of_a_document_are_described_or_beside_it(ws: Shop) -> None:
    assert "1 picture" in warnings(ws, "md", "doc.docx")
    answer = ws.convert(
        "md", "doc.docx", "--preset", "pictures", "-o", "out dir/d x.md", "--mkdirs"
    )
    assert answer.json()["outputs"] == ["out dir/d x.md", "out dir/d x-image1.png"]
    text = (ws.root / "out dir" / "d x.md").read_text()
    assert "(d%20x-image1.png)" in text


def test_a_long_document_becomes_slides_that_fit(ws: Shop) -> None:
    from pptx import Presentation

    items = "\n".join(f"- point {n} with a few words" for n in range(40))
    rows = "\n".join(f"| r{n} | {n} |" for n in range(35))
    text = f"# Deck\n\n## Points\n\n{items}\n\n## Numbers\n\n| k | v |\n|---|---|\n{rows}\n"
    deck = Presentation(str(ws.made("pptx", ws.write("deck2.md", text))))
    tables = [shape.table for s in deck.slides for shape in s.shapes if shape.has_table]
    assert len(tables) > 2
    assert all(len(table.rows) <= 12 for table in tables)
    assert all(table.cell(0, 0).text == "k" for table in tables)
    said = [sh.text_frame.text for s in deck.slides for sh in s.shapes if sh.has_text_frame]
    assert sum(text.count("point ") for text in said) == 40


def test_sixteen_bit_pictures_keep_their_grey(ws: Shop) -> None:
    grey = Image.new("I;16", (4, 1))
    for place, value in enumerate((0, 20_000, 40_000, 65_535)):
        grey.putpixel((place, 0), value)
    grey.save(ws.root / "grey.png")
    with Image.open(ws.made("webp", "grey.png", "--preset", "high")) as made:
        shades = [made.convert("L").getpixel((x, 0)) for x in range(4)]
    assert shades == sorted(shades)
    assert 60 < shades[1] < 100


def test_a_photograph_stands_upright(ws: Shop) -> None:
    photo = Image.new("RGB", (40, 20), "red")
    exif = photo.getexif()
    exif[0x0112] = 6
    photo.save(ws.root / "photo.jpg", exif=exif)
    with Image.open(ws.made("png", "photo.jpg")) as made:
        assert made.size == (20, 40)


def test_an_animation_stays_one_or_says_so(ws: Shop) -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "green", "blue")]
    frames[0].save(ws.root / "a.gif", save_all=True, append_images=frames[1:], duration=100)
    with Image.open(ws.made("webp", "a.gif")) as made:
        assert made.n_frames == 3
    assert "first of 3 frames" in warnings(ws, "png", "a.gif")


def test_words_of_slides_are_not_printed_over_each_other(ws: Shop) -> None:
    part = "\n\nsome words\n\n```\ncode\n```\n\n![chart](img/chart.png)\n\nmore words\n"
    text = f"# Deck{part}\n## One{part}\n## Two{part}"
    ws.made("pptx", ws.write("mixed.md", text))
    out = ws.made("pdf", "mixed.pptx")
    assert overlaps(out) == []
    assert pages(out) >= 6


@pytest.mark.parametrize("target", ["md", "txt"])
def test_a_title_kept_apart_from_the_text_is_not_lost(ws: Shop, target: str) -> None:
    ws.write("plan.md", "---\ntitle: Annual plan\n---\n\nText\n")
    ws.made("docx", "plan.md")
    found = ws.made(target, "plan.docx", "-o", f"back.{target}").read_text(encoding="utf-8")
    assert found.split() == (["#"] if target == "md" else []) + ["Annual", "plan", "Text"]
    ws.write("same.md", "---\ntitle: Annual plan\n---\n\n# Annual plan\n\nText\n")
    text = ws.made("txt", "same.md").read_text(encoding="utf-8")
    assert text.split() == ["Annual", "plan", "Text"]
    ws.write(
        "page.html", "<html><head><title>Window</title></head><body><h1>Page</h1></body></html>"
    )
    assert ws.made("md", "page.html").read_text(encoding="utf-8") == "# Page\n"
