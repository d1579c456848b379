"""Columns that stand beside aggregates and are not in GROUP BY."""

from __future__ import annotations

from typing import Final

from dbtools.hints import complaint
from dbtools.hints.failure import Advice, Failure
from dbtools.hints.joins import parts

_BEHIND: Final = frozenset(("having", "order", "limit", "offset", "fetch", "union", "window"))
_MOST: Final = 8


def group_by(failure: Failure, name: str) -> Advice:
    """Name what to add, and add it where the engine then runs the statement."""
    if not name:
        return Advice("every column beside an aggregate must stand in GROUP BY too")
    first = _written(failure, name)
    added, text = [first], _grouped(failure.statement, failure, [first])
    for _ in range(_MOST):
        problem = failure.plans(text)
        if problem is None:
            break
        again = complaint.read(failure.engine, problem)
        more = _written(failure, again.name)
        if again.kind != complaint.GROUP_BY or not again.name or more in added:
            text = ""
            break
        added.append(more)
        text = _grouped(failure.statement, failure, added)
    plain = first.rpartition(".")[2]
    token = next(iter(failure.tokens_named(plain)), None)
    shown = ", ".join(added)
    hint = f"add {shown} to GROUP BY, or aggregate it: MAX({first})"
    detail: dict[str, object] = {"identifier": first}
    if text:
        detail["suggestedSql"] = text
    return Advice(hint, detail, token.start if token else None)


def _written(failure: Failure, name: str) -> str:
    """The column as the statement would write it: engines print whole paths."""
    qualifier, plain = parts(name)
    naming = failure.naming
    for source in failure.anatomy.sources:
        table = source.table.lower().rpartition(".")[2]
        if qualifier and qualifier.lower() in (source.alias.lower(), table):
            several = len(failure.anatomy.sources) > 1
            prefix = f"{source.alias or naming.column(source.table)}." if several else ""
            return prefix + naming.column(plain)
    return naming.column(plain)


def _grouped(statement: str, failure: Failure, columns: list[str]) -> str:
    """The statement with the columns in the GROUP BY of its outermost SELECT."""
    listed = ", ".join(columns)
    tokens = failure.anatomy.tokens
    depth = 0
    end = len(statement.rstrip().rstrip(";").rstrip())
    for at, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        if depth:
            continue
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if token.name == "group" and following is not None and following.name == "by":
            return f"{statement[: following.end]} {listed},{statement[following.end :]}"
        if token.kind == "W" and token.name in _BEHIND:
            return f"{statement[: token.start]}GROUP BY {listed} {statement[token.start :]}"
    return f"{statement[:end]} GROUP BY {listed}{statement[end:]}"
