"""What to say to each kind of complaint."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Final

from dbtools.guard.anatomy import dissect
from dbtools.hints import complaint as kinds
from dbtools.hints import functions, grouping, joins, names, syntax, values
from dbtools.hints.complaint import Complaint
from dbtools.hints.failure import Advice, Failure
from dbtools.hints.rewriting import rewritten

_OTHER_ARGUMENTS: Final = (
    "umber of arguments", "parameter count", "No function matches", "doesn't match",
)  # fmt: skip
_LOOK_UP: Final = ": db-query --check=live tells without running what it takes"


def give(failure: Failure, found: Complaint) -> Advice:
    """The advice for a complaint; empty where there is nothing to add."""
    handler = _HANDLERS.get(found.kind)
    return handler(failure, found.name) if handler else Advice()


def _function(failure: Failure, name: str) -> Advice:
    plain = name.strip('"`[]').rpartition(".")[2]
    token = next(iter(failure.tokens_named(plain)), None)
    position = token.start if token else None
    lowered = failure.replaced(token, plain.lower()) if token and not plain.islower() else ""
    if lowered and failure.engine == "clickhouse" and failure.runs(lowered):
        hint = f"names of functions are told apart by their case: {plain.lower()}"
        return Advice(hint, {"suggestedSql": lowered}, position)
    text = rewritten(failure)
    detail: dict[str, object] = {"suggestedSql": text} if text else {}
    if text and not _calls(text, failure.dialect, plain):
        hint = f"{plain} belongs to another dialect of SQL; the same in this one: see suggestedSql"
        return Advice(hint, detail, position)
    other = functions.instead(failure.engine, plain)
    if other:
        return Advice(other, detail, position)
    if any(words in failure.error.message for words in _OTHER_ARGUMENTS):
        hint = f"{plain} takes other arguments on this engine" + ("" if text else _LOOK_UP)
        return Advice(hint, detail, position)
    if failure.engine == "postgresql" and "(" in failure.error.message:
        hint = (
            f"no function {plain} takes arguments of these types: cast one, e.g. x::numeric, "
            "x::text, x::timestamp"
        )
        return Advice(hint, detail | values.types_in_use(failure), position)
    return Advice(f"this engine has no function {plain}{_LOOK_UP}", detail, position)


def _calls(text: str, dialect: str, name: str) -> bool:
    anatomy = dissect(text, dialect)
    pairs = pairwise(anatomy.tokens) if anatomy else ()
    return any(a.name == name.lower() and b.text == "(" for a, b in pairs)


def _zero(failure: Failure, _name: str) -> Advice:
    text = values.without_zero(failure)
    detail: dict[str, object] = {"suggestedSql": text} if text else {}
    return Advice("divide by NULLIF(x, 0): the result is NULL where x is 0", detail)


def _ambiguous(failure: Failure, name: str) -> Advice:
    plain = name.strip('"`[]').rpartition(".")[2]
    token = next(iter(failure.tokens_named(plain)), None)
    written = [
        f"{source.alias or failure.naming.column(table.name)}.{failure.naming.column(column.name)}"
        for source in failure.anatomy.sources
        if (table := failure.table(source.table))
        for column in table.columns
        if column.name.lower() == plain.lower()
    ]
    hint = f"say which one: {' or '.join(written)}" if written else "put the table before the name"
    return Advice(
        hint, {"identifier": plain, "candidates": [{"sqlName": w} for w in written]},
        token.start if token else None,
    )  # fmt: skip


def _aggregate(failure: Failure, _name: str) -> Advice:
    hint = (
        "WHERE sees single rows, before they are counted: move the condition on the aggregate to "
        "HAVING (after GROUP BY), or filter a subquery that computes it"
    )
    return Advice(hint, {}, None)


_HANDLERS: Final[dict[str, Callable[[Failure, str], Advice]]] = {
    kinds.COLUMN: names.column,
    kinds.TABLE: names.table,
    kinds.DENIED: names.denied,
    kinds.MISSING_FROM: joins.missing_from,
    kinds.FUNCTION: _function,
    kinds.AMBIGUOUS: _ambiguous,
    kinds.GROUP_BY: grouping.group_by,
    kinds.AGGREGATE: _aggregate,
    kinds.TYPE: values.types,
    kinds.DATE: values.date,
    kinds.SYNTAX: syntax.syntax,
    kinds.ZERO: _zero,
}
