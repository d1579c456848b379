"""Files a document refers to: found beneath the workspace, copied into the job folder.

A program of a row (confined) writes the references it found to `wanted.json`, a list of strings,
and ends. Only this process may look into the workspace, so it resolves each one beneath it, takes
pictures (and for web pages style sheets, scripts, fonts and pages) and nothing else, and tells the
program that runs next by `resources.json`: {reference: {"path": ...} or {"missing": why}}.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import unquote, urlsplit

from convert import css, sniff
from convert.spawn import Job
from toolbelt.errors import ToolError
from toolbelt.workspace import Input, Workspace

MAX_FILES: Final = 1000
MAX_BYTES: Final = 200 << 20
_WANTED: Final = "wanted.json"
_ANSWER: Final = "resources.json"
_WANTED_BYTES: Final = 4 << 20
_PICTURES: Final = sniff.RASTER | {"svg", "pdf", "avif", "ico"}
_WEB: Final = _PICTURES | frozenset(
    "css js mjs woff woff2 ttf otf html htm jpeg jpe tif mp4 webm json".split()
)
_NAMED: Final = 3


@dataclass(slots=True)
class Fetch:
    """Copies what documents of one job want. base: the document's folder below the workspace."""

    workspace: Workspace
    job: Job
    base: PurePosixPath
    web: bool
    found: dict[str, dict[str, str]] = field(default_factory=dict)
    bytes: int = 0

    def run(self) -> None:
        """Copy what may be had of what is wanted; warn about the rest."""
        for reference in _wanted(self.job):
            self._take(reference, self.base)
        self._warn()

    def _take(self, reference: str, base: PurePosixPath) -> None:
        """Fetch one reference of a document (or style sheet) in the folder `base`."""
        key = reference if base == self.base else f"{base}/{reference}"
        if key in self.found:
            return
        try:
            scheme = urlsplit(reference).scheme
        except ValueError:
            scheme = "broken"
        if scheme and scheme != "file":
            self.found[key] = {"missing": "remote"}
            return
        self.found[key] = {"missing": "not found"}
        for name in _names(reference, base):
            try:
                source = self.workspace.resolve_input(self.workspace.root / name)
            except ToolError as error:
                if error.detail.get("reason") not in ("not_found", "not_a_folder"):
                    self.found[key] = {"missing": "not allowed"}
                continue
            with source:
                self.found[key] = self._copy(source)
            if "path" in self.found[key]:
                return

    def _copy(self, source: Input) -> dict[str, str]:
        kind = self._kind(source)
        if kind is None:
            return {"missing": "not a picture" if not self.web else "not a file for a web page"}
        if self.bytes + source.size > MAX_BYTES:
            return {"missing": "too large"}
        # Resolved anew: a program may have put links into its job folder.
        parent = PurePosixPath("in", source.relative).parent
        folder = Workspace.at(self.job.folder).folder(str(parent), create=True)
        target = folder / PurePosixPath(source.relative).name
        if not os.path.lexists(target):
            source.copy_to(target)
            self.bytes += source.size
            if kind == "css":
                self._nested(target, PurePosixPath(source.relative).parent)
        return {"path": str(target), "kind": kind}

    def _nested(self, sheet: Path, base: PurePosixPath) -> None:
        """What a style sheet refers to in turn."""
        text = sheet.read_text(encoding="utf-8", errors="replace")
        for reference in css.references(text):
            if len(self.found) < MAX_FILES:
                self._take(reference, base)

    def _kind(self, source: Input) -> str | None:
        """What kind of resource a file is, by its content where that shows; None for others."""
        source.file.seek(0)
        head = source.file.read(4096)
        kind = sniff.detect(head)
        if kind in _PICTURES:
            return kind
        suffix = source.path.suffix.lower().removeprefix(".")
        if not kind and suffix == "svg" and b"<" in head:
            return "svg"
        if suffix in ("avif", "ico") and not kind:
            return suffix
        return suffix if self.web and suffix in _WEB - _PICTURES and not kind else None

    def _warn(self) -> None:
        """One line a kind of thing that is missing, naming the first few."""
        why: dict[str, list[str]] = {}
        for reference, found in self.found.items():
            if "missing" in found:
                why.setdefault(found["missing"], []).append(reference)
        for cause, names in why.items():
            shown = ", ".join(repr(n if len(n) <= 80 else n[:77] + "...") for n in names[:_NAMED])
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            noun = "remote, so not loaded" if cause == "remote" else cause
            self.job.warn(f"left out ({noun}): {shown}{more}")


def supply(
    job: Job, fetch: Fetch | None, more: Mapping[str, Mapping[str, str]] | None = None
) -> bool:
    """Answer a program that asked for files; whether one did.

    fetch: None when it may have none of the workspace's. more: what it gets besides.
    """
    if not (job.tmp / _WANTED).is_file():
        return False
    if fetch is not None:
        fetch.run()
    found = {**(fetch.found if fetch is not None else {}), **(more or {})}
    folder = Workspace.at(job.folder).folder(job.tmp.name)
    (folder / _WANTED).unlink()
    answer = folder / _ANSWER
    answer.unlink(missing_ok=True)
    with answer.open("x", encoding="utf-8") as file:
        json.dump(found, file)
    return True


def _wanted(job: Job) -> list[str]:
    try:
        wanted = json.loads(Workspace.at(job.tmp).read_bytes(_WANTED, _WANTED_BYTES))
    except (ValueError, RecursionError, ToolError):
        # Written by a program we do not trust: what cannot be read asks for nothing.
        return []
    texts = wanted[:MAX_FILES] if isinstance(wanted, list) else []
    return list(dict.fromkeys(t for t in texts if isinstance(t, str) and _is_text(t)))


def _is_text(text: str) -> bool:
    """Whether a string can be written down: JSON may hold halves of characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _names(reference: str, base: PurePosixPath) -> Iterator[str]:
    """The paths below the workspace that a reference may mean, likeliest first."""
    text = reference.removeprefix("file://") if reference.startswith("file:") else reference
    plain = text.split("#", 1)[0].split("?", 1)[0]
    for name in dict.fromkeys((unquote(plain), plain, text)):
        if not name or "\0" in name or len(name) > 4096:
            continue
        if name.startswith("/"):
            # A site's own root, or an absolute path: both are looked for beneath the workspace.
            yield name
            yield name.lstrip("/")
        else:
            yield str(base / name)
