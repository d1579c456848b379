"""A statement taken apart for whoever explains an error in it: tokens, FROM items, aliases."""

from __future__ import annotations

from typing import NamedTuple

from dbtools.guard.lexer import Tokens, scan
from dbtools.guard.model import Refused, load, words
from dbtools.guard.names import cte_names, dotted_end, spelled
from dbtools.guard.size import check_size
from dbtools.guard.sql import NOT_CALLS, Reading

# A word behind a FROM item that is no alias of it.
_NO_ALIAS = words(
    "where prewhere join on inner left right full outer cross natural straight_join group order "
    "having limit offset fetch union except intersect using window final sample tablesample for "
    "lateral force use ignore set returning global any all asof semi anti only with option pivot "
    "unpivot qualify as array settings format apply"
)


class Token(NamedTuple):
    """kind: W word, Q quoted name, S string, N number, V variable, P punctuation, U U&"name".

    text: as written. name: unquoted and in lower case. start: 0-based offset in the statement.
    """

    kind: str
    text: str
    name: str
    start: int

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.start + len(self.text)


class Source(NamedTuple):
    """One item of a FROM list. table: dotted, unquoted, '' for a subquery. at: its first token."""

    table: str
    alias: str
    at: int


class Anatomy(NamedTuple):
    """tokens of the statement; sources: what its FROM lists name, CTEs left out; ctes: theirs."""

    tokens: list[Token]
    sources: list[Source]
    ctes: frozenset[str]

    def alias_of(self, name: str) -> str:
        """The table that an alias (or a table's own name) stands for; '' for none."""
        wanted = name.lower()
        for source in self.sources:
            own = source.table.rpartition(".")[2]
            if wanted in (source.alias.lower(), own.lower(), source.table.lower()):
                return source.table
        return ""

    def follows(self, token: Token, *names: str) -> bool:
        """Whether these words stand right before a token."""
        at = self.tokens.index(token)
        return [t.name for t in self.tokens[max(0, at - len(names)) : at]] == list(names)

    def closing(self, at: int) -> int:
        """The token that closes the bracket at token `at`, the last one where none does."""
        depth = 0
        for i in range(at, len(self.tokens)):
            depth += (self.tokens[i].text == "(") - (self.tokens[i].text == ")")
            if depth == 0:
                return i
        return len(self.tokens) - 1

    def before(self, token: Token, text: str) -> bool:
        """Whether a token of this text stands right behind a token."""
        at = self.tokens.index(token) + 1
        return at < len(self.tokens) and self.tokens[at].text == text

    def opens_call(self, token: Token) -> bool:
        """Whether a token is the first word of a function's arguments: `f(token, …`."""
        at = self.tokens.index(token)
        return at >= 2 and self.tokens[at - 1].text == "(" and self.tokens[at - 2].kind == "W"

    def scope(self, at: int) -> int:
        """The token that opens the bracket of the innermost SELECT around token `at`; -1: none."""
        depth = 0
        for i in range(at - 1, -1, -1):
            text = self.tokens[i].text
            depth += (text == ")") - (text == "(")
            if depth < 0:
                if self.tokens[i + 1].name in ("select", "with", "values"):
                    return i
                depth = 0
        return -1


def dissect(statement: str, dialect: str) -> Anatomy | None:
    """The parts of a statement; None for text that the guard cannot read."""
    rules = load(dialect)
    try:
        check_size(statement)
        tokens = scan(statement, dialect, rules.hints_blanked)
        reading = Reading(tokens, rules).run()
    except Refused:
        return None
    ctes = frozenset(cte_names(tokens))
    return Anatomy(
        [_token(tokens, i) for i in range(len(tokens.keys))],
        [s for s in _sources(reading) if s.table.lower() not in ctes],
        ctes,
    )


def _token(tokens: Tokens, i: int) -> Token:
    start = tokens.starts[i]
    kind = tokens.kinds[i]
    text = tokens.text[start : start + len(tokens.keys[i])]
    name = tokens.name(i) if kind in "WQU" else text.lower()
    return Token(kind, text, name, start)


def _sources(reading: Reading) -> list[Source]:
    tokens = reading.tokens
    found = []
    for i in reading.items:
        if tokens.key(i) == "(":
            end = _closing(tokens, i) + 1
            found.append(Source("", _alias(tokens, end), i))
            continue
        is_name = tokens.kind(i) in ("W", "Q", "U")
        if not is_name or (tokens.kind(i) == "W" and tokens.key(i) in NOT_CALLS | {"select"}):
            continue
        end = dotted_end(tokens, i)
        if tokens.key(end) == "(":
            end = _closing(tokens, end) + 1
            found.append(Source("", _alias(tokens, end), i))
        else:
            found.append(Source(spelled(tokens, i, end), _alias(tokens, end), i))
    return found


def _alias(tokens: Tokens, i: int) -> str:
    if tokens.key(i) == "as":
        i += 1
    elif tokens.kind(i) == "W" and tokens.key(i) in _NO_ALIAS:
        return ""
    return spelled(tokens, i, i + 1) if tokens.kind(i) in ("W", "Q") else ""


def _closing(tokens: Tokens, i: int) -> int:
    """The bracket that closes the one at token i."""
    depth = 0
    for at in range(i, len(tokens.keys)):
        depth += (tokens.keys[at] in ("(", "[", "{")) - (tokens.keys[at] in (")", "]", "}"))
        if depth == 0:
            return at
    return len(tokens.keys)
