"""File name patterns, matched the way bash does: `*`, `?`, `[...]`, hidden files only by a dot."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from safeshell.braces import Char

_MOST_COMPONENTS: Final = 64
_CLASSES: Final[dict[str, Callable[[str], bool]]] = {
    "alnum": str.isalnum,
    "alpha": str.isalpha,
    "blank": lambda c: c in " \t",
    "cntrl": lambda c: ord(c) < 32 or ord(c) == 127,
    "digit": lambda c: c in "0123456789",
    "graph": lambda c: c.isprintable() and not c.isspace(),
    "lower": str.islower,
    "print": str.isprintable,
    "punct": lambda c: c.isprintable() and not c.isalnum() and not c.isspace(),
    "space": str.isspace,
    "upper": str.isupper,
    "word": lambda c: c == "_" or c.isalnum(),
    "xdigit": lambda c: c in "0123456789abcdefABCDEF",
}


class Unclear(Exception):
    """A bracket that bash reads in a way of its own."""


class _Set(NamedTuple):
    """A bracket: any of `single`, of the ranges, of the classes; or, negated, none of them."""

    negated: bool
    single: frozenset[str]
    ranges: tuple[tuple[str, str], ...]
    classes: tuple[str, ...]

    def holds(self, char: str) -> bool:
        found = (
            char in self.single
            or any(low <= char <= high for low, high in self.ranges)
            or any(_CLASSES[name](char) for name in self.classes)
        )
        return found != self.negated


# One place of a pattern: a literal character, any one character, any run, or a set.
_Item = str | _Set
_ANY: Final = "?any"
_RUN: Final = "*run"


def has_magic(chars: list[Char]) -> bool:
    """Whether a word holds an unquoted `*`, `?` or `[`."""
    return any(not quoted and char in "*?[" and char for char, quoted in chars)


def compile_component(chars: list[Char]) -> list[_Item] | str:
    """One component of a path as a pattern, or as its text when nothing in it is magic.

    Raises Unclear for brackets whose reading is bash's own.
    """
    items: list[_Item] = []
    magic, at = False, 0
    while at < len(chars):
        char, quoted = chars[at]
        at += 1
        if quoted or char not in "*?[":
            items.extend(char)
        elif char == "[":
            found = _bracket(chars, at)
            if found is None:
                items.append("[")
                continue
            at, bracket = found
            items.append(bracket)
            magic = True
        else:
            magic = True
            if char == "?" or not items or items[-1] != _RUN:
                items.append(_ANY if char == "?" else _RUN)
    return items if magic else "".join(str(item) for item in items)


def _bracket(chars: list[Char], start: int) -> tuple[int, _Set] | None:
    """The set that begins after `[`, and where it ends; None when it is never closed."""
    end = _bracket_end(chars, start)
    if end is None:
        return None
    body = chars[start:end]
    if any(quoted for _, quoted in body):
        raise Unclear
    text = "".join(char for char, _ in body)
    negated = text[:1] in ("!", "^")
    text = text[1:] if negated else text
    single, ranges, classes = set(), [], []
    at = 0
    while at < len(text):
        if text.startswith("[:", at):
            close = text.find(":]", at + 2)
            name = text[at + 2 : close] if close > 0 else ""
            if name not in _CLASSES:
                raise Unclear
            classes.append(name)
            at = close + 2
        elif text[at] == "[" or text[at] == "\\":
            raise Unclear
        elif text[at + 1 : at + 2] == "-" and at + 2 < len(text):
            if text[at + 2] in "[\\" or text[at] > text[at + 2]:
                raise Unclear
            ranges.append((text[at], text[at + 2]))
            at += 3
        else:
            single.add(text[at])
            at += 1
    return end + 1, _Set(negated, frozenset(single), tuple(ranges), tuple(classes))


def _bracket_end(chars: list[Char], start: int) -> int | None:
    at = start
    if at < len(chars) and chars[at] in (("!", False), ("^", False)):
        at += 1
    first = at
    while at < len(chars):
        if chars[at] == ("]", False) and at > first:
            return at
        if chars[at] == ("[", False) and chars[at + 1 : at + 2] == [(":", False)]:
            closing = next(
                (
                    i
                    for i in range(at + 2, len(chars) - 1)
                    if chars[i : i + 2] == [(":", False), ("]", False)]
                ),
                None,
            )
            if closing is None:
                raise Unclear
            at = closing + 2
            continue
        at += 1
    return None


def matches(name: str, items: list[_Item]) -> bool:
    """Whether a name fits a pattern; linear, whatever the number of stars."""
    if name.startswith(".") and items[:1] != ["."]:
        return False
    at = place = 0
    star, resume = -1, 0
    while at < len(name):
        if place < len(items) and items[place] == _RUN:
            star, resume = place, at
            place += 1
        elif place < len(items) and _one(name[at], items[place]):
            at += 1
            place += 1
        elif star >= 0:
            resume += 1
            at, place = resume, star + 1
        else:
            return False
    return all(item == _RUN for item in items[place:])


def _one(char: str, item: _Item) -> bool:
    if isinstance(item, _Set):
        return item.holds(char)
    return item in (_ANY, char)


class Budget:
    """How many directory entries a pattern may still look at; `spend` raises TooMany."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooMany


class TooMany(Exception):
    """A pattern looked at more names than it may."""


def expand(chars: list[Char], folder: str, budget: Budget) -> list[str]:
    """The existing paths that a word with magic names, in bash's order; empty for none.

    folder: where relative patterns start. Paths are spelled as the pattern spells them.
    """
    pieces = _components(chars)
    if len(pieces) > _MOST_COMPONENTS:
        raise TooMany
    leading = next((at for at, char in enumerate(chars) if char[0] != "/"), len(chars))
    found = list(_walk("/" * leading, pieces, folder, budget))
    return sorted(found, key=os.fsencode)


def _components(chars: list[Char]) -> list[tuple[list[_Item] | str, str]]:
    """(pattern or text, the slashes after it) of each component, in order."""
    pieces: list[tuple[list[_Item] | str, str]] = []
    at, verbatim = 0, True
    while at < len(chars) and chars[at][0] == "/":
        at += 1
    while at < len(chars):
        end = at
        while end < len(chars) and chars[end][0] != "/":
            end += 1
        after = end
        while after < len(chars) and chars[after][0] == "/":
            after += 1
        piece = compile_component(chars[at:end])
        # bash keeps doubled slashes up to the first pattern only.
        verbatim = verbatim and isinstance(piece, str)
        pieces.append((piece, "/" * (after - end if verbatim else min(after - end, 1))))
        at = after
    return pieces


def _walk(
    prefix: str, pieces: list[tuple[list[_Item] | str, str]], folder: str, budget: Budget
) -> Iterator[str]:
    if not pieces:
        yield prefix
        return
    (piece, slashes), rest = pieces[0], pieces[1:]
    base = os.path.join(folder, prefix)  # noqa: PTH118 (keeps what the pattern says)
    if isinstance(piece, str):
        names = [piece] if os.path.lexists(os.path.join(base, piece)) else []  # noqa: PTH118
    else:
        names = [name for name in _listing(base, budget) if matches(name, piece)]
    for name in names:
        if slashes and not os.path.isdir(os.path.join(base, name)):  # noqa: PTH112, PTH118
            continue
        yield from _walk(f"{prefix}{name}{slashes}", rest, folder, budget)


def _listing(folder: str, budget: Budget) -> list[str]:
    names = []
    try:
        with os.scandir(folder or ".") as entries:
            for entry in entries:
                budget.spend()
                names.append(entry.name)
    except OSError:
        return []  # not a folder, or not ours to list: bash finds nothing there either
    return names
