"""Which fonts a text needs. To read every font of a machine takes typst longer than a short text.

A text of plain letters and common signs is set from a handful of files, named here with what they
are known to hold (a test compares); for any other text typst may look at all there are.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_FOLDERS: Final = ("/usr/share/fonts", "/usr/local/share/fonts")
# Latin, Greek, Cyrillic; punctuation, currencies, arrows, operators; boxes and shapes.
LETTERS: Final = (
    (0x0, 0x52F), (0x1E00, 0x20BF), (0x2100, 0x22FF), (0x2500, 0x25FF), (0xFE00, 0xFE0F),
)  # fmt: skip
SIGNS: Final = ((0x2600, 0x27BF), (0x1F300, 0x1F64F), (0x1F680, 0x1F6FF))
# Without all of these a set is not whole.
FOR_LETTERS: Final = ("NotoSans-Regular.", "DejaVuSans.", "NotoSansSymbols-Regular.")
FOR_SIGNS: Final = ("NotoColorEmoji.", "NotoSansSymbols2-Regular.")
_FAMILIES: Final = (
    "NotoSans-", "NotoSerif-", "LiberationSans-", "LiberationMono-", "DejaVuSans", "NotoSansMath-",
    "NotoSansSymbols", "NotoColorEmoji",
)  # fmt: skip


def folder(text: str, place: Path) -> Path | None:
    """A folder of links to all that `text` needs, made in `place`; None when that is not known."""
    signs = False
    for char in set(text):
        code = ord(char)
        if not _within(code, LETTERS):
            if not _within(code, SIGNS):
                return None
            signs = True
    files = {path.name: path for path in _files() if path.name.startswith(_FAMILIES)}
    wanted = FOR_LETTERS + FOR_SIGNS if signs else FOR_LETTERS
    if not all(any(name.startswith(start) for name in files) for start in wanted):
        return None
    links = place / "fonts"
    links.mkdir(exist_ok=True)
    for name, path in files.items():
        (links / name).symlink_to(path)
    return links


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def _files() -> Iterator[Path]:
    """Every file in the folders of fonts; later folders win over earlier ones."""
    for base in (*_FOLDERS, f"{sys.prefix}/share/fonts"):
        for found, _folders, names in os.walk(base):
            for name in names:
                yield Path(found, name)
