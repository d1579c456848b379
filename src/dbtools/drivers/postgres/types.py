"""What is known of a result's types: their short names and what they are built of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg

# Loaded by the client library's C code as bool, int and float; all other types come as text.
NATIVE: Final = frozenset((16, 20, 21, 23, 26, 700, 701))

# format_type's long spelling: (start, end) around an optional modifier -> the short one.
_SHORT = {
    ("timestamp", " with time zone"): "timestamptz",
    ("timestamp", " without time zone"): "timestamp",
    ("time", " with time zone"): "timetz",
    ("time", " without time zone"): "time",
    ("character varying", ""): "varchar",
    ("character", ""): "char",
    ("bit varying", ""): "varbit",
    # How format_type spells a bit string of no declared length.
    ('"bit"', ""): "bit",
}
# The catalog's name -> the standard's, as format_type spells it.
_STANDARD = {
    "bool": "boolean", "bpchar": "char", "float4": "real", "float8": "double precision",
    "int2": "smallint", "int4": "integer", "int8": "bigint",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """A type: its catalog name and, where it has them, element, base type or (name, oid) fields."""

    name: str
    element: int = 0
    delimiter: str = ","
    base: int = 0
    fields: tuple[tuple[str, int], ...] = ()
    builtin: bool = False


@dataclass(frozen=True, slots=True)
class ColumnTypes:
    """names: short type name of each column, in order. facts: every type involved, by oid."""

    names: list[str]
    facts: Mapping[int, TypeFacts]


def short_name(name: str) -> str:
    """The well-known short spelling of a type: `timestamptz(3)[]`, `varchar(20)`, `integer`."""
    bare = name.rstrip("[]")
    brackets = name[len(bare) :]
    for (start, end), short in _SHORT.items():
        if bare.startswith(start) and bare.endswith(end):
            modifier = bare[len(start) : len(bare) - len(end)]
            if not modifier or (modifier[0] == "(" and modifier[-1] == ")"):
                return short + modifier + brackets
    return name


def builtin(oid: int) -> TypeFacts | None:
    """The facts of a type that every server has, without asking it."""
    known = psycopg.adapters.types.get(oid)
    if known is None:
        return None
    if oid == known.oid:
        return TypeFacts(known.name, builtin=True)
    return TypeFacts("_" + known.name, known.oid, known.delimiter, builtin=True)


def builtin_name(oid: int, modifier: int) -> str:
    """The short name of a built-in type with its modifier: `numeric(10,2)`, `text[]`."""
    known: Any = psycopg.adapters.types.get(oid)
    shown: str = known.get_type_display(oid=oid, fmod=modifier)
    name: str = known.name
    rest = shown[len(name) :]
    if name == "bpchar" and not rest.startswith("("):
        return shown
    return _STANDARD.get(name, name) + rest


def statement() -> str:
    """The query that asks the server about types (parameters: oids, modifiers)."""
    return Path(__file__).with_name("types.sql").read_text(encoding="utf-8")


def with_elements(oids: Iterable[int]) -> dict[int, TypeFacts]:
    """The built-in ones among the types, and the elements of their arrays."""
    found: dict[int, TypeFacts] = {}
    for oid in oids:
        facts = builtin(oid)
        if facts is not None:
            found[oid] = facts
            element = builtin(facts.element) if facts.element else None
            if element is not None:
                found[facts.element] = element
    return found


def from_rows(
    rows: list[list[str | None]],
) -> tuple[dict[tuple[int, int], str], dict[int, TypeFacts]]:
    """The answer of `statement`: (oid, modifier) -> short name, and oid -> facts."""
    import json

    names: dict[tuple[int, int], str] = {}
    facts: dict[int, TypeFacts] = {}
    for what, oid, name, third, delimiter, base, fields in rows:
        if what == "name":
            names[int(oid or 0), int(third or -1)] = short_name(name or "unknown")
            continue
        number = int(oid or 0)
        facts[number] = builtin(number) or TypeFacts(
            name or "",
            int(third or 0),
            delimiter or ",",
            int(base or 0),
            tuple((label, kind) for label, kind in json.loads(fields or "[]")),
        )
    return names, facts
