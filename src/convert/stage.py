"""The input in the job folder: a copy, looked at and decoded, whatever the original is called."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import IO

from convert import sniff, text
from convert.recipe import Recipe
from convert.request import failed

_MARKUP = frozenset({"html", "svg", "xml"})
_PRESCAN = 4096


@dataclass(frozen=True, slots=True)
class Staged:
    """A staged input. path: in the job folder. warnings: what was odd about it."""

    path: Path
    warnings: tuple[str, ...]


def stage(
    file: IO[bytes], size: int, shown: str, recipe: Recipe, target: Path, encoding: str
) -> Staged:
    """Copy an input to `target`; CONVERT_FAILED for what may not or cannot be converted."""
    warnings = sniff.inspect(file, size, recipe.source, shown, recipe.max_input)
    fd = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "r+b") as copy:
        if recipe.source in sniff.TEXT:
            warnings += _decode(file, copy, shown, recipe.source, encoding)
        else:
            file.seek(0)
            while chunk := file.read(1 << 20):
                copy.write(chunk)
    return Staged(target, tuple(warnings))


def _decode(file: IO[bytes], copy: IO[bytes], shown: str, kind: str, encoding: str) -> list[str]:
    file.seek(0)
    declared = _declared(file.read(_PRESCAN)) if kind in _MARKUP else ""
    if kind == "html":
        # Browsers believe a byte order mark before anything the page says.
        copy.write(b"\xef\xbb\xbf")
    try:
        decoded = text.copy_utf8(file, copy, encoding=encoding, declared=declared)
    except text.NotText as error:
        raise failed(
            "bad_input", f"{shown!r} is not text that can be read: {error}.",
            hint="--opt encoding=NAME, if you know it",
        ) from error  # fmt: skip
    return [f"{shown!r}: {decoded.warning}"] if decoded.warning else []


def _declared(head: bytes) -> str:
    """The encoding that the head of an HTML or XML text declares; empty for none."""
    finder = _Finder()
    finder.feed(head.decode("latin-1"))
    return finder.label


class _Finder(HTMLParser):
    """Looks for `<meta charset>`, `<meta http-equiv=Content-Type>` and `<?xml encoding?>`."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.label = ""

    def handle_pi(self, data: str) -> None:
        if data.startswith("xml") and "encoding" in data:
            value = data.split("encoding", 1)[1].lstrip(" \t\r\n=")
            if value[:1] in ("'", '"'):
                self.label = self.label or value[1:].split(value[0], 1)[0]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta" or self.label:
            return
        found = {name: value or "" for name, value in attrs}
        if found.get("charset"):
            self.label = found["charset"]
        elif "charset=" in found.get("content", "").lower():
            content = found["content"].lower()
            self.label = content.split("charset=", 1)[1].split(";", 1)[0].strip()

    handle_startendtag = handle_starttag
