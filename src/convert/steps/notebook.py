"""Jupyter notebooks, cleaned and read: `notebook INPUT DOCUMENT ARGUMENT...` (pandoc's)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NoReturn

from convert.steps import pandoc, told

_PICTURES: Final = ("image/png", "image/svg+xml", "image/jpeg", "image/gif")
# Twins that a document cannot show, or that would run.
_UNWANTED: Final = frozenset({"application/pdf", "application/javascript", "text/javascript"})


def main() -> NoReturn:
    """Program."""
    told.run(_step)


def _step(arguments: Sequence[str], warnings: told.Warnings) -> None:
    source, document, *more = arguments
    text = Path(source).read_text(encoding="utf-8")
    try:
        book = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        place = getattr(error, "pos", 0)
        reason = "truncated" if place >= len(text.rstrip()) else "bad_input"
        raise told.Problem(reason, f"The notebook is not JSON: {error}.") from error
    cells = _cells(book)
    if not cells:
        raise told.Problem("empty", "The notebook has no cells.")
    for cell in cells:
        for output in cell.get("outputs", []):
            _clean(output, warnings)
    clean = told.scratch() / "clean.ipynb"
    clean.write_text(json.dumps(book), encoding="utf-8")
    pandoc.run(["--from=ipynb", *more, f"--output={document}", "--", str(clean)])


def _cells(book: object) -> list[dict[str, list[dict[str, object]]]]:
    """The cells of a notebook of format 4, or of the sheets of format 3."""
    if not isinstance(book, dict) or not ("cells" in book or "worksheets" in book):
        raise told.Problem("wrong_type", "It is JSON, but no notebook: it has no cells.")
    groups = [book] if "cells" in book else book["worksheets"]
    return [
        cell
        for group in groups
        if isinstance(group, dict)
        for cell in group.get("cells", [])
        if isinstance(cell, dict)
    ]


def _clean(output: dict[str, object], warnings: told.Warnings) -> None:
    data = output.get("data")
    if isinstance(data, dict):
        for kind in _unwanted(data):
            del data[kind]
        if not data:
            warnings.add("an output that only a notebook can show was left out")
            data["text/plain"] = "[output left out]"
    for key in ("text", "traceback"):
        value = output.get(key)
        if isinstance(value, list):
            output[key] = [plain(line) for line in value if isinstance(line, str)]
        elif isinstance(value, str):
            output[key] = plain(value)


def _unwanted(data: dict[str, object]) -> list[str]:
    """The forms of an output that others of it make needless, or that are programs."""
    out = [kind for kind in data if kind in _UNWANTED or kind.startswith("application/vnd.")]
    pictured = any(kind in data for kind in _PICTURES)
    html = str(data.get("text/html", ""))
    if "text/html" in data and (pictured or "<script" in html):
        out.append("text/html")
    return out


def plain(text: str) -> str:
    """Text without terminal control: colours, and lines overwritten by a carriage return."""
    return "".join(_visible(text)).replace("\r\n", "\n")


def _visible(text: str) -> Iterator[str]:
    place = 0
    while place < len(text):
        if text[place] == "\x1b":
            place += 1
            if text[place : place + 1] == "[":
                place += 1
                while place < len(text) and not "@" <= text[place] <= "~":
                    place += 1
            place += 1
        else:
            yield text[place]
            place += 1
