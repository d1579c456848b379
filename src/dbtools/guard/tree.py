"""The second reading, by sqlglot, for statements the tokens leave in doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbtools.guard.calls import denied_name, refused_call
from dbtools.guard.model import Refused, Tables, words
from dbtools.guard.sql import Doubt

if TYPE_CHECKING:
    from sqlglot import exp

_ROOTS = words("Select Union Except Intersect SetOperation Subquery Values Table Query")
_BAD = words(
    "Insert Update Delete Merge Create Drop Alter AlterTable TruncateTable Command Set SetItem "
    "Into Lock Transaction Commit Rollback Use Copy Pragma Kill Attach Detach Analyze Grant Revoke "
    "Comment Refresh Cache Uncache LoadData Export NextValueFor Execute Declare"
)
_NAMES = {
    "insert": "INSERT",
    "update": "UPDATE",
    "delete": "DELETE",
    "merge": "MERGE",
    "create": "CREATE",
    "drop": "DROP",
}


def check_tree(
    text: str, places: list[int], tables: Tables, doubts: list[Doubt], starts: list[int]
) -> None:
    """Raise Refused unless the tree clears every doubt.

    text: the query proper. places: the tokens' offsets in it. starts: their offsets in the
    caller's text, for the refusal.
    """
    root = _parse(text, tables.dialect)
    if root is None:
        first = doubts[0]
        reason = "unread" if first.word else first.what
        raise Refused(reason, starts[first.at], shown=first.word, kind=first.word.upper())
    seen: set[int] = set()
    for node in root.walk():
        _check_node(node, tables, starts, doubts)
        start = node.meta.get("start") if type(node).__name__ == "Identifier" else None
        if start is not None:
            seen.add(start)
    for doubt in doubts:
        # sqlglot must have read the word as a name, at this very place.
        if doubt.word and places[doubt.at] not in seen:
            raise Refused(doubt.what, starts[doubt.at], shown=doubt.word, kind=doubt.word.upper())


def _parse(text: str, dialect: str) -> exp.Expr | None:
    """The one statement's tree; None when sqlglot cannot read it as one query."""
    import logging

    import sqlglot

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    try:
        trees = [
            tree
            for tree in sqlglot.parse(text, read=dialect)
            if tree is not None and type(tree).__name__ != "Semicolon"
        ]
    except (
        sqlglot.errors.SqlglotError,
        RecursionError,
        ValueError,
        AttributeError,
        TypeError,
        KeyError,
        IndexError,
    ):
        return None  # whatever its parser stumbles over, the text counts as unread
    if len(trees) != 1:
        return None
    root = trees[0]
    name = type(root).__name__
    if name not in _ROOTS and name not in _BAD:
        return None
    return root


def _check_node(node: exp.Expr, tables: Tables, starts: list[int], doubts: list[Doubt]) -> None:
    kind = type(node).__name__
    if kind in _BAD:
        word = kind.lower()
        at = next((starts[d.at] for d in doubts if d.word == word), -1)
        raise Refused(
            f"statement {kind.upper()}", at, shown=word, kind=_NAMES.get(word, kind.upper())
        )
    names = _function_names(node)
    if names:
        _check_call(node, names, tables)
    if kind in ("Dot", "Column") and tables.dialect == "postgres":
        _check_notation(node, tables)


def _function_names(node: exp.Expr) -> set[str]:
    from sqlglot import exp

    if not isinstance(node, exp.Func):
        return set()
    if isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)):
        return {node.name.lower()}
    return {name.lower() for name in node.sql_names()}


def _check_call(node: exp.Expr, names: set[str], tables: Tables) -> None:
    parent = node.parent
    owner = ""
    if type(parent).__name__ == "Dot" and parent is not None and parent.expression is node:
        owner = parent.this.name.lower() + "."
    for name in names:
        denied = denied_name((name, owner + name), tables)
        if denied:
            raise refused_call(f"function {denied}", -1, denied, tables.cause(denied))


def _check_notation(node: exp.Expr, tables: Tables) -> None:
    """PostgreSQL's `x.f` calls f."""
    last = node.expression if type(node).__name__ == "Dot" else node.this
    if type(last).__name__ != "Identifier" or not (
        type(node).__name__ == "Dot" or node.text("table")
    ):
        return
    name = last.name.lower()
    if tables.denies(name):
        cause = tables.cause(name)
        raise Refused(
            f"function notation .{name}",
            shown=name,
            message=f".{name} calls the function {name}, which {cause.why}",
            hint=cause.hint,
        )
