"""Real documents, converted and converted again: a manual, a deck, a shop's tables, diagrams."""

from __future__ import annotations

import csv
import shutil
import sqlite3
import subprocess
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from demo.build import build
from PIL import Image

from cli.commands import run
from converting import Shop, overlaps, page_size, pages, pdf_text, shop, words
from xlsb import workbook

ROOT = Path(__file__).parents[2]
LARGEST = 8
LIBREOFFICE = ("soffice", "--headless", "--norestore", "--convert-to")


@pytest.fixture
def ws(tmp_path: Path) -> Shop:
    return shop(tmp_path)


def on_the_page(path: Path) -> None:
    """No word lies over another or beyond its page."""
    assert overlaps(path) == []
    width, height = page_size(path)
    sides = max(width, height), max(width, height)
    if path.name.startswith("deck"):
        sides = width, height
    assert not [w for w in words(path) if w.right > sides[0] + 1 or w.bottom > sides[1] + 1]


def test_our_own_readme_in_every_format(ws: Shop) -> None:
    shutil.copy(ROOT / "README.md", ws.root / "README.md")
    shutil.copytree(ROOT / "docs" / "pictures", ws.root / "docs" / "pictures")
    headings = [
        line.lstrip("# ").replace("`", "")
        for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("## ")
    ]
    for target in ("pdf", "html", "docx", "pptx"):
        answer = ws.convert(target, "README.md")
        assert answer.json()["ok"], answer.stdout
        assert "warnings" not in answer.json()
    ws.made("txt", "README.docx", "-o", "back.txt")
    ws.made("pdf", "README.pptx", "-o", "deck.pdf")
    on_the_page(ws.root / "README.pdf")
    on_the_page(ws.root / "deck.pdf")
    for name in ("README.pdf", "deck.pdf"):
        found = " ".join(pdf_text(ws.root / name).split())
        assert all(heading in found for heading in headings), name
    for name in ("README.html", "back.txt"):
        found = " ".join((ws.root / name).read_text(encoding="utf-8").split())
        assert all(heading in found for heading in headings), name


LONG = "Words of a sentence that goes on for a while, as sentences do. "
CONTENTS = {
    "a paragraph": LONG * 40,
    "one sentence": "word " * 400,
    "code with long lines": "```\n" + ("x = call(argument, other, more)  # " * 9 + "\n") * 6 + "```",
    "points": "\n".join(f"- {LONG * 4}" for _ in range(8)),
    "code in words": "See `a/long/path/of/a/file.py` and `another_name_here`. " * 25,
    "letters as wide as high": "季度报告说明了一切。" * 60,
}  # fmt: skip


def test_whatever_is_long_goes_on_on_the_next_slide(ws: Shop) -> None:
    parts = "\n\n".join(f"## {title}\n\n{content}" for title, content in CONTENTS.items())
    ws.made("pptx", ws.write("deck2.md", f"# Deck\n\n{parts}\n"))
    out = ws.made("pdf", "deck2.pptx")
    on_the_page(out)
    found = "".join(pdf_text(out).split())
    assert found.count("sentencesdo.") == 40 + 32
    assert found.count("word") >= 400
    assert found.count("call(argument") == 54


def test_a_deck_that_libreoffice_made(ws: Shop, tmp_path: Path) -> None:
    from pptx import Presentation
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    deck = Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[0])
    first.shapes.title.text = "Quarter in review, Квартал, 季度"
    points = deck.slides.add_slide(deck.slide_layouts[1])
    points.shapes.title.text, points.placeholders[1].text = "What happened", "Sales grew"
    figures = deck.slides.add_slide(deck.slide_layouts[5])
    figures.shapes.title.text = "Figures"
    data = CategoryChartData()
    data.categories = ["Jan", "Feb"]
    data.add_series("2026", (3, 5))
    box = (Inches(0.5), Inches(1.5), Inches(4), Inches(4))
    figures.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *box, data)
    table = figures.shapes.add_table(2, 2, Inches(5), Inches(2), Inches(4), Inches(1)).table
    table.cell(1, 1).text = "cell r1c1"
    deck.save(str(tmp_path / "hand.pptx"))
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    for kind, source in (("odp", "hand.pptx"), ("pptx:Impress MS PowerPoint 2007 XML", "hand.odp")):
        subprocess.run(
            [*LIBREOFFICE, kind, profile, "--outdir", ".", source], cwd=tmp_path, check=True,
            capture_output=True, timeout=120,
        )  # fmt: skip
    for name in ("hand.odp", "hand.pptx"):
        shutil.copy(tmp_path / name, ws.root / name)
        out = ws.made("pdf", name, "--force")
        assert pages(out) == 3
        text = "".join(pdf_text(out).split())
        for said in ("Quarterinreview", "Квартал", "季度", "Salesgrew", "Jan", "cellr1c1"):
            assert said in text
        assert overlaps(out) == []


def test_the_shops_tables_come_back_byte_for_byte(ws: Shop) -> None:
    folder = ws.root / "tables"
    folder.mkdir()
    counts = build(ws.root / "shop.db")
    with closing(sqlite3.connect(ws.root / "shop.db")) as connection:
        for table in sorted(counts, key=lambda name: counts[name])[-LARGEST:]:
            rows = connection.execute(f'SELECT * FROM "{table}"')
            with (folder / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow([column[0] for column in rows.description])
                writer.writerows(rows)
    # As our own command writes it, too.
    env = {"DB_TYPE": "sqlite", "DB_NAME": str(ws.root / "shop.db")}
    told = run("db-query", "--format", "csv", "-q", "SELECT * FROM orders", env=env, cwd=ws.root)
    (folder / "asked.csv").write_text(told.stdout, encoding="utf-8", newline="")
    for target, pattern, out in (
        ("xlsx", "tables/*.csv", "books"),
        ("csv", "books/*.xlsx", "back"),
    ):
        answer = ws.convert("batch", target, pattern, "--out-dir", out, "-j", "2")
        assert answer.code == 0, answer.stdout[-2000:]
    originals = sorted(folder.iterdir())
    assert len(originals) == LARGEST + 1
    for original in originals:
        assert (ws.root / "back" / original.name).read_bytes() == original.read_bytes()


DIAGRAMS = """# Flow

```mermaid
graph TD
  A[Begin here] --> B{Is it ok}
```

```mermaid
graph TD
  A[Broken -->
```

Between.

```mermaid
sequenceDiagram
  Alice->>Bob: Hello
```

After.
"""


def test_diagrams_in_markdown_are_drawn(ws: Shop) -> None:
    ws.write("flow.md", DIAGRAMS)
    (warning,) = ws.convert("pdf", "flow.md").json()["warnings"]
    assert warning.startswith("diagram 2 shown as text: ")
    text = pdf_text(ws.root / "flow.pdf")
    for word in ("Begin here", "Is it ok", "A[Broken", "Between", "Alice", "Hello"):
        assert word in text
    assert "A[Begin" not in text
    assert overlaps(ws.root / "flow.pdf") == []
    ws.write("one.md", "\n".join(DIAGRAMS.splitlines()[:7]))
    with zipfile.ZipFile(ws.made("docx", "one.md")) as archive:
        (name,) = [n for n in archive.namelist() if n.startswith("word/media/")]
        with archive.open(name) as file, Image.open(file) as image:
            # Drawn on white, with something on it.
            assert len(image.convert("L").getcolors(256) or []) > 3


def test_a_diagram_stays_text_where_none_can_be_drawn(ws: Shop, tmp_path: Path) -> None:
    manifest = tmp_path / "none.toml"
    manifest.write_text(
        'extends = "builtin"\n[[recipe]]\nfrom = "mmd"\nto = ["png", "pdf"]\nout_ext = "png"\n'
        'argv = ["{script}/x"]\nneeds = ["no-such-browser"]\n'.replace('["png", "pdf"]', '"pdf"')
    )
    ws.write("flow.md", DIAGRAMS)
    answer = ws.convert("pdf", "flow.md", "--recipes", str(manifest))
    (warning,) = answer.json()["warnings"]
    assert "3 diagrams shown as text" in warning
    assert "no-such-browser" in warning
    text = pdf_text(ws.root / "flow.pdf")
    assert "A[Begin here] --> B{Is it ok}" in text
    assert "Alice->>Bob: Hello" in text


def test_a_binary_workbook_is_read(ws: Shop) -> None:
    rows = [["id", "zip", "ok", "n"], [1.0, "00123", True, 1.5], [2.0, "Ü, \"q\"\nline", False, "#DIV/0!"],
            [None, "世界", None, 12345678901.0]]  # fmt: skip
    ws.write("b.xlsb", workbook([("Data", rows), ("More", [["x"]])]))
    made = ws.made("csv", "b.xlsb")
    found = list(csv.reader(made.open(encoding="utf-8", newline="")))
    assert found == [
        ["id", "zip", "ok", "n"], ["1", "00123", "true", "1.5"],
        ["2", 'Ü, "q"\nline', "false", "#DIV/0!"], ["", "世界", "", "12345678901"],
    ]  # fmt: skip
