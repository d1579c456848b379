"""report-run beside the same reports by @react-pdf/renderer, pptxgenjs, exceljs and chart.js.

A process each, cold, data from files. The peers draw charts as pixels and measure no text; ours are
vectors with fonts for every script.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.measure import Case, Table
from bench.peers import ROOT, VENV, own

PINS: Final = (
    "@react-pdf/renderer@4.9.0", "pptxgenjs@4.0.1", "exceljs@4.4.0", "chart.js@4.6.1",
    "@napi-rs/canvas@1.1.1", "react@19.3.1",
)  # fmt: skip
REACT: Final = "react-pdf + chart.js"
REACT_ROWS: Final = "react-pdf, 1,000 rows"
PPTXGEN: Final = "pptxgenjs"
EXCELJS: Final = "exceljs, streaming"
CHARTJS: Final = "chart.js"


def peers() -> Path:
    """A folder with the peers' packages and the script that calls them; installed once."""
    folder = VENV / "reports"
    stamp = folder / "-".join(pin.replace("/", "-") for pin in PINS)
    if not stamp.exists():
        print(f"Installing the peers of report-run into {folder} ...", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
        (folder / "package.json").write_text("{}", encoding="ascii")
        subprocess.run([*install, *PINS], cwd=folder, check=True, timeout=600)
        stamp.touch()
    shutil.copy(ROOT / "bench" / "report_peers.mjs", folder)
    return folder


def _value(number: int) -> float:
    """A figure with two decimals that looks like any other."""
    return number * 7919 % 100_000 / 100


def _month(rows: int, *, charts: bool) -> dict[str, Any]:
    """A monthly report: three charts, and a table of so many rows beside a short one."""
    days = [{"label": f"2026-10-{day:02}", "value": _value(day)} for day in range(1, 32)]
    parts = [{"label": name, "value": _value(len(name))} for name in ("EU", "US", "APAC")]
    figures = [{"metric": f"Figure {n}", "value": _value(n), "change": 1.5 * n} for n in range(4)]
    kinds = [("line", days), ("bar", parts), ("pie", parts)] if charts else []
    table = [
        [f"Customer {n}", "EU", f"2026-10-{n % 28 + 1:02}", n, n % 97,
         _value(n)]
        for n in range(rows)
    ]  # fmt: skip
    return {
        "title": "Monthly report", "period": {"from": "2026-10-01", "to": "2026-10-31"},
        "summary": figures,
        "charts": [{"type": kind, "title": kind, "data": data} for kind, data in kinds],
        "tables": [{"title": "Orders", "headers": list("ABCDEF"), "rows": table},
                   {"title": "First", "headers": list("ABCDEF"), "rows": table[:10]}],
    }  # fmt: skip


def _lines(count: int) -> Iterator[str]:
    for n in range(count):
        row = {
            "id": n, "number": f"{n:08}", "name": f"Customer {n % 977}", "day": "2026-10-01",
            "amount": _value(n), "items": n % 7, "paid": n % 3 == 0,
            "note": "a few words",
        }  # fmt: skip
        yield json.dumps(row) + "\n"


@dataclass(frozen=True, slots=True)
class Bench:
    """The cases; data and files in one folder. node: where the peers are."""

    folder: Path
    node: Path

    def peer(self, title: str, job: str, data: str, output: str) -> Case:
        """A peer's process."""
        script, folder = str(self.node / "report_peers.mjs"), self.folder
        return Case(title, ("node", script, job, str(folder / data), str(folder / output)))

    def ours(self, title: str, *arguments: str, **promised: Any) -> Case:
        """report-run's process."""
        more = ("--workspace", str(self.folder), "--force")
        return Case(title, (own("report-run"), *arguments, *more), **promised)

    def report(self, title: str, form: str, data: str, **promised: Any) -> Case:
        """A monthly report in one format."""
        return self.ours(title, "generate", "--template", "monthly", "--format", form,
                         "--data", data, "--output", f"ours.{form}", **promised)  # fmt: skip

    def table(self, title: str, form: str, data: str, **promised: Any) -> Case:
        """Rows as a table."""
        return self.ours(title, "table", "--format", form, "--data", data,
                         "--output", f"rows.{form}", **promised)  # fmt: skip


def tables(folder: Path) -> list[Table]:
    """What the issue promises, and what it does not (slides, one chart) for comparison."""
    node = peers()
    for name, rows, charts in (("month", 60, True), ("some", 1000, False), ("many", 10_000, False)):
        month = json.dumps(_month(rows, charts=charts))
        (folder / f"{name}.json").write_text(month, encoding="utf-8")
    for name, count in (("rows.ndjson", 100_000), ("million.ndjson", 1_000_000)):
        with (folder / name).open("w", encoding="utf-8") as file:
            file.writelines(_lines(count))
    b = Bench(folder, node)
    chart = ("chart", "--type", "line", "--x", "label", "--y", "value", "--data", "days.json")
    days = json.dumps(_month(1, charts=True)["charts"][0]["data"])
    (folder / "days.json").write_text(days, encoding="utf-8")
    return [
        Table("Monthly PDF: 3 charts, 2 tables of 60 and 10 rows", 5, [
            b.peer(REACT, "pdf", "month.json", "peer.pdf"),
            b.report("report-run pdf", "pdf", "month.json", against=REACT, cpu=0.5),
        ]),
        Table("A PDF of ten times as many rows as react-pdf's", 1, [
            b.peer(REACT_ROWS, "pdf", "some.json", "peer.pdf"),
            b.report("report-run, 10,000 rows", "pdf", "many.json", against=REACT_ROWS, cpu=1.0),
        ], warm=False),
        Table("Monthly slides with native charts", 5, [
            b.peer(PPTXGEN, "pptx", "month.json", "peer.pptx"),
            b.report("report-run pptx", "pptx", "month.json", against=PPTXGEN),
        ]),
        Table("One line chart as PNG", 5, [
            b.peer(CHARTJS, "chart", "month.json", "peer.png"),
            b.ours("report-run chart", *chart, "--output", "ours.png", against=CHARTJS),
        ]),
        Table("A workbook of 100,000 x 8", 2, [
            b.peer(EXCELJS, "xlsx", "rows.ndjson", "peer.xlsx"),
            b.table("report-run table xlsx", "xlsx", "rows.ndjson", against=EXCELJS, cpu=1 / 3),
        ]),
        Table("A million rows of 8 values", 1, [
            b.table("report-run table xlsx", "xlsx", "million.ndjson", rss_mb=60),
            b.table("report-run table csv", "csv", "million.ndjson", rss_mb=40),
        ], warm=False),
    ]  # fmt: skip
