"""How a query flows: connection, verdict, limit, session, rows, writer. One direction."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from dbtools import connection as connections
from dbtools import parameters
from dbtools.connection import Connection
from dbtools.deadline import Deadline, DeadlineReached, stop
from dbtools.drivers import load
from dbtools.drivers.base import Execution, Placeholder, Session, timeout_error
from dbtools.engines import ENGINES
from dbtools.guard import Verdict, append_limit, check, segments, tables
from dbtools.request import Plan, QueryRequest
from dbtools.result import ResultSet
from dbtools.writers import streams
from toolbelt.cli import Streaming
from toolbelt.envelope import write_success
from toolbelt.errors import ToolError

if TYPE_CHECKING:
    from dbtools.caller import Target


def run_query(request: QueryRequest) -> None:
    """Do all that `db-query` was asked to, and print the answer."""
    connection = connections.find(request.connection)
    plan = prepare(request, connection)
    if request.check:
        write_success(_check_answer(plan, request), pretty=request.pretty)
        return
    from dbtools import delivery

    # The output's path is settled before anything runs, its file published after all went well.
    with delivery.target(request) as out:
        summary = _execute(plan, request, out)
    if summary is not None:
        write_success(summary, pretty=request.pretty)


def _execute(plan: Plan, request: QueryRequest, out: Target | None) -> dict[str, object] | None:
    """Run the statement and deliver its rows; the summary of a written file, else None."""
    from dbtools import delivery

    session = _open(plan)
    try:
        started = time.perf_counter()
        with _limits(plan):
            result = session.execute(plan.execution)
            _watch(result, plan)
            return delivery.deliver(_distinct_names(result), plan, request, started, out)
    except ToolError as error:
        if error.code == "TIMEOUT":
            raise _slowed(error, plan, request) from error
        if error.code != "QUERY_FAILED" or Streaming.active:
            raise
        raise _explained_error(error, plan, request) from error
    except DeadlineReached:
        stop(session)
        # Nothing more is asked of a server that did not keep the limit itself.
        raise timeout_error(plan.timeout_seconds) from None
    except KeyboardInterrupt:
        stop(session)
        raise
    finally:
        session.close()


def _limits(plan: Plan) -> AbstractContextManager[object]:
    """The client's time limit; with a watchdog where the engine may hold this very process."""
    if plan.connection.engine != "sqlite":
        return Deadline(plan.timeout_seconds)
    from dbtools.watchdog import Watchdog

    limits = ExitStack()
    limits.enter_context(Watchdog(plan.timeout_seconds))
    limits.enter_context(Deadline(plan.timeout_seconds))
    return limits


def _watch(result: ResultSet, plan: Plan) -> None:
    """Warn of mistakes that raise no error; the engines that keep quiet about some are few."""
    if ENGINES[plan.connection.engine].dialect in ("sqlite", "mysql"):
        from dbtools import quiet

        quiet.watch(result, plan.statement, ENGINES[plan.connection.engine].dialect)
    elif plan.execution.document is not None:
        from dbtools.mending import watch_for_nothing

        watch_for_nothing(result, plan)


def _explained_error(error: ToolError, plan: Plan, request: QueryRequest) -> ToolError:
    """The engine's error with what to type instead; the error as it was where nothing is known."""
    from dbtools.mending import mend

    return mend(error, plan, request)


def _slowed(error: ToolError, plan: Plan, request: QueryRequest) -> ToolError:
    """A time limit's error with what would make the statement faster."""
    if Streaming.active:
        return error
    from dbtools.mending import slowed

    return slowed(error, plan, request)


def _open(plan: Plan) -> Session:
    """A session, or CONNECTION_FAILED once the connect timeout has passed."""
    seconds = plan.connection.limits.connect_timeout_ms / 1000
    driver = load(plan.connection.engine)
    try:
        with Deadline(seconds):
            return driver.connect(plan.connection, plan.timeout_seconds)
    except DeadlineReached:
        where = plan.connection.host or plan.connection.database
        raise ToolError(
            "CONNECTION_FAILED", f"{where} did not answer within {seconds:g} s.",
            hint="check host and port, or raise CONNECT_TIMEOUT (milliseconds)",
        ) from None  # fmt: skip


def prepare(request: QueryRequest, connection: Connection) -> Plan:
    """Guard, parameters and limits; raises BLOCKED, USAGE or STATEMENT_TOO_LONG."""
    if ENGINES[connection.engine].dialect == "mongodb":
        return _prepare_document(request, connection)
    engine = ENGINES[connection.engine]
    text, explain = _explained(request, engine.explain)
    verdict = check(text, engine.dialect)
    if not verdict.allowed:
        raise refusal(verdict)
    timeout, lowered = _timeout(request, connection)
    cap, capped_by = _cap(request, connection, limited=verdict.limited)
    statement = verdict.statement
    if engine.limit_text and cap is not None:
        statement = append_limit(verdict, cap + 1)
    cut = segments(statement, engine.dialect)
    places = (s[0] for s in cut if not isinstance(s, str))
    parameters.match(places, request.parameters, request.statement)
    execution = Execution(
        segments=[s if isinstance(s, str) else Placeholder(s[0]) for s in cut],
        parameters=request.parameters,
        fetch_rows=None if cap is None else cap + 1,
        kind=verdict.kind,
        timeout_seconds=timeout,
        want_csv=request.format == "csv" and cap is None,
        numbers_as_number=request.numbers_as_number,
        explain=explain,
    )
    return Plan(connection, verdict, execution, statement, cap, capped_by, timeout, lowered)


def _prepare_document(request: QueryRequest, connection: Connection) -> Plan:
    """The same for MongoDB, whose statement is a document."""
    from dbtools import documents

    timeout, lowered = _timeout(request, connection)
    milliseconds = round(timeout * 1000)
    verdict, command = documents.check(request, milliseconds, None)
    if not verdict.allowed:
        raise refusal(verdict)
    cap, capped_by = _cap(request, connection, limited=verdict.limited)
    fetch_rows = None if cap is None else cap + 1
    if fetch_rows is not None and not verdict.limited:
        verdict, command = documents.check(request, milliseconds, fetch_rows)
    execution = Execution(
        segments=[verdict.statement],
        fetch_rows=fetch_rows,
        kind=verdict.kind,
        timeout_seconds=timeout,
        document=command,
        extended_json=request.extended_json,
        numbers_as_number=request.numbers_as_number,
    )
    statement = verdict.statement
    return Plan(connection, verdict, execution, statement, cap, capped_by, timeout, lowered)


def refusal(verdict: Verdict) -> ToolError:
    """A refusing verdict as the error it is."""
    detail: dict[str, object] = {
        "kind": verdict.kind,
        "reason": verdict.reason,
        "token": verdict.token,
        "position": verdict.position,
    }
    return ToolError(
        verdict.code,
        verdict.message,
        hint=verdict.hint,
        detail={k: v for k, v in detail.items() if v},
    )


def _explained(request: QueryRequest, prefix: str) -> tuple[str, bool]:
    """(the text to check, whether the driver is to make the plan).

    Where the language has no EXPLAIN, the caller's own becomes blanks, so that positions hold.
    """
    text = request.statement
    blank = len(text) - len(text.lstrip())
    end = blank + len("explain")
    said = text[blank:end].lower() == "explain" and text[end : end + 1].isspace()
    if prefix:
        return (prefix + text if request.explain and not said else text), False
    if said:
        text = text[:blank] + " " * len("explain") + text[end:]
    return text, said or request.explain


def _timeout(request: QueryRequest, connection: Connection) -> tuple[float, tuple[str, ...]]:
    """Seconds, and a warning when the operator's ceiling is lower than what was asked."""
    ceiling = connection.limits.query_timeout_ms / 1000
    asked = request.timeout_seconds
    if asked is None or asked <= ceiling:
        return (ceiling if asked is None else asked), ()
    return ceiling, (f"timeout lowered to the operator's QUERY_TIMEOUT of {ceiling:g} s",)


def _cap(request: QueryRequest, connection: Connection, *, limited: bool) -> tuple[int | None, str]:
    """(the most rows to give back, what set it)."""
    limits = connection.limits
    everything = request.output is not None or streams(request.format) or limited
    if request.limit is not None:
        asked, by = request.limit, "--limit"
    elif everything:
        asked, by = None, ""
    else:
        asked, by = limits.row_limit, "ROW_LIMIT"
    if limits.max_rows is not None and (asked is None or asked > limits.max_rows):
        return limits.max_rows, "MAX_ROWS"
    return asked, by


def _check_answer(plan: Plan, request: QueryRequest) -> dict[str, object]:
    """`--check`: the verdict and the exact text that would be sent; only `live` connects."""
    return {**_static_answer(plan), **_live_answer(plan, request)}


def _live_answer(plan: Plan, request: QueryRequest) -> dict[str, object]:
    if request.check != "live":
        return {}
    from dbtools import checking

    try:
        return checking.live(plan)
    except ToolError as error:
        if error.code != "QUERY_FAILED":
            raise
        raise _explained_error(error, plan, request) from error


def _static_answer(plan: Plan) -> dict[str, object]:
    return {
        "verdict": "allowed",
        "kind": plan.verdict.kind,
        "tables": _tables(plan),
        "statement": plan.statement,
        "rowLimit": plan.cap,
        "timeoutMs": round(plan.timeout_seconds * 1000),
        "connection": plan.connection.name,
    }


def _tables(plan: Plan) -> list[str]:
    if plan.execution.document is not None:
        from dbtools import documents

        return documents.collections(plan.execution.document)
    return tables(plan.verdict.statement, ENGINES[plan.connection.engine].dialect)


def _distinct_names(result: ResultSet) -> ResultSet:
    """Second and later columns of one name become name_2, name_3, so that no value is lost."""
    names = [c.name for c in result.columns]
    if len(set(names)) == len(names):
        return result
    taken = set(names)
    seen: set[str] = set()
    columns = []
    for column in result.columns:
        name, number = column.name, 1
        while name in seen or (number > 1 and name in taken):
            number += 1
            name = f"{column.name}_{number}"
        seen.add(name)
        columns.append(replace(column, name=name))
    renamed = sorted(seen - taken)
    result.warnings[f"columns of one name were renamed: {', '.join(renamed)}"] = None
    result.columns = columns
    return result
