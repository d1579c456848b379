"""MongoDB has no catalog of fields: a bounded, time-limited sample stands in for one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

from pymongo.errors import OperationFailure, PyMongoError

from dbtools.catalog import Catalog, Index, Table, TableColumn
from dbtools.drivers.base import CatalogRequest
from dbtools.drivers.mongodb.values import BsonEncoder, type_name

_MAX_DEPTH = 6
_MAX_PATHS = 400
# Of the time limit, what may go into samples; the names themselves always come back.
_SHARE_OF_TIME = 0.8
# $sample reads at random only while it asks for less than a twentieth of the collection.
_RANDOM_FACTOR = 20


def read_catalog(database: Any, request: CatalogRequest, version: str) -> Catalog:
    """Every collection and view the login may list, with fields, indexes and validators."""
    started = time.monotonic()
    budget = request.timeout_seconds * _SHARE_OF_TIME
    listed = list(
        database.cursor_command(
            {"listCollections": 1, "authorizedCollections": True, "nameOnly": False},
            read_preference=database.read_preference,
        )
    )
    trips, missing, tables = 1, [], []
    for entry in sorted(listed, key=lambda e: str(e["name"])):
        name = str(entry["name"])
        if name.startswith("system.") or (request.tables and name not in request.tables):
            continue
        left = budget - (time.monotonic() - started)
        if left <= 0 and request.detail != "names":
            missing.append(f"{name}: not sampled, the time limit came first")
        table, used, problems = _table(database, entry, request, max(left, 0))
        tables.append(table)
        missing += problems
        trips += used
    return Catalog(
        tuple(tables), missing=tuple(missing), round_trips=trips, server=f"MongoDB {version}"
    )


def _table(
    database: Any, entry: Mapping[str, Any], request: CatalogRequest, left: float
) -> tuple[Table, int, list[str]]:
    name, options = str(entry["name"]), entry.get("options", {})
    is_view = entry.get("type") == "view"
    problems: list[str] = []
    count: int | None = None
    fields: tuple[TableColumn, ...] = ()
    indexes: tuple[Index, ...] = ()
    sampled = used = 0
    if left > 0:
        try:
            if not is_view:
                count = database[name].estimated_document_count(maxTimeMS=_milliseconds(left))
                indexes = _indexes(database[name])
                used += 2
            if request.detail != "names":
                documents = _sample(database[name], count, request.sample_documents, left)
                fields, sampled = _fields(documents), len(documents)
                used += 1
        except OperationFailure as error:
            problems.append(f"{name}: {str(error).partition(', full error')[0]}")
        except PyMongoError as error:
            problems.append(f"{name}: {type(error).__name__}")
    extra: dict[str, object] = {"sampledDocuments": sampled} if sampled or left > 0 else {}
    if options.get("validator"):
        extra["validator"] = BsonEncoder()(options["validator"])
    extra |= {key: options[key] for key in ("capped", "timeseries") if options.get(key)}
    table = Table(
        name=name,
        kind="view" if is_view else "collection",
        columns=fields,
        indexes=indexes,
        row_count=count,
        definition=_definition(options) if is_view else "",
        extra=extra,
    )
    return table, used, problems


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))


def _definition(options: Mapping[str, Any]) -> str:
    source = {"viewOn": options.get("viewOn"), "pipeline": options.get("pipeline", [])}
    return json.dumps(BsonEncoder()(source), ensure_ascii=False)


def _indexes(collection: Any) -> tuple[Index, ...]:
    made = []
    for index in collection.list_indexes():
        keys = tuple(
            f"{key} {'desc' if order == -1 else order}" if order != 1 else str(key)
            for key, order in index["key"].items()
        )
        partial = index.get("partialFilterExpression")
        where = json.dumps(BsonEncoder()(partial), ensure_ascii=False) if partial else ""
        unique = bool(index.get("unique")) or index["name"] == "_id_"
        made.append(Index(str(index["name"]), keys, unique=unique, where=where))
    return tuple(made)


def _sample(collection: Any, count: int | None, size: int, left: float) -> list[Mapping[str, Any]]:
    limit = _milliseconds(left)
    if count is not None and count > size * _RANDOM_FACTOR:
        return list(collection.aggregate([{"$sample": {"size": size}}], maxTimeMS=limit))
    return list(collection.find({}, limit=size, max_time_ms=limit))


def _fields(documents: list[Mapping[str, Any]]) -> tuple[TableColumn, ...]:
    """Paths with their types and the share of documents that have them; `[]` enters an array."""
    seen: dict[str, dict[str, int]] = {}
    present: dict[str, int] = {}
    for document in documents:
        found: dict[str, set[str]] = {}
        _walk(document, "", found, 0)
        for path, kinds in found.items():
            present[path] = present.get(path, 0) + 1
            for kind in kinds:
                counts = seen.setdefault(path, {})
                counts[kind] = counts.get(kind, 0) + 1
    total = len(documents)
    return tuple(
        _column(path, counts, present[path], total)
        for path, counts in list(seen.items())[:_MAX_PATHS]
    )


def _column(path: str, counts: Mapping[str, int], present: int, total: int) -> TableColumn:
    kinds = sorted(counts, key=lambda k: (-counts[k], k))
    share = round(present / total, 4)
    return TableColumn(
        name=path,
        type="|".join(kinds),
        nullable=present < total or "null" in counts,
        primary_key=path == "_id",
        extra={"share": share} if present < total else {},
    )


def _walk(document: Mapping[str, Any], prefix: str, found: dict[str, set[str]], depth: int) -> None:
    for name, value in document.items():
        _see(f"{prefix}{name}", value, found, depth)


def _see(path: str, value: object, found: dict[str, set[str]], depth: int) -> None:
    found.setdefault(path, set()).add(type_name(value))
    if depth >= _MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        _walk(value, f"{path}.", found, depth + 1)
    elif isinstance(value, list):
        items: Iterable[object] = value[:100]
        for item in items:
            _see(f"{path}[]", item, found, depth + 1)
