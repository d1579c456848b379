"""Row limits at the root: is there one, and may a LIMIT line be appended."""

from __future__ import annotations

from typing import NamedTuple

from dbtools.guard.lexer import Tokens
from dbtools.guard.model import words

# Architecture: text is appended on these engines only; the others stop by setting or fetch.
APPENDS = ("postgres", "mysql", "sqlite")
ROW_QUERIES = ("SELECT", "VALUES", "TABLE")
_AFTER_SETS = words("all distinct select ( values table with corresponding by")
_SETS = ("union", "intersect", "except")
_LIMIT_ENDS = words("by limit union settings format")


class RowLimit(NamedTuple):
    """limited: the root's rows are limited. open: nothing at the root forbids a LIMIT line."""

    limited: bool
    open: bool


def row_limit(tokens: Tokens, dialect: str, body: int) -> RowLimit:
    """The limit clauses at depth 0 from token `body` on."""
    limited, closed, sets, depth = False, False, False, 0
    keys = tokens.keys
    for i in range(body, len(keys)):
        key = keys[i]
        if key in ("(", "[", "{"):
            depth += 1
        elif key in (")", "]", "}"):
            depth -= 1
        elif depth or tokens.kinds[i] != "W" or tokens.key(i - 1) == ".":
            continue
        elif key in _SETS and tokens.key(i + 1) in _AFTER_SETS:
            limited, sets = False, True
        elif key == "fetch" and tokens.key(i + 1) in ("first", "next"):
            limited = True
        elif key == "top" and dialect == "tsql" and not sets:
            limited = limited or tokens.key(i - 1) in ("select", "distinct", "all")
        elif key == "limit":
            closed = True
            limited = limited or _limits(tokens, i + 1)
        elif key == "offset" and dialect != "postgres":
            closed = closed or _is_clause(tokens, i + 1)
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
