"""BSON values as JSON: the common rules, or relaxed extended JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from bson import (
    Binary,
    Code,
    DatetimeMS,
    DBRef,
    Decimal128,
    Int64,
    MaxKey,
    MinKey,
    ObjectId,
    Regex,
    Timestamp,
)
from bson.json_util import JSONMode, JSONOptions
from bson.json_util import default as extended_default

from toolbelt.jsonvalue import NOT_UTF8, Encoder, base64_text

_RELAXED = JSONOptions(json_mode=JSONMode.RELAXED, uuid_representation=4, tz_aware=True)
# BSON type names as $type spells them.
_NAMES: dict[type, str] = {
    float: "double", str: "string", dict: "object", list: "array", Binary: "binData",
    bytes: "binData", UUID: "binData", ObjectId: "objectId", bool: "bool", datetime: "date",
    DatetimeMS: "date", type(None): "null", Regex: "regex", DBRef: "dbPointer", Code: "javascript",
    int: "int", Int64: "long", Timestamp: "timestamp", Decimal128: "decimal", MinKey: "minKey",
    MaxKey: "maxKey",
}  # fmt: skip


def type_name(value: object) -> str:
    """The BSON type's name of a value read by the client library."""
    kind = type(value)
    if kind in _NAMES:
        return _NAMES[kind]
    return next((name for base, name in _NAMES.items() if isinstance(value, base)), kind.__name__)


class BsonEncoder(Encoder):
    """The kernel's rules, and a rule for every BSON type that JSON has no word for."""

    def __call__(self, value: object) -> object:
        rule = _RULES.get(type(value))
        return super().__call__(value) if rule is None else rule(self, value)


def _moment(value: datetime) -> str:
    """ISO 8601 in UTC, to the millisecond that BSON holds."""
    text = value.isoformat(timespec="milliseconds" if value.microsecond else "seconds")
    return text if value.tzinfo is not None else text + "+00:00"


def _far_moment(value: DatetimeMS) -> str:
    """A date outside the years 1 to 9999, with the expanded year of ISO 8601."""
    seconds, milliseconds = divmod(int(value), 1000)
    # 400 Gregorian years are 146,097 days exactly: move into Python's range and back.
    cycles = seconds // (146_097 * 86_400)
    near = datetime.fromtimestamp(seconds - cycles * 146_097 * 86_400, tz=_utc())
    year = near.year + 400 * cycles
    fraction = f".{milliseconds:03d}" if milliseconds else ""
    return f"{year:+07d}-{near:%m-%dT%H:%M:%S}{fraction}+00:00"


def _utc() -> Any:
    from datetime import UTC

    return UTC


def _text(encoder: BsonEncoder, value: str) -> str:
    """Text, or base64 where the bytes were no UTF-8: the client library kept them as surrogates."""
    try:
        value.isascii() or value.encode()
    except UnicodeEncodeError:
        encoder.warnings[NOT_UTF8] = None
        return base64_text(value.encode("utf-8", "surrogateescape"))
    return value


def _binary(encoder: BsonEncoder, value: Binary) -> object:
    if value.subtype == 4 and len(value) == 16:
        return str(UUID(bytes=bytes(value)))
    return base64_text(bytes(value))


def _decimal(encoder: BsonEncoder, value: Decimal128) -> object:
    number = value.to_decimal()
    return encoder.number_text(str(number)) if number.is_finite() else encoder.not_finite()


def _regex(_encoder: BsonEncoder, value: Regex[Any]) -> str:
    flags = [("i", 2), ("l", 4), ("m", 8), ("s", 16), ("u", 32), ("x", 64)]
    return f"/{value.pattern}/" + "".join(f for f, bit in flags if value.flags & bit)


def _reference(encoder: BsonEncoder, value: DBRef) -> object:
    return {k: encoder(v) for k, v in value.as_doc().items()}


_RULES: dict[type, Callable[..., object]] = {
    str: _text,
    ObjectId: lambda _e, v: str(v),
    datetime: lambda _e, v: _moment(v),
    DatetimeMS: lambda _e, v: _far_moment(v),
    Binary: _binary,
    Decimal128: _decimal,
    Regex: _regex,
    DBRef: _reference,
    Code: lambda e, v: str(v) if v.scope is None else {"code": str(v), "scope": e(v.scope)},
    Timestamp: lambda _e, v: {"t": v.time, "i": v.inc},
    MinKey: lambda _e, _v: "MinKey",
    MaxKey: lambda _e, _v: "MaxKey",
}


def extended(value: Any) -> Any:
    """Relaxed extended JSON of a value, as plain JSON-ready data."""
    if isinstance(value, Mapping) and not isinstance(value, DBRef):
        return {str(k): extended(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [extended(v) for v in value]
    if isinstance(value, float):
        word = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return value if math.isfinite(value) else {"$numberDouble": word}
    if value is None or type(value) in (bool, str, int, Int64):
        return int(value) if type(value) is Int64 else value
    return extended(extended_default(value, _RELAXED))
