"""Reads a git configuration file the way git does: keys and values, or Unreadable.

Strict on purpose: whatever git might read in another way makes the file Unreadable, and its
repository refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_SECTION: Final = re.compile(r'[ \t]*([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?[ \t]*\]')
_NAME: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*")
_ESCAPES: Final = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}


class Unreadable(Exception):
    """The text is not a configuration that we and git read alike."""


def read(text: str) -> list[tuple[str, str]]:
    """(key, value) in order; keys as git lists them: section and name in small letters."""
    return list(_Reader(text.removeprefix("\ufeff").replace("\r\n", "\n")).entries())


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.section = ""

    def entries(self) -> Iterator[tuple[str, str]]:
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in " \t\n\v\f\r":
                self.at += 1
            elif char in "#;":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif char == "[":
                self._header()
            else:
                yield self._entry()

    def _header(self) -> None:
        match = _SECTION.match(self.text, self.at + 1)
        if match is None:
            raise Unreadable
        self.at = match.end()
        self.section = match[1].lower()
        if match[2] is not None:
            self.section += "." + re.sub(r"\\(.)", r"\1", match[2])

    def _entry(self) -> tuple[str, str]:
        match = _NAME.match(self.text, self.at)
        if match is None or not self.section:
            raise Unreadable
        self.at = match.end()
        key = f"{self.section}.{match[1].lower()}"
        char = self.text[self.at : self.at + 1]
        if char == "=":
            self.at += 1
            return key, self._value()
        if char not in ("\n", ""):
            raise Unreadable
        return key, "true"

    def _value(self) -> str:
        """The value up to the end of its line; quotes, escapes and comments understood."""
        out: list[str] = []
        quoted, kept = False, 0
        while self.at < len(self.text):
            char = self.text[self.at]
            self.at += 1
            if char == "\n":
                if quoted:
                    raise Unreadable
                return "".join(out)[:kept] if not quoted else ""
            if char == "\\":
                after = self.text[self.at : self.at + 1]
                self.at += 1
                if after == "\n":
                    continue
                if after not in _ESCAPES or not after:
                    raise Unreadable
                out.append(_ESCAPES[after])
                kept = len(out)
            elif char == '"':
                quoted = not quoted
                kept = len(out)
            elif not quoted and char in "#;":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif quoted or char not in " \t\v\f\r":
                out.append(char)
                kept = len(out)
            elif out:
                out.append(char)
        if quoted:
            raise Unreadable
        return "".join(out)[:kept]
