"""What a recipe needs: programs in known folders, Python packages, fonts, data files.

A need is written `NAME` (a program), `/abs/path`, `py:MODULE`, `font:SCRIPT`, `file:NAME` (data in
share/sandbox-toolbelt) or several of these joined by `|`, of which one will do. The caller's PATH
is never looked at.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from convert.recipe import Recipe
from toolbelt import process
from toolbelt.errors import ToolError

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
_NODE: Final = ("/usr/local/lib", "/usr/lib", "/usr/share/nodejs")
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
    own = [str(Path(sys.executable).parent), *tools]
    if (bundled := _pandoc_folder()) is not None:
        own.append(bundled)
    return ":".join([*own, process.PATH])


@cache
def _pandoc_folder() -> str | None:
    """Where the Python package pypandoc_binary keeps its pandoc."""
    package = _package("pypandoc")
    folder = None if package is None else package / "files"
    return str(folder) if folder is not None and (folder / "pandoc").is_file() else None


def _package(name: str) -> Path | None:
    """The folder of an importable package, without importing it."""
    for place in sys.path:
        folder = Path(place or ".", name)
        if folder.is_dir():
            return folder
    return None


def _module(name: str) -> bool:
    from importlib.machinery import PathFinder

    return PathFinder.find_spec(name) is not None


def data_file(name: str) -> str | None:
    """The path of a data file that other packages bring."""
    folders = [Path(base, "share", SHARE) for base in (sys.prefix, "/usr/local", "/usr")]
    folders += [Path(base, "node_modules/mermaid/dist") for base in _NODE]
    return next((str(f / name) for f in folders if (f / name).is_file()), None)


@cache
def _font_files() -> frozenset[str]:
    names: set[str] = set()
    todo = [*_FONT_FOLDERS, str(Path(sys.prefix, "share/fonts"))]
    while todo:
        folder = todo.pop()
        if Path(folder).is_dir():
            with os.scandir(folder) as entries:
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
        return process.which(need, path)
    if kind == "py":
        return need if _module(name) else None
    if kind == "font":
        starts = _FONTS.get(name, (name,))
        return need if any(file.startswith(starts) for file in _font_files()) else None
    if kind == "file":
        return name if name.startswith("/") and Path(name).is_file() else data_file(name)
    return None


def missing(recipe: Recipe) -> list[str]:
    """The needs of a recipe that are not met, its launchers among them."""
    path = search_path(recipe.tools)
    absent = [need for need in recipe.needs if find(need, path) is None]
    return absent + [launcher for launcher in _launchers(recipe) if not _runnable(launcher)]


def unwanted(recipe: Recipe) -> list[str]:
    """The wants of a recipe that are not met."""
    path = search_path(recipe.tools)
    return [want for want in recipe.wants if find(want, path) is None]


def _launchers(recipe: Recipe) -> Iterator[str]:
    for templates in (recipe.prepare, recipe.argv):
        if templates and not templates[0].source.startswith("{tool:"):
            yield templates[0].source.replace("{script}", str(recipe.script))


@cache
def _runnable(path: str) -> bool:
    """An existing file that may be run; a `.py` is run by our own interpreter."""
    right = os.R_OK if path.endswith(".py") else os.X_OK
    return os.access(path, right) and Path(path).is_file()


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


def require(recipe: Recipe) -> None:
    """MISSING_DEP unless all is there; nothing has been started by then."""
    absent = missing(recipe)
    if not absent:
        return
    raise ToolError(
        "MISSING_DEP",
        f"file-convert {recipe.pair} needs {' and '.join(named(a) for a in absent)}, not found."
        " Recipe present, dependency missing.",
        hint="; ".join(dict.fromkeys(install_hint(a) for a in absent)),
        detail={"reason": "not_found", "missing": absent, "recipe": recipe.pair},
    )
