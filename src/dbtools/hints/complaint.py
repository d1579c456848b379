"""What an engine complains of: the kind of mistake and the name it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from toolbelt.errors import ToolError

COLUMN: Final = "column"  # no such column
TABLE: Final = "table"  # no such table, or no such schema
MISSING_FROM: Final = "missing_from"  # a table or alias that FROM does not have
FUNCTION: Final = "function"
AMBIGUOUS: Final = "ambiguous"
GROUP_BY: Final = "group_by"  # a column beside aggregates
AGGREGATE: Final = "aggregate"  # an aggregate where none may stand
TYPE: Final = "type"
DATE: Final = "date"
SYNTAX: Final = "syntax"
ZERO: Final = "zero"
DENIED: Final = "denied"
# Those that the names of tables and columns help with.
NAMES: Final = (COLUMN, TABLE, MISSING_FROM, AMBIGUOUS)


@dataclass(frozen=True, slots=True)
class Complaint:
    """kind: one of the above, '' for any other. name: what it is about, as the engine spells it."""

    kind: str = ""
    name: str = ""


def read(engine: str, error: ToolError) -> Complaint:
    """The complaint behind an engine's error."""
    code = str(error.detail.get("sqlstate" if engine == "postgresql" else "engineCode", ""))
    kind = next((k for k, codes in _table()["codes"].get(engine, {}).items() if code in codes), "")
    message = error.message.rstrip(".")
    for entry in _table()["words"]:
        match = entry["pattern"].search(message)
        if match is None or not (not kind or entry["overrules"] or entry["kind"] == kind):
            continue
        groups = match.groupdict()
        qualifier = groups.pop("qualifier", None)
        name = next((g for g in groups.values() if g), "")
        return Complaint(entry["kind"], f"{qualifier}.{name}" if qualifier else name)
    return Complaint(kind)


@cache
def _table() -> dict[str, Any]:
    """complaints.toml with its codes as sets and its patterns compiled."""
    import tomllib

    raw = tomllib.loads(Path(__file__).with_name("complaints.toml").read_text("utf-8"))
    codes = {
        engine: {kind: frozenset(text.split()) for kind, text in kinds.items()}
        for engine, kinds in raw["codes"].items()
    }
    words = [
        {
            "kind": entry["kind"],
            "overrules": entry.get("overrules", False),
            "pattern": re.compile(entry["pattern"], re.S),
        }
        for entry in raw["words"]
    ]
    return {"codes": codes, "words": words}
