"""PDF through poppler: `pdf INPUT OUTPUT NAME=VALUE...`; txt: layout; png, jpg: dpi, pages."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from convert.steps import told

_MAX_PIXELS: Final = 100_000_000
_MAX_PAGES: Final = 500


def main() -> NoReturn:
    """Program."""
    told.run(_step)


def _step(arguments: Sequence[str], warnings: told.Warnings) -> None:
    source, output = Path(arguments[0]), Path(arguments[1])
    settings = dict(pair.split("=", 1) for pair in arguments[2:])
    about = _about(source)
    if "copy:no" in about.get("Encrypted", ""):
        warnings.add("the document's owner asks not to copy its content")
    if output.suffix == ".txt":
        _text(source, output, settings["layout"] == "layout", warnings)
    else:
        _pictures(source, output, settings, about)


def _run(program: str, arguments: Sequence[str]) -> str:
    """What a poppler program prints; Problem with its reason when it fails."""
    path = shutil.which(program)
    if path is None:
        raise told.Problem("missing", f"{program} is not found.")
    done = subprocess.run(
        [path, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode:
        raise _failure(said, arguments)
    return done.stdout.decode("utf-8", "replace")


def _failure(said: str, arguments: Sequence[str]) -> told.Problem:
    if "Incorrect password" in said:
        return told.Problem("password", "The PDF is password-protected.", "take the password off")
    source = next((Path(a) for a in arguments if a.endswith(".pdf")), None)
    if source is not None and b"%%EOF" not in source.read_bytes()[-2048:]:
        return told.Problem("truncated", "The PDF is cut off: its end is missing.")
    lines = [line for line in said.splitlines() if line.strip()]
    return told.Problem(
        "bad_input", f"The PDF cannot be read: {lines[-1] if lines else 'damaged'}."
    )


def _about(source: Path) -> dict[str, str]:
    lines = _run("pdfinfo", [str(source)]).splitlines()
    pairs = (line.partition(":") for line in lines)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _text(source: Path, output: Path, layout: bool, warnings: told.Warnings) -> None:
    options = ["-enc", "UTF-8", *(["-layout"] if layout else [])]
    _run("pdftotext", [*options, str(source), str(output)])
    pages = output.read_text(encoding="utf-8", errors="replace").split("\f")
    if pages and not pages[-1].strip():
        pages.pop()
    empty = [number for number, page in enumerate(pages, 1) if not page.strip()]
    if len(empty) == len(pages):
        output.unlink()
        raise told.Problem(
            "no_text", "The PDF holds no text: its pages are pictures (a scan, or outlines).",
            "it needs optical character recognition; png gives the pages as pictures",
        )  # fmt: skip
    if empty:
        shown = ", ".join(map(str, empty[:10])) + (", ..." if len(empty) > 10 else "")
        warnings.add(f"pages without text: {shown}")
    odd = sum(c == "\ufffd" or "\ue000" <= c <= "\uf8ff" for page in pages for c in page)
    letters = sum(len(page) for page in pages)
    if odd * 20 > letters:
        warnings.add("much of the text has no letters behind its glyphs; it cannot be read")


def _pictures(source: Path, output: Path, settings: dict[str, str], about: dict[str, str]) -> None:
    """The first page as the output itself, the others as output-2, output-3, ..."""
    dpi = int(settings["dpi"])
    first, last = _range(settings["pages"], int(about.get("Pages", "1") or 1))
    for number in range(first, last + 1):
        _check_size(source, number, dpi)
        tail = "" if number == first else f"-{number}"
        target = output.with_name(f"{output.stem}{tail}")
        kind = ["-jpeg", "-jpegopt", "quality=85"] if output.suffix == ".jpg" else ["-png"]
        _run("pdftoppm", [
            *kind, "-r", str(dpi), "-f", str(number), "-l", str(number), "-singlefile",
            str(source), str(target),
        ])  # fmt: skip


def _range(asked: str, count: int) -> tuple[int, int]:
    """First and last page of `all`, `3` or `2-5`, within the document."""
    start, _, end = asked.partition("-")
    first, last = (1, count) if asked == "all" else (int(start), int(end or start))
    if first > count or last < first or first < 1:
        raise told.Problem("bad_input", f"There is no page {asked}; the PDF has {count}.")
    last = min(last, count)
    if last - first + 1 > _MAX_PAGES:
        raise told.Problem(
            "too_large", f"The PDF has {count} pages; {_MAX_PAGES} pictures is the limit.",
            "--opt pages=1-100",
        )  # fmt: skip
    return first, last


def _check_size(source: Path, number: int, dpi: int) -> None:
    """Refuse a page whose picture would not fit in memory."""
    about = _run("pdfinfo", ["-f", str(number), "-l", str(number), str(source)])
    for line in about.splitlines():
        words = line.split()
        if "size:" in words and "x" in words:
            place = words.index("x")
            across, down = float(words[place - 1]), float(words[place + 1])
            if across * down * (dpi / 72) ** 2 > _MAX_PIXELS:
                raise told.Problem(
                    "too_large", f"Page {number} is {across:.0f} x {down:.0f} pt, too large at"
                    f" {dpi} dpi.", "--preset screen",
                )  # fmt: skip
