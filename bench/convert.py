"""python -m bench.convert: what file-convert costs, beside the bare tools and beside peers.

Peers that are not installed (markitdown) are named and left out, never guessed.
"""

from __future__ import annotations

import csv
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from convert.tools import find, search_path

HERE: Final = Path(__file__).parents[1]
CASES: Final = HERE / "tests" / "cases" / "convert" / "in"
OURS: Final = str(Path(sys.executable).parent / "file-convert")
_TYPST: Final = "import sys, typst; typst.compile(sys.argv[1], output=sys.argv[2])"
_PANDAS: Final = (
    "import sys, pandas; pandas.read_csv(sys.argv[1]).to_excel(sys.argv[2], index=False)"
)


def _run(*argv: str, cwd: Path) -> None:
    done = subprocess.run(argv, cwd=cwd, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{argv[0]} failed: {done.stderr.decode('utf-8', 'replace')[-500:]}")


def _cost(job: Callable[[], None], rounds: int) -> tuple[float, float]:
    """Best wall seconds and best CPU seconds of children over some rounds."""
    wall, cpu = 1e9, 1e9
    for _ in range(rounds):
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        job()
        wall = min(wall, time.monotonic() - begun)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        cpu = min(cpu, used)
    return wall, cpu


def _line(
    title: str, ours: Callable[[], None], peer: Callable[[], None], limit: float, rounds: int = 5
) -> bool:
    """One comparison, printed; whether it keeps its promise in wall time."""
    theirs, mine = _cost(peer, rounds), _cost(ours, rounds)
    ratio, cpu = mine[0] / theirs[0], mine[1] / theirs[1]
    kept = ratio <= limit
    mark = "ok" if kept else "ABOVE"
    print(f"{title:34} {mine[0]:7.2f} s {theirs[0]:7.2f} s  x{ratio:5.2f} wall x{cpu:5.2f} cpu"
          f"  limit x{limit:.2f}  {mark}")  # fmt: skip
    return kept


def _table(path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"column {n}" for n in range(10)])
        for n in range(100_000):
            writer.writerow([n, f"{n:06}", "Ann, B", "2026-01-02", n * 7919, "some words", "x",
                             "y", 1.5, "a longer text that says a little more"])  # fmt: skip


def _tool(need: str) -> str:
    path = find(need, search_path(()))
    if path is None:
        raise SystemExit(f"{need} is missing: make engines")
    return path


def _compare(folder: Path) -> bool:
    pandoc, browser = _tool("pandoc"), _tool("chromium-headless-shell|chromium")
    _table(folder / "large.csv")

    def own(*words: str) -> Callable[[], None]:
        return lambda: _run(OURS, *words, "--force", cwd=folder)

    def bare_pdf() -> None:
        reader = "markdown-raw_attribute"
        _run(pandoc, "report.md", "-f", reader, "-t", "typst", "-s", "-o", "b.typ", cwd=folder)
        _run(sys.executable, "-c", _TYPST, "b.typ", "b.pdf", cwd=folder)

    def bare_page() -> None:
        page = (folder / "page.html").as_uri()
        _run(browser, "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--virtual-time-budget=5000", "--no-pdf-header-footer", "--print-to-pdf=b.pdf", page,
             cwd=folder)  # fmt: skip

    def pandas() -> None:
        _run(sys.executable, "-c", _PANDAS, "large.csv", "b.xlsx", cwd=folder)

    def start() -> None:
        _run(sys.executable, "-c", "pass", cwd=folder)

    kept = [
        _line("md -> pdf", own("pdf", "report.md", "-o", "a.pdf"), bare_pdf, 1.25),
        _line("html -> pdf", own("pdf", "page.html", "-o", "a.pdf"), bare_page, 1.25),
        _line("csv -> xlsx, 100,000 rows", own("xlsx", "large.csv"), pandas, 1 / 3, rounds=2),
        _line("list", lambda: _run(OURS, "list", cwd=folder), start, 8),
    ]
    if find_spec("markitdown") is None:
        print("docx -> md: markitdown is not installed here, so it is not compared")
    else:
        peer: Sequence[str] = (sys.executable, "-m", "markitdown", "doc.docx", "-o", "b.md")
        kept.append(
            _line("docx -> md", own("md", "doc.docx"), lambda: _run(*peer, cwd=folder), 0.2)
        )
    return all(kept)


def main() -> int:
    """Measure in a folder of its own; 1 when a promise is not kept."""
    with tempfile.TemporaryDirectory(prefix="bench-convert-") as name:
        folder = Path(name)
        for source in ("report.md", "page.html", "doc.docx"):
            shutil.copy(CASES / source, folder / source)
        shutil.copytree(CASES / "img", folder / "img")
        return 0 if _compare(folder) else 1


if __name__ == "__main__":
    sys.exit(main())
