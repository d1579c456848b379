"""The input in the job folder: a copy, looked at and decoded, whatever the original is called."""

from __future__ import annotations

import os
from dataclasses import dataclass
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
    declared = _declared(file) if kind in _MARKUP else ""
    file.seek(0)
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


def _declared(file: IO[bytes]) -> str:
    from convert.declared import declared

    file.seek(0)
    return declared(file.read(_PRESCAN))
