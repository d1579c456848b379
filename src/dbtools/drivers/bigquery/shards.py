"""Date-sharded tables, `events_20240101` and on, as the one `events_*` that statements name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from dbtools.catalog import Table

# The same text to RE2 and to Python: a day, so that `part_12345678` is no shard.
DAY: Final = r"(19|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])$"
_DAY: Final = re.compile(DAY)
_DIGITS: Final = 8
# One table whose name ends with a day may be called so for another reason.
_LEAST: Final = 2


def prefix(name: str) -> str:
    """What stands before a name's day; '' for a name without one."""
    return name[:-_DIGITS] if len(name) > _DIGITS and _DAY.match(name, len(name) - _DIGITS) else ""


def newest(names: Iterable[str]) -> dict[str, str]:
    """prefix -> the last of its shards, for every prefix that has several."""
    found: dict[str, list[str]] = {}
    for name in names:
        if start := prefix(name):
            found.setdefault(start, []).append(name)
    return {start: max(same) for start, same in found.items() if len(same) >= _LEAST}


def fold(tables: Sequence[Table], kept: Sequence[str] = ()) -> list[Table]:
    """Rows of shards as one table each, in the place of the first. kept: names that stay."""
    groups: dict[tuple[str, str], list[Table]] = {}
    for table in tables:
        start = "" if table.name in kept or table.kind != "table" else prefix(table.name)
        groups.setdefault((table.schema, f"{start}*" if start else table.name), []).append(table)
    return [
        same[0] if len(same) < _LEAST else _folded(name, same) for (_, name), same in groups.items()
    ]


def _folded(name: str, shards: Sequence[Table]) -> Table:
    """The last shard's columns under the name of all; rows and bytes of all together."""
    ordered = sorted(shards, key=lambda shard: shard.name)
    first, last = ordered[0].name, ordered[-1].name
    days = f"{first[-_DIGITS:]} … {last[-_DIGITS:]}"
    how = f"one table a day, {days}: filter on _TABLE_SUFFIX"
    comment = ordered[-1].comment
    return replace(
        ordered[-1],
        name=name,
        row_count=_sum([shard.row_count for shard in ordered]),
        comment=f"{how}; {comment}" if comment else how,
        partitions=len(ordered),
        extra={**_facts(ordered), "firstShard": first, "lastShard": last},
    )


def _facts(shards: Sequence[Table]) -> dict[str, object]:
    facts: Mapping[str, object] = shards[-1].extra
    sizes = [size for shard in shards if isinstance(size := shard.extra.get("bytes"), int)]
    return {**facts, **({"bytes": sum(sizes)} if sizes else {})}


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
