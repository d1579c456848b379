"""The read-only guard for MongoDB: a text -> one read command as plain data, or a refusal.

Accepted: the seed's form {"collection": ..., "pipeline": [...]}, raw read commands, and mongosh
text that maps exactly onto them. Commands, their fields, stages and operators are allow lists, in
functions/mongodb.toml, and hold at any depth. Extended JSON stays as it is for the driver.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from dbtools.guard.model import Refused
from dbtools.guard.mongo_rules import Document, check_command, named
from dbtools.guard.mongosh import duplicate
from dbtools.guard.mongosh_calls import command_of
from dbtools.guard.refusals import refusal
from dbtools.guard.size import check_size
from dbtools.guard.tables_mongodb import COMMANDS
from toolbelt.nesting import too_deep


class MongoVerdict(NamedTuple):
    """The guard's answer about one MongoDB text; the fields are those of `Verdict`.

    command: the read command to run, its name first; {} when refused. kind: FIND, AGGREGATE, ...
    """

    allowed: bool
    command: Document
    kind: str = ""
    reason: str = ""
    message: str = ""
    token: str = ""
    position: int = 0
    hint: str = ""
    code: str = "BLOCKED"


def check_mongo(text: str, *, default_limit: int, max_time_ms: int = 0) -> MongoVerdict:
    """The verdict on one text. Never raises on any text.

    default_limit: put on a find or an aggregate that has no limit of its own; 0 for none.
    max_time_ms: put on the command unless it asks for less; 0 for none.
    """
    command: Document = {}
    try:
        check_size(text)
        command = _read(text)
        check_command(command)
        _bound(command, default_limit, max_time_ms)
    except Refused as error:
        kind = next(iter(command), "").upper()
        plain = refusal(error, kind)
        return MongoVerdict(
            False, {}, plain.kind, plain.reason, plain.message, plain.token, plain.position,
            plain.hint, plain.code,
        )  # fmt: skip
    return MongoVerdict(True, command, next(iter(command)).upper())


def _read(text: str) -> Document:
    """The command a text means, not yet checked."""
    body = text.removeprefix("\ufeff").strip()
    if not body:
        raise Refused(
            "empty",
            message="The query is empty.",
            hint='give one command: {"find": "events", "filter": {}}',
            code="USAGE",
        )
    if not body.startswith("{"):
        return command_of(body)
    try:
        found = json.loads(body, object_pairs_hook=_pairs, parse_constant=_constant)
        if too_deep(body):
            raise RecursionError
    except RecursionError:
        raise Refused("nesting too deep", 0) from None
    except ValueError as error:
        raise _not_json(error) from None
    return named(found)


def _not_json(error: ValueError) -> Refused:
    at = error.pos if isinstance(error, json.JSONDecodeError) else -1
    if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data":
        return Refused(
            "text after the document",
            at,
            message="text follows the JSON document",
            hint="send one command at a time",
        )
    return Refused(
        "not JSON",
        at,
        message=f"the document is not JSON: {str(error)[:100]}",
        hint='JSON has double quotes round every key and text: {"find": "events", "filter": {}}',
    )


def _pairs(pairs: list[tuple[str, Any]]) -> Document:
    out = dict(pairs)
    if len(out) < len(pairs):
        names = [name for name, _ in pairs]
        raise duplicate(next(name for name in names if names.count(name) > 1))
    return out


def _constant(word: str) -> object:
    raise Refused(
        "not JSON",
        shown=word,
        message=f"{word} is not JSON",
        hint='write {"$numberDouble": "NaN"} for a NaN',
    )


def _bound(command: Document, default_limit: int, max_time_ms: int) -> None:
    """Put the limits on a checked command that has none of its own."""
    name = next(iter(command))
    inner = command["explain"] if name == "explain" else command
    if name == "find" and default_limit and not inner.get("limit"):
        inner["limit"] = default_limit
    if name == "aggregate":
        inner.setdefault("cursor", {})
        pipeline = inner.setdefault("pipeline", [])
        bounded = inner.get("explain") or (pipeline and "$limit" in pipeline[-1])
        if default_limit and not bounded:
            inner["pipeline"] = [*pipeline, {"$limit": default_limit}]
    if name == "explain" and "aggregate" in inner:
        inner.setdefault("cursor", {})
        inner.setdefault("pipeline", [])
    if max_time_ms and "maxTimeMS" in COMMANDS[name][1]:
        command["maxTimeMS"] = min(command.get("maxTimeMS", max_time_ms), max_time_ms)
