"""What a MongoDB command may hold: commands, fields, stages and operators, by allow lists.

The lists are functions/mongodb.toml, and hold at any depth.
"""

from __future__ import annotations

from typing import Any

from dbtools.guard.model import Cause, Refused
from dbtools.guard.mongosh import MAX_DEPTH
from dbtools.guard.tables_mongodb import COMMANDS, DENIED, OPERATORS, STAGES, VERBOSITY
from toolbelt.errors import nearest

Document = dict[str, Any]
_SEED_FIELDS = COMMANDS["find"][1] | COMMANDS["aggregate"][1]


def named(found: Document) -> Document:
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


def _meant(name: str, known: frozenset[str], otherwise: str) -> str:
    close = nearest(name, sorted(known))
    return f"did you mean {' or '.join(close)}?" if close else otherwise


def check_command(command: Document) -> None:
    """Raise Refused unless the command reads; an explained seed form becomes its command."""
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
    inner = named(inner)
    command["explain"] = inner
    check_command(inner)
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
            meant = _meant(name, STAGES, ", ".join(sorted(STAGES)))
            raise _deny("stage", DENIED.get(name), name, meant)
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
                meant = _meant(key, OPERATORS, "see the operators of the manual")
                raise _deny("operator", DENIED.get(key), key, meant)
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
