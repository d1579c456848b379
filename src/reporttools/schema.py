"""The part of JSON Schema that report templates use, with messages a person can act on.

A keyword outside this part is an error of the schema, never silently passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from reporttools.notices import Notices
from reporttools.problems import Problem, did_you_mean, pointer

Schema = Mapping[str, Any]

_NOTES: Final = {"$schema", "$id", "$comment", "title", "description", "examples", "default"}
_RULES: Final = {
    "$ref", "$defs", "type", "enum", "const", "properties", "required", "additionalProperties",
    "items", "minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "pattern", "format", "anyOf", "oneOf",
}  # fmt: skip
_TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
LARGEST: Final = 1.7976931348623157e308


def lint(schema: object, root: Schema | None = None, path: str = "#") -> str:
    """What is wrong with a schema, or empty."""
    if isinstance(schema, bool):
        return ""
    if not isinstance(schema, Mapping):
        return f"{path} must be an object or a boolean"
    root = schema if root is None else root
    for key, value in schema.items():
        if key in _NOTES:
            continue
        if key not in _RULES:
            near = did_you_mean(key, sorted(_RULES))
            return f"{path} uses {key!r}, which is not supported" + (f"; {near}" if near else "")
        wrong = _lint_rule(key, value, root, f"{path}/{key}")
        if wrong:
            return wrong
    return ""


def _lint_rule(key: str, value: object, root: Schema, path: str) -> str:
    if key == "$ref":
        return "" if isinstance(value, str) and _lookup(root, value) is not None else (
            f"{path}: {value!r} names nothing in this schema"
        )  # fmt: skip
    if key in ("properties", "$defs"):
        if not isinstance(value, Mapping):
            return f"{path} must be an object"
        return next((w for k, v in value.items() if (w := lint(v, root, f"{path}/{k}"))), "")
    if key in ("anyOf", "oneOf"):
        if not isinstance(value, list) or not value:
            return f"{path} must be a list of schemas"
        return next((w for n, v in enumerate(value) if (w := lint(v, root, f"{path}/{n}"))), "")
    if key in ("items", "additionalProperties"):
        return lint(value, root, path)
    if key == "type":
        names = value if isinstance(value, list) else [value]
        wrong = [name for name in names if name not in _TYPES]
        return f"{path}: {wrong[0]!r} is not a type" if wrong else ""
    return ""


def _lookup(root: Schema, ref: str) -> Schema | None:
    found: Any = root
    if not ref.startswith("#/"):
        return None
    for part in ref[2:].split("/"):
        if not isinstance(found, Mapping) or part not in found:
            return None
        found = found[part]
    return found if isinstance(found, Mapping) else None


def name_of(value: object) -> str:
    """The JSON name of a value's type."""
    if value is None:
        return "null"
    for kind, name in (
        (bool, "boolean"), (int, "number"), (float, "number"), (str, "string"),
        (list, "array"), (dict, "object"),
    ):  # fmt: skip
        if isinstance(value, kind):
            return name
    return type(value).__name__


def shown(value: object, limit: int = 40) -> str:
    """A value in few words: `string '431'`, `array of 3`, `null`."""
    kind = name_of(value)
    if isinstance(value, str):
        text = value if len(value) <= limit else value[: limit - 1] + "…"
        return f"string {text!r}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        text = str(value) if abs(value) < 10**limit else "of many digits"
        return f"number {text}"
    if isinstance(value, list):
        return f"array of {len(value)}"
    if isinstance(value, bool):
        return f"boolean {json.dumps(value)}"
    return kind


def is_number(value: object) -> bool:
    """A JSON number (true and false are none)."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is(value: object, kind: str) -> bool:
    if kind == "integer":
        return is_number(value) and (isinstance(value, int) or value == int(value))  # type: ignore[call-overload]
    if kind == "number":
        return is_number(value)
    return name_of(value) == kind


class Checker:
    """One check of a value against a schema; problems gather in `problems`."""

    def __init__(self, root: Schema, notices: Notices | None) -> None:
        self.root = root
        self.notices = notices
        self.problems: list[Problem] = []

    def fail(self, path: str, message: str, hint: str = "") -> None:
        self.problems.append(Problem(path, message, hint))

    def check(self, schema: Schema | bool, value: object, path: str) -> None:
        """Add what is wrong with the value."""
        if isinstance(schema, bool):
            if not schema:
                self.fail(path, "is not allowed here")
            return
        if "$ref" in schema:
            target = _lookup(self.root, schema["$ref"])
            if target is not None:
                self.check(target, value, path)
        if not self._type(schema, value, path):
            return
        for rule in ("anyOf", "oneOf"):
            if rule in schema:
                self._branches(schema[rule], value, path)
        if isinstance(value, dict):
            self._object(schema, value, path)
        elif isinstance(value, list):
            self._array(schema, value, path)
        elif isinstance(value, str):
            self._string(schema, value, path)
        elif is_number(value):
            self._number(schema, value, path)  # type: ignore[arg-type]

    def _type(self, schema: Schema, value: object, path: str) -> bool:
        kinds = schema.get("type")
        if kinds is not None:
            kinds = kinds if isinstance(kinds, list) else [kinds]
            if not any(_is(value, kind) for kind in kinds):
                named = [kind for kind in kinds if kind != "null"] or kinds
                self.fail(path, f"{' or '.join(named)} expected, got {shown(value)}")
                return False
        if "enum" in schema and value not in schema["enum"]:
            allowed = [v for v in schema["enum"] if isinstance(v, str)]
            near = did_you_mean(value, allowed) if isinstance(value, str) else ""
            listed = ", ".join(json.dumps(v) for v in schema["enum"])
            self.fail(path, f"must be one of {listed}; got {shown(value)}", near)
            return False
        if "const" in schema and value != schema["const"]:
            self.fail(path, f"must be {json.dumps(schema['const'])}; got {shown(value)}")
            return False
        return True

    def _branches(self, branches: list[Schema], value: object, path: str) -> None:
        """The branch that fits best speaks for all of them."""
        best: list[Problem] | None = None
        for branch in branches:
            trial = Checker(self.root, None)
            trial.check(branch, value, path)
            if not trial.problems:
                return
            if best is None or len(trial.problems) < len(best):
                best = trial.problems
        self.problems.extend(best or [])

    def _object(self, schema: Schema, value: dict[str, object], path: str) -> None:
        known = schema.get("properties", {})
        for key in schema.get("required", ()):
            if key not in value:
                strangers = [k for k in value if k not in known]
                near = did_you_mean(key, strangers)
                hint = near.replace("did you mean", "you wrote") if near else ""
                self.fail(pointer(path, key), "is required and missing", hint)
        others = schema.get("additionalProperties")
        for key, item in value.items():
            here = pointer(path, key)
            if key in known:
                self.check(known[key], item, here)
            elif isinstance(others, Mapping):
                self.check(others, item, here)
            elif known and others is not True:
                self._stranger(key, here, list(known), allowed=others is None)

    def _stranger(self, key: str, path: str, known: list[str], *, allowed: bool) -> None:
        near = did_you_mean(key, known)
        if not allowed:
            self.fail(path, "is not a key of this object", near or f"keys: {', '.join(known)}")
        elif self.notices is not None:
            tail = f"; {near}" if near else ""
            self.notices.add("UNKNOWN_KEY", f"{key!r} is not used by this template{tail}", path)

    def _array(self, schema: Schema, value: list[object], path: str) -> None:
        count = len(value)
        if count < schema.get("minItems", 0):
            self.fail(path, f"needs at least {schema['minItems']} items, got {count}")
        if count > schema.get("maxItems", count):
            self.fail(path, f"takes at most {schema['maxItems']} items, got {count}")
        items = schema.get("items")
        if items is None or items is True:
            return
        simple = _simple_types(items)
        for index, item in enumerate(value):
            if simple is None or type(item) not in simple:
                self.check(items, item, f"{path}/{index}")

    def _string(self, schema: Schema, value: str, path: str) -> None:
        if len(value) < schema.get("minLength", 0):
            what = "must not be empty" if not value else "is too short"
            self.fail(path, what)
        if len(value) > schema.get("maxLength", len(value)):
            self.fail(path, f"is longer than {schema['maxLength']} characters: {shown(value)}")
        if "pattern" in schema and not re.search(schema["pattern"], value):
            self.fail(path, f"must look like {schema['pattern']}; got {shown(value)}")
        if schema.get("format") == "date" and not is_date(value):
            self.fail(path, f"date like 2026-01-31 expected, got {shown(value)}")

    def _number(self, schema: Schema, value: int | float, path: str) -> None:
        if abs(value) > LARGEST:
            self.fail(path, "the number is too large to be drawn")
            return
        low, high = schema.get("minimum"), schema.get("maximum")
        above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
        if low is not None and value < low:
            self.fail(path, f"must be at least {low}; got {value}")
        if high is not None and value > high:
            self.fail(path, f"must be at most {high}; got {value}")
        if above is not None and value <= above:
            self.fail(path, f"must be more than {above}; got {value}")
        if below is not None and value >= below:
            self.fail(path, f"must be less than {below}; got {value}")


def _simple_types(items: Schema | bool) -> set[type] | None:
    """Python types that need no further look when the item schema is only a list of types."""
    if not isinstance(items, Mapping) or set(items) != {"type"}:
        return None
    kinds = items["type"] if isinstance(items["type"], list) else [items["type"]]
    python = {"string": str, "boolean": bool, "null": type(None)}
    return {python[kind] for kind in kinds if kind in python}


def is_date(text: str) -> bool:
    """A calendar date `2026-01-31`."""
    try:
        return len(text) == 10 and bool(date.fromisoformat(text))
    except ValueError:
        return False


def check(schema: Schema, value: object, notices: Notices) -> list[Problem]:
    """Every problem of a value, in the order of the data."""
    checker = Checker(schema, notices)
    checker.check(schema, value, "")
    return checker.problems
