"""Which mongosh calls map exactly onto a read command."""

from __future__ import annotations

from typing import Any

from dbtools.guard.model import Refused
from dbtools.guard.mongosh import Call, Chain, Reader

Document = dict[str, Any]

# cursor method -> field of find, and of aggregate where that has it.
_CURSOR = {
    "sort": "sort",
    "limit": "limit",
    "skip": "skip",
    "hint": "hint",
    "collation": "collation",
    "maxTimeMS": "maxTimeMS",
    "comment": "comment",
    "batchSize": "batchSize",
    "projection": "projection",
    "project": "projection",
    "max": "max",
    "min": "min",
    "readConcern": "readConcern",
}
_FLAGS = {"allowDiskUse": "allowDiskUse", "returnKey": "returnKey", "showRecordId": "showRecordId"}
_NOTHING = ("toArray", "pretty")
_DATABASE = {
    "getCollectionNames": {"listCollections": 1, "nameOnly": True},
    "getCollectionInfos": {"listCollections": 1},
    "stats": {"dbStats": 1},
    "hello": {"hello": 1},
    "version": {"buildInfo": 1},
}
_OPTIONS = ("collation", "hint", "comment", "maxTimeMS", "limit", "skip", "allowDiskUse", "let")


def command_of(text: str) -> Document:
    """The command of `db.orders.find(...)`, `show collections`, ...; raises Refused."""
    words = text.rstrip("; \n").split()
    if words[:1] == ["show"] and words[1:] in (["collections"], ["tables"]):
        return {"listCollections": 1, "nameOnly": True}
    reader = Reader(text)
    if not text.startswith("db", reader.pos):
        raise reader.refuse("not a read of a collection", 0)
    chain = reader.chain()
    if not chain.calls:
        raise reader.refuse("a call expected", len(text))
    explain = _explain(chain)
    command = _command(chain, reader)
    if explain is not None:
        command = {"explain": command, **({"verbosity": explain} if explain else {})}
    return command


def _explain(chain: Chain) -> str | None:
    """Take `.explain(verbosity)` out of the chain; "" for the default, None without it."""
    for call in chain.calls:
        if call.name == "explain" and len(call.arguments) <= 1 and chain.collection:
            chain.calls.remove(call)
            verbosity = call.arguments[0] if call.arguments else ""
            if isinstance(verbosity, bool):
                return "allPlansExecution" if verbosity else "queryPlanner"
            return str(verbosity)
    return None


def _command(chain: Chain, reader: Reader) -> Document:
    if not chain.calls:
        raise reader.refuse("a call expected", len(reader.text))
    first, rest = chain.calls[0], chain.calls[1:]
    maker = (_ON_COLLECTION if chain.collection else _ON_DATABASE).get(first.name)
    if maker is None:
        raise _unknown(first)
    command: Document = maker(chain.collection, first)
    for call in rest:
        command = _refine(command, call)
    return command


def _unknown(call: Call) -> Refused:
    return Refused(
        f"call {call.name}",
        call.start,
        shown=call.name,
        message=f"{call.name}() is not a read this check knows",
        hint="find, findOne, aggregate, countDocuments, estimatedDocumentCount, distinct, "
        "getIndexes, stats, explain; with sort, limit, skip, projection, hint, maxTimeMS",
    )


def _arguments(call: Call, least: int, most: int) -> list[Any]:
    if not least <= len(call.arguments) <= most:
        raise Refused(
            f"call {call.name}",
            call.start,
            shown=call.name,
            message=f"{call.name}() takes {least} to {most} arguments here",
        )
    return [*call.arguments, *[None] * (most - len(call.arguments))]


def _options(call: Call, options: Any, names: tuple[str, ...] = _OPTIONS) -> Document:
    if options is None:
        return {}
    if not isinstance(options, dict) or not all(name in names for name in options):
        raise Refused(
            f"options of {call.name}",
            call.start,
            shown=call.name,
            message=f"{call.name}() has an option that does not map onto a read",
            hint=", ".join(names),
        )
    return options


def _find(collection: str, call: Call) -> Document:
    query, projection, options = _arguments(call, 0, 3)
    command: Document = {"find": collection, "filter": {} if query is None else query}
    if projection is not None:
        command["projection"] = projection
    return command | _options(call, options, (*_OPTIONS, "sort", "projection", "batchSize"))


def _find_one(collection: str, call: Call) -> Document:
    return _find(collection, call) | {"limit": 1, "singleBatch": True}


def _aggregate(collection: str, call: Call) -> Document:
    if call.arguments and isinstance(call.arguments[0], dict):  # stages as separate arguments
        pipeline: Any = call.arguments
        options = None
    else:
        pipeline, options = _arguments(call, 1, 2)
    names = (
        "collation",
        "hint",
        "comment",
        "maxTimeMS",
        "allowDiskUse",
        "let",
        "cursor",
        "explain",
    )
    return {"aggregate": collection or 1, "pipeline": pipeline, **_options(call, options, names)}


def _count_documents(collection: str, call: Call) -> Document:
    query, given = _arguments(call, 0, 2)
    options = _options(call, given, ("limit", "skip", "hint", "collation", "comment", "maxTimeMS"))
    pipeline: list[Document] = [{"$match": {} if query is None else query}]
    pipeline += [{f"${name}": options.pop(name)} for name in ("skip", "limit") if name in options]
    pipeline += [{"$group": {"_id": None, "n": {"$sum": 1}}}, {"$project": {"_id": 0, "n": 1}}]
    return {"aggregate": collection, "pipeline": pipeline, **options}


def _count(collection: str, call: Call) -> Document:
    query, options = _arguments(call, 0, 2)
    command: Document = {"count": collection}
    if query is not None:
        command["query"] = query
    return command | _options(call, options)


def _distinct(collection: str, call: Call) -> Document:
    key, query, options = _arguments(call, 1, 3)
    command: Document = {"distinct": collection, "key": key}
    if query is not None:
        command["query"] = query
    return command | _options(call, options, ("collation", "hint", "comment", "maxTimeMS"))


def _indexes(collection: str, call: Call) -> Document:
    _arguments(call, 0, 0)
    return {"listIndexes": collection}


def _stats(collection: str, call: Call) -> Document:
    [scale] = _arguments(call, 0, 1)
    return {"collStats": collection, **({} if scale is None else {"scale": scale})}


def _of_database(_collection: str, call: Call) -> Document:
    _arguments(call, 0, 0)
    return dict(_DATABASE[call.name])


def _run_command(_collection: str, call: Call) -> Document:
    [command] = _arguments(call, 1, 1)
    if isinstance(command, str):
        return {command: 1}
    if not isinstance(command, dict):
        raise _unknown(call)
    return command


_ON_COLLECTION = {
    "find": _find,
    "findOne": _find_one,
    "aggregate": _aggregate,
    "countDocuments": _count_documents,
    "estimatedDocumentCount": _count,
    "count": _count,
    "distinct": _distinct,
    "getIndexes": _indexes,
    "indexes": _indexes,
    "stats": _stats,
}
_ON_DATABASE = {
    "aggregate": _aggregate,
    "runCommand": _run_command,
    **dict.fromkeys(_DATABASE, _of_database),
}


def _refine(command: Document, call: Call) -> Document:
    """`.sort(...)`, `.limit(5)`, ... on a find or an aggregate."""
    name = next(iter(command))
    if call.name in _NOTHING and not call.arguments and name in ("find", "aggregate"):
        return command
    if call.name in ("count", "itcount", "size") and not call.arguments and name == "find":
        query = command["filter"]
        kept = () if call.name == "count" else ("limit", "skip", "hint")
        bounds = {key: command[key] for key in kept if key in command}
        return {"count": command["find"], "query": query, **bounds}
    field = _CURSOR.get(call.name) if name == "find" else None
    if name == "aggregate" and call.name in ("hint", "collation", "maxTimeMS", "comment"):
        field = call.name
    if field is not None:
        [value] = _arguments(call, 1, 1)
        return command | {field: value}
    if call.name in _FLAGS and name == "find":
        [value] = _arguments(call, 0, 1)
        return command | {_FLAGS[call.name]: True if value is None else value}
    raise _unknown(call)
