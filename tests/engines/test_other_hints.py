"""Mistakes on MariaDB and ClickHouse: each must come back with what to type next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dbtools import query
from dbtools.request import QueryRequest
from servers import Server
from toolbelt.errors import ToolError

# statement, a word of the hint, the right name among the candidates, words of what is suggested
MYSQL = [
    ("SELECT amount_total FROM hint_orders", "total_amount", "total_amount", "total_amount"),
    ("SELECT * FROM hint_order", "hint_orders", "hint_orders", "hint_orders"),
    ("SELECT o.email FROM hint_orders o", "JOIN hint_customers", "email", ""),
    ("SELECT c.email FROM hint_orders o", "JOIN hint_customers c", "hint_customers", ""),
    ("SELECT id FROM hint_orders o JOIN hint_customers c ON c.id = o.customer_id", "o.id", "", ""),
    ("SELECT TOP 5 id FROM hint_orders", "dialect", "", "LIMIT 5"),
    ("SELECT STRING_AGG(status, ',') FROM hint_orders", "dialect", "", "GROUP_CONCAT"),
    ("SELECT id FROM hint_orders WHERE count(*) > 1", "HAVING", "", ""),
    ("SELECT group FROM hint_orders", "quotes", "", "`group`"),
    ("SELECT id, FROM hint_orders", "comma", "", "SELECT id"),
]
CLICKHOUSE = [
    ("SELECT amount_total FROM hint_orders", "total_amount", "total_amount", "total_amount"),
    ("SELECT * FROM hint_order", "hint_orders", "hint_orders", "hint_orders"),
    ("SELECT STATUS FROM hint_orders", "status", "status", "status"),
    ("SELECT status, count() FROM hint_orders", "GROUP BY", "", "GROUP BY status"),
    ("SELECT TOP_K(status) FROM hint_orders", "function", "", ""),
]  # fmt: skip
TABLES = (
    "CREATE TABLE hint_customers (id int primary key, email varchar(80))",
    "CREATE TABLE hint_orders (id int primary key, customer_id int references hint_customers(id), "
    "status varchar(20), total_amount decimal(12,2), placed_at datetime, `group` int)",
)


def connect_to(server: Server, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    for key, value in server.env(server.owner).items():
        monkeypatch.setenv(key, value)


def check(statement: str, word: str, first: str, suggested: str) -> dict[str, Any]:
    with pytest.raises(ToolError) as raised:
        query.run_query(QueryRequest(statement))
    error = raised.value.body()
    assert raised.value.code == "QUERY_FAILED", error
    assert word in str(error["hint"]), error
    if first:
        found = error["candidates"]
        assert isinstance(found, list), error
        assert first in [c.get("column", c["table"]) for c in found], error
    assert suggested in str(error.get("suggestedSql", "")), error
    if suggested:
        query.run_query(QueryRequest(str(error["suggestedSql"])))
    return error


@pytest.fixture(scope="module")
def mysql_shop(mariadb: Server) -> Server:
    import pymysql

    owner = pymysql.connect(
        host=mariadb.host, port=mariadb.port, user=mariadb.owner.user,
        password=mariadb.owner.password, database=mariadb.database, autocommit=True,
    )  # fmt: skip
    with owner, owner.cursor() as cursor:
        for table in TABLES:
            cursor.execute(table)
    return mariadb


@pytest.mark.parametrize(("statement", "word", "first", "suggested"), MYSQL)
def test_mariadb(
    mysql_shop: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    statement: str, word: str, first: str, suggested: str,
) -> None:  # fmt: skip
    connect_to(mysql_shop, monkeypatch, tmp_path)
    check(statement, word, first, suggested)


def test_mariadb_warns_of_a_text_compared_with_a_number(
    mysql_shop: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    connect_to(mysql_shop, monkeypatch, tmp_path)
    query.run_query(QueryRequest("SELECT id, status FROM hint_orders WHERE status = 0"))
    assert "write '0'" in capsys.readouterr().out
    query.run_query(QueryRequest("SELECT id, status FROM hint_orders WHERE id = 0"))
    assert "warnings" not in capsys.readouterr().out


@pytest.fixture(scope="module")
def clickhouse_shop(clickhouse: Server) -> Server:
    import clickhouse_connect

    owner = clickhouse_connect.get_client(
        host=clickhouse.host, port=clickhouse.port, username=clickhouse.owner.user,
        password=clickhouse.owner.password, database=clickhouse.database,
    )  # fmt: skip
    owner.command(
        "CREATE TABLE IF NOT EXISTS hint_orders (id Int64, status String, total_amount "
        "Decimal(12,2)) ENGINE = MergeTree ORDER BY id"
    )
    owner.close()
    return clickhouse


@pytest.mark.parametrize(("statement", "word", "first", "suggested"), CLICKHOUSE)
def test_clickhouse(
    clickhouse_shop: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    statement: str, word: str, first: str, suggested: str,
) -> None:  # fmt: skip
    connect_to(clickhouse_shop, monkeypatch, tmp_path)
    check(statement, word, first, suggested)
