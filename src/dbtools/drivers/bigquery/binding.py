"""JSON-typed parameters as BigQuery's own: `@name` in the text, typed values beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from dbtools.drivers.base import Placeholder

if TYPE_CHECKING:
    from google.cloud import bigquery

_INT64: Final = 2**63
_NUMERIC: Final = 10**29
_DEFAULT_NULL: Final = "STRING"


def text(segments: Sequence[str | Placeholder]) -> str:
    """The statement with `@name` for each placeholder: as long as `:name`, so positions hold."""
    return "".join(s if isinstance(s, str) else f"@{s.name}" for s in segments)


def bind(
    segments: Sequence[str | Placeholder],
    parameters: Mapping[str, object],
    null_types: Mapping[str, str] | None,
) -> list[bigquery.ScalarQueryParameter | bigquery.ArrayQueryParameter]:
    """The parameters that the statement names.

    null_types: name -> type of those that are NULL; None leaves them out, so that a dry run says
    which type the statement gives them.
    """
    from google.cloud import bigquery

    made: list[Any] = []
    for name in dict.fromkeys(s.name for s in segments if isinstance(s, Placeholder)):
        value = parameters[name]
        if value is None:
            if null_types is not None:
                kind = null_types.get(name, _DEFAULT_NULL)
                made.append(bigquery.ScalarQueryParameter(name, kind, None))
        elif isinstance(value, list) and (kind := _element(value)):
            cells = [_scalar(item, kind) for item in value]
            made.append(bigquery.ArrayQueryParameter(name, kind, cells))
        else:
            kind = _type(value)
            made.append(bigquery.ScalarQueryParameter(name, kind, _scalar(value, kind)))
    return made


def _type(value: object) -> str:
    if isinstance(value, bool):
        return "BOOL"
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return "FLOAT64"
    return "STRING" if isinstance(value, str) else "JSON"


def _integer(value: int) -> str:
    """The smallest type that holds it."""
    if -_INT64 <= value < _INT64:
        return "INT64"
    return "NUMERIC" if abs(value) < _NUMERIC else "BIGNUMERIC"


def _element(items: Sequence[object]) -> str:
    """The one type of a list's items, '' when they are not one array. It may hold no NULL."""
    if not items:
        return "STRING"
    kinds = {_type(item) for item in items}
    if None in items or "JSON" in kinds:
        return ""
    for widest in ("FLOAT64", "BIGNUMERIC", "NUMERIC"):
        if widest in kinds and kinds <= {"INT64", "NUMERIC", "BIGNUMERIC", "FLOAT64"}:
            return widest
    return kinds.pop() if len(kinds) == 1 else ""


def _scalar(value: object, kind: str) -> object:
    if kind in ("NUMERIC", "BIGNUMERIC") and isinstance(value, int):
        return Decimal(value)
    return float(value) if kind == "FLOAT64" and isinstance(value, int) else value
