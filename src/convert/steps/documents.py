"""Documents as text: `read INPUT OUTPUT TARGET [ARGUMENT...]`, through pandoc."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from convert import archive
from convert.steps import pandoc, told

_READERS: Final = {"html": "html-native_divs-native_spans"}
# Format -> the part that holds the text, and what marks recorded changes in it.
_CHANGES: Final = {
    "docx": ("word/document.xml", (b"<w:ins ", b"<w:del ", b"<w:moveFrom ", b"<w:moveTo ")),
    "odt": ("content.xml", (b"<text:tracked-changes",)),
}


def main() -> NoReturn:
    """Program."""
    told.run(_read)


def has_changes(path: Path) -> bool:
    """Whether a document records changes that nobody has accepted yet."""
    part, marks = _CHANGES.get(path.suffix.removeprefix("."), ("", ()))
    if not part:
        return False
    with path.open("rb") as file:
        found = archive.entries(file, path.stat().st_size)
        before = b""
        for entry in found:
            for piece in archive.pieces(file, entry) if entry.name == part else ():
                if any(mark in before + piece for mark in marks):
                    return True
                before = piece[-32:]
    return False


def _read(arguments: Sequence[str], warnings: told.Warnings) -> None:
    source, output, target, *more = arguments
    path = Path(source)
    kind = path.suffix.removeprefix(".")
    scripts = Path(sys.argv[0]).resolve().parent
    if kind == "md":
        reader = [f"--defaults={scripts}/markdown.yaml"]
    else:
        reader = [f"--from={_READERS.get(kind, kind)}"]
    if has_changes(path):
        warnings.add("the document has tracked changes; the text is as if all were accepted")
    plainer = [] if target == "json" else [f"--lua-filter={scripts}/plainer.lua", "--wrap=none"]
    if plainer and kind != "html":  # a page's title stands in its window, not on the page
        plainer.append("--metadata=titled:true")
    pandoc.run([
        *reader, f"--to={target}", f"--lua-filter={scripts}/markdown.lua", *plainer,
        *more, f"--output={output}", "--", source,
    ])  # fmt: skip
