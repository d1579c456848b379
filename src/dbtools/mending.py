"""After a failure: what is known of the database, asked with the connection that failed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from dbtools import hints
from dbtools.catalog import Table
from dbtools.deadline import Deadline, DeadlineReached, stop
from dbtools.documents import collections
from dbtools.engines import ENGINES
from dbtools.guard.anatomy import dissect
from dbtools.hints import documents
from dbtools.hints.failure import named
from dbtools.hints.slow import sizes
from dbtools.planning import planned
from dbtools.request import Plan, QueryRequest
from dbtools.result import ResultSet, Row
from dbtools.spelling import Naming
from dbtools.survey import Survey
from toolbelt.errors import ToolError

if TYPE_CHECKING:
    from dbtools.glance import Glance

# A hint that takes longer than this is worth less than the time.
_SECONDS: Final = 10.0
# An answer may come a second after its limit; the grace of the deadline is part of that.
_SLOW_SECONDS: Final = 0.3


def mend(error: ToolError, plan: Plan, request: QueryRequest) -> ToolError:
    """The error with candidates, columns and a corrected statement where one can be had.

    Whatever goes wrong on the way leaves the engine's own error as it was.
    """
    engine = ENGINES[plan.connection.engine]
    if plan.execution.document is not None:
        return documents.form(error)
    # A statement refused for its cost has no wrong name, and a look at the catalog costs too.
    if "maxBytesBilled" in error.detail:
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
    from dbtools.hints import complaint

    names: list[str] = []
    if complaint.read(plan.connection.engine, error).kind in complaint.NAMES:
        anatomy = dissect(request.statement, ENGINES[plan.connection.engine].dialect)
        names = [source.table for source in anatomy.sources if source.table] if anatomy else []
    return Glance(survey, names)


def slowed(error: ToolError, plan: Plan, request: QueryRequest) -> ToolError:
    """A time limit's error with the size of the tables and their indexes, as far as it is known."""
    engine = ENGINES[plan.connection.engine]
    survey = Survey(plan.connection, seconds=_SLOW_SECONDS)
    try:
        catalog = survey.kept() if engine.billed else survey.catalog()
    except ToolError:
        return error
    if catalog is None:
        return error
    tables: list[Table] = []
    if plan.execution.document is not None:
        wanted = collections(plan.execution.document)
        tables = [t for t in catalog.tables if t.name in wanted]
    elif anatomy := dissect(request.statement, engine.dialect):
        tables = named(catalog, anatomy)
    naming = Naming(plan.connection.engine, catalog.default_schema)
    told = sizes(tables, naming)
    if not told:
        return error
    hint = "filter by the first column of an index (see tables), read fewer rows, or aggregate"
    return ToolError(error.code, error.message, f"{hint}; {error.hint}", {**error.detail, **told})


def watch_for_nothing(result: ResultSet, plan: Plan) -> None:
    """MongoDB answers a wrong collection or field with no documents: say so where none came."""
    rows = result.rows

    def watched() -> Iterator[Row]:
        count = 0
        for row in rows:
            count += 1
            yield row
        if not count:
            for message in _doubts(plan):
                result.warnings[message] = None

    result.rows = watched()


def _doubts(plan: Plan) -> list[str]:
    survey = Survey(plan.connection, seconds=_SLOW_SECONDS)
    try:
        return list(documents.doubts(plan.execution.document or {}, survey.catalog().tables))
    except ToolError:
        return []


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
            stop(session)
            return ToolError("TIMEOUT", "It could not be tried in time.")
        finally:
            session.close()
        return None
