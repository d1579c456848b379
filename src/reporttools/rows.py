"""Rows under named columns, from every shape of JSON that queries and agents write."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from reporttools.problems import Problem, bad_data
from reporttools.schema import shown

# Extended JSON of document databases: the wrapper says nothing a reader of a report needs.
_WRAPPERS: Final = (
    "$oid", "$date", "$numberDecimal", "$numberLong", "$numberInt", "$numberDouble", "$uuid",
)  # fmt: skip
_NUMERIC: Final = (
    "int", "serial", "numeric", "decimal", "number", "float", "double", "real", "money", "fixed",
    "hugeint", "bigint", "oid",
)  # fmt: skip
_NOT_NUMERIC: Final = ("interval", "point", "array", "[]", "range", "tuple", "map")


@dataclass(frozen=True, slots=True)
class Field:
    """A column's name and, when the source declares it, the engine's name of its type."""

    name: str
    type: str = ""

    @property
    def numeric(self) -> bool:
        """Declared a number, so that decimal strings of an exact type count as numbers."""
        kind = self.type.lower()
        return any(n in kind for n in _NUMERIC) and not any(n in kind for n in _NOT_NUMERIC)

    @property
    def temporal(self) -> bool:
        """Declared a date or a timestamp (not a time of day)."""
        kind = self.type.lower()
        return kind.startswith(("date", "timestamp", "nullable(date", "smalldatetime"))


@dataclass(slots=True)
class Rows:
    """fields: the columns in order. rows: one cell a column, JSON values without nesting.

    typed: False for CSV, where every cell is text. truncated: the source was cut by a limit. clean:
    no text of the rows holds what no document may.
    """

    fields: list[Field]
    rows: Iterable[list[object]]
    typed: bool = True
    truncated: bool = False
    clean: bool = False

    def __iter__(self) -> Iterator[list[object]]:
        return iter(self.rows)


def flatten(value: object) -> object:
    """A nested value as one cell: wrappers opened, anything else as compact JSON text."""
    if not isinstance(value, dict | list):
        return value
    if isinstance(value, dict) and len(value) == 1:
        key = next(iter(value))
        inner = value[key]
        if key in _WRAPPERS and isinstance(inner, str | int | float):
            return _unwrapped(key, inner)
        if key == "$date" and isinstance(inner, dict):
            return _from_epoch(inner.get("$numberLong"))
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def _unwrapped(key: str, inner: str | int | float) -> object:
    if key in ("$numberLong", "$numberInt") and isinstance(inner, str):
        return int(inner) if inner.lstrip("-").isdigit() else inner
    if key == "$date" and isinstance(inner, int):
        return _from_epoch(inner)
    if key == "$numberDouble" and isinstance(inner, str):
        return number(inner)
    return inner


def _from_epoch(milliseconds: object) -> object:
    from datetime import UTC, datetime, timedelta

    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=int(str(milliseconds)))
    except (ValueError, OverflowError):
        return None if milliseconds is None else str(milliseconds)
    return moment.isoformat().replace("+00:00", "Z")


def _plain(value: object) -> object:
    """Wrappers opened inside nested values too."""
    if isinstance(value, dict):
        if len(value) == 1 and next(iter(value)) in _WRAPPERS:
            return flatten(value)
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def union(objects: Iterable[dict[str, object]]) -> list[str]:
    """All keys, in the order they are first seen."""
    names: dict[str, None] = {}
    for item in objects:
        if item.keys() - names.keys():
            names.update(dict.fromkeys(item))
    return list(names)


def number(text: object) -> int | float | Decimal | None:
    """A number of a JSON number or of plain decimal text; None for anything else."""
    if isinstance(text, bool):
        return None
    if isinstance(text, int | float | Decimal):
        return text
    if not isinstance(text, str) or not text or len(text) > 400:
        return None
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        return None
    return value if value.is_finite() and "_" not in text else None


def from_json(value: object) -> Rows:
    """Rows of a query result, of a list of objects, or of headers with lists."""
    truncated = False
    declared: object = None
    headers: object = None
    if isinstance(value, dict):
        if "rows" not in value:
            raise bad_data(
                [Problem("/rows", "is required and missing")],
                hint='an object with "rows", a list of objects, NDJSON or CSV is expected',
            )
        truncated = value.get("truncated") is True
        declared, headers = value.get("columns"), value.get("headers")
        value = value["rows"]
    if not isinstance(value, list):
        raise bad_data([Problem("/rows", f"array expected, got {shown(value)}")])
    types = declared_types(declared)
    if value and all(isinstance(row, dict) for row in value):
        return _objects(value, types, truncated)
    if all(isinstance(row, list) for row in value):
        return _arrays(value, headers, types, truncated)
    kind = type(value[0]) if isinstance(value[0], dict | list) else None
    wrong = next(i for i, row in enumerate(value) if type(row) is not kind)
    what = f"object or array expected, got {shown(value[wrong])}"
    raise bad_data([Problem(f"/rows/{wrong}", what)])


def declared_types(columns: object) -> dict[str, str]:
    """Names and types from `columns`: a list of `{name, type}` or an object of them."""
    if isinstance(columns, dict):
        return {
            name: str(how.get("type") or "") if isinstance(how, dict) else ""
            for name, how in columns.items()
        }
    if not isinstance(columns, list):
        return {}
    return {
        str(item["name"]): str(item.get("type") or "")
        for item in columns
        if isinstance(item, dict) and "name" in item
    }


def _objects(value: list[dict[str, object]], types: dict[str, str], truncated: bool) -> Rows:
    seen = union(value)
    known = set(seen)
    names = [name for name in types if name in known]
    names += [name for name in seen if name not in types]
    fields = [Field(name, types.get(name, "")) for name in names]
    rows = [[flatten(row.get(name)) for name in names] for row in value]
    return Rows(fields, rows, truncated=truncated)


def _arrays(
    value: list[list[object]], headers: object, types: dict[str, str], truncated: bool
) -> Rows:
    names = [str(h) for h in headers] if isinstance(headers, list) else list(types)
    if not names:
        if not value:
            return Rows([], [], truncated=truncated)
        names = [f"column {n}" for n in range(1, max(map(len, value)) + 1)]
    ragged = [
        Problem(f"/rows/{i}", f"has {len(row)} cells, but there are {len(names)} columns")
        for i, row in enumerate(value)
        if len(row) != len(names)
    ]
    if ragged:
        raise bad_data(ragged)
    fields = [Field(name, types.get(name, "")) for name in names]
    rows = [[flatten(cell) for cell in row] for row in value]
    return Rows(fields, rows, truncated=truncated)
