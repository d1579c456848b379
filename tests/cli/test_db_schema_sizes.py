"""`db-schema` on databases of 28, 252 and 1,014 tables: the find path, counted in tokens."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from cli.commands import Answer, run
from schemas import build_all


def tokens(answer: Answer) -> int:
    """UTF-8 bytes / 3, rounded up."""
    return -(-len(answer.stdout.encode()) // 3)


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return build_all(tmp_path_factory.mktemp("schemas"))


def schema(path: Path, *arguments: str) -> Answer:
    env = {"DB_TYPE": "sqlite", "DB_NAME": str(path), "XDG_CACHE_HOME": str(path.parent / "cache")}
    return run("db-schema", *arguments, env=env)


@pytest.mark.parametrize(
    ("name", "chosen", "names_cap", "both_cap"),
    [
        ("big", ("Appointment", "Doctor", "Patient"), 5000, 6000),
        ("erp", ("cust_ord_hdr", "cust_mstr", "itm_mstr"), 1500, 2500),
    ],
)
def test_two_calls_find_a_table_within_the_cap(
    databases: dict[str, Path], name: str, chosen: tuple[str, ...], names_cap: int, both_cap: int
) -> None:
    names = schema(databases[name])
    body = names.json()
    assert body["detail"] == "names" and body["returned"] == body["total"]
    assert tokens(names) <= names_cap
    assert "--table NAME" in body["next"]
    for table in chosen:
        assert any(str(t).split(" ")[0] == table for t in body["tables"])
    tables = schema(databases[name], *(w for t in chosen for w in ("--table", t)))
    assert [t["name"] for t in tables.json()["tables"]] == sorted(chosen)
    assert tables.json()["joins"]
    assert tokens(names) + tokens(tables) <= both_cap


def test_a_small_database_is_told_whole_in_the_seeds_shape(databases: dict[str, Path]) -> None:
    answer = schema(databases["shop"])
    body = answer.json()
    assert body["detail"] == "full" and len(body["tables"]) == 28 and tokens(answer) <= 8000
    orders = next(t for t in body["tables"] if t["name"] == "orders")
    assert orders["columns"][0] == {
        "name": "id", "type": "INTEGER", "nullable": False, "primaryKey": True,
    }  # fmt: skip
    assert set(orders) == {"name", "columns", "indexes", "foreignKeys", "approximateRowCount"}


def test_all_details_of_a_large_database_are_given_to_who_asks(databases: dict[str, Path]) -> None:
    body = schema(databases["big"], "--detail", "full").json()
    assert len(body["tables"]) == 1014 and "next" not in body


@pytest.mark.parametrize("arguments", [("--detail", "names"), ("--detail", "dense"), ()])
def test_pages_repeat_nothing_and_drop_nothing(
    databases: dict[str, Path], arguments: tuple[str, ...]
) -> None:
    import shlex

    seen: list[str] = []
    total, words = 0, ["--max-tokens", "2000", *arguments]
    for _ in range(200):
        body = schema(databases["erp"], *words).json()
        total += body.get("returned", len(body["tables"]))
        seen += [t["name"] if isinstance(t, dict) else t for t in body["tables"]]
        if not body.get("truncated"):
            break
        assert tokens(schema(databases["erp"], *words)) <= 2000
        words = shlex.split(body["next"])[1:]
    assert total == 252 and len(set(seen)) == len(seen)


def test_a_row_of_numbered_tables_is_one_entry(databases: dict[str, Path]) -> None:
    names = [t for t in schema(databases["big"]).json()["tables"] if t.startswith("event_log")]
    assert names == ["event_log_2015_01 … _2026_12 (144)"]


def test_formats_of_text(databases: dict[str, Path]) -> None:
    shop = databases["shop"]
    ddl = schema(shop, "--table", "orders", "--table", "refunds", "--format", "ddl").stdout
    with sqlite3.connect(":memory:") as db:
        db.executescript(ddl)
        assert len(db.execute("PRAGMA foreign_key_list(orders)").fetchall()) == 5
    db.close()
    dense = schema(shop, "--table", "orders", "--format", "dense").stdout
    assert dense.startswith("orders(*id integer, order_number text, customer_id integer -> ")
    markdown = schema(shop, "--table", "orders", "--format", "markdown").stdout
    assert markdown.startswith("## orders\n") and "| id | INTEGER | no | PK |  |" in markdown
    diagram = schema(shop, "--table", "refunds", "--format", "mermaid").stdout
    assert diagram.startswith("erDiagram\n") and '"payments" ||--o{ "refunds"' in diagram


def test_a_diagram_nobody_can_read_is_refused(databases: dict[str, Path]) -> None:
    refused = schema(databases["erp"], "--format", "mermaid")
    assert refused.code == 2 and "--depth" in refused.error["hint"]
