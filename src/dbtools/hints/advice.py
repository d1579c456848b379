"""What to say to each kind of complaint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dbtools.hints import complaint as kinds
from dbtools.hints import grouping, names, values
from dbtools.hints.complaint import Complaint
from dbtools.hints.failure import Advice, Failure
from dbtools.hints.rewriting import rewritten


def give(failure: Failure, found: Complaint) -> Advice:
    """The advice for a complaint; empty where there is nothing to add."""
    handler = _HANDLERS.get(found.kind)
    return handler(failure, found.name) if handler else Advice()


def _function(failure: Failure, name: str) -> Advice:
    plain = name.strip('"`[]').rpartition(".")[2]
    token = next(iter(failure.tokens_named(plain)), None)
    position = token.start if token else None
    text = rewritten(failure)
    if text and plain.lower() not in text.lower():
        hint = f"{plain} belongs to another dialect of SQL; the same in this one: see suggestedSql"
        return Advice(hint, {"suggestedSql": text}, position)
    if failure.engine == "postgresql" and "(" in failure.error.message:
        hint = (
            f"no function {plain} takes arguments of these types: cast one, e.g. x::numeric, "
            "x::text, x::timestamp"
        )
        detail = values.types_in_use(failure) | ({"suggestedSql": text} if text else {})
        return Advice(hint, detail, position)
    hint = f"this engine has no function {plain}: db-query --check=live tells without running"
    return Advice(hint, {}, position)


def _syntax(failure: Failure, name: str) -> Advice:
    token = failure.token_at() or next(iter(failure.tokens_spelled(name)), None)
    position = token.start if token else None
    reserved = names.reserved_word(failure, token)
    if reserved is not None:
        return reserved
    comma = names.stray_comma(failure)
    if comma is not None:
        return comma
    text = rewritten(failure)
    if text:
        hint = "this reads like another dialect of SQL; the same in this one: see suggestedSql"
        return Advice(hint, {"suggestedSql": text}, position)
    near = f" near {name!r}" if name else ""
    hint = f"look at the text{near}: a missing comma or bracket, or a word out of its order"
    return Advice(hint, {}, position)


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
    kinds.MISSING_FROM: names.missing_from,
    kinds.FUNCTION: _function,
    kinds.AMBIGUOUS: _ambiguous,
    kinds.GROUP_BY: grouping.group_by,
    kinds.AGGREGATE: _aggregate,
    kinds.TYPE: values.types,
    kinds.DATE: values.date,
    kinds.SYNTAX: _syntax,
    kinds.ZERO: _zero,
}
