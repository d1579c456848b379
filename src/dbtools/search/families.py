"""Tables of one shape under one name: months, shards, and the copies that databases collect."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dbtools.catalog import Table
from dbtools.search.lexicon import is_twin_word

_DIGITS: Final = re.compile(r"(\d+)")
_SEPARATORS: Final = "_-.$ "
_SEPARATOR: Final = re.compile(r"[-_.$ ]")
# A row of tables becomes one entry from this many members on.
_ROW: Final = 3
# An affix that makes copies of this many different tables is a habit of this database.
_HABIT: Final = 3

Shape = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Tables shown as one entry. pattern: what the entry is called, twins: affixes as `*_old`.

    head: the table that stands for all; members: every table, the head included.
    """

    head: Table
    members: tuple[Table, ...]
    pattern: str
    twins: tuple[str, ...] = ()


def shape(table: Table) -> Shape:
    """Equal for tables with the same columns in the same order; empty without columns."""
    if not table.columns:
        return ()
    return (table.schema, table.kind, *((c.name, c.type) for c in table.columns))


def alone(tables: Iterable[Table]) -> list[Family]:
    """Every table an entry of its own."""
    return [Family(t, (t,), t.name) for t in tables]


def collapse(
    tables: Sequence[Table],
    shapes: Mapping[tuple[str, str], str] | None = None,
    *,
    braces: bool = False,
) -> list[Family]:
    """Rows of numbered tables and copies of a table folded, in the order of the tables given.

    shapes: by (schema, name), for tables without their columns; '' for a table that has none.
    braces: also fold `{a,b,c}_reports`, where three or more of one shape share their other words.
    """
    by_shape: dict[Shape, list[Table]] = defaultdict(list)
    for table in tables:
        known = shape(table) if shapes is None else shapes[table.schema, table.name]
        by_shape[table.schema, known].append(table)
    # Tables of which no column is known may be alike by chance only.
    certain = {s for s in by_shape if s[1] and len(by_shape[s]) > 1}
    bases = {s: _bases(by_shape[s]) for s in certain}
    habits = _habits(bases.values())
    found: list[Family] = []
    for key, same in by_shape.items():
        rows, rest = _numbered(same)
        copies, rest = _copies(rest, bases[key], habits) if bases.get(key) else ([], rest)
        found += rows + copies
        if braces and key in certain:
            folded, rest = _braced(rest)
            found += folded
        found += alone(rest)
    place = {id(table): at for at, table in enumerate(tables)}
    return sorted(found, key=lambda f: min(place[id(t)] for t in f.members))


def _numbered(tables: list[Table]) -> tuple[list[Family], list[Table]]:
    """Families whose names differ in numbers only, and the tables left over."""
    if len(tables) < _ROW:
        return [], tables
    groups: dict[str, list[Table]] = defaultdict(list)
    for table in tables:
        groups[_DIGITS.sub("#", table.name)].append(table)
    rows = [g for pattern, g in groups.items() if "#" in pattern and len(g) >= _ROW]
    taken = {id(t) for row in rows for t in row}
    families = []
    for row in rows:
        row.sort(key=lambda t: _natural(t.name))
        names = [t.name for t in row]
        families.append(Family(row[0], tuple(row), _range(names[0], names[-1], len(row))))
    return families, [t for t in tables if id(t) not in taken]


def _natural(name: str) -> list[tuple[int, str]]:
    parts = _DIGITS.split(name)
    return [(int(p), "") if p.isdigit() else (0, p) for p in parts]


def _range(first: str, last: str, count: int) -> str:
    """`order_2024_01 … _12 (12)`."""
    at = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    while at and first[at - 1].isdigit():
        at -= 1
    if at and first[at - 1] in _SEPARATORS:
        at -= 1
    return f"{first} … {last[at:]} ({count})"


def _affixes(name: str, base: str) -> str:
    """`*_old` or `old_*` where name is base with words before or after it, else ''."""
    if len(name) <= len(base):
        return ""
    if name.startswith(base) and name[len(base)] in _SEPARATORS:
        return "*" + name[len(base) :]
    if name.endswith(base) and name[-len(base) - 1] in _SEPARATORS:
        return name[: -len(base)] + "*"
    return ""


def _bases(tables: Sequence[Table]) -> dict[str, list[str]]:
    """By name: the other tables of the group whose name is left without its first or last words."""
    names = {t.name for t in tables}
    found: dict[str, list[str]] = {}
    for name in names:
        bases = [base for base in _inner(name) if base in names]
        if bases:
            found[name] = bases
    return found


def _inner(name: str) -> list[str]:
    """What is left of a name without its first or its last words."""
    found = []
    for match in _SEPARATOR.finditer(name, 1, len(name) - 1):
        at = match.start()
        found += [name[:at], name[at + 1 :]]
    return found


def _habits(groups: Iterable[Mapping[str, list[str]]]) -> frozenset[str]:
    """Affixes that make copies of several tables of this database."""
    counted = Counter(
        _affixes(name, base) for group in groups for name, bases in group.items() for base in bases
    )
    return frozenset(a for a, n in counted.items() if n >= _HABIT)


def _is_twin(affix: str, habits: frozenset[str]) -> bool:
    words = [w for w in re.split(r"[^0-9a-z]+", affix.lower()) if w]
    return affix in habits or (
        any(is_twin_word(w) for w in words)
        and all(is_twin_word(w) or w.isdigit() or w in ("dim", "fact") for w in words)
    )


def _copies(
    tables: list[Table], known: Mapping[str, list[str]], habits: frozenset[str]
) -> tuple[list[Family], list[Table]]:
    """Families of a table and its copies, and the tables left over."""
    by_name = {t.name: t for t in tables}
    copies: dict[str, list[tuple[str, Table]]] = defaultdict(list)
    for table in tables:
        bases = [b for b in known.get(table.name, ()) if b in by_name]
        bases = [b for b in bases if _is_twin(_affixes(table.name, b), habits)]
        if bases:
            base = min(bases, key=len)
            copies[base].append((_affixes(table.name, base), table))
    taken = {id(t) for found in copies.values() for _, t in found}
    families = []
    for base, found in copies.items():
        if id(by_name[base]) in taken:
            # A copy of a copy: it stands alone rather than vanish with its parent.
            taken -= {id(t) for _, t in found}
            continue
        taken.add(id(by_name[base]))
        members = (by_name[base], *(t for _, t in found))
        families.append(Family(by_name[base], members, base, tuple(a for a, _ in found)))
    return families, [t for t in tables if id(t) not in taken]


def _braced(tables: list[Table]) -> tuple[list[Family], list[Table]]:
    """`{bakery,brewery}_assets` of three and more, and the tables left over."""
    families: list[Family] = []
    for split in (_last_word, _first_word):
        groups: dict[str, list[Table]] = defaultdict(list)
        for table in tables:
            groups[split(table.name)].append(table)
        for shared, same in groups.items():
            if shared and len(same) >= _ROW:
                families.append(_brace(shared, same))
        taken = {id(t) for f in families for t in f.members}
        tables = [t for t in tables if id(t) not in taken]
    return families, tables


def _last_word(name: str) -> str:
    at = name.rfind("_")
    return name[at:] if 0 < at < len(name) - 1 else ""


def _first_word(name: str) -> str:
    at = name.find("_")
    return name[: at + 1] if 0 < at < len(name) - 1 else ""


def _brace(shared: str, same: list[Table]) -> Family:
    cut: Callable[[str], str]
    if shared.startswith("_"):
        cut, pattern = (lambda n: n[: -len(shared)]), "{%s}" + shared.replace("%", "%%")
    else:
        cut, pattern = (lambda n: n[len(shared) :]), shared.replace("%", "%%") + "{%s}"
    return Family(same[0], tuple(same), pattern % ",".join(cut(t.name) for t in same))
