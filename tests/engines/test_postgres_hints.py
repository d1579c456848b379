"""Mistakes that agents make, on a real PostgreSQL: each must come back with what to type next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from dbtools import query
from dbtools.request import QueryRequest
from servers import Login, Server
from servers.postgres import connect, create_database
from toolbelt.errors import ToolError

CLERK = Login("clerk", "cl'erk")
SETUP = Path(__file__).with_name("hints.sql")


@dataclass(frozen=True, slots=True)
class Case:
    """first: the right name among the first three candidates. runs: a corrected statement must
    come, hold these words and run. hint: words of the hint."""

    statement: str
    first: str = ""
    runs: str = ""
    hint: str = ""


CASES = [
    # 1, 2: unknown columns and tables
    Case("SELECT amount_total FROM orders", "total_amount", "total_amount", "total_amount"),
    Case("SELECT id, total_amout FROM orders WHERE total_amout > 5", "total_amount", hint="total_amount"),
    Case("SELECT o.price FROM order_items o", "unit_price", hint="JOIN products"),
    Case("SELECT email FROM orders", "email", hint="JOIN customers ON orders.customer_id = customers.id"),
    Case("SELECT o.email FROM orders o", "email", hint="ON o.customer_id = customers.id"),
    Case("SELECT order_date FROM orders", hint="placed_at"),
    Case("SELECT created_at FROM orders"),
    Case("SELECT firstname, lastname FROM customers", "first_name", hint="first_name"),
    Case("SELECT customerId FROM orders", "customer_id", "customer_id"),
    Case("SELECT статус FROM orders", "state", "state"),
    Case("SELECT * FROM ordrs", "orders", "FROM orders", "orders"),
    Case("SELECT * FROM order", runs="FROM orders", hint="orders"),
    Case("SELECT * FROM customer", "customers", "customers"),
    Case("SELECT * FROM заказы", "orders", "orders"),
    Case("SELECT * FROM clients", "customers"),
    Case("SELECT * FROM targets", "sales.targets", "sales.targets", "sales.targets"),
    Case("SELECT * FROM sale.targets", "sales.targets", "sales.targets"),
    Case("SELECT * FROM public.ordres", "orders", "FROM orders"),
    # 3: letters in capitals
    Case("SELECT * FROM OrderEvents", "OrderEvents", '"OrderEvents"', '"OrderEvents"'),
    Case('SELECT eventId FROM "OrderEvents"', "eventId", '"eventId"', '"eventId"'),
    # 4: text in double quotes
    Case('SELECT id FROM orders WHERE note = "fragile"', runs="'fragile'", hint="single"),
    Case('SELECT id FROM customers WHERE email LIKE "%example%"', runs="'%example%'"),
    # 5: ambiguous
    Case("SELECT id FROM orders o JOIN customers c ON c.id = o.customer_id", hint="o.id or c.id"),
    # 6: GROUP BY
    Case("SELECT state, count(*) FROM orders", runs="GROUP BY state", hint="GROUP BY"),
    Case("SELECT c.email, c.id, o.state, sum(o.total_amount) FROM orders o JOIN customers c ON c.id = "
         "o.customer_id GROUP BY c.id ORDER BY 1", runs="o.state", hint="o.state"),
    Case("SELECT first_name, last_name, count(*) FROM customers GROUP BY first_name", runs="last_name"),
    # 7: aggregates and aliases in the wrong place
    Case("SELECT customer_id FROM orders WHERE count(*) > 1 GROUP BY 1", hint="HAVING"),
    Case("SELECT total_amount * 2 AS twice FROM orders WHERE twice > 3", hint="AS"),
    Case("SELECT customer_id, sum(total_amount) AS spent FROM orders GROUP BY 1 HAVING spent > 3", hint="AS"),
    # 8: other dialects
    Case("SELECT GETDATE()", runs="CURRENT_TIMESTAMP", hint="dialect"),
    Case("SELECT TOP 5 * FROM orders", runs="LIMIT 5", hint="dialect"),
    Case("SELECT `id` FROM `orders`", runs="id", hint="dialect"),
    Case("SELECT [id] FROM [orders]", runs="id"),
    Case("SELECT IFNULL(note, '') FROM orders", runs="COALESCE"),
    Case("SELECT STRFTIME('%Y-%m', placed_at) FROM orders", runs="TO_CHAR"),
    Case("SELECT DATE_FORMAT(placed_at, '%Y-%m') FROM orders", runs="TO_CHAR"),
    Case("SELECT id FROM orders LIMIT 5, 10", runs="OFFSET 5"),
    Case("SELECT ISNULL(note, 'x'), LEN(note) FROM orders", runs="COALESCE"),
    # 9: types
    Case("SELECT id FROM orders WHERE note = 5", runs="'5'", hint="text"),
    Case("SELECT id FROM orders WHERE id = 'abc'", hint="cast"),
    Case("SELECT id FROM orders WHERE state = 'payed'", runs="'paid'", hint="paid"),
    Case("SELECT round(total_amount::float8, 2) FROM orders", hint="::numeric"),
    # 10: dates
    Case("SELECT id FROM orders WHERE placed_at >= '31.12.2024'", runs="'2024-12-31'", hint="YYYY-MM-DD"),
    Case("SELECT id FROM orders WHERE delivered_on = 'yesterday-ish'", hint="YYYY-MM-DD"),
    Case("SELECT id FROM orders WHERE delivered_on > '2024-02-30'", hint="YYYY-MM-DD"),
    # 11: words of the language as names
    Case("SELECT order FROM payments", runs='"order"', hint="quotes"),
    # 12: zero
    Case("SELECT total_amount / discount_amount FROM orders", runs="NULLIF(discount_amount, 0)", hint="NULLIF"),
    # 13: FROM lacks it
    Case("SELECT c.email FROM orders o", "customers", hint="JOIN customers c ON o.customer_id = c.id"),
    Case("SELECT orders.id FROM orders o", runs="o.id", hint="o."),
    Case("SELECT c.email FROM orders o JOIN customers cu ON cu.id = o.customer_id", runs="cu.email", hint="cu"),
    Case("SELECT * FROM orders JOIN customers USING (customer_id)",
         runs="ON orders.customer_id = customers.id", hint="USING"),
    # 14: several mistakes at once
    Case("SELECT eventId FROM OrderEvents", runs='"eventId"', hint='"OrderEvents"'),
    Case("SELECT [totl_amount] FROM [orders]", runs="total_amount"),
    # 15: names that are there, but not here
    Case("WITH t AS (SELECT id FROM orders) SELECT total_amount FROM t", hint="does not pass it on"),
    Case("SELECT id FROM orders WHERE customer_id IN (SELECT customerid FROM customers)", hint="column of orders"),
    # 16: unfinished texts and signs of other languages
    Case("SELECT id FROM orders WHERE", hint="ends behind WHERE"),
    Case("SELECT id FROM orders WHERE note == 'x' && id = 1", runs="AND", hint="=="),
    Case("SELECT DATEADD(day, -7, placed_at) FROM orders", runs="INTERVAL", hint="DATEADD(day"),
    Case("SELECT CAST(id AS string) FROM orders", runs="AS TEXT", hint="type"),
    Case("SELECT CONVERT(varchar, id) FROM orders", runs="CAST(id AS", hint="dialect"),
    Case("SELECT t.n FROM (SELECT count(*) AS n FROM orders)", runs="AS t", hint="AS t"),
    # a comma too many
    Case("SELECT id, note, FROM orders", runs="note", hint="comma"),
]  # fmt: skip


@pytest.fixture(scope="module")
def shop(postgres: Server) -> Server:
    server = create_database(postgres, "hints")
    with connect(server) as owner:
        owner.execute(SETUP.read_text(encoding="utf-8"))
        owner.execute("DROP ROLE IF EXISTS clerk")
        owner.execute("CREATE ROLE clerk LOGIN PASSWORD 'cl''erk'")
        owner.execute("GRANT USAGE ON SCHEMA sales TO clerk")
        owner.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public, sales TO clerk")
        owner.execute("REVOKE ALL ON salaries, staff FROM clerk")
        owner.execute("GRANT SELECT (id, full_name) ON staff TO clerk")
    return server


@pytest.fixture
def connected(shop: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for key, value in shop.env(CLERK).items():
        monkeypatch.setenv(key, value)


def error_of(statement: str, **more: object) -> dict[str, object]:
    with pytest.raises(ToolError) as raised:
        query.run_query(QueryRequest(statement, **more))  # type: ignore[arg-type]
    assert raised.value.code == "QUERY_FAILED", raised.value.message
    return raised.value.body()


@pytest.mark.usefixtures("connected")
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.statement[:60])
def test_a_mistake_comes_back_with_what_to_type(
    case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    error = error_of(case.statement)
    assert error.get("hint")
    if case.first:
        candidates = error["candidates"]
        assert isinstance(candidates, list)
        assert case.first in [c.get("column", c["table"]) for c in candidates[:3]]
    if case.runs:
        assert case.runs in str(error.get("suggestedSql"))
        query.run_query(QueryRequest(str(error["suggestedSql"])))
        assert '"ok":true' in capsys.readouterr().out
    assert case.hint in str(error["hint"])


@pytest.mark.usefixtures("connected")
def test_what_is_denied_looks_like_what_is_not_there(shop: Server) -> None:
    statement = "SELECT * FROM salaries"
    denied = error_of(statement)
    with connect(shop) as owner:
        owner.execute("ALTER TABLE salaries RENAME TO elsewhere")
    try:
        assert error_of(statement) == denied
    finally:
        with connect(shop) as owner:
            owner.execute("ALTER TABLE elsewhere RENAME TO salaries")
    assert denied["message"] == "There is no table 'salaries' that this login may read."
    assert "salaries" not in str(denied["availableTables"])


@pytest.mark.usefixtures("connected")
def test_a_table_of_which_some_columns_may_be_read_tells_which() -> None:
    for statement in ("SELECT * FROM staff", "SELECT salary FROM staff"):
        assert "id, full_name" in str(error_of(statement)["hint"])


@pytest.mark.usefixtures("connected")
def test_the_place_is_that_in_the_callers_own_text() -> None:
    error = error_of("/* all */ SELECT id, -- first\n  total_amout FROM orders")
    assert (error["line"], error["column"], error["position"]) == (2, 3, 33)
    assert error["excerpt"] == "  total_amout FROM orders\n  ^"
    explained = error_of("SELECT total_amout FROM orders", explain=True)
    assert explained["position"] == 8


@pytest.mark.usefixtures("connected")
def test_columns_of_all_tables_in_from_are_listed() -> None:
    error = error_of("SELECT nonsense_xyz FROM orders o JOIN customers c ON c.id = o.customer_id")
    columns = error["availableColumns"]
    assert isinstance(columns, dict) and list(columns) == ["orders", "customers"]
    assert "customer_id integer -> customers.id" in columns["orders"]


@pytest.mark.usefixtures("connected")
def test_parameters_stay_parameters_in_what_is_suggested() -> None:
    error = error_of("SELECT id FROM ordrs WHERE id = :id", parameters={"id": 1})
    assert error["suggestedSql"] == "SELECT id FROM orders WHERE id = :id"


@pytest.mark.usefixtures("connected")
def test_a_table_made_since_the_catalog_was_kept_is_known(shop: Server) -> None:
    error_of("SELECT * FROM latecomer")
    with connect(shop) as owner:
        owner.execute("CREATE TABLE latecomers (id integer)")
        owner.execute("GRANT SELECT ON latecomers TO clerk")
    try:
        error = error_of("SELECT * FROM latecomer")
        assert error["suggestedSql"] == "SELECT * FROM latecomers"
    finally:
        with connect(shop) as owner:
            owner.execute("DROP TABLE latecomers")


@pytest.mark.usefixtures("connected")
def test_nothing_is_asked_when_nothing_failed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unwanted(*_: object) -> None:
        raise AssertionError("the catalog was asked for")

    monkeypatch.setattr("dbtools.drivers.postgres.session.PostgresSession.catalog", unwanted)
    query.run_query(QueryRequest("SELECT id FROM orders"))
    assert '"rowCount":1' in capsys.readouterr().out


@pytest.mark.usefixtures("connected")
def test_a_time_limit_tells_sizes_and_indexes() -> None:
    statement = "SELECT count(*) FROM generate_series(1, 1000000000) LEFT JOIN orders ON false"
    with pytest.raises(ToolError) as raised:
        query.run_query(QueryRequest(statement, timeout_seconds=0.5))
    error = raised.value.body()
    assert raised.value.code == "TIMEOUT" and "index" in str(error["hint"])
    assert isinstance(error["tables"], dict) and "indexed by (id)" in error["tables"]["orders"]
