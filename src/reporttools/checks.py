"""What a schema cannot say about a report's data, and all of its problems together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reporttools import schema as schemas
from reporttools.notices import Notices
from reporttools.problems import Problem, bad_data, did_you_mean, pointer
from reporttools.templates import Template
from toolbelt.errors import ToolError


def resolve(data: object, start: str) -> Any:
    """The value at a JSON pointer, None when there is none."""
    found: Any = data
    for part in start.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict):
            found = found.get(key)
        elif isinstance(found, list) and key.isdigit() and int(key) < len(found):
            found = found[int(key)]
        else:
            return None
    return found


def wrapped(template: Template, value: object) -> object:
    """A bare list of rows as the object that a template of rows expects."""
    if isinstance(value, list) and "rows" in template.schema.get("properties", {}):
        return {"rows": value}
    return value


def check(template: Template, data: object, notices: Notices) -> None:
    """BAD_DATA with every problem, in the order the schema and then the rules find them."""
    problems = schemas.check(template.schema, data, notices)
    problems.extend(_reversed(template, data))
    for block in template.blocks:
        if block["kind"] == "tables":
            problems.extend(_tables(resolve(data, block["from"]), block["from"], notices))
        elif block["kind"] == "profile" and block["part"] == "rows":
            problems.extend(_ragged_lists(data))
    if problems:
        raise bad_data(problems, hint=_hint(template))


def _hint(template: Template) -> str:
    return f"report-run list-templates --schema {template.name}"


def _reversed(template: Template, data: object) -> Iterator[Problem]:
    for first, then in template.ordered:
        low, high = resolve(data, first), resolve(data, then)
        if not (isinstance(low, str) and isinstance(high, str)):
            continue
        if schemas.is_date(low) and schemas.is_date(high) and low > high:
            owner, _, a = first.rpartition("/")
            b = then.rpartition("/")[2]
            yield Problem(owner, f"{a} {low} is after {b} {high}", "exchange the two dates")


def _tables(found: object, start: str, notices: Notices) -> Iterator[Problem]:
    for index, item in enumerate(found if isinstance(found, list) else []):
        if not isinstance(item, dict) or not isinstance(item.get("headers"), list):
            continue
        path, width = f"{start}/{index}", len(item["headers"])
        columns = item.get("columns")
        if isinstance(columns, list) and len(columns) > width:
            yield Problem(
                f"{path}/columns", f"has {len(columns)} entries, but there are {width} headers"
            )
        rows = item.get("rows")
        for place, row in enumerate(rows if isinstance(rows, list) else []):
            if not isinstance(row, list):
                continue
            if len(row) != width:
                what = f"has {len(row)} cells, but there are {width} headers"
                yield Problem(f"{path}/rows/{place}", what)
            if any(cell is None or isinstance(cell, bool) for cell in row):
                notices.add(
                    "TYPE_EXTENSION",
                    "Cells of true, false or null are shown as yes, no and empty.",
                    path,
                )


def _ragged_lists(data: object) -> Iterator[Problem]:
    rows = resolve(data, "/rows")
    headers = resolve(data, "/headers") or resolve(data, "/columns")
    if not isinstance(rows, list) or not isinstance(headers, list) or not headers:
        return
    for place, row in enumerate(rows):
        if isinstance(row, list) and len(row) != len(headers):
            what = f"has {len(row)} cells, but there are {len(headers)} columns"
            yield Problem(f"/rows/{place}", what)


def missing_columns(start: str, missing: list[str], known: list[str]) -> ToolError:
    """BAD_DATA: a template's table names keys that no row has."""
    listed = f"keys: {', '.join(known[:30])}"
    return bad_data(
        [
            Problem(
                pointer(f"{start}/0", key),
                "is named by the template, but no row has it",
                did_you_mean(key, known) or listed,
            )
            for key in missing
        ]
    )
