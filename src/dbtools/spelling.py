"""How names are written so that they can be pasted into a statement of the engine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from dbtools.catalog import Table

# Words that no engine of ours takes bare where a name must stand, or that most do not.
RESERVED: Final = frozenset(
    "all alter analyze and any array as asc between both by case cast check collate column "
    "constraint create cross current_date current_time current_timestamp current_user default "
    "delete desc describe distinct do drop else end except exists false fetch for foreign from "
    "full grant group having in index inner insert intersect into is join key leading left like "
    "limit natural not null offset on or order outer primary range references right rows select "
    "session_user set some table then to trailing true union unique update user using values when "
    "where window with".split()
)
_LOWER: Final = re.compile(r"[a-z_][a-z0-9_$]*")
_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
_QUOTES: Final = {
    "mysql": "``", "bigquery": "``", "clickhouse": "``", "mssql": "[]", "mongodb": "",
}  # fmt: skip


def quoted(name: str, engine: str) -> str:
    """The name in the engine's quotes, whether it needs them or not."""
    marks = _QUOTES.get(engine, '""')
    if not marks:
        return name
    return marks[0] + name.replace(marks[1], marks[1] * 2) + marks[1]


def spelled(name: str, engine: str) -> str:
    """The name as it must be written: quoted only where the bare word would mean another."""
    plain = _LOWER if engine == "postgresql" else _PLAIN
    if plain.fullmatch(name) and name.lower() not in RESERVED:
        return name
    return quoted(name, engine)


@dataclass(frozen=True, slots=True)
class Naming:
    """Writes names for one connection; names in default_schema need no prefix."""

    engine: str
    default_schema: str = ""

    def column(self, name: str) -> str:
        """A column as it is written in a statement."""
        return spelled(name, self.engine)

    def key(self, schema: str, name: str) -> str:
        """The plain, unquoted name that `--table` takes: `orders` or `sales.orders`."""
        return name if schema in ("", self.default_schema) else f"{schema}.{name}"

    def table(self, schema: str, name: str) -> str:
        """A table as it is written in a statement."""
        if schema in ("", self.default_schema):
            return spelled(name, self.engine)
        return f"{spelled(schema, self.engine)}.{spelled(name, self.engine)}"

    def of(self, table: Table) -> str:
        """A table as it is written in a statement."""
        return self.table(table.schema, table.name)

    def order(self, table: Table) -> tuple[bool, str, str]:
        """Sorts the default schema first, then by schema and name."""
        return (table.schema not in ("", self.default_schema), table.schema, table.name)
