"""What file-convert costs, beside the bare tools and beside peers, on the same files."""

from __future__ import annotations

import csv
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

from bench.measure import Case, Table
from bench.peers import ROOT, markitdown, own
from convert.tools import find, search_path

CASES: Final = ROOT / "tests" / "cases" / "convert" / "in"
BARE: Final = "python3 -c pass"
_TYPST: Final = "import sys, typst; typst.compile(sys.argv[1], output=sys.argv[2])"
_PANDAS: Final = (
    "import sys, pandas; pandas.read_csv(sys.argv[1]).to_excel(sys.argv[2], index=False)"
)
_WRITER: Final = "-f markdown-raw_attribute -t typst -s"
_SWITCHES: Final = (
    "--no-sandbox --disable-gpu --disable-dev-shm-usage --virtual-time-budget=5000"
    " --no-pdf-header-footer"
)


def tables(folder: Path) -> list[Table]:
    """What is measured together; `folder`: an empty one for the files."""
    for source in ("report.md", "page.html", "doc.docx"):
        shutil.copy(CASES / source, folder / source)
    shutil.copytree(CASES / "img", folder / "img")
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copy(ROOT / "README.md", folder / "manual.md")
    # The bare tools draw no diagrams.
    before, _, rest = (folder / "report.md").read_text(encoding="utf-8").partition("```mermaid")
    (folder / "report.md").write_text(before + rest.partition("```")[2], encoding="utf-8")
    _table(folder / "large.csv")
    start = [
        Case(BARE, (sys.executable, "-c", "pass")),
        Case("file-convert list", (own("file-convert"), "list"), against=BARE, cpu=8),
    ]
    return [
        Table("report.md to PDF", 5, _markdown(folder, "report.md")),
        Table("README.md to PDF", 5, _markdown(folder, "manual.md")),
        Table("A page to PDF", 5, _page(folder)),
        Table("A workbook of 100,000 rows", 2, _workbook(folder), warm=False),
        Table("A Word document to Markdown", 5, _document(folder)),
        Table("What confinement adds to a conversion", 9, _overhead(folder)),
        Table("The list of conversions", 9, start),
    ]


def _ours(folder: Path, *words: str) -> tuple[str, ...]:
    return (own("file-convert"), *words, "--force", "--workspace", str(folder))


def _in(folder: Path, script: str) -> tuple[str, ...]:
    return ("/bin/sh", "-c", f"cd {shlex.quote(str(folder))} && {script}")


def _tool(need: str) -> str:
    path = find(need, search_path(()))
    if path is None:
        raise RuntimeError(f"{need} is missing: make engines")
    return path


def _markdown(folder: Path, name: str) -> list[Case]:
    compile_ = f"{sys.executable} -c {shlex.quote(_TYPST)} b.typ b.pdf"
    bare = f"{_tool('pandoc')} {name} {_WRITER} -o b.typ && {compile_}"
    return [
        Case("pandoc, then typst", _in(folder, bare)),
        Case(
            "file-convert pdf",
            _ours(folder, "pdf", str(folder / name), "-o", str(folder / "a.pdf")),
            against="pandoc, then typst", wall=1.25,
        ),
    ]  # fmt: skip


def _page(folder: Path) -> list[Case]:
    browser = _tool("chromium-headless-shell|chromium")
    page = (folder / "page.html").as_uri()
    return [
        Case("Chromium", _in(folder, f"{browser} {_SWITCHES} --print-to-pdf=b.pdf {page}")),
        Case(
            "file-convert pdf",
            _ours(folder, "pdf", str(folder / "page.html"), "-o", str(folder / "c.pdf")),
            against="Chromium", wall=1.25,
        ),
    ]  # fmt: skip


def _workbook(folder: Path) -> list[Case]:
    pandas = f"{sys.executable} -c {shlex.quote(_PANDAS)} large.csv b.xlsx"
    return [
        Case("pandas", _in(folder, pandas)),
        Case(
            "file-convert xlsx", _ours(folder, "xlsx", str(folder / "large.csv")),
            against="pandas", cpu=0.33, rss_mb=120,
        ),
    ]  # fmt: skip


def _document(folder: Path) -> list[Case]:
    return [
        Case("markitdown", _in(folder, f"{markitdown()} doc.docx -o b.md")),
        Case(
            "file-convert md", _ours(folder, "md", str(folder / "doc.docx")),
            against="markitdown", cpu=0.2, wall=0.2,
        ),
    ]  # fmt: skip


def _overhead(folder: Path) -> list[Case]:
    words = _ours(folder, "txt", str(folder / "report.md"), "-o", str(folder / "a.txt"))
    return [
        Case("unconfined", words, {"TOOLBELT_CONFINE": "off"}),
        Case("confined", words, against="unconfined", more_ms=100),
        Case("pandoc alone", _in(folder, f"{_tool('pandoc')} report.md -t plain -o b.txt")),
    ]


def _table(path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"column {n}" for n in range(10)])
        for n in range(100_000):
            writer.writerow([n, f"{n:06}", "Ann, B", "2026-01-02", n * 7919, "some words", "x",
                             "y", 1.5, "a longer text that says a little more"])  # fmt: skip
