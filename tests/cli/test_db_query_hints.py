"""`db-query` on SQLite: what a failed statement comes back with, and what a quiet mistake does."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from cli.commands import Answer, run

SETUP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT, "Full Name" TEXT);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, status TEXT,
  total_amount NUMERIC, placed_at TEXT, epoch INTEGER, sku TEXT
);
INSERT INTO customers VALUES (1, 'a@example.com', 'Ann Lee');
INSERT INTO orders VALUES (1, 1, 'paid', 10, '2024-05-02', 1714608000, '7'), (2, 1, 'new', 5, NULL, 1714694400, 'x');
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hints") / "shop.db"
    with sqlite3.connect(path) as db:
        db.executescript(SETUP)
    db.close()
    return path


def query(shop: Path, statement: str, *arguments: str) -> Answer:
    env = {"DB_TYPE": "sqlite", "DB_NAME": str(shop), "XDG_CACHE_HOME": str(shop.parent)}
    return run("db-query", "-q", statement, *arguments, env=env)


MISTAKES = [
    ("SELECT amount_total FROM orders", "total_amount", "SELECT total_amount FROM orders"),
    ("SELECT o.emial FROM orders o JOIN customers o2 ON 1", None, None),
    ("SELECT c.emial FROM customers c", "email", "SELECT c.email FROM customers c"),
    ("SELECT fullname FROM customers", "Full Name", 'SELECT "Full Name" FROM customers'),
    ("SELECT * FROM ordres", "orders", "SELECT * FROM orders"),
    ("SELECT c.email FROM orders o", "customers", None),
    ("SELECT GETDATE()", None, "SELECT CURRENT_TIMESTAMP"),
    ("SELECT TOP 1 id FROM orders", None, "SELECT id FROM orders LIMIT 1"),
    ("SELECT status FROM orders WHERE count(*) > 1", None, None),
    ("SELECT id, FROM orders", None, "SELECT id FROM orders"),
    ("SELECT * FROM order", None, "SELECT * FROM orders"),
    ("SELECT totl FROM ordres o WHERE o.statuss = 'x'", "orders", None),
    ("SELECT statuss FROM ordres", "orders", "SELECT status FROM orders"),
]


@pytest.mark.parametrize(("statement", "first", "suggested"), MISTAKES, ids=lambda v: str(v)[:40])
def test_a_mistake_comes_back_with_what_to_type(
    shop: Path, statement: str, first: str | None, suggested: str | None
) -> None:
    done = query(shop, statement)
    assert done.code == 4
    error = done.error
    assert error["hint"] and error["hint"] in done.stderr
    if first:
        assert first in [c.get("column", c["table"]) for c in error["candidates"]]
    assert error.get("suggestedSql") == suggested
    if suggested:
        assert query(shop, suggested).code == 0


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("SELECT LEFT(sku, 2) FROM orders", "substr("),
        ("SELECT id FROM orders WHERE sku ~ 'x'", "LIKE"),
        ("SELECT placed_at + INTERVAL 1 DAY FROM orders", "days"),
        ("SELECT YEAR(placed_at) FROM orders", "strftime('%Y'"),
        ("SELECT id FROM orders WHERE status = 'paid' AND", "ends behind AND"),
        ("SELECT id FROM orders JOIN customers USING (customer_id)", "ON orders.customer_id"),
        ("SELECT id FROM orders WHERE sku IN (SELECT skuu FROM customers)", "column of orders"),
    ],
)
def test_what_the_engine_has_instead_is_told(shop: Path, statement: str, said: str) -> None:
    assert said in query(shop, statement).error["hint"]


@pytest.mark.parametrize("statement", ["SELECT id::text FROM orders", "SELECT id::int"])
def test_a_cast_of_another_dialect_is_told(shop: Path, statement: str) -> None:
    done = query(shop, statement)
    assert done.code in (1, 2) and "CAST(x AS" in done.error["hint"]


def test_the_place_has_a_caret(shop: Path) -> None:
    error = query(shop, "SELECT id,\n  total_amout\nFROM orders").error
    assert (error["line"], error["column"]) == (2, 3)
    assert error["excerpt"].splitlines() == ["  total_amout", "  ^"]


def warnings(shop: Path, statement: str, *arguments: str) -> Any:
    done = query(shop, statement, *arguments)
    assert done.code == 0
    return " ".join(done.json().get("warnings", []))


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ('SELECT id FROM orders WHERE status = "paid"', "'paid'"),
        ('SELECT "no such thing" FROM orders', "'no such thing'"),
        ("SELECT strftime('%Y', epoch) AS y FROM orders", "unixepoch"),
        ("SELECT date(epoch) AS d, count(*) FROM orders GROUP BY 1", "unixepoch"),
        ("SELECT id FROM orders WHERE strftime('%Y', placed_at) = 2024", "'2024'"),
        ("SELECT id FROM orders WHERE 2024 <= strftime('%Y', placed_at)", "'2024'"),
        ("SELECT id FROM orders WHERE substr(sku, 1, 1) = 7", "'7'"),
    ],
)
def test_a_quiet_mistake_is_told(shop: Path, statement: str, said: str) -> None:
    assert said in warnings(shop, statement)


@pytest.mark.parametrize(
    "statement",
    [
        'SELECT "Full Name" FROM customers',
        'SELECT c."email" AS "E Mail" FROM "customers" c ORDER BY "E Mail"',
        'SELECT "id" FROM orders WHERE "status" = \'paid\' GROUP BY "id"',
        'WITH "x y" AS (SELECT 1 AS "a b") SELECT "a b" FROM "x y"',
        "SELECT strftime('%Y', epoch, 'unixepoch') FROM orders",
        "SELECT strftime('%Y', placed_at) FROM orders",
        "SELECT id FROM orders WHERE strftime('%Y', placed_at) = '2024'",
        "SELECT id FROM orders WHERE CAST(strftime('%Y', placed_at) AS INTEGER) = 2024",
        "SELECT id FROM orders WHERE length(sku) = 1",
        "SELECT date(placed_at) FROM orders WHERE 0",
    ],
)
def test_nothing_is_told_of_a_statement_that_is_right(shop: Path, statement: str) -> None:
    assert warnings(shop, statement) == ""
