"""After a failure: what is known of the database, asked with the connection that failed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from dbtools import hints
from dbtools.deadline import Deadline, DeadlineReached
from dbtools.engines import ENGINES
from dbtools.planning import planned
from dbtools.request import Plan, QueryRequest
from dbtools.survey import Survey
from toolbelt.errors import ToolError

if TYPE_CHECKING:
    from dbtools.glance import Glance

# A hint that takes longer than this is worth less than the time.
_SECONDS: Final = 10.0


def mend(error: ToolError, plan: Plan, request: QueryRequest) -> ToolError:
    """The error with candidates, columns and a corrected statement where one can be had.

    Whatever goes wrong on the way leaves the engine's own error as it was.
    """
    engine = ENGINES[plan.connection.engine]
    # A statement refused for its cost has no wrong name, and a look at the catalog costs too.
    if plan.execution.document is not None or "maxBytesBilled" in error.detail:
        return error
    seconds = min(_SECONDS, plan.timeout_seconds)
    explained = request.explain and request.statement.lstrip()[:7].lower() != "explain"
    survey = Survey(plan.connection, seconds=seconds)
    trial = _Trial(plan, survey)
    try:
        return hints.improve(
            error, request.statement, engine.dialect, plan.connection.engine,
            _glance(error, plan, request, survey) if engine.billed else survey,
            trial.problem, len(engine.explain) if explained else 0,
        )  # fmt: skip
    except ToolError:
        return error


def _glance(error: ToolError, plan: Plan, request: QueryRequest, survey: Survey) -> Glance:
    """What a billed engine tells for nothing, and only where a name was wrong."""
    from dbtools.glance import Glance
    from dbtools.guard.anatomy import dissect
    from dbtools.hints import complaint

    names: list[str] = []
    if complaint.read(plan.connection.engine, error).kind in complaint.NAMES:
        anatomy = dissect(request.statement, ENGINES[plan.connection.engine].dialect)
        names = [source.table for source in anatomy.sources if source.table] if anatomy else []
    return Glance(survey, names)


class _Trial:
    """Plans corrected statements, so that none is offered that would fail again."""

    def __init__(self, plan: Plan, survey: Survey) -> None:
        self._plan = plan
        self._survey = survey
        self._until = time.monotonic() + _SECONDS

    def problem(self, statement: str) -> ToolError | None:
        """The error that planning a statement gives; None for a statement that would run."""
        left = self._until - time.monotonic()
        if left <= 0:
            return ToolError("TIMEOUT", "No time is left to try it.")
        try:
            execution = planned(self._plan, statement)
        except ToolError as refused:
            return refused
        session = self._survey.session()
        try:
            with Deadline(left):
                for _ in session.execute(execution).rows:
                    pass
        except ToolError as error:
            return error
        except DeadlineReached:
            session.cancel()
            return ToolError("TIMEOUT", "It could not be tried in time.")
        finally:
            session.close()
        return None
