"""The tables a statement reads, by the tokens' reading of its FROM lists."""

from __future__ import annotations

from dbtools.guard.lexer import Tokens
from dbtools.guard.sql import NOT_CALLS, Reading, dotted


def tables_read(reading: Reading) -> list[str]:
    """Dotted names of the tables read, in order of appearance, without CTE names."""
    tokens = reading.tokens
    defined = cte_names(tokens)
    found: dict[str, None] = {}
    for i in [*reading.items, *_table_words(tokens)]:
        if tokens.kind(i) not in ("W", "Q", "U") or (
            tokens.kind(i) == "W" and tokens.key(i) in NOT_CALLS | {"select", "values"}
        ):
            continue
        parts = dotted(tokens, i)
        end = dotted_end(tokens, i)
        if tokens.key(end) == "(" or (len(parts) == 1 and parts[0] in defined):
            continue
        found.setdefault(spelled(tokens, i, end))
    return list(found)


def _table_words(tokens: Tokens) -> list[int]:
    """The names after TABLE (`TABLE t`)."""
    return [i + 1 for i, key in enumerate(tokens.keys) if key == "table" and tokens.kinds[i] == "W"]


def dotted_end(tokens: Tokens, i: int) -> int:
    """The token after the dotted name that starts at token i."""
    i += 1
    while tokens.key(i) == ".":
        i += 1 if tokens.key(i + 1) == "." else 2
    return i


def spelled(tokens: Tokens, start: int, end: int) -> str:
    """The dotted name without quotes, in the letters of the statement."""
    parts = []
    for i in range(start, min(end, len(tokens.keys))):
        key, kind = tokens.keys[i], tokens.kinds[i]
        if kind == "W":
            key = tokens.text[tokens.starts[i] : tokens.starts[i] + len(key)]
        elif kind == "Q":
            key = key[1:-1].replace(key[-1] * 2, key[-1])
        elif kind == "U":
            key = tokens.name(i)
        parts.append(key)
    return "".join(parts)


def cte_names(tokens: Tokens) -> set[str]:
    """Names defined by WITH: `name [(columns)] AS [NOT MATERIALIZED] (`."""
    names = set()
    for i, key in enumerate(tokens.keys):
        if key != "as" or tokens.kinds[i] != "W":
            continue
        after = i + 1
        while tokens.key(after) in ("not", "materialized"):
            after += 1
        if tokens.key(after) != "(":
            continue
        at = i - 1
        if tokens.key(at) == ")":
            while at > 0 and tokens.key(at) != "(":
                at -= 1
            at -= 1
        if at > 0 and tokens.key(at - 1) in ("with", "recursive", ","):
            names.add(tokens.name(at))
    return names
