"""Which tables were meant by `--table`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from dbtools.catalog import Table
from dbtools.spelling import Naming
from toolbelt.errors import ToolError, nearest


def is_glob(pattern: str) -> bool:
    """Whether a name holds `*`, `?` or `[`."""
    return any(c in pattern for c in "*?[")


def by_name(tables: Iterable[Table], naming: Naming) -> dict[str, tuple[str, str]]:
    """(schema, name) of every table by the names it may be called: with and without its schema."""
    found: dict[str, tuple[str, str]] = {}
    for table in sorted(tables, key=naming.order, reverse=True):
        found[table.name] = (table.schema, table.name)
        if table.schema:
            found[f"{table.schema}.{table.name}"] = (table.schema, table.name)
    return found


def choose(tables: Sequence[Table], patterns: Iterable[str], naming: Naming) -> list[Table]:
    """The tables that match; every pattern must name at least one."""
    wanted = list(patterns)
    if not wanted:
        return list(tables)
    chosen: dict[tuple[str, str], Table] = {}
    for pattern in wanted:
        found = matching(tables, pattern, naming)
        if not found:
            raise unknown(tables, pattern, naming)
        chosen |= {(t.schema, t.name): t for t in found}
    return list(chosen.values())


def matching(tables: Sequence[Table], pattern: str, naming: Naming) -> list[Table]:
    """The tables a name or glob means: exactly so spelled first, then in any case of letters."""
    spelled = [
        t
        for t in tables
        if pattern in (t.name, f"{t.schema}.{t.name}", naming.of(t), naming.table("", t.name))
    ]
    if spelled:
        own = [t for t in spelled if t.schema in ("", naming.default_schema)]
        return own or spelled
    folded = pattern.lower()
    found = [t for t in tables if _alike(t, folded)]
    schema, _, name = pattern.rpartition(".")
    return found or [t for t in tables if t.holds(name) and schema in ("", t.schema)]


def _alike(table: Table, folded: str) -> bool:
    names = (table.name.lower(), f"{table.schema}.{table.name}".lower())
    return folded in names or (is_glob(folded) and any(fnmatchcase(n, folded) for n in names))


def unknown(tables: Sequence[Table], pattern: str, naming: Naming) -> ToolError:
    """USAGE for a table that is not there, with the nearest names or the first of all."""
    names = [naming.key(t.schema, t.name) for t in tables]
    close = nearest(pattern, names, 5)
    if close:
        hint = f"did you mean {', '.join(close)}?"
    elif names:
        shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
        hint = f"there are {len(names)} tables: {shown}"
    else:
        hint = "the login sees no tables in this database"
    return ToolError("USAGE", f"No table matches {pattern!r}.", hint=hint)
