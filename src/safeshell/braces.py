"""Brace expansion: `{a,b}`, `{1..5}` and `{a..e}`, as bash does it."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from safeshell.refusal import refuse
from toolbelt.errors import ToolError

# One character of a word and whether it was quoted; ("", True) marks an empty quoted part.
Char = tuple[str, bool]

_NUMBERS: Final = re.compile(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})(?:\.\.(-?[0-9]{1,9}))?")
_LETTERS: Final = re.compile(r"([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?[0-9]{1,9}))?")
_LOOKS_LIKE_RANGE: Final = re.compile(r"-?[0-9]+\.\.-?[0-9]+(\.\..*)?|.\.\..(\.\..*)?", re.DOTALL)


def expand(chars: list[Char], limit: int, position: int) -> list[list[Char]]:
    """The words that one word becomes, in bash's order.

    Raises SYNTAX for unbalanced braces (bash has its own ideas there) and TOO_LONG above `limit`.
    """
    if ("{", False) not in chars and ("}", False) not in chars:
        return [chars]
    _check_balance(chars, position)
    return _Expander(limit, position).words(chars)


class _Expander:
    def __init__(self, limit: int, position: int) -> None:
        self.limit = limit
        self.position = position

    def words(self, chars: list[Char]) -> list[list[Char]]:
        """Expand the first group that expands; its tail follows each of its words."""
        at = 0
        while at < len(chars):
            if chars[at] != ("{", False):
                at += 1
                continue
            end, commas = _group(chars, at)
            choices = self._choices(chars, at, end, commas)
            if choices is None:
                at += 1  # a literal brace; groups inside it still count
                continue
            head, tails = chars[:at], self.words(chars[end + 1 :])
            self._count(len(choices) * len(tails))
            return [head + choice + tail for choice in choices for tail in tails]
        return [chars]

    def _choices(
        self, chars: list[Char], start: int, end: int, commas: list[int]
    ) -> list[list[Char]] | None:
        if commas:
            edges = [start, *commas, end]
            inner = [
                word
                for left, right in pairwise(edges)
                for word in self.words(chars[left + 1 : right])
            ]
            self._count(len(inner))
            return inner
        body = chars[start + 1 : end]
        if not _has_dots(chars, start, end):
            return None
        text = "".join(char for char, _ in body)
        if any(quoted or char == "{" for char, quoted in body):
            # bash tries a range here, and has its own ideas of what is left when it is none.
            raise self._bad_range(text)
        if not _LOOKS_LIKE_RANGE.fullmatch(text):
            return None
        return [[(char, False) for char in word] for word in self._range(text)]

    def _range(self, text: str) -> list[str]:
        if match := _NUMBERS.fullmatch(text):
            first, last = int(match[1]), int(match[2])
            step = self._steps(first, last, match[3])
            padded = any(re.match(r"-?0[0-9]", match[side]) for side in (1, 2))
            width = max(len(match[1]), len(match[2])) if padded else 0
            return [f"{number:0{width}d}" for number in step]
        match = _LETTERS.fullmatch(text)
        if match and match[1].isupper() == match[2].isupper():
            return [chr(code) for code in self._steps(ord(match[1]), ord(match[2]), match[3])]
        raise self._bad_range(text)

    def _bad_range(self, text: str) -> ToolError:
        return refuse(
            "SYNTAX", f"The range {{{text}}} is not accepted.",
            "write whole numbers or letters of one case: {1..9}, {a..f}",
            token=f"{{{text}}}", position=self.position,
        )  # fmt: skip

    def _steps(self, first: int, last: int, step: str | None) -> range:
        size = abs(int(step or 1)) or 1
        self._count(abs(last - first) // size + 1)
        return range(first, last + 1, size) if first <= last else range(first, last - 1, -size)

    def _count(self, number: int) -> None:
        if number > self.limit:
            raise refuse(
                "TOO_LONG", f"The braces make more than {self.limit} words.",
                "use a glob, or name fewer", token="{", position=self.position,
            )  # fmt: skip


def _group(chars: list[Char], start: int) -> tuple[int, list[int]]:
    """The index of the closing brace and of the commas between the two at their own level."""
    depth, commas = 0, list[int]()
    for at in range(start, len(chars)):
        char, quoted = chars[at]
        if quoted:
            continue
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return at, commas
        elif char == "," and depth == 1:
            commas.append(at)
    raise AssertionError("braces were balanced before")


def _has_dots(chars: list[Char], start: int, end: int) -> bool:
    """Whether `..` stands between the two braces at their own level, as in a range."""
    depth, dot = 0, (".", False)
    for at in range(start + 1, end):
        if chars[at] in (("{", False), ("}", False)):
            depth += 1 if chars[at][0] == "{" else -1
        elif depth == 0 and chars[at] == chars[at + 1] == dot and chars[at + 2] != ("}", False):
            return True
    return False


def _check_balance(chars: list[Char], position: int) -> None:
    depth = 0
    for char, quoted in chars:
        if not quoted and char in "{}" and char:
            depth += 1 if char == "{" else -1
            if depth < 0:
                break
    if depth:
        raise refuse(
            "SYNTAX", "The braces of this word do not match.", "quote a brace that is text: '{'",
            token="{" if depth > 0 else "}", position=position,
        )  # fmt: skip
