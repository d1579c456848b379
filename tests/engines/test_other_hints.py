"""Mistakes on MariaDB, ClickHouse, DuckDB and MongoDB: each must come back with what to type next."""

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
    ("SELECT LEN(status) FROM hint_orders", "dialect", "", "CHAR_LENGTH"),
    (
        "SELECT * FROM hint_orders o JOIN hint_customers USING (customer_id)",
        "ON",
        "",
        "o.customer_id",
    ),
]
DUCKDB = [
    ("SELECT amount_total FROM hint_orders", "total_amount", "total_amount", "total_amount"),
    ("SELECT * FROM hint_order", "hint_orders", "hint_orders", "hint_orders"),
    ("SELECT * FROM sale.targets", "sales.targets", "sales.targets", "sales.targets"),
    ("SELECT o.email FROM hint_orders o", "JOIN hint_customers", "email", ""),
    ("SELECT c.email FROM hint_orders o", "JOIN hint_customers c", "hint_customers", ""),
    ("SELECT o.statuss FROM hint_orders o", "status", "status", "o.status"),
    ("SELECT id FROM hint_orders o JOIN hint_customers c ON c.id = o.customer_id", "o.id", "", ""),
    ("SELECT TOP 5 id FROM hint_orders", "dialect", "", "LIMIT 5"),
    ("SELECT NVL(status, '') FROM hint_orders", "dialect", "", "COALESCE"),
    ("SELECT DATEDIFF(day, placed_at, placed_at) FROM hint_orders", "dialect", "", "DATE_DIFF"),
    ("SELECT id FROM hint_orders WHERE count(*) > 1", "HAVING", "", ""),
    ("SELECT status, count(*) FROM hint_orders", "GROUP BY", "", "GROUP BY status"),
    ("SELECT id FROM hint_orders WHERE id = 'abc'", "cast", "", ""),
    ("SELECT id FROM hint_orders WHERE placed_at > '31.12.2024'", "YYYY-MM-DD", "", "2024-12-31"),
    ("SELECT id FROM hint_orders WHERE", "ends behind", "", ""),
]
CLICKHOUSE = [
    ("SELECT amount_total FROM hint_orders", "total_amount", "total_amount", "total_amount"),
    ("SELECT * FROM hint_order", "hint_orders", "hint_orders", "hint_orders"),
    ("SELECT STATUS FROM hint_orders", "status", "status", "status"),
    ("SELECT status, count() FROM hint_orders", "GROUP BY", "", "GROUP BY status"),
    ("SELECT TOP_K(status) FROM hint_orders", "topK(10)", "", ""),
    ("SELECT MEDIAN(total_amount) FROM hint_orders", "case", "", "median("),
    ("SELECT Статус FROM hint_orders", "quotes", "", "status"),
    ("SELECT ид FROM такой_нет", "quotes", "", ""),
    ("SELECT CAST(id AS string) FROM hint_orders", "type", "", "String)"),
    ("SELECT o.ID, o.statuss FROM hint_orders o", "id", "id", "o.status"),
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


@pytest.fixture(scope="module")
def duckdb_shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import duckdb

    path = tmp_path_factory.mktemp("hints") / "shop.duckdb"
    with duckdb.connect(str(path)) as db:
        for table in TABLES:
            db.execute(table.replace("`group`", '"group"').replace("datetime", "timestamp"))
        db.execute("INSERT INTO hint_orders VALUES (1, NULL, 'paid', 1, '2024-05-02', 1)")
        db.execute("CREATE SCHEMA sales; CREATE TABLE sales.targets (id integer)")
    return path


@pytest.mark.parametrize(("statement", "word", "first", "suggested"), DUCKDB)
def test_duckdb(
    duckdb_shop: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    statement: str, word: str, first: str, suggested: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("DB_TYPE", "duckdb")
    monkeypatch.setenv("DB_NAME", str(duckdb_shop))
    check(statement, word, first, suggested)


@pytest.fixture(scope="module")
def mongodb_shop(mongodb: Server) -> Server:
    import pymongo

    login = mongodb.owner
    with pymongo.MongoClient(
        mongodb.host, mongodb.port, username=login.user, password=login.password
    ) as client:
        orders = client[mongodb.database]["hint_orders"]
        orders.insert_many([{"status": "paid", "customer": {"email": "a@example.com"}}])
    return mongodb


MONGODB = [
    ('{"collection": "hint_order"}', "did you mean hint_orders"),
    ('db.hint_orders.find({statuss: "paid"})', "did you mean status"),
    ('{"collection": "hint_orders", "pipeline": [{"$match": {"customer.mail": 1}}]}', "customer.email"),
    ('{"collection": "hint_orders", "filter": {"status": "none"}}', ""),
    ('{"collection": "hint_orders", "filter": {"customer": {"$exists": false}}}', ""),
]  # fmt: skip


@pytest.mark.parametrize(("command", "said"), MONGODB)
def test_mongodb_tells_why_an_answer_may_be_empty(
    mongodb_shop: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    capsys: pytest.CaptureFixture[str], command: str, said: str,
) -> None:  # fmt: skip
    connect_to(mongodb_shop, monkeypatch, tmp_path)
    query.run_query(QueryRequest(command))
    told = capsys.readouterr().out
    assert '"rowCount":0' in told and ("warnings" in told) == bool(said) and said in told


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ('{"collection": "hint_orders", "pipeline": [{"$group": {"n": {"$sum": 1}}}]}', '"_id"'),
        ('{"collection": "hint_orders", "filter": {"$or": {"a": 1}}}', '"$or": ['),
        ('{"collection": "hint_orders", "sort": {"status": "desc"}}', "-1"),
        ('{"collection": "hint_orders", "filter": {"n": {"$gte3": 5}}}', "$gte"),
        ('{"collection": "hint_orders", "pipeline": [{"$matc": {}}]}', "did you mean $match"),
    ],
)
def test_mongodb_says_which_form_it_wants(
    mongodb_shop: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, word: str
) -> None:
    connect_to(mongodb_shop, monkeypatch, tmp_path)
    with pytest.raises(ToolError) as raised:
        query.run_query(QueryRequest(command))
    assert word in str(raised.value.hint)
