"""Builds the demo shop: a SQLite file of 28 tables, the same every time.

python -m demo.build FILE
"""

from __future__ import annotations

import random
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from demo import afterwards, goods, people, sales
from demo.tables import Shop

SEED = 20250630


def rows() -> Shop:
    """All rows of the shop, made in memory."""
    shop = Shop(random.Random(SEED))
    for room in (people, goods, sales, afterwards):
        room.make(shop)
    return shop


def build(path: Path) -> dict[str, int]:
    """Write the shop to a new file; returns table -> number of rows."""
    shop = rows()
    schema = Path(__file__).with_name("shop.sql").read_text(encoding="utf-8")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        connection.executescript(f"BEGIN; {schema} COMMIT;")
        connection.execute("BEGIN")
        for table, lines in shop.rows.items():
            marks = ", ".join("?" * len(lines[0]))
            connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', lines)
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        if broken:
            raise RuntimeError(f"rows that refer to nothing: {broken[:3]}")
        connection.execute("COMMIT")
        connection.execute("ANALYZE")
    return {table: len(lines) for table, lines in shop.rows.items()}


if __name__ == "__main__":
    counts = build(Path(sys.argv[1]))
    print(f"{sys.argv[1]}: {len(counts)} tables, {sum(counts.values())} rows")
