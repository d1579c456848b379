"""Bound parameters: `-p name=value` and `--params JSON` into typed values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from toolbelt.errors import ToolError, nearest

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def parse(pairs: Iterable[str], document: str | None) -> dict[str, object]:
    """name -> value. A value that is JSON has its JSON type; anything else is text."""
    found: dict[str, object] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        name = name.strip().removeprefix(":")
        if not equals or not _NAME.fullmatch(name):
            raise ToolError("USAGE", f"--param {pair!r} is not name=value.", hint="-p status=paid")
        if name in found:
            raise ToolError("USAGE", f"The parameter {name!r} is given twice.")
        found[name] = _value(text)
    for name, value in _document(document).items():
        if name in found:
            raise ToolError("USAGE", f"The parameter {name!r} is given twice.")
        found[name] = value
    return found


def match(used: Iterable[str], given: Mapping[str, object], statement: str = "") -> None:
    """USAGE when the statement's `:name` places and the parameters given are not the same."""
    places = list(dict.fromkeys(used))
    missing = [n for n in places if n not in given]
    extra = [n for n in given if n not in places]
    if missing:
        close = nearest(missing[0], extra, 1)
        hint = f"rename {close[0]} to {missing[0]}" if close else f"-p {missing[0]}=VALUE"
        if f"::{missing[0]}" in statement:
            hint = f"this engine has no x::{missing[0]}: write CAST(x AS {missing[0]})"
        raise ToolError(
            "USAGE", f"The statement uses :{missing[0]}, but no such parameter is given.",
            hint=hint, detail={"missing": missing},
        )  # fmt: skip
    if extra:
        shown = ", ".join(f":{n}" for n in places) or "none"
        raise ToolError(
            "USAGE", f"The statement has no :{extra[0]} for the parameter {extra[0]!r}.",
            hint=f"places in the statement: {shown}", detail={"extra": extra},
        )  # fmt: skip


def _value(text: str) -> object:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except ValueError:
        return text


def _no_constant(name: str) -> object:
    raise ValueError(name)


def _document(document: str | None) -> Mapping[str, object]:
    if document is None:
        return {}
    example = """--params '{"status": "paid"}'"""
    try:
        made = json.loads(document, parse_constant=_no_constant, object_pairs_hook=_no_twins)
    except ValueError as error:
        raise ToolError("USAGE", f"--params is not valid JSON: {error}.", hint=example) from error
    if not isinstance(made, dict):
        raise ToolError("USAGE", "--params must be a JSON object.", hint=example)
    return made


def _no_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name stands in it twice")
    return made
