"""The encoding that an HTML or XML text says it has."""

from __future__ import annotations

from html.parser import HTMLParser


def declared(head: bytes) -> str:
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
