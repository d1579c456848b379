"""What a recipe needs: programs in known folders, Python packages, fonts, data files.

A need is written `NAME` (a program), `/abs/path`, `py:MODULE`, `font:SCRIPT`, `file:NAME` (data in
share/sandbox-toolbelt) or several of these joined by `|`, of which one will do. The caller's PATH
is never looked at.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from toolbelt import programs

SHARE: Final = "sandbox-toolbelt"
# Script -> beginnings of the names of font files that have its letters.
_FONTS: Final = {
    "cjk": (
        "NotoSansCJK",
        "NotoSerifCJK",
        "NotoSansSC",
        "NotoSansJP",
        "SourceHan",
        "wqy-",
        "uming",
    ),
    "emoji": ("NotoColorEmoji", "TwitterColorEmoji", "Symbola"),
    "latin": ("LiberationSans", "DejaVuSans", "NotoSans-"),
    "office": ("Carlito",),
}
_NODE: Final = ("/usr/local/lib/node_modules", "/usr/lib/node_modules", "/usr/share/nodejs")
_FONT_FOLDERS: Final = ("/usr/share/fonts", "/usr/local/share/fonts")
_INSTALL: Final[Mapping[str, str]] = {
    "pandoc": "pip install 'sandbox-toolbelt[convert]'",
    "chromium-headless-shell": "apt-get install chromium-headless-shell",
    "soffice": "apt-get install libreoffice-writer-nogui libreoffice-calc-nogui"
    " libreoffice-impress-nogui",
    "pdftotext": "apt-get install poppler-utils",
    "pdftoppm": "apt-get install poppler-utils",
    "pdfinfo": "apt-get install poppler-utils",
    "py:pyarrow": "pip install 'sandbox-toolbelt[parquet]'",
    "file:mermaid.min.js": "put mermaid.min.js of the npm package mermaid into"
    f" {sys.prefix}/share/{SHARE}",
    "font:cjk": "apt-get install fonts-noto-cjk",
    "font:emoji": "apt-get install fonts-noto-color-emoji",
    "font:latin": "apt-get install fonts-liberation",
    "font:office": "apt-get install fonts-crosextra-carlito",
}


@cache
def search_path(tools: tuple[str, ...]) -> str:
    """The folders where programs are looked for, as a PATH: ours and the recipe's, the system's."""
    own = [sys.executable.rpartition("/")[0], *tools]
    if (bundled := _pandoc_folder()) is not None:
        own.append(bundled)
    return ":".join([*own, programs.PATH])


@cache
def _pandoc_folder() -> str | None:
    """Where the Python package pypandoc_binary keeps its pandoc."""
    folders = (f"{place}/pypandoc/files" for place in sys.path if place)
    return next((f for f in folders if programs.is_file(f"{f}/pandoc", os.X_OK)), None)


def _module(name: str) -> bool:
    from importlib.machinery import PathFinder

    return PathFinder.find_spec(name) is not None


def data_file(name: str) -> str | None:
    """The path of a data file that other packages bring."""
    folders = [f"{base}/share/{SHARE}" for base in (sys.prefix, "/usr/local", "/usr")]
    folders += [f"{base}/mermaid/dist" for base in _NODE]
    places = (f"{folder}/{name}" for folder in folders)
    return next((place for place in places if programs.is_file(place)), None)


def _there(path: str) -> str | None:
    return path if programs.is_file(path) else None


@cache
def _font_files() -> frozenset[str]:
    names: set[str] = set()
    todo = [*_FONT_FOLDERS, f"{sys.prefix}/share/fonts"]
    while todo:
        # A folder that is not there holds no fonts.
        with contextlib.suppress(OSError), os.scandir(todo.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
                else:
                    names.add(entry.name)
    return frozenset(names)


@cache
def find(need: str, path: str) -> str | None:
    """Where a need is met (a path, or the need itself for packages and fonts); None when not."""
    return next((found for one in need.split("|") if (found := _find(one, path))), None)


def _find(need: str, path: str) -> str | None:
    kind, colon, name = need.partition(":")
    if not colon:
        return programs.which(need, path)
    if kind == "py":
        return need if _module(name) else None
    if kind == "font":
        starts = _FONTS.get(name, (name,))
        return need if any(file.startswith(starts) for file in _font_files()) else None
    if kind == "file":
        return data_file(name) if not name.startswith("/") else _there(name)
    return None


def missing(needs: Iterable[str], launchers: Iterable[str], tools: tuple[str, ...]) -> list[str]:
    """The needs that are not met, and the launchers that are not there."""
    path = search_path(tools)
    absent = [need for need in needs if find(need, path) is None]
    return absent + [launcher for launcher in launchers if not _runnable(launcher)]


@cache
def _runnable(path: str) -> bool:
    """An existing file that may be run; a `.py` is run by our own interpreter."""
    return programs.is_file(path, os.R_OK if path.endswith(".py") else os.X_OK)


def named(need: str) -> str:
    """A need in words: `'pdftotext'`, `the Python package 'typst'`, `a font for cjk`."""
    kind, colon, name = need.partition(":")
    if not colon:
        return " or ".join(repr(one) for one in need.split("|"))
    words = {"py": "the Python package", "file": "the file", "font": "a font for"}
    return f"{words.get(kind, kind)} {name if kind == 'font' else repr(name)}"


def install_hint(need: str) -> str:
    """How to get what is missing."""
    first = need.split("|", 1)[0]
    known = _INSTALL.get(first)
    if known is None and first.startswith("py:"):
        return "pip install 'sandbox-toolbelt[convert]'"
    return known or f"install {named(need)}"
