"""Mutations of statements: what a text can suffer without looking different to a careless reader."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

_PIECES = re.compile(r"\w+|\s+|'(?:[^'])*'|\"[^\"]*\"|.", re.DOTALL)
_COMMENTS = (
    "/**/", "/* x */", "--\n", "-- ' \n", "-- \" \n", "/* ' */", "#\n", "# '\n", "/*! */", "/*!50000 ",
    "*/", "/* /* */ */", "--", "--/**/", "/*+ x */", "/*M! */", "-- \r", "/*;*/", "--;\n",
)  # fmt: skip
_SPACES = (
    " ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "\x0b",
    "\x0c",
    "\u00a0",
    "\u2003",
    "\u3000",
    "\u200b",
    "\ufeff",
)
_QUOTES = (
    "'",
    '"',
    "`",
    "''",
    '""',
    "$$",
    "$a$",
    "\\",
    "\\'",
    "E'",
    "N'",
    "U&'",
    "[",
    "]",
    "\u2019",
    "\u201c",
)
_FOLDS = {
    "s": "\u017f",
    "k": "\u212a",
    "i": "\u0131",
    "I": "\u0130",
    "e": "\uff45",
    "l": "\uff4c",
    "(": "\uff08",
}
_HOSTILE = (
    ";", "; delete from canary", " into evil", " for update", "delete from canary", " union ", ")", "(",
    ",", " as ", ".", "::", ":=", "@x:=", " returning *", "with d as (", " procedure analyse()", "{x ", "}",
)  # fmt: skip


def pieces(text: str) -> list[str]:
    """A rough split that keeps every character."""
    return _PIECES.findall(text)


def _insert(chance: Random, text: str, what: tuple[str, ...]) -> str:
    parts = pieces(text)
    parts.insert(chance.randint(0, len(parts)), chance.choice(what))
    return "".join(parts)


def comment(chance: Random, text: str) -> str:
    """A comment, or half of one, between two pieces."""
    return _insert(chance, text, _COMMENTS)


def quote(chance: Random, text: str) -> str:
    """A stray quote."""
    return _insert(chance, text, _QUOTES)


def hostile(chance: Random, text: str) -> str:
    """A hostile piece."""
    return _insert(chance, text, _HOSTILE)


def space(chance: Random, text: str) -> str:
    """One space becomes another kind of space."""
    parts = pieces(text)
    places = [i for i, part in enumerate(parts) if part.isspace()]
    if places:
        parts[chance.choice(places)] = chance.choice(_SPACES)
    return "".join(parts)


def case(chance: Random, text: str) -> str:
    """Random case."""
    return "".join(c.upper() if chance.random() < 0.5 else c.lower() for c in text)


def letter(chance: Random, text: str) -> str:
    """One letter becomes one that folds to it."""
    places = [i for i, c in enumerate(text) if c in _FOLDS]
    if not places:
        return text
    at = chance.choice(places)
    return text[:at] + _FOLDS[text[at]] + text[at + 1 :]


def drop(chance: Random, text: str) -> str:
    """One piece less."""
    parts = pieces(text)
    if parts:
        del parts[chance.randrange(len(parts))]
    return "".join(parts)


def double(chance: Random, text: str) -> str:
    """One piece twice."""
    parts = pieces(text)
    if parts:
        at = chance.randrange(len(parts))
        parts.insert(at, parts[at])
    return "".join(parts)


def swap(chance: Random, text: str) -> str:
    """Two pieces change places."""
    parts = pieces(text)
    if len(parts) > 1:
        a, b = chance.randrange(len(parts)), chance.randrange(len(parts))
        parts[a], parts[b] = parts[b], parts[a]
    return "".join(parts)


def nest(chance: Random, text: str) -> str:
    """The statement inside another."""
    frame = chance.choice(
        ("({})", "select * from ({}) q", "select ({})", "explain {}", "with w as ({}) select * from w",
         "select 1 where exists ({})", "{} union all {}", "((({})))", "select '{}'", "/* {} */ select 1",
         "select 1 -- {}", "select 1; {}", "{};", ";{}")
    )  # fmt: skip
    return frame.replace("{}", text)


def control(chance: Random, text: str) -> str:
    """A control character or half a surrogate pair."""
    at = chance.randint(0, len(text))
    return text[:at] + chance.choice(("\x00", "\x1a", "\x1b", "\x7f", "\x85", "\udc80")) + text[at:]


MUTATIONS: tuple[Callable[[Random, str], str], ...] = (
    comment, comment, quote, quote, hostile, hostile, space, case, letter, drop, drop, double, swap,
    nest, control,
)  # fmt: skip


def splice(chance: Random, first: str, second: str) -> str:
    """The head of one statement and the tail of another."""
    a, b = pieces(first), pieces(second)
    return "".join(a[: chance.randint(0, len(a))] + b[chance.randint(0, len(b)) :])


def mutated(chance: Random, text: str, others: list[str]) -> str:
    """One to four mutations."""
    if chance.random() < 0.25:
        text = splice(chance, text, chance.choice(others))
    for _ in range(chance.randint(1, 4)):
        text = chance.choice(MUTATIONS)(chance, text)
    return text
