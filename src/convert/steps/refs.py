"""What a web page or an SVG picture refers to, asked for in `wanted.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from convert import css
from convert.steps import told

# Attribute -> the elements on which it names something to load; empty for any.
_LOADS: Final = {
    "src": (), "poster": (), "background": (), "data": ("object",), "data-src": ("img",),
    "href": ("link", "image", "use", "feimage", "script"),
    "xlink:href": ("image", "use", "feimage", "script"),
}  # fmt: skip
_LINKS: Final = frozenset("stylesheet icon preload modulepreload prefetch alternate".split())


def ask(path: Path) -> bool:
    """Ask for the files that a page refers to, once; whether there is anything to wait for."""
    if (told.scratch() / "resources.json").exists():
        return False
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    found = [r for r in dict.fromkeys(references(text)) if not r.startswith(("#", "data:"))]
    if found:
        (told.scratch() / "wanted.json").write_text(json.dumps(found), encoding="utf-8")
    return bool(found)


def references(text: str) -> Iterator[str]:
    """The addresses a page loads things from, as written."""
    finder = _Finder()
    finder.feed(text)
    finder.close()
    yield from (reference.strip() for reference in finder.found if reference.strip())


class _Finder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.in_style = tag == "style"
        if tag == "link" and not _LINKS.intersection(values.get("rel", "").lower().split()):
            return
        for name, value in values.items():
            elements = _LOADS.get(name)
            if elements is not None and (not elements or tag in elements):
                self.found.append(value)
            elif name in ("srcset", "imagesrcset"):
                self.found += [part.split()[0] for part in value.split(",") if part.split()]
            elif name == "style" or value.startswith("url("):
                self.found += css.references(value)

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag: str) -> None:
        if tag == "style":
            self.in_style = False

    def handle_data(self, data: str) -> None:
        if self.in_style:
            self.found += css.references(data)
