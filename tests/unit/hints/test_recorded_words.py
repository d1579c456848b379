"""Engines that cannot be run in the tests: their own words, and the hint that must follow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pytest

from dbtools.catalog import Catalog
from dbtools.hints import improve
from dbtools.search import index
from dbtools.search.index import Index
from schemas import catalog
from toolbelt.errors import ToolError


class Shop:
    """The demo shop's structure, as the survey of a live database tells it."""

    def catalog(self) -> Catalog:
        return catalog("shop")

    @cache  # noqa: B019 - one object for the whole run
    def index(self) -> Index:
        return index.build(catalog("shop").tables)

    def again(self) -> bool:
        return False


SHOP = Shop()


@dataclass(frozen=True, slots=True)
class Said:
    """code: the engine's number, '' where it has none. hint, runs: words of what must come."""

    statement: str
    message: str
    code: str = ""
    hint: str = ""
    runs: str = ""


SQL_SERVER = [
    Said("SELECT totl_amount FROM orders", "Invalid column name 'totl_amount'.", "207",
         "total_amount", "SELECT total_amount FROM orders"),
    Said("SELECT * FROM ordrs", "Invalid object name 'ordrs'.", "208", "orders", "FROM orders"),
    Said("SELECT c.email FROM orders o", 'The multi-part identifier "c.email" could not be bound.',
         "4104", "JOIN customers c ON o.customer_id = c.id"),
    Said("SELECT orders.id FROM orders o", 'The multi-part identifier "orders.id" could not be bound.',
         "4104", "called o", "o.id"),
    Said("SELECT id FROM orders o JOIN customers c ON c.id = o.customer_id",
         "Ambiguous column name 'id'.", "209", "o.id or c.id"),
    Said("SELECT status_id, COUNT(*) FROM orders",
         "Column 'orders.status_id' is invalid in the select list because it is not contained in "
         "either an aggregate function or the GROUP BY clause.", "8120", "GROUP BY", "GROUP BY status_id"),
    Said("SELECT customer_id FROM orders WHERE SUM(total_amount) > 5",
         "An aggregate may not appear in the WHERE clause unless it is in a subquery contained in a "
         "HAVING clause or a select list.", "147", "HAVING"),
    Said("SELECT NOW()", "'NOW' is not a recognized built-in function name.", "195", "see suggestedSql", "GETDATE()"),
    Said("SELECT DATE_FORMAT(placed_at, '%Y') FROM orders",
         "'DATE_FORMAT' is not a recognized built-in function name.", "195", "", "FORMAT("),
    Said("SELECT id FROM orders LIMIT 5", "Incorrect syntax near 'LIMIT'.", "102", "dialect", "TOP 5"),
    Said("SELECT * FROM order", "Incorrect syntax near the keyword 'order'.", "156", "orders", "FROM orders"),
    Said("SELECT id FROM orders WHERE", "Incorrect syntax near 'WHERE'.", "102", "ends behind WHERE"),
    Said("SELECT id FROM orders WHERE id = 'abc'",
         "Conversion failed when converting the varchar value 'abc' to data type int.", "245", "cast"),
    Said("SELECT id FROM orders WHERE placed_at > '31.12.2024'",
         "Conversion failed when converting date and/or time from character string.", "241",
         "YYYY-MM-DD", "'2024-12-31'"),
    Said("SELECT total_amount / discount_amount FROM orders", "Divide by zero error encountered.",
         "8134", "NULLIF", "NULLIF(discount_amount, 0)"),
    Said("SELECT * FROM salaries",
         "The SELECT permission was denied on the object 'salaries', database 'd', schema 'dbo'.",
         "229", "did you mean"),
]  # fmt: skip
BIGQUERY = [
    Said("SELECT totl_amount FROM orders",
         "Unrecognized name: totl_amount; Did you mean total_amount?", "invalidQuery",
         "total_amount", "SELECT total_amount FROM orders"),
    Said("SELECT o.totl FROM orders o", "Name totl not found inside o", "invalidQuery", "total_amount"),
    Said("SELECT * FROM shop.ordrs", "Not found: Table p:shop.ordrs was not found in location EU",
         "notFound", "orders", "orders"),
    Said("SELECT c.email FROM orders o", "Unrecognized name: c", "invalidQuery", "JOIN customers c"),
    Said("SELECT id FROM orders o JOIN customers c ON c.id = o.customer_id",
         "Column name id is ambiguous", "invalidQuery", "o.id or c.id"),
    Said("SELECT status_id, COUNT(*) FROM orders",
         "SELECT list expression references column status_id which is neither grouped nor aggregated",
         "invalidQuery", "GROUP BY", "GROUP BY status_id"),
    Said("SELECT customer_id FROM orders WHERE SUM(total_amount) > 5",
         "Aggregate function SUM not allowed in WHERE clause", "invalidQuery", "HAVING"),
    Said("SELECT GETDATE()", "Function not found: GETDATE", "invalidQuery", "", "CURRENT_TIMESTAMP"),
    Said("SELECT TO_CHAR(placed_at, 'YYYY') FROM orders", "Function not found: TO_CHAR",
         "invalidQuery", "", "FORMAT_"),
    Said("SELECT TOP 5 id FROM orders", 'Syntax error: Unexpected integer literal "5"', "invalidQuery",
         "dialect", "LIMIT 5"),
    Said("SELECT id FROM orders WHERE cancel_reason = 5",
         "No matching signature for operator = for argument types: STRING, INT64.", "invalidQuery",
         "text", "'5'"),
    Said("SELECT id FROM orders WHERE id = 'abc'",
         "No matching signature for operator = for argument types: INT64, STRING.", "invalidQuery", "cast"),
    Said("SELECT id FROM orders WHERE placed_at > '31.12.2024'", "Invalid date: '31.12.2024'",
         "invalidQuery", "YYYY-MM-DD", "2024-12-31"),
    Said("SELECT total_amount / discount_amount FROM orders", "division by zero: 1 / 0", "invalidQuery",
         "NULLIF", "NULLIF(discount_amount, 0)"),
]  # fmt: skip


def _check(engine: str, dialect: str, said: Said, title: str) -> None:
    def plans(text: str) -> ToolError | None:
        # The text as it was sent fails again, any other one is taken for mended.
        good = text != said.statement and "abc" not in text
        return None if good else ToolError("QUERY_FAILED", f"{title}: {said.message}")

    error = ToolError("QUERY_FAILED", f"{title}: {said.message}", "", {"engineCode": said.code})
    told = improve(error, said.statement, dialect, engine, SHOP, plans)
    assert told.hint and said.hint in told.hint, told.body()
    assert said.runs in str(told.detail.get("suggestedSql", "")), told.body()


@pytest.mark.parametrize("said", SQL_SERVER, ids=lambda s: s.message[:50])
def test_sql_server(said: Said) -> None:
    _check("mssql", "tsql", said, "SQL Server")


@pytest.mark.parametrize("said", BIGQUERY, ids=lambda s: s.message[:50])
def test_bigquery(said: Said) -> None:
    _check("bigquery", "bigquery", said, "BigQuery")
