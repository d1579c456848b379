"""The read-only guard for MongoDB: a text -> one read command as plain data, or a refusal.

Accepted: the seed's form {"collection": ..., "pipeline": [...]}, raw read commands, and mongosh
text that maps exactly onto them. Commands, their fields, stages and operators are allow lists, in
functions/mongodb.toml, and hold at any depth. Extended JSON stays as it is for the driver.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from dbtools.guard.model import Cause, Refused
from dbtools.guard.mongosh import MAX_DEPTH, duplicate
from dbtools.guard.mongosh_calls import command_of
from dbtools.guard.refusals import refusal
from dbtools.guard.size import check_size
from dbtools.guard.tables_mongodb import (
    COMMANDS,
    DENIED,
    OPERATORS,
    STAGES,
    VERBOSITY,
)

Document = dict[str, Any]
_SEED_FIELDS = COMMANDS["find"][1] | COMMANDS["aggregate"][1]


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
        _check_command(command)
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
    except RecursionError:
        raise Refused("nesting too deep", 0) from None
    except ValueError as error:
        raise _not_json(error) from None
    return _named(found)


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


def _named(found: Document) -> Document:
    """The seed's form, {"collection": ...}, as the command it stands for."""
    first = next(iter(found), "")
    if "collection" not in found or not (first == "collection" or first in _SEED_FIELDS):
        return found
    rest = {key: value for key, value in found.items() if key != "collection"}
    if "pipeline" in rest:
        return {"aggregate": found["collection"], **rest}
    return {"find": found["collection"], **rest}


def _deny(what: str, cause: Cause | None, token: str, hint: str = "") -> Refused:
    return Refused(
        f"{what} {token}",
        shown=token,
        message=f"{token} {cause.why}" if cause else f"the {what} {token} is not on the list",
        hint=cause.hint if cause else hint,
    )


def _check_command(command: Document) -> None:
    name = next(iter(command), "")
    if name not in COMMANDS:
        raise Refused(
            f"command {name}",
            shown=name,
            message=f"Blocked: {name or 'empty'} commands are not allowed. "
            f"Only {', '.join(COMMANDS)} permitted.",
            hint='{"find": "events", "filter": {}} or {"collection": "events", "pipeline": []}',
            kind=name.upper(),
        )
    on, fields = COMMANDS[name]
    for field in command:
        if field != name and field not in fields:
            cause = DENIED.get(field)
            raise _deny("field", cause, field, f"{name} may have: {', '.join(sorted(fields))}")
    target = command[name]
    if on == "command":
        _check_explain(command)
        return
    if on == "collection":
        _check_target(name, target, command)
    elif target not in (1, 1.0) or isinstance(target, bool):
        raise Refused(f"{name} target", message=f"{name} takes 1 here", hint=f'{{"{name}": 1}}')
    for field, value in command.items():
        if field == "pipeline":
            _check_pipeline(value, 1)
        elif field != name:
            _check_value(value, 1)
    _check_numbers(command)


def _check_explain(command: Document) -> None:
    inner = command["explain"]
    if not isinstance(inner, dict) or next(iter(inner), "") in ("explain", ""):
        raise Refused("explain target", message="explain takes a command", hint=_EXPLAIN_HINT)
    inner = _named(inner)
    command["explain"] = inner
    _check_command(inner)
    if next(iter(inner)) not in ("find", "aggregate", "count", "distinct"):
        raise Refused("explain target", message="this command has no plan", hint=_EXPLAIN_HINT)
    if command.get("verbosity", "queryPlanner") not in VERBOSITY:
        raise Refused(
            "verbosity",
            message=f"verbosity {command['verbosity']!r} is unknown",
            hint=", ".join(sorted(VERBOSITY)),
        )
    _check_numbers(command)


_EXPLAIN_HINT = '{"explain": {"find": "events", "filter": {...}}}'


def _check_target(name: str, target: object, command: Document) -> None:
    """A collection's name; aggregate may take 1 when its first stage makes the documents."""
    if name == "aggregate" and target == 1 and not isinstance(target, bool):
        pipeline = command.get("pipeline")
        first = pipeline[0] if isinstance(pipeline, list) and pipeline else None
        if isinstance(first, dict) and list(first) == ["$documents"]:
            return
        raise Refused(
            "database-level aggregate",
            message="an aggregate on the whole database must start with $documents",
            hint="name a collection",
        )
    _check_collection(target)


def _check_collection(name: object) -> None:
    if not isinstance(name, str) or not name or "\0" in name or "$" in name:
        raise Refused(
            "collection name",
            shown=str(name)[:60],
            message="a collection's name must be plain text",
            hint='"orders"',
        )
    if name.startswith("system."):
        raise Refused(
            f"collection {name}",
            shown=name,
            message=f"{name} belongs to the server",
            hint="listCollections shows the collections that can be read",
        )
    _check_text(name)


def _check_pipeline(pipeline: object, depth: int) -> None:
    if not isinstance(pipeline, list):
        raise Refused("pipeline", message="a pipeline is a list of stages", hint='[{"$match": {}}]')
    for stage in pipeline:
        if not isinstance(stage, dict) or len(stage) != 1:
            raise Refused(
                "stage", message="a stage is a document with one key", hint='{"$match": {...}}'
            )
        [(name, body)] = stage.items()
        if name not in STAGES:
            raise _deny("stage", DENIED.get(name), name, ", ".join(sorted(STAGES)))
        _check_stage(name, body, depth + 1)


def _check_stage(name: str, body: object, depth: int) -> None:
    if name == "$facet" and isinstance(body, dict):
        for pipeline in body.values():
            _check_pipeline(pipeline, depth + 1)
        return
    if name in ("$rankFusion", "$scoreFusion") and isinstance(body, dict):
        inputs = body.get("input")
        pipelines = inputs.get("pipelines") if isinstance(inputs, dict) else None
        if not isinstance(pipelines, dict):
            raise Refused("stage", message=f"{name} takes input.pipelines", shown=name)
        for pipeline in pipelines.values():
            _check_pipeline(pipeline, depth + 1)
        _check_value({key: value for key, value in body.items() if key != "input"}, depth)
        return
    if name in ("$lookup", "$unionWith", "$graphLookup"):
        _check_joined(name, body, depth)
        return
    _check_value(body, depth)


def _check_joined(name: str, body: object, depth: int) -> None:
    """Stages that read another collection: of this database, with a pipeline that only reads."""
    if name == "$unionWith" and isinstance(body, str):
        _check_collection(body)
        return
    if not isinstance(body, dict):
        raise Refused("stage", message=f"{name} takes a document", shown=name)
    if "db" in body:
        raise _deny("field", DENIED["$db"], "db")
    source = body.get("coll" if name == "$unionWith" else "from")
    if isinstance(source, dict):
        raise _deny("field", DENIED["$db"], "from")
    if source is not None or name == "$graphLookup":
        _check_collection(source)
    if name == "$graphLookup" and not _is_count(body.get("maxDepth")):
        raise Refused(
            "$graphLookup without maxDepth",
            shown=name,
            message="$graphLookup without maxDepth may walk the whole collection",
            hint='add "maxDepth": 10',
        )
    for field, value in body.items():
        if field == "pipeline":
            _check_pipeline(value, depth + 1)
        else:
            _check_value(value, depth + 1)


def _is_count(value: object) -> bool:
    if isinstance(value, dict) and len(value) == 1:
        [(wrapper, inner)] = value.items()
        return wrapper in ("$numberInt", "$numberLong") and str(inner).isdecimal()
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def _check_value(value: object, depth: int) -> None:
    """Every key that starts with `$`, at any depth, must be an operator that computes or reads."""
    if depth > MAX_DEPTH:
        raise Refused(
            "nesting too deep", message="the document is nested more than 100 levels deep"
        )
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_text(key)
            if "\0" in key:
                raise Refused("field name", message="a field's name holds a NUL", shown=key[:60])
            if key.startswith("$") and key not in OPERATORS:
                raise _deny("operator", DENIED.get(key), key, "see the operators of the manual")
            _check_value(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _check_value(inner, depth + 1)
    elif isinstance(value, str):
        _check_text(value)
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise Refused(
            "number",
            shown=str(value)[:60],
            message="this integer is beyond 64 bits",
            hint='{"$numberDecimal": "..."}',
        )


def _check_text(value: str) -> None:
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise Refused("character", message="the text holds half a surrogate pair")


def _check_numbers(command: Document) -> None:
    """Limits that are 0 or negative would mean: none, or another shape of answer."""
    for field in ("maxTimeMS", "limit", "skip", "batchSize"):
        value = command.get(field)
        if value is None:
            continue
        least = 1 if field == "maxTimeMS" else 0
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise Refused(
                f"{field} {value!r}"[:80],
                shown=field,
                message=f"{field} must be a whole number of at least {least}",
                hint="leave it out for the connection's own limit",
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
