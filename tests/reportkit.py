"""Reports made by the built command, and their files read by other programs."""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.commands import Answer, run

CASES = Path(__file__).resolve().parent / "cases" / "reports"
ALL = ("pdf", "pptx", "png", "svg", "xlsx", "csv")


def monthly(**changes: Any) -> dict[str, Any]:
    """A small month; keys can be replaced."""
    base: dict[str, Any] = {
        "title": "Monthly Report",
        "period": {"from": "2026-10-01", "to": "2026-10-31"},
        "summary": [{"metric": "Revenue", "value": 1284350.5, "change": 12.4}],
        "charts": [
            {
                "type": "bar",
                "title": "By region",
                "data": [{"label": "EU", "value": 512}, {"label": "US", "value": 431}],
            }
        ],
        "tables": [
            {
                "title": "Top",
                "headers": ["Name", "Amount"],
                "rows": [["Acme", 10.5], ["Globex", -3]],
            }
        ],
    }
    return base | changes


@dataclass(frozen=True, slots=True)
class Made:
    """A finished call and the folder it wrote to."""

    answer: Answer
    folder: Path

    @property
    def body(self) -> dict[str, Any]:
        """The success envelope."""
        assert self.answer.code == 0, self.answer.stdout + self.answer.stderr
        return dict(self.answer.json())

    @property
    def codes(self) -> list[str]:
        """The codes of the warnings."""
        return [warning["code"] for warning in self.body["warnings"]]

    def files(self, form: str) -> list[Path]:
        """The files of one format, in the order the envelope lists them."""
        return [Path(f["path"]) for f in self.body["files"] if f["format"] == form]

    def one(self, form: str) -> Path:
        """The first file of a format."""
        return self.files(form)[0]


def generate(
    folder: Path,
    data: object,
    formats: Sequence[str] = ("pdf",),
    template: str = "monthly",
    *options: str,
    env: Mapping[str, str] | None = None,
) -> Made:
    """`report-run generate` with the data on stdin, in a workspace of its own."""
    text = data if isinstance(data, str) else json.dumps(data)
    answer = run(
        "report-run", "generate", "--template", template, "--format", ",".join(formats),
        "--workspace", str(folder), *options, stdin=text, cwd=folder, env=env,
    )  # fmt: skip
    return Made(answer, folder)


def command(folder: Path, *arguments: str, stdin: str = "") -> Made:
    """Any other command of report-run."""
    return Made(
        run("report-run", *arguments, "--workspace", str(folder), stdin=stdin, cwd=folder), folder
    )


def pdf_text(path: Path, *options: str) -> str:
    """What pdftotext reads; ligatures and spaces as they come."""
    done = subprocess.run(
        ["pdftotext", "-layout", *options, str(path), "-"], capture_output=True, check=True
    )
    return done.stdout.decode("utf-8")


def pdf_info(path: Path) -> dict[str, str]:
    """What pdfinfo says."""
    done = subprocess.run(["pdfinfo", str(path)], capture_output=True, check=True, text=True)
    pairs = (line.partition(":") for line in done.stdout.splitlines())
    return {key: value.strip() for key, _, value in pairs}


def rasterised(path: Path, folder: Path, dpi: int = 50) -> list[Path]:
    """A PDF's pages as PNG files."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["pdftoppm", "-r", str(dpi), "-png", str(path), str(folder / path.stem)],
        check=True, capture_output=True,
    )  # fmt: skip
    return sorted(folder.glob(f"{path.stem}-*.png"))


def office_pdf(path: Path, folder: Path) -> Path:
    """An Office file as LibreOffice prints it."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless",
         "--convert-to", "pdf", "--outdir", str(folder), str(path)],
        check=True, capture_output=True, timeout=170,
    )  # fmt: skip
    return folder / f"{path.stem}.pdf"


def slide_texts(path: Path) -> str:
    """All text of a presentation: shapes, tables, chart labels."""
    from pptx import Presentation

    found: list[str] = []
    for slide in Presentation(str(path)).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                found.append(shape.text_frame.text)
            if shape.has_table:
                found += [cell.text for row in shape.table.rows for cell in row.cells]
            if shape.has_chart:
                plot = shape.chart.plots[0]
                found += [str(label) for label in getattr(plot, "categories", ())]
                found += [str(series.name) for series in plot.series]
    return "\n".join(found)


def slide_charts(path: Path) -> list[Any]:
    """The native charts of a presentation."""
    from pptx import Presentation

    return [
        shape.chart
        for slide in Presentation(str(path)).slides
        for shape in slide.shapes
        if shape.has_chart
    ]


def sheet_rows(path: Path, sheet: str) -> list[list[Any]]:
    """A sheet's cells as openpyxl reads them."""
    import openpyxl

    book = openpyxl.load_workbook(path)
    return [list(row) for row in book[sheet].iter_rows(values_only=True)]


def opens(path: Path, form: str) -> None:
    """The file opens again with its own library and is not empty."""
    assert path.stat().st_size > 0
    if form == "pdf":
        assert int(pdf_info(path)["Pages"]) > 0
    elif form == "pptx":
        from pptx import Presentation

        assert len(Presentation(str(path)).slides) > 0
    elif form == "xlsx":
        import openpyxl

        assert openpyxl.load_workbook(path).sheetnames
    elif form == "png":
        from PIL import Image

        with Image.open(path) as picture:
            picture.load()
    elif form == "svg":
        from xml.etree import ElementTree

        ElementTree.parse(path)  # noqa: S314
    if form in ("pptx", "xlsx"):
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
