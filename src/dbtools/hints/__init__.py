"""Turns an engine's complaint into the next thing to type. Asked only after a failure."""

from __future__ import annotations

from functools import partial

from dbtools.guard.anatomy import Anatomy, dissect
from dbtools.hints import advice, complaint
from dbtools.hints.failure import Failure, Known, Plans
from toolbelt.errors import ToolError

_EXCERPT = 60
# How many further mistakes of a statement are mended on the way to one that runs.
_LOOKS = 2


def improve(
    error: ToolError,
    statement: str,
    dialect: str,
    engine: str,
    known: Known,
    plans: Plans,
    offset: int = 0,
) -> ToolError:
    """The error with candidates, columns, a corrected statement and the place of the mistake.

    statement: the caller's text. offset: characters that were put before it (EXPLAIN).
    known: asked for the catalog only where the kind of error needs it. plans: the error that
    planning another statement would give.
    """
    found = complaint.read(engine, error)
    anatomy = dissect(statement, dialect)
    if anatomy is None:
        return error
    if found.kind in (complaint.COLUMN, complaint.TABLE):
        # Perhaps it is what we kept that is out of date.
        known.again()
    position = _position(error, statement, dialect, anatomy, offset)
    again = partial(_again, dialect=dialect, engine=engine, known=known, plans=plans, left=_LOOKS)
    failure = Failure(
        error, statement, dialect, engine, anatomy, position, known.catalog(), known, plans, again
    )
    told = advice.give(failure, found)
    place = position if position is not None else told.position
    detail = {**error.detail, **_place(statement, place), **told.detail}
    if told.hides:
        for key in ("sqlstate", "engineCode", "engineHint", "engineDetail", "engineError"):
            detail.pop(key, None)
    hint = told.hint or error.hint
    if engine == "duckdb" and error.hint and told.hint:
        # Only the driver knows which data file could not become a table.
        hint = f"{error.hint}; {told.hint}"
    return ToolError(error.code, told.message or error.message, hint, detail)


def _again(
    statement: str,
    error: ToolError,
    dialect: str,
    engine: str,
    known: Known,
    plans: Plans,
    left: int,
) -> str:
    """A statement with one mistake mended and a further wrong name: that one mended too, or ''."""
    found = complaint.read(engine, error)
    anatomy = dissect(statement, dialect)
    if anatomy is None or not left or found.kind not in complaint.NAMES:
        return ""
    again = partial(_again, dialect=dialect, engine=engine, known=known, plans=plans, left=left - 1)
    failure = Failure(
        error, statement, dialect, engine, anatomy, None, known.catalog(), known, plans, again
    )
    return str(advice.give(failure, found).detail.get("suggestedSql", ""))


def _position(
    error: ToolError, statement: str, dialect: str, anatomy: Anatomy, offset: int
) -> int | None:
    """The driver's 1-based place in the text that was sent, as a 0-based one in the caller's."""
    told = error.detail.get("position")
    if not isinstance(told, int):
        return None
    at = told - 1 - offset
    sent = dissect(_clean(statement, dialect), dialect)
    if sent is None or len(sent.tokens) != len(anatomy.tokens):
        return at if 0 <= at < len(statement) else None
    for ours, theirs in zip(anatomy.tokens, sent.tokens, strict=True):
        if theirs.start <= at < theirs.end:
            return ours.start + at - theirs.start
    return None


def _clean(statement: str, dialect: str) -> str:
    from dbtools.guard import check

    return check(statement, dialect).statement or statement


def _place(statement: str, position: int | None) -> dict[str, object]:
    """Where it is: character, line and column from 1, and the line with a caret below."""
    if position is None:
        return {}
    before = statement[:position]
    start = before.rfind("\n") + 1
    line = statement[start:].split("\n", 1)[0]
    column = position - start
    cut = max(0, column - _EXCERPT)
    shown = line[cut : cut + 2 * _EXCERPT].replace("\t", " ")
    return {
        "position": position + 1,
        "line": before.count("\n") + 1,
        "column": column + 1,
        "excerpt": f"{shown}\n{' ' * (column - cut)}^",
    }
