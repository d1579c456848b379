"""A JSON Schema for a template that brings none, read off its blocks and pointers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from toolbelt.data import recipes

_SHAPES: Final = {"kpis": "kpi", "charts": "chart", "tables": "table", "images": "image"}
POINTER: Final = re.compile(r"\{(/[^{}]*)\}")


def derived(top: Mapping[str, Any], blocks: tuple[Mapping[str, Any], ...]) -> Mapping[str, Any]:
    """The schema: every pointer of a block is a property of the shape its kind takes."""
    path = recipes() / "reports" / "monthly.schema.json"
    shapes = json.loads(path.read_text(encoding="utf-8"))["$defs"]
    root: dict[str, Any] = {"type": "object", "properties": {}, "$defs": shapes}
    for text in (top.get("title", ""), top.get("subtitle", "")):
        for start in POINTER.findall(text):
            _place(root, start, {"type": ["string", "number", "null"]}, required=False)
    for block in blocks:
        start = block.get("from", "")
        if start:
            required = block["kind"] not in ("images", "text")
            _place(root, start, _shape(block), required=required)
    return root


def _shape(block: Mapping[str, Any]) -> dict[str, Any]:
    kind = block["kind"]
    if kind in _SHAPES:
        return {"type": "array", "items": {"$ref": f"#/$defs/{_SHAPES[kind]}"}}
    if kind == "text":
        return {"type": ["string", "null"]}
    if kind in ("table", "chart"):
        return {"type": ["array", "object"]}
    return {}


def _place(root: dict[str, Any], start: str, shape: dict[str, Any], *, required: bool) -> None:
    """Put a shape at a pointer; numbers in a pointer (list positions) end the description."""
    here = root
    parts = [part.replace("~1", "/").replace("~0", "~") for part in start.split("/")[1:]]
    for index, part in enumerate(parts):
        if part.isdigit():
            return
        properties = here.setdefault("properties", {})
        if required and part not in here.setdefault("required", []):
            here["required"].append(part)
        if index == len(parts) - 1:
            properties.setdefault(part, shape)
            return
        here = properties.setdefault(part, {"type": "object", "properties": {}})
