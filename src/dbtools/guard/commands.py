"""The first word: where the query proper starts, and the small grammars of EXPLAIN, SHOW,
DESCRIBE and PRAGMA. What they wrap is read again by the same rules."""

from __future__ import annotations

from typing import NamedTuple

from dbtools.guard.lexer import Tokens
from dbtools.guard.model import Refused, Tables, words

_OBJECT_WORDS = frozenset(("table", "temporary", "database", "view", "dictionary"))
_EXPLAINED_TWICE = ("describe", "desc", "analyze")  # MySQL's other words for EXPLAIN


class Head(NamedTuple):
    """What a statement is: its kind, and its query's first token (-1: it only shows things)."""

    kind: str
    body: int


def head(tokens: Tokens, tables: Tables) -> Head:
    """The statement's head; raises Refused for a statement that is not a read."""
    first = tokens.key(0)
    if first == "explain" or (first in _EXPLAINED_TWICE and tables.dialect == "mysql"):
        found = _explain(tokens, tables)
    elif first == "show" and tables.show is not None:
        found = _show(tokens, tables)
    elif first == "pragma" and tables.dialect == "sqlite":
        found = _pragma(tokens, tables)
    elif first in tables.describe:
        found = _describe(tokens, tables, 1)
    else:
        found = _query(tokens, tables, 0, "")
    return found


def statement_refused(tokens: Tokens, at: int, kind: str = "") -> Refused:
    """The refusal of a statement that is not a read."""
    at = min(at, len(tokens.keys) - 1)
    word = tokens.written(at)
    kind = kind or (word.upper() if tokens.kinds[at] == "W" else "")
    return Refused(f"statement {word.upper()}", tokens.starts[at], shown=word, kind=kind)


def _query(tokens: Tokens, tables: Tables, body: int, kind: str) -> Head:
    """A query that starts at token `body`, brackets first or not."""
    j = body
    while tokens.key(j) == "(":
        j += 1
    if tokens.kind(j) != "W" or tokens.key(j) not in tables.start:
        raise statement_refused(tokens, j)
    word = tokens.key(j)
    if word == "with":
        _check_with(tokens, tables, j)
    if word in ("with", "from"):
        word = "select"
    return Head(kind or word.upper(), body)


def _check_with(tokens: Tokens, tables: Tables, at: int) -> None:
    """What follows the last `)` of a WITH must be a query, not another statement."""
    depth = 0
    for i in range(at + 1, len(tokens.keys)):
        key = tokens.keys[i]
        if key == "(":
            depth += 1
        elif key == ")":
            depth -= 1
        elif depth == 0 and tokens.kinds[i] == "W":
            if key in tables.start:
                return
            if key in _OTHER_STATEMENTS and tokens.key(i - 1) == ")":
                raise statement_refused(tokens, i)


def _explain(tokens: Tokens, tables: Tables) -> Head:
    first, second = tokens.key(0), tokens.key(1)
    if first == "analyze" and second not in ("format", "select", "with", "("):
        raise statement_refused(tokens, 0)
    if second == "for":
        raise Refused(
            "EXPLAIN FOR",
            tokens.starts[1],
            shown="for",
            message="EXPLAIN FOR CONNECTION reads another session's statement",
            hint="EXPLAIN the statement itself",
        )
    i = _explain_options(tokens, tables)
    j = i
    while tokens.key(j) == "(":
        j += 1
    if tokens.key(j) not in tables.start and first in tables.describe:
        return _describe(tokens, tables, i)
    return _query(tokens, tables, i, "EXPLAIN")


def _explain_options(tokens: Tokens, tables: Tables) -> int:
    """The first token after EXPLAIN's options."""
    if tables.dialect == "postgres" and tokens.key(1) == "(" and not _opens_query(tokens, tables):
        i = 1
        while i < len(tokens.keys) and tokens.keys[i] != ")":
            if tokens.kinds[i] not in "WSNP" or (
                tokens.kinds[i] == "P" and tokens.keys[i] not in ("(", ",", ".")
            ):
                raise Refused("EXPLAIN options", tokens.starts[i], shown=tokens.written(i))
            i += 1
        return i + 1
    i, assigns = 1, tables.dialect in ("mysql", "clickhouse")
    while i < len(tokens.keys):
        key, kind = tokens.keys[i], tokens.kinds[i]
        option = (kind == "W" and key in tables.explain) or (
            assigns and (key in ("=", ",") or kind in "NS" or tokens.key(i + 1) == "=")
        )
        if not option:
            break
        i += 1
    return i


def _opens_query(tokens: Tokens, tables: Tables) -> bool:
    return tokens.key(2) in tables.start or tokens.key(2) == "("


def _show(tokens: Tokens, tables: Tables) -> Head:
    if "*" in (tables.show or ()):  # PostgreSQL: a setting's name
        for i in range(1, len(tokens.keys)):
            if tokens.kinds[i] not in "WQ" and tokens.keys[i] != ".":
                raise Refused("SHOW", tokens.starts[i], shown=tokens.written(i))
    elif tokens.key(1) not in (tables.show or ()):
        raise Refused(f"SHOW {tokens.key(1).upper()}", tokens.starts[0], shown=tokens.written(1))
    return Head("SHOW", -1)


def _describe(tokens: Tokens, tables: Tables, at: int) -> Head:
    """DESCRIBE name [column], EXISTS name; on ClickHouse a query or an allowed function too."""
    first = tokens.key(0)
    kind = "EXISTS" if first == "exists" else "DESCRIBE"
    while tokens.kind(at) == "W" and tokens.key(at) in _OBJECT_WORDS and at + 1 < len(tokens.keys):
        at += 1
    if tables.dialect == "clickhouse" and kind == "DESCRIBE":
        if tokens.key(at) == "(":
            return _query(tokens, tables, at, kind)
        if tokens.key(at + 1) == "(" and tokens.key(at) in (tables.from_allowed or ()):
            return Head(kind, -1)
    if tables.dialect == "duckdb" and tokens.kind(at) == "W" and tokens.key(at) in tables.start:
        return _query(tokens, tables, at, kind)
    end = len(tokens.keys)
    if tables.dialect == "clickhouse":
        end = next((i for i in range(at + 1, end) if tokens.keys[i] in ("settings", "format")), end)
    rest = range(at, end)
    plain = all(tokens.kinds[i] in "WQS" or tokens.keys[i] in (".", "%") for i in rest)
    if not rest or not plain or len(rest) > 6 or tokens.kinds[at] == "S":
        raise statement_refused(tokens, at if rest else 0, "" if rest else kind)
    if tokens.kinds[at] == "W" and tokens.key(at) in _WRITES and len(rest) > 1:
        raise statement_refused(tokens, at)
    return Head(kind, -1)


_OTHER_STATEMENTS = words(
    "alter analyze attach begin call commit copy create delete detach drop exec execute explain "
    "grant insert load lock merge pragma reindex rename replace rollback set show truncate update "
    "use vacuum"
)
_WRITES = words("insert update delete replace merge create drop alter truncate for")


def _pragma(tokens: Tokens, tables: Tables) -> Head:
    """PRAGMA [schema.]name, with an argument only where it reads with one: name(x), name = x."""
    at = 3 if tokens.key(2) == "." else 1
    name = tokens.exact(at) if at < len(tokens.keys) else ""
    left = len(tokens.keys) - at - 1
    called = left == 3 and tokens.key(at + 1) == "(" and tokens.key(at + 3) == ")"
    called = called or (left == 2 and tokens.key(at + 1) == "=")
    reads = name in tables.pragma_read and (left == 0 or called)
    if reads or (name in tables.pragma_get and left == 0):
        return Head("PRAGMA", -1)
    raise Refused(
        f"PRAGMA {name}",
        tokens.starts[min(at, len(tokens.keys) - 1)],
        shown=name[:40],
        kind="PRAGMA" if left == 0 or name not in tables.pragma_get else "PRAGMA with a value",
        hint="read-only ones are allowed: PRAGMA table_info(t), PRAGMA user_version",
    )
