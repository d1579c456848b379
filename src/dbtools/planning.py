"""A statement asked for its plan instead of its rows."""

from __future__ import annotations

from dataclasses import replace

from dbtools.drivers.base import Execution, Placeholder
from dbtools.engines import ENGINES
from dbtools.guard import check, segments
from dbtools.request import Plan
from toolbelt.errors import ToolError


def planned(plan: Plan, statement: str, *, costs: bool = False) -> Execution:
    """Plan `statement` as `plan` would run its own, in JSON with `costs` where there is such.

    Raises BLOCKED for what the guard refuses.
    """
    engine = ENGINES[plan.connection.engine]
    prefix = (engine.plan if costs else "") or engine.explain
    verdict = check(prefix + statement, engine.dialect)
    if not verdict.allowed:
        raise ToolError(verdict.code, verdict.message, hint=verdict.hint)
    cut = segments(verdict.statement, engine.dialect)
    return replace(
        plan.execution,
        segments=[s if isinstance(s, str) else Placeholder(s[0]) for s in cut],
        kind="EXPLAIN",
        fetch_rows=None,
        want_csv=False,
        explain=not prefix,
    )
