"""`--check=live`: names, plan and login, looked at on the server; the statement is not executed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from dbtools.deadline import Deadline, DeadlineReached, stop
from dbtools.drivers.base import Privileges, Session, timeout_error
from dbtools.planning import planned
from dbtools.request import Plan
from dbtools.result import ResultSet
from dbtools.survey import Survey
from toolbelt.errors import ToolError, nearest

# Before a statement of these kinds no EXPLAIN can stand.
_PLANNED: Final = ("SELECT", "WITH", "VALUES", "TABLE")
_LINES_SHOWN: Final = 40


def live(plan: Plan) -> dict[str, object]:
    """What only the server knows of the statement. Raises QUERY_FAILED where it would fail."""
    survey = Survey(plan.connection, seconds=plan.timeout_seconds)
    session = survey.session()
    try:
        with Deadline(plan.timeout_seconds):
            login = _login(session.privileges())
            found = _collections(plan, survey) if plan.execution.document is not None else {}
            return found | _plan(session, plan) | login
    except DeadlineReached:
        stop(session)
        raise timeout_error(plan.timeout_seconds) from None
    finally:
        session.close()


def _plan(session: Session, plan: Plan) -> dict[str, object]:
    """`plan`, and `estimatedCost` and `estimatedRows` in the engine's own units where it tells."""
    if plan.verdict.kind not in _PLANNED or plan.execution.document is not None:
        return {}
    result = session.execute(planned(plan, plan.statement, costs=True))
    return {"wouldRun": True, **_told(_cells(result))}


def _cells(result: ResultSet) -> list[list[object]]:
    converters = result.converters
    return [
        [c if f is None or c is None else f(c) for c, f in zip(row, converters, strict=True)]
        for row in result.rows
    ]


def _told(rows: list[list[object]]) -> dict[str, object]:
    """A plan in JSON, or in lines of text."""
    first = rows[0][0] if rows and rows[0] else None
    tree = _json(first)
    if tree is None:
        lines = [" ".join(str(c) for c in row if c not in (None, "")) for row in rows]
        return {"plan": lines[:_LINES_SHOWN]}
    numbers = _numbers(tree)
    return {**numbers, "plan": tree}


def _json(cell: object) -> object:
    if isinstance(cell, (dict, list)):
        return cell
    if not isinstance(cell, str) or cell[:1] not in "[{":
        return None
    try:
        found: object = json.loads(cell)
    except ValueError:
        return None
    return found


def _numbers(tree: object) -> dict[str, object]:
    """PostgreSQL's and MySQL's cost and row estimates."""
    node: Any = tree[0] if isinstance(tree, list) and tree else tree
    if not isinstance(node, Mapping):
        return {}
    if isinstance(top := node.get("Plan"), Mapping):
        return {"estimatedCost": top.get("Total Cost"), "estimatedRows": top.get("Plan Rows")}
    block = node.get("query_block")
    if not isinstance(block, Mapping):
        return {}
    cost = block.get("cost")
    if isinstance(info := block.get("cost_info"), Mapping):
        cost = info.get("query_cost")
    return {} if cost is None else {"estimatedCost": float(cost)}


def _collections(plan: Plan, survey: Survey) -> dict[str, object]:
    """MongoDB answers a misspelt collection with no documents: look the names up."""
    from dbtools import documents

    known = [t.name for t in survey.listing().tables]
    for name in documents.collections(plan.execution.document or {}):
        if name not in known:
            close = nearest(name, known)
            hint = f"did you mean {' or '.join(close)}?" if close else "db-schema lists them"
            raise ToolError(
                "QUERY_FAILED", f"There is no collection {name!r} that this login may read.",
                hint=hint, detail={"identifier": name, "next": "db-schema --detail names"},
            )  # fmt: skip
    return {"wouldRun": True}


def _login(found: Privileges) -> dict[str, object]:
    """Whether the login could write without us, and the statements that make one that cannot."""
    if not found.can_write:
        return {"login": {"name": found.login, "canWrite": False}}
    warning = f"the login {found.login!r} can write: {'; '.join(found.can_write)}"
    login: dict[str, object] = {"name": found.login, "canWrite": True}
    if found.grants:
        login["readOnlyLogin"] = list(found.grants)
    return {"login": login, "warnings": [warning]}
