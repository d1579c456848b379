"""The last step of a query: rows onto stdout or into a file, and what there is to say of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, BinaryIO, cast

from dbtools import caller
from dbtools.request import Plan, QueryRequest
from dbtools.result import ResultSet
from dbtools.writers import streams, writer
from dbtools.writers.cells import Rows, tabular
from dbtools.writers.delimited import header_line
from dbtools.writers.jsonrows import lines
from toolbelt.envelope import dumps, warn, write_stdout, write_success

if TYPE_CHECKING:
    from dbtools.caller import Target

Sink = Callable[[bytes], object]


def target(request: QueryRequest) -> AbstractContextManager[Target | None]:
    """The output file to be, refused here already if it may not be written; None for stdout."""
    if request.output is None:
        return nullcontext()
    return caller.current().output(request.output, request.workspace, force=request.force)


def deliver(
    result: ResultSet, plan: Plan, request: QueryRequest, started: float, out: Target | None
) -> dict[str, object] | None:
    """Print the whole result, or write it to `out` and return the summary to print.

    started: perf_counter() when the statement was sent.
    """
    if result.documents and (request.arrays or request.format not in ("json", "jsonl")):
        result = tabular(result)
    if out is not None:
        return _to_file(result, plan, request, started, out)
    if request.format == "json":
        _json_to_stdout(result, plan, request, started)
    else:
        _rows_to_stdout(result, plan, request)
    return None


def _json_to_stdout(result: ResultSet, plan: Plan, request: QueryRequest, started: float) -> None:
    rows = Rows(result.rows, plan.cap)
    budget = request.max_bytes or plan.connection.limits.max_bytes
    texts: list[str] = []
    too_big = False
    for text in lines(result, rows, arrays=request.arrays):
        budget -= len(text.encode()) + 2
        if budget < 0:
            too_big = True
            break
        texts.append(text)
    result.close()
    tail = _tail(result, plan, len(texts), started)
    tail |= _truncation(rows.truncated, too_big, plan, request)
    if request.pretty:
        import json

        write_success({"rows": [json.loads(t) for t in texts], **tail}, pretty=True)
        return
    joined = "[\n" + ",\n".join(texts) + "\n]" if texts else "[]"
    write_stdout('{"ok":true,"rows":' + joined + "," + dumps(tail)[1:] + "\n")


def _tail(result: ResultSet, plan: Plan, count: int, started: float) -> dict[str, object]:
    """The envelope's keys after the rows."""
    tail: dict[str, object] = {
        "rowCount": count,
        "executionTimeMs": round((time.perf_counter() - started) * 1000),
        "columns": [{"name": c.name, "type": c.type} for c in result.columns],
        "truncated": False,
        "connection": plan.connection.name,
        **result.extra,
    }
    warnings = [*plan.warnings, *result.warnings]
    if warnings:
        tail["warnings"] = warnings
    return tail


def _truncation(rows: bool, too_big: bool, plan: Plan, request: QueryRequest) -> dict[str, object]:
    """`truncated` and, where something was cut, which limit did it and how to get the rest."""
    if too_big:
        size = request.max_bytes or plan.connection.limits.max_bytes
        hint = "name fewer columns, write it to a file (-o all.jsonl), or raise --max-bytes"
        return {"truncated": True, "truncation": {"by": "MAX_BYTES", "limit": size, "hint": hint}}
    if not rows:
        return {"truncated": False}
    if plan.capped_by == "MAX_ROWS":
        hint = "the operator allows no more rows: narrow it with WHERE, or aggregate"
    else:
        hint = "raise --limit, or write everything to a file: -o all.csv"
    return {
        "truncated": True,
        "truncation": {"by": plan.capped_by, "limit": plan.cap, "hint": hint},
    }


def _chunks(result: ResultSet, rows: Rows, request: QueryRequest) -> Iterator[str]:
    if request.format == "jsonl":
        from dbtools.writers.jsonrows import jsonl

        return jsonl(result, rows, arrays=request.arrays)
    return writer(request.format)(result, rows)


def _write_rows(result: ResultSet, rows: Rows, request: QueryRequest, sink: Sink) -> None:
    """Every row through the format's writer, by the engine's own fast way where it has one."""
    if request.format == "csv" and result.native_csv is not None:
        _native_csv(result, rows, sink)
        return
    for chunk in _chunks(result, rows, request):
        sink(chunk.encode("utf-8", "backslashreplace"))


def _native_csv(result: ResultSet, rows: Rows, sink: Sink) -> None:
    """The header goes out with the first rows: what fails before them prints nothing."""
    header = header_line(result.columns).encode()

    def with_header(data: bytes) -> None:
        nonlocal header
        sink(header + data)
        header = b""

    assert result.native_csv is not None  # noqa: S101 - the caller saw it
    rows.count = result.native_csv(with_header)
    if header:
        sink(header)


def _rows_to_stdout(result: ResultSet, plan: Plan, request: QueryRequest) -> None:
    import sys

    rows = Rows(result.rows, plan.cap)
    out = cast(BinaryIO, sys.stdout.buffer)

    if streams(request.format):
        _write_rows(result, rows, request, out.write)
    else:
        out.write("".join(_chunks(result, rows, request)).encode("utf-8", "backslashreplace"))
    out.flush()
    result.close()
    for message in (*plan.warnings, *result.warnings):
        warn(f"Warning: {message}")
    cut = _truncation(rows.truncated, False, plan, request).get("truncation")
    if isinstance(cut, dict):
        warn(f"Truncated at {plan.cap} rows ({plan.capped_by}): {cut['hint']}.")


def _to_file(
    result: ResultSet, plan: Plan, request: QueryRequest, started: float, out: Target
) -> dict[str, object]:
    rows = Rows(result.rows, plan.cap)
    size = 0

    def sink(data: bytes) -> None:
        nonlocal size
        size += len(data)
        out.file.write(data)

    if request.format == "json":
        _json_to_sink(result, plan, request, rows, sink, started)
    else:
        _write_rows(result, rows, request, sink)
    result.close()
    tail = _tail(result, plan, rows.count, started)
    tail |= _truncation(rows.truncated, False, plan, request)
    body = {"path": str(out.path), "format": request.format, "rows": rows.count, "bytes": size}
    return {**body, **tail}


def _json_to_sink(
    result: ResultSet,
    plan: Plan,
    request: QueryRequest,
    rows: Rows,
    sink: Sink,
    started: float,
) -> None:
    joint = '{"ok":true,"rows":[\n'
    for text in lines(result, rows, arrays=request.arrays):
        sink((joint + text).encode("utf-8", "backslashreplace"))
        joint = ",\n"
    tail = _tail(result, plan, rows.count, started)
    tail |= _truncation(rows.truncated, False, plan, request)
    start = '{"ok":true,"rows":[],' if joint.startswith("{") else "\n],"
    sink((start + dumps(tail)[1:] + "\n").encode())
