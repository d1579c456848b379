"""MongoDB: what to type after an error, and after an empty answer that no error explains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from dbtools.catalog import Table
from dbtools.documents import collections
from toolbelt.errors import ToolError, nearest

# Words of a server's complaint -> the form that it wants.
_FORMS: Final = (
    ("must include an _id", '{"$group": {"_id": "$field", "n": {"$sum": 1}}}; "_id": null for all'),
    ("$or", '{"$or": [{"a": 1}, {"b": 2}]}'),
    ("$and", '{"$and": [{"a": 1}, {"b": 2}]}'),
    ("$in", '{"field": {"$in": ["a", "b"]}}'),
    ("$sort", '{"field": 1} sorts upwards, {"field": -1} downwards'),
    ("$limit", "a number above 0"),
    ("$skip", "a number, 0 or more"),
    ("$project", '{"$project": {"field": 1, "_id": 0}}: all to show, or all to leave out'),
    ("projection", '{"field": 1, "_id": 0}: all to show, or all to leave out'),
    ("egular expression", 'escape the signs that mean something: {"$regex": "\\\\["}'),
    ("$unwind", '{"$unwind": "$field"}'),
    ("$lookup", '{"$lookup": {"from", "localField", "foreignField", "as"}}'),
    ("field path", "the value of a field is written \"$field\", with a dollar sign"),
    ("FieldPath", "the value of a field is written \"$field\", with a dollar sign"),
    ("convert", '{"$convert": {"input": "$field", "to": "double", "onError": null}}'),
    ("only supports numeric", '{"$toDouble": "$field"} before arithmetic'),
)  # fmt: skip
_FIELDS_SHOWN: Final = 40
_CONDITIONS: Final = ("filter", "query", "$match")


def form(error: ToolError) -> ToolError:
    """The error with the form that MongoDB wants, where its words tell which."""
    if error.hint:
        return error
    hint = next((form for words, form in _FORMS if words in error.message), "")
    return ToolError(error.code, error.message, hint or error.hint, error.detail)


def doubts(command: Mapping[str, object], known: Sequence[Table]) -> Iterator[str]:
    """Why an answer may be empty: collections that are not there, fields that no document has."""
    tables = {t.name: t for t in known}
    names = collections(command)
    for name in names:
        if name not in tables:
            yield f"there is no collection {name!r}{_meant(name, tables)}"
    first = tables.get(names[0]) if names else None
    if first is None or not first.columns:
        return
    fields = [c.name for c in first.columns]
    for field in dict.fromkeys(_filtered(command)):
        if field not in fields and not any(f.startswith(f"{field}.") for f in fields):
            yield (
                f"none of the documents looked at in {first.name!r} has a field "
                f"{field!r}{_meant(field, fields)}"
            )


def _meant(name: str, known: Iterable[str]) -> str:
    close = nearest(name, list(known), 3)
    shown = ", ".join(sorted(known)[:_FIELDS_SHOWN])
    return f": did you mean {' or '.join(close)}?" if close else f"; there are {shown}"


def _filtered(value: object, *, inside: bool = False) -> Iterator[str]:
    """The fields that a find's filter or the leading $match of a pipeline compares."""
    if isinstance(value, list):
        stages = value if inside else value[:1]
        for stage in stages:
            yield from _filtered(stage, inside=inside)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if inside and not key.startswith("$"):
                yield key
            elif inside or key in _CONDITIONS:
                yield from _filtered(inner, inside=True)
            elif key in ("pipeline", "explain"):
                yield from _filtered(inner)
