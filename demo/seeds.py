"""Writes the demo shop as scripts for the servers of docker/compose.yaml.

python -m demo.seeds FOLDER

postgresql.sql, mysql.sql, clickhouse.sql and sqlserver.sql make the tables, fill them and add keys
and indexes; mongodb/COLLECTION.json holds one document a line in extended JSON. Logins are not made
here: their passwords are the operator's (docker/compose/).
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from demo.build import build

ROWS_A_STATEMENT: Final = 500


@dataclass(frozen=True, slots=True)
class Column:
    """kind: INTEGER, TEXT, DATE, TIMESTAMP, BOOLEAN or NUMERIC(12,2). indexed: by itself."""

    name: str
    kind: str
    key: bool
    refers_to: str
    indexed: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A table and its rows, as SQLite gives them: dates are text, booleans 0 and 1."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[object, ...], ...]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an engine spells it. types: kind -> type. quotes: around a name.

    booleans: False, True. text: before a text's quote. keys: has foreign keys and indexes.
    """

    types: Mapping[str, str]
    quotes: str
    booleans: tuple[str, str]
    text: str = ""
    backslashes: bool = False
    keys: bool = True
    begin: str = ""
    end: str = ""

    def name(self, name: str) -> str:
        return f"{self.quotes[0]}{name}{self.quotes[1]}"

    def value(self, value: object, column: Column) -> str:
        """A literal."""
        if value is None:
            return "NULL"
        if column.kind == "BOOLEAN":
            return self.booleans[bool(value)]
        if isinstance(value, str):
            escaped = value.replace("\\", "\\\\") if self.backslashes else value
            return self.text + "'" + escaped.replace("'", "''") + "'"
        return str(value)


DIALECTS: Final[Mapping[str, Dialect]] = {
    "postgresql": Dialect(
        {"TEXT": "text", "INTEGER": "integer", "DATE": "date", "TIMESTAMP": "timestamp",
         "BOOLEAN": "boolean", "NUMERIC(12,2)": "numeric(12,2)"},
        '""', ("false", "true"), begin="BEGIN;\n", end="COMMIT;\nANALYZE;\n",
    ),
    "mysql": Dialect(
        {"TEXT": "varchar(500)", "INTEGER": "int", "DATE": "date", "TIMESTAMP": "datetime",
         "BOOLEAN": "tinyint(1)", "NUMERIC(12,2)": "decimal(12,2)"},
        "``", ("0", "1"), backslashes=True, begin="SET NAMES utf8mb4;\n",
    ),
    "sqlserver": Dialect(
        {"TEXT": "nvarchar(500)", "INTEGER": "int", "DATE": "date", "TIMESTAMP": "datetime2(0)",
         "BOOLEAN": "bit", "NUMERIC(12,2)": "decimal(12,2)"},
        "[]", ("0", "1"), text="N", begin="SET NOCOUNT ON;\n",
    ),
    "clickhouse": Dialect(
        {"TEXT": "String", "INTEGER": "Int32", "DATE": "Date32", "TIMESTAMP": "DateTime('UTC')",
         "BOOLEAN": "Bool", "NUMERIC(12,2)": "Decimal(12, 2)"},
        "``", ("false", "true"), backslashes=True, keys=False,
    ),
}  # fmt: skip


def shop() -> list[Table]:
    """The demo shop, read back from the file that `make demo` builds: one truth."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "shop.db")
        build(path)
        with closing(sqlite3.connect(path)) as database:
            names = database.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            ).fetchall()
            return [_table(database, name) for (name,) in names]


def _table(database: sqlite3.Connection, name: str) -> Table:
    refers = {row[3]: row[2] for row in database.execute(f'PRAGMA foreign_key_list("{name}")')}
    indexed = set()
    for _, index, *_rest in database.execute(f'PRAGMA index_list("{name}")').fetchall():
        parts = database.execute(f'PRAGMA index_info("{index}")').fetchall()
        indexed |= {parts[0][2]} if len(parts) == 1 else set()
    columns = tuple(
        Column(column, kind, bool(key), refers.get(column, ""), column in indexed)
        for _, column, kind, _, _, key in database.execute(f'PRAGMA table_info("{name}")')
    )
    return Table(name, columns, tuple(database.execute(f'SELECT * FROM "{name}"').fetchall()))


def script(dialect: Dialect, tables: Sequence[Table]) -> Iterator[str]:
    """The statements, each ending in `;` and a newline."""
    yield dialect.begin
    for table in tables:
        yield _create(dialect, table)
        columns = ", ".join(dialect.name(column.name) for column in table.columns)
        for start in range(0, len(table.rows), ROWS_A_STATEMENT):
            rows = table.rows[start : start + ROWS_A_STATEMENT]
            lines = ",\n".join(_row(dialect, table, row) for row in rows)
            yield f"INSERT INTO {dialect.name(table.name)} ({columns}) VALUES\n{lines};\n"
    if dialect.keys:
        yield from _keys(dialect, tables)
    yield dialect.end


def _create(dialect: Dialect, table: Table) -> str:
    lines = []
    for column in table.columns:
        kind = dialect.types[column.kind]
        if not dialect.keys and not column.key:
            kind = f"Nullable({kind})"
        suffix = " PRIMARY KEY" if column.key and dialect.keys else ""
        lines.append(f"  {dialect.name(column.name)} {kind}{suffix}")
    keys = ", ".join(dialect.name(column.name) for column in table.columns if column.key)
    tail = "" if dialect.keys else f" ENGINE = MergeTree ORDER BY ({keys})"
    return f"CREATE TABLE {dialect.name(table.name)} (\n" + ",\n".join(lines) + f"\n){tail};\n"


def _row(dialect: Dialect, table: Table, row: tuple[object, ...]) -> str:
    pairs = zip(row, table.columns, strict=True)
    return "(" + ", ".join(dialect.value(value, column) for value, column in pairs) + ")"


def _keys(dialect: Dialect, tables: Sequence[Table]) -> Iterator[str]:
    """Once every row is there, whatever the order of the tables."""
    for table in tables:
        for column in table.columns:
            here, there = dialect.name(table.name), dialect.name(column.name)
            if column.indexed:
                index = dialect.name(f"ix_{table.name}_{column.name}")
                yield f"CREATE INDEX {index} ON {here} ({there});\n"
            if column.refers_to:
                other = f"{dialect.name(column.refers_to)} ({dialect.name('id')})"
                yield f"ALTER TABLE {here} ADD FOREIGN KEY ({there}) REFERENCES {other};\n"


def documents(table: Table) -> Iterator[str]:
    """Lines of extended JSON; a table's key is `_id`, an empty cell is left out."""
    for row in table.rows:
        document = {}
        for value, column in zip(row, table.columns, strict=True):
            if value is not None:
                document["_id" if column.key else column.name] = _extended(value, column.kind)
        yield json.dumps(document, ensure_ascii=False) + "\n"


def _extended(value: object, kind: str) -> object:
    if kind in ("DATE", "TIMESTAMP"):
        day, _, time = str(value).partition(" ")
        return {"$date": f"{day}T{time or '00:00:00'}Z"}
    if kind == "BOOLEAN":
        return bool(value)
    return {"$numberDecimal": f"{value:.2f}"} if kind.startswith("NUMERIC") else value


def main(folder: Path) -> None:
    """Write everything below the folder."""
    tables = shop()
    (folder / "mongodb").mkdir(parents=True, exist_ok=True)
    for engine, dialect in DIALECTS.items():
        (folder / f"{engine}.sql").write_text("".join(script(dialect, tables)), encoding="utf-8")
    for table in tables:
        (folder / "mongodb" / f"{table.name}.json").write_text(
            "".join(documents(table)), encoding="utf-8"
        )
    print(f"{folder}: the shop's {len(tables)} tables for {', '.join((*DIALECTS, 'mongodb'))}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
