"""Row limits at the root: is there one, and may a LIMIT line be appended."""

from __future__ import annotations

from typing import NamedTuple

from dbtools.guard.lexer import Tokens
from dbtools.guard.model import words

# Architecture: text is appended on these engines only; the others stop by setting or fetch.
APPENDS = ("postgres", "mysql", "sqlite")
ROW_QUERIES = ("SELECT", "VALUES", "TABLE")
_AFTER_SETS = words("all distinct select ( values table with corresponding by")
LIMIT_WORDS = words("union intersect except fetch top limit offset values")
_SETS = ("union", "intersect", "except")
_LIMIT_ENDS = words("by limit union settings format")


class RowLimit(NamedTuple):
    """limited: the root's rows are limited. open: nothing at the root forbids a LIMIT line."""

    limited: bool
    open: bool


def row_limit(tokens: Tokens, dialect: str, body: int, clauses: list[tuple[int, int]]) -> RowLimit:
    """The row limit of the root, whose query starts at token `body`.

    clauses: the words among LIMIT_WORDS, each as (token, number of brackets open there).
    """
    brackets = 0
    while tokens.key(body + brackets) == "(":
        brackets += 1
    if brackets and not any(depth == 0 and tokens.keys[i] in _SETS for i, depth in clauses):
        root = brackets  # the limits inside the brackets are the root's own
    else:
        root = 0
    limited, closed, sets = False, False, False
    for i, depth in clauses:
        key = tokens.keys[i]
        if depth > root:
            continue
        if key in _SETS:
            if tokens.key(i + 1) in _AFTER_SETS:
                limited, sets = False, True
        elif key == "fetch":
            limited = limited or tokens.key(i + 1) in ("first", "next")
        elif key == "top":
            is_top = dialect == "tsql" and not sets
            limited = limited or (is_top and tokens.key(i - 1) in ("select", "distinct", "all"))
        elif key == "limit":
            closed = True
            limited = limited or _limits(tokens, i + 1)
        elif key == "values":  # SQLite takes no LIMIT after VALUES
            closed = closed or (dialect == "sqlite" and depth == 0)
        elif dialect != "postgres":  # OFFSET without LIMIT
            closed = closed or _is_clause(tokens, i + 1)
    if tokens.key(body) == "with" and tokens.key(len(tokens.keys) - 1) == ")":
        # WITH ... (SELECT ... LIMIT 5): whose limit it is takes a parser to say.
        closed = closed or any(tokens.keys[i] in ("limit", "fetch") for i, _ in clauses)
    return RowLimit(limited, not limited and not closed)


def _is_clause(tokens: Tokens, i: int) -> bool:
    return tokens.kind(i) in ("N", "V") or tokens.key(i) == "("


def _limits(tokens: Tokens, i: int) -> bool:
    """Does the LIMIT before token i limit rows? Not LIMIT ALL, nor ClickHouse's LIMIT n BY."""
    called = tokens.key(i + 1) == "("
    kind = tokens.kind(i)
    if not kind or not (kind in "NVSQ" or tokens.key(i) in ("(", "{", "?") or called):
        return False
    depth = 0
    for j in range(i, min(i + 12, len(tokens.keys))):
        key = tokens.keys[j]
        depth += (key == "(") - (key == ")")
        if tokens.kinds[j] == "W" and depth <= 0 and key in _LIMIT_ENDS:
            return key != "by"
    return True
