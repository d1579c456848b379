"""Compile functions/<dialect>.toml into tables_<dialect>.py: `python -m dbtools.guard.generate`.

The TOML files are what people read and review; reading TOML at every start would cost more than
the whole guard, so commands import the compiled tables. A test compares the two.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DIALECTS = ("postgres", "mysql", "sqlite", "clickhouse", "bigquery", "tsql", "duckdb")


def _set(text: str) -> str:
    words = sorted(set(text.split()))
    if not words:
        return "frozenset()"
    return "frozenset({" + "".join(f"{w!r}, " for w in words) + "})"


def _tuple(items: list[str]) -> str:
    return "(" + "".join(f"{item}, " for item in items) + ")"


def _names(text: str) -> str:
    words = sorted(set(text.split()))
    exact = " ".join(w for w in words if not w.endswith("*"))
    prefixes = [repr(w[:-1]) for w in words if w.endswith("*")]
    return f"Names({_set(exact)}, {_tuple(prefixes)})"


def _cause(entry: dict[str, Any]) -> str:
    return f"Cause({entry['why']!r}, {entry['hint']!r})"


def _sequences(source: dict[str, Any]) -> str:
    out = []
    for entry in source.get("sequence", []):
        places = [_set(place.replace("|", " ")) for place in entry["words"].split()]
        out.append(f"Sequence({_tuple(places)}, {_cause(entry)})")
    return _tuple(out)


def _causes(source: dict[str, Any]) -> tuple[str, list[str]]:
    """The dict of denied names, and the definitions of the causes it names."""
    entries = [*source.get("denied", []), *source.get("arity_why", [])]
    lines, definitions = [], []
    for number, entry in enumerate(entries):
        definitions.append(f"CAUSE_{number} = {_cause(entry)}\n")
        names = entry.get("names", " ".join(source.get("arity", {})))
        lines += [f"{name.rstrip('*')!r}: CAUSE_{number}, " for name in sorted(names.split())]
    return "{" + "".join(lines) + "}", definitions


def _fields(source: dict[str, Any], causes: str) -> dict[str, str]:
    """The fields of Tables, as Python text."""
    statement, words = source["statement"], source["words"]
    denied = " ".join(entry["names"] for entry in source.get("denied", []))
    show, in_from = statement.get("show"), source.get("from")
    harmless = [
        "Harmless(" + ", ".join(repr(w) for w in entry["pattern"].split()) + ")"
        for entry in source.get("harmless", [])
    ]
    return {
        "dialect": repr(source["dialect"]),
        "checked_against": repr(source["checked_against"]),
        "start": _set(statement["start"]),
        "explain": _set(statement["explain"]),
        "describe": _set(statement.get("describe", "")),
        "show": "None" if show is None else _set(show),
        "refused": _set(words["refused"] + " " + words.get("locking", "")),
        "doubtful": _set(words["doubtful"]),
        "sequences": _sequences(source),
        "harmless": _tuple(harmless),
        "denied": _names(denied),
        "causes": causes,
        "call_allowed": _set(source.get("call", {}).get("allowed", "")),
        "higher_order": _set(source.get("call", {}).get("higher_order", "")),
        "from_allowed": "None" if in_from is None else _set(in_from["allowed"]),
        "user_functions": repr(bool((in_from or {}).get("user_functions"))),
        "system": _names((in_from or {}).get("system", "")),
        "notation": repr(dict(source.get("notation", {}))),
        "arity": repr({name: tuple(n) for name, n in source.get("arity", {}).items()}),
        "settings": _names(source.get("settings", {}).get("allowed", "")),
        "settings_refused": _names(source.get("settings", {}).get("refused", "")),
        "limit_settings": _names(source.get("settings", {}).get("limits", "")),
        "hints_blanked": _tuple(
            [repr(w) for w in source.get("hints", {}).get("blanked", "").split()]
        ),
        "pipes": _set(source.get("pipe", {}).get("allowed", "")),
        "pragma_read": _set(source.get("pragma", {}).get("read", "")),
        "pragma_get": _set(source.get("pragma", {}).get("get", "")),
    }


def compiled(source: dict[str, Any]) -> str:
    """The Python text of one dialect's tables."""
    causes, definitions = _causes(source)
    fields = _fields(source, causes)
    return (
        f'"""Compiled from functions/{source["dialect"]}.toml by dbtools.guard.generate."""\n\n'
        "from __future__ import annotations\n\n"
        "from dbtools.guard.model import Cause, Harmless, Names, Sequence, Tables\n\n"
        + "".join(definitions)
        + "TABLES = Tables(\n"
        + "".join(f"    {name}={value},\n" for name, value in fields.items())
        + ")\n"
    )


def compiled_mongodb(source: dict[str, Any]) -> str:
    """The Python text of MongoDB's tables."""
    commands = "".join(
        f"    {name!r}: ({entry['on']!r}, {_set(entry['fields'])}),\n"
        for name, entry in source["commands"].items()
    )
    denied = "".join(
        f"    {name!r}: {_cause(entry)},\n"
        for entry in source["denied"]
        for name in entry["names"].split()
    )
    return (
        '"""Compiled from functions/mongodb.toml by dbtools.guard.generate."""\n\n'
        "from __future__ import annotations\n\n"
        "from dbtools.guard.model import Cause\n\n"
        f"CHECKED_AGAINST = {source['checked_against']!r}\n"
        "COMMANDS: dict[str, tuple[str, frozenset[str]]] = {\n" + commands + "}\n"
        f"VERBOSITY = {_set(source['words']['verbosity'])}\n"
        f"STAGES = {_set(source['stages']['allowed'])}\n"
        f"OPERATORS = {_set(' '.join(source['operators'].values()))}\n"
        "DENIED: dict[str, Cause] = {\n" + denied + "}\n"
    )


def read_source(dialect: str) -> dict[str, Any]:
    """The TOML source of one dialect."""
    return tomllib.loads((HERE / "functions" / f"{dialect}.toml").read_text("utf-8"))


def main() -> int:
    """Write every tables_<dialect>.py."""
    for dialect in (*DIALECTS, "mongodb"):
        target = HERE / f"tables_{dialect}.py"
        make = compiled_mongodb if dialect == "mongodb" else compiled
        target.write_text(make(read_source(dialect)), "utf-8")
        sys.stdout.write(f"{target.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
