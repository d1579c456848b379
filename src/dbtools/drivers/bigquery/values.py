"""BigQuery's cells, as its REST API writes them, into JSON-ready values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from dbtools.drivers import documents
from dbtools.result import Converter
from toolbelt.jsonvalue import Encoder, decimal_text

if TYPE_CHECKING:
    from google.cloud.bigquery import SchemaField

# The API's old names of types whose SQL name differs.
_SQL_NAMES: Final = {
    "INTEGER": "INT64", "FLOAT": "FLOAT64", "BOOLEAN": "BOOL", "RECORD": "STRUCT",
}  # fmt: skip
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_INTERVAL: Final = re.compile(
    r"(?P<ym>-?)(?P<years>\d+)-(?P<months>\d+) (?P<days>-?\d+) "
    r"(?P<clock>-?)(?P<hours>\d+):(?P<minutes>\d+):(?P<seconds>\d+(?:\.\d+)?)"
)
_BOUNDS: Final = re.compile(r"([\[(])(.*?), (.*?)([\])])$")
Read = Callable[[Any], object]


def type_name(field: SchemaField) -> str:
    """The type as GoogleSQL spells it: `ARRAY<STRUCT<a INT64, b STRING>>`."""
    name = _SQL_NAMES.get(field.field_type.upper(), field.field_type.upper())
    if name == "STRUCT":
        name = f"STRUCT<{', '.join(f'{f.name} {type_name(f)}'.strip() for f in field.fields)}>"
    elif name == "RANGE" and field.range_element_type is not None:
        name = f"RANGE<{field.range_element_type.element_type}>"
    return f"ARRAY<{name}>" if field.mode == "REPEATED" else name


def converter(field: SchemaField, encoder: Encoder) -> Converter | None:
    """How one column's raw cells become JSON; None where they are it already."""
    read = _reader(field, encoder)
    return None if read is _same else read


def _reader(field: SchemaField, encoder: Encoder) -> Read:
    kind = _SQL_NAMES.get(field.field_type.upper(), field.field_type.upper())
    if kind == "STRUCT":
        one = _struct(field.fields, encoder)
    elif kind == "RANGE":
        element = field.range_element_type
        one = _range(element.element_type.upper() if element is not None else "")
    else:
        one = _scalars(encoder).get(kind, _same)
    if field.mode != "REPEATED":
        return one
    return lambda cells: [None if c["v"] is None else one(c["v"]) for c in cells]


def _same(cell: object) -> object:
    return cell


def _scalars(encoder: Encoder) -> dict[str, Read]:
    def whole(text: Any) -> object:
        return int(text) if encoder.numbers_as_number else documents.exact_integer(str(text))

    def decimal(text: Any) -> object:
        return encoder.number_text(decimal_text(Decimal(str(text))))

    def real(text: Any) -> object:
        number = float(text)
        return number if math.isfinite(number) else encoder.not_finite()

    return {
        "INT64": whole,
        "FLOAT64": real,
        "NUMERIC": decimal,
        "BIGNUMERIC": decimal,
        "BOOL": lambda text: text is True or str(text).lower() == "true",
        "BYTES": lambda text: f"base64:{text}",
        "TIMESTAMP": _timestamp,
        "DATETIME": lambda text: str(text).replace(" ", "T", 1),
        "INTERVAL": lambda text: interval(str(text)),
        "JSON": lambda text: documents.read(text, encoder) if isinstance(text, str) else text,
    }


def _timestamp(cell: Any) -> str:
    """Microseconds since 1970, or seconds with a fraction, or a text already, as ISO 8601."""
    text = str(cell)
    try:
        micros = int(text)
    except ValueError:
        try:
            micros = int(Decimal(text).scaleb(6).to_integral_value())
        except ArithmeticError:
            return text.replace(" ", "T", 1)
    return (_EPOCH + timedelta(microseconds=micros)).isoformat()


def interval(text: str) -> str:
    """BigQuery's `Y-M D H:M:S.F` as an ISO 8601 duration: `1-2 3 4:5:6.5` is P1Y2M3DT4H5M6.5S."""
    found = _INTERVAL.fullmatch(text)
    if found is None:
        return text
    seconds = found["seconds"]
    seconds = seconds.rstrip("0").rstrip(".") if "." in seconds else seconds
    months, clock = found["ym"], found["clock"]
    day = _spelled([
        (months, found["years"], "Y"), (months, found["months"], "M"), ("", found["days"], "D"),
    ])  # fmt: skip
    time = _spelled([
        (clock, found["hours"], "H"), (clock, found["minutes"], "M"), (clock, seconds, "S"),
    ])  # fmt: skip
    return f"P{day}" + (f"T{time}" if time else "") if day or time else "PT0S"


def _spelled(parts: Sequence[tuple[str, str, str]]) -> str:
    return "".join(
        f"{sign}{decimal_text(Decimal(number))}{unit}"
        for sign, number, unit in parts
        if float(number)
    )


def _range(element: str) -> Read:
    """`[start, end)` with ISO 8601 bounds, an open one empty."""

    def bound(text: str) -> str:
        if text.upper() in ("UNBOUNDED", "NULL", ""):
            return ""
        if element == "TIMESTAMP":
            return _timestamp(text)
        return text.replace(" ", "T", 1) if element == "DATETIME" else text

    def read(cell: Any) -> object:
        found = _BOUNDS.match(str(cell))
        if found is None:
            return str(cell)
        return f"{found[1]}{bound(found[2])},{bound(found[3])}{found[4]}"

    return read


def _struct(fields: Sequence[SchemaField], encoder: Encoder) -> Read:
    names = _names([field.name for field in fields])
    readers = [_reader(field, encoder) for field in fields]

    def read(cell: Any) -> object:
        return {
            name: None if part["v"] is None else reader(part["v"])
            for name, reader, part in zip(names, readers, cell["f"], strict=True)
        }

    return read


def _names(given: Sequence[str]) -> list[str]:
    """Names of a STRUCT's fields; one without is `_1`, a second of one name `name_2`."""
    made: list[str] = []
    for number, name in enumerate(given, start=1):
        wanted, again = name or f"_{number}", 1
        while wanted in made:
            again += 1
            wanted = f"{name}_{again}"
        made.append(wanted)
    return made
