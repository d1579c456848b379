"""The plan of a document command: MongoDB's counterpart of a guarded statement."""

from __future__ import annotations

import json
from collections.abc import Mapping

from dbtools.guard import Verdict
from dbtools.guard.mongo import MongoVerdict, check_mongo
from dbtools.request import QueryRequest
from toolbelt.errors import ToolError

# Stages and fields that name a further collection.
_SOURCES = ("from", "coll", "$unionWith")


def check(
    request: QueryRequest, max_time_ms: int, limit: int | None
) -> tuple[Verdict, dict[str, object]]:
    """(verdict, the command to run) of a MongoDB text. limit: put where the command has none."""
    if request.parameters:
        raise ToolError(
            "USAGE", "MongoDB takes values inside the document, not as parameters.",
            hint='{"collection": "events", "filter": {"level": "error"}}',
        )  # fmt: skip
    found = check_mongo(request.statement, default_limit=limit or 0, max_time_ms=max_time_ms)
    if found.allowed and request.explain and next(iter(found.command)) != "explain":
        wrapped = json.dumps({"explain": found.command, "verbosity": "queryPlanner"})
        found = check_mongo(wrapped, default_limit=0, max_time_ms=max_time_ms)
    return _verdict(found), found.command


def _verdict(found: MongoVerdict) -> Verdict:
    return Verdict(
        allowed=found.allowed,
        statement=json.dumps(found.command, ensure_ascii=False) if found.allowed else "",
        kind=found.kind,
        limited=_limited(found.command),
        reason=found.reason,
        message=found.message,
        token=found.token,
        position=found.position,
        hint=found.hint,
        code=found.code,
    )


def _limited(command: Mapping[str, object]) -> bool:
    """Does the command itself bound the rows of its answer?"""
    if command.get("limit") or ("aggregate" not in command and "find" not in command):
        return True
    pipeline = command.get("pipeline")
    last = pipeline[-1] if isinstance(pipeline, list) and pipeline else {}
    return isinstance(last, Mapping) and "$limit" in last


def collections(command: object) -> list[str]:
    """The collections a command reads, the main one first."""
    found: dict[str, None] = {}
    if isinstance(command, Mapping):
        first = next(iter(command.items()), None)
        if first is not None and isinstance(first[1], str) and not str(first[0]).startswith("$"):
            found[first[1]] = None
        elif first is not None and isinstance(first[1], Mapping):
            found |= dict.fromkeys(collections(first[1]))
        _gather(command, found)
    return list(found)


def _gather(value: object, found: dict[str, None]) -> None:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in _SOURCES and isinstance(inner, str):
                found[inner] = None
            else:
                _gather(inner, found)
    elif isinstance(value, list):
        for inner in value:
            _gather(inner, found)
