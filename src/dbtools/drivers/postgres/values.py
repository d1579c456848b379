"""PostgreSQL's text of a value into a JSON-ready one, losing nothing.

A reader takes the text as the server sent it; None instead of a reader means that the text is
the value (text, uuid, date, money, inet, interval in ISO 8601, ranges, geometry, enums).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import isfinite
from typing import cast

from dbtools.drivers import documents
from dbtools.drivers.postgres import literals
from dbtools.drivers.postgres.types import NATIVE, TypeFacts
from dbtools.result import Converter
from toolbelt.jsonvalue import NOT_UTF8, SAFE_INTEGER, Encoder, base64_text

Reader = Callable[[str], object]


class Readers:
    """Readers for the types of one result.

    facts: every type involved, by oid. any_bytes: text was decoded with surrogates for the bytes
    that are no UTF-8. Warnings gather in encoder.warnings.
    """

    def __init__(
        self, encoder: Encoder, facts: Mapping[int, TypeFacts], *, any_bytes: bool = False
    ) -> None:
        self._encoder = encoder
        self._facts = facts
        self._text: Reader | None = self._any_text if any_bytes else None
        self._by_name: dict[str, Reader] = {
            "bool": lambda text: text == "t",
            "int2": int,
            "int4": int,
            "oid": int,
            "int8": self._integer,
            "float4": self._float,
            "float8": self._float,
            "numeric": self._numeric,
            "timestamp": timestamp,
            "timestamptz": timestamp_with_offset,
            "timetz": with_offset,
            "bytea": bytea,
            "json": self._document,
            "jsonb": self._document,
            "record": partial(literals.record, readers=None, other=self._text),
        }

    def reader(self, oid: int) -> Reader | None:
        """The reader of a type, built from those of its elements or fields."""
        facts = self._facts.get(oid)
        if facts is None:
            return self._text
        if facts.name in self._by_name and facts.builtin:
            return self._by_name[facts.name]
        if facts.base:
            return self.reader(facts.base)
        if facts.element:
            return partial(
                literals.array, delimiter=facts.delimiter, element=self.reader(facts.element)
            )
        if facts.fields:
            readers = [(name, self.reader(field)) for name, field in facts.fields]
            return partial(literals.record, readers=readers)
        return literals.hstore if facts.name == "hstore" else self._text

    def converter(self, oid: int) -> Converter | None:
        """What a column's cells need; None where they are JSON-ready as they are loaded."""
        if oid not in NATIVE:
            reader = self.reader(oid)
            return None if reader is None else cast(Converter, reader)
        name = self._facts[oid].name
        if name == "int8" and not self._encoder.numbers_as_number:
            return _safe_integer
        return self._finite if name in ("float4", "float8") else None

    def _any_text(self, text: str) -> str:
        try:
            text.encode()
        except UnicodeEncodeError:
            self._encoder.warnings[NOT_UTF8] = None
            return base64_text(text.encode("utf-8", "surrogateescape"))
        return text

    def _integer(self, text: str) -> object:
        number = int(text)
        return number if self._encoder.numbers_as_number else _safe_integer(number)

    def _float(self, text: str) -> object:
        return self._finite(float(text))

    def _finite(self, value: object) -> object:
        return value if isfinite(value) else self._encoder.not_finite()  # type: ignore[arg-type]

    def _numeric(self, text: str) -> object:
        if not text[-1].isdigit():
            return self._encoder.not_finite()
        return self._encoder.number_text(text) if self._encoder.numbers_as_number else text

    def _document(self, text: str) -> object:
        return documents.read(text, self._encoder)


def _safe_integer(value: object) -> object:
    return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else str(value)  # type: ignore[operator]


def timestamp(text: str) -> str:
    """ISO 8601's T between date and time; `infinity` has neither."""
    return text.replace(" ", "T", 1) if text[:1].isdigit() else text


def timestamp_with_offset(text: str) -> str:
    """ISO 8601 with T and a full offset."""
    return with_offset(timestamp(text))


def with_offset(text: str) -> str:
    """`+02` as `+02:00`; other offsets, `infinity` and ` BC` stay as they are."""
    body, era = (text[:-3], " BC") if text.endswith(" BC") else (text, "")
    return f"{body}:00{era}" if body[-3:-2] in ("+", "-") else text


def bytea(text: str) -> str:
    """`base64:` text of a bytea in hex form."""
    return base64_text(bytes.fromhex(text[2:]))
