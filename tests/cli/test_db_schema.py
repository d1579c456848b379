"""`db-schema` on SQLite: searching, the domain file, the cache, a look at data, odd databases."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
import stat
import time
from pathlib import Path
from typing import Any

import pytest
from demo.build import build as build_shop

from cli.commands import Answer, run
from schemas import build, build_all

DOMAIN = """
version = 1
[shop.synonyms]
"give back" = "refunds"
"корзина" = "order items"
[shop.tables.orders]
title = { en = "Customer orders", ru = "Заказы клиентов" }
terms = ["чек"]
[shop.enums."order_statuses.code"]
values = { new = "новый", paid = "оплачен" }
[[shop.relations]]
from = "audit_log.entity_id"
to = "orders.id"
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shop") / "shop.db"
    build_shop(path)
    path.with_name("domain.toml").write_text(DOMAIN, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return build_all(tmp_path_factory.mktemp("schemas"))


def schema(path: Path, *arguments: str, **env: str) -> Answer:
    own = {
        "DB_1_TYPE": "sqlite", "DB_1_NAME": "shop", "DB_1_DB": str(path),
        "XDG_CACHE_HOME": str(path.parent / "cache"), "TOOLBELT_WORKSPACE": str(path.parent),
    }  # fmt: skip
    return run("db-schema", *arguments, env=own | env)


def tokens(answer: Answer) -> int:
    return -(-len(answer.stdout.encode()) // 3)


# Searching


@pytest.mark.parametrize(
    ("question", "table"),
    [
        ("where is the order status stored", "order_statuses"),
        ("где хранится статус заказа", "order_statuses"),
        ("custmer emial", "customers"),
        ("how many bonus points are on a card", "loyalty_cards"),
    ],
)
def test_a_question_finds_its_table(shop: Path, question: str, table: str) -> None:
    done = schema(shop, "--search", question)
    body = done.json()
    assert body["matches"][0]["table"] == table and body["weak"] is False
    assert set(body["matches"][0]) >= {"table", "score", "why"} and len(body["matches"]) <= 10
    assert body["next"].startswith("db-schema --table ") and body["joins"]
    assert tokens(done) <= 1200


def test_search_answers_on_1014_tables_stay_small(databases: dict[str, Path]) -> None:
    for question in ("patient", "сумма платежа по договору за прошлый год", "a b c d e f g"):
        assert tokens(schema(databases["big"], "--search", question)) <= 1200


def test_phrasings_are_fused_and_columns_told(shop: Path) -> None:
    body = schema(shop, "--search", "нечто непонятное", "--search", "tracking number").json()
    first = body["matches"][0]
    assert (first["table"], first["columns"][0]) == ("shipments", "tracking_number")


def test_nothing_found_is_weak_and_says_what_to_do(shop: Path) -> None:
    body = schema(shop, "--search", "zxqv blorbs").json()
    assert body["matches"] == [] and body["weak"] is True
    assert body["unknownWords"] == ["zxqv", "blorbs"]
    assert body["domainEntry"] == '[shop.synonyms]\n"zxqv" = "TABLE OR COLUMN"'
    assert schema(shop, *shlex.split(body["next"])[1:]).json()["detail"] == "names"


@pytest.mark.parametrize("question", ["", "   ", "🙂🙂", "слово " * 2000, '"; DROP TABLE x'])
def test_any_question_gets_an_answer(shop: Path, question: str) -> None:
    assert schema(shop, "--search", question).json()["ok"] is True


# The domain file


def test_the_domain_file_teaches_words_titles_values_and_relations(shop: Path) -> None:
    option = ("--domain", "domain.toml")
    found = schema(shop, *option, "--search", "how much did we give back").json()
    assert found["matches"][0]["table"] == "refunds"
    assert schema(shop, *option, "--search", "чек").json()["matches"][0]["table"] == "orders"
    names = schema(shop, *option, "--detail", "names").json()["tables"]
    assert "orders — Customer orders / Заказы клиентов" in names
    body = schema(
        shop, *option, "--table", "order_statuses", "--table", "audit_log", "--table", "orders"
    ).json()
    assert "code text {new=новый|paid=оплачен}" in str(body["tables"])
    assert "audit_log.entity_id = orders.id" in body["joins"]
    joined = schema(shop, *option, "--search", "чек", "--search", "audit log").json()
    assert "audit_log.entity_id = orders.id" in joined["joins"]


@pytest.mark.parametrize("variable", ["DB_1_DOMAIN_FILE", "DB_DOMAIN_FILE"])
def test_the_domain_file_is_found_by_its_variable(shop: Path, variable: str) -> None:
    env = {variable: str(shop.with_name("domain.toml"))}
    assert schema(shop, "--search", "корзина", **env).json()["matches"][0]["table"] == "order_items"


def test_check_domain_lists_what_names_nothing(shop: Path) -> None:
    good = schema(shop, "--domain", "domain.toml", "--check-domain").json()
    assert (good["valid"], good["problems"], good["entries"]) == (True, [], 5)
    bad = DOMAIN.replace("shop.tables.orders", "shop.tables.ordrs").replace(
        '"refunds"', '"moonbase"'
    )
    bad = bad.replace("entity_id", "entity_di").replace("order_statuses.code", "order_statuses.cod")
    shop.with_name("bad.toml").write_text(bad, encoding="utf-8")
    body = schema(shop, "--domain", "bad.toml", "--check-domain").json()
    assert body["valid"] is False
    nearest = {p["entry"]: p.get("nearest", [""])[0] for p in body["problems"]}
    assert nearest == {
        "synonyms.give back": "", "tables.ordrs": "orders", "relations 1": "entity_id",
        "enums.order_statuses.cod": "code",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[shop", "not UTF-8 TOML"),
        ("version = 2", "version must be 1"),
        ("[shop.tables.x]\ncolour = 'red'", "tables.x.colour"),
        ("[shop.synonyms]\nx = 5", "synonyms.x must be text"),
        ("[shop.words]\nx = '5'", "shop.words"),
        ("[[shop.relations]]\nfrom = 'a.b'", "relations 1"),
    ],
)
def test_a_domain_file_that_cannot_be_meant_is_refused(shop: Path, text: str, words: str) -> None:
    shop.with_name("odd.toml").write_text(text, encoding="utf-8")
    done = schema(shop, "--domain", "odd.toml")
    assert done.code == 2 and done.error["code"] == "BAD_CONFIG"
    assert words in done.error["message"]


def test_a_domain_file_for_another_connection_says_so(shop: Path) -> None:
    shop.with_name("other.toml").write_text('[hr.synonyms]\n"a" = "b"\n', encoding="utf-8")
    body = schema(shop, "--domain", "other.toml", "--detail", "names").json()
    assert "no part for connection 'shop'" in body["warnings"][0]


# The cache


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "sandbox-toolbelt").glob("*"))


def test_what_is_kept_is_private_and_holds_no_data(shop: Path, tmp_path: Path) -> None:
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    schema(shop, "--search", "orders", **env)
    schema(shop, "--table", "orders", "--samples", "3", "--values", **env)
    files = kept(tmp_path)
    assert len(files) == 2
    assert stat.S_IMODE((tmp_path / "sandbox-toolbelt").stat().st_mode) == 0o700
    for file in files:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        text = file.read_text(encoding="utf-8")
        assert "2024-00001" not in text and "changed my mind" not in text


def test_a_change_of_the_structure_is_seen_at_once(tmp_path: Path) -> None:
    path = build(tmp_path / "it.db", "CREATE TABLE one (id INTEGER);")
    assert "one" in schema(path, "--detail", "names").json()["tables"]
    build(path, "CREATE TABLE two (id INTEGER);")
    assert "two" in schema(path, "--detail", "names").json()["tables"]
    build(path, "DROP TABLE one;")
    gone = schema(path, "--table", "one")
    assert gone.code == 2 and "No table matches 'one'" in gone.error["message"]


def test_a_fresh_copy_is_used_an_old_one_and_refresh_are_not(tmp_path: Path) -> None:
    path = build(tmp_path / "it.db", "CREATE TABLE one (id INTEGER);")
    schema(path, "--detail", "names")
    (file,) = kept(tmp_path / "cache")
    head, _, lines = file.read_text(encoding="utf-8").partition("\n")
    facts = json.loads(head)

    def rewrite(**changes: Any) -> None:
        text = json.dumps({**facts, "server": "from the cache", **changes})
        file.write_text(f"{text}\n{lines}", encoding="utf-8")

    def server(*arguments: str) -> str:
        return str(schema(path, "--detail", "names", *arguments).json()["server"])

    rewrite()
    assert server() == "from the cache"
    assert server("--refresh").startswith("SQLite")
    for change in (
        {"made": time.time() - 301},
        {"made": time.time() + 60},
        {"for": "another"},
        {"tool": "0"},
    ):
        rewrite(**change)
        assert server().startswith("SQLite"), change


@pytest.mark.parametrize("damage", ["", "{}", "[]", "\x00", '{"names": 5}\n'])
def test_a_damaged_copy_is_read_anew(tmp_path: Path, damage: str) -> None:
    path = build(tmp_path / "it.db", "CREATE TABLE one (id INTEGER);")
    schema(path, "--search", "one")
    for file in kept(tmp_path / "cache"):
        file.write_text(damage, encoding="utf-8")
    assert schema(path, "--search", "one").json()["matches"][0]["table"] == "one"


def test_a_copy_that_others_may_write_or_a_link_is_not_trusted(tmp_path: Path) -> None:
    path = build(tmp_path / "it.db", "CREATE TABLE one (id INTEGER);")
    schema(path, "--detail", "names")
    (file,) = kept(tmp_path / "cache")
    forged = file.read_text(encoding="utf-8").replace("SQLite", "Forged")
    file.write_text(forged, encoding="utf-8")
    file.chmod(0o666)
    assert schema(path, "--detail", "names").json()["server"].startswith("SQLite")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text(forged, encoding="utf-8")
    elsewhere.chmod(0o600)
    file.unlink()
    file.symlink_to(elsewhere)
    assert schema(path, "--detail", "names").json()["server"].startswith("SQLite")


@pytest.mark.parametrize("place", ["/proc/nowhere", "relative", "/dev/null"])
def test_without_a_place_to_keep_it_everything_still_works(shop: Path, place: str) -> None:
    env = {"XDG_CACHE_HOME": place, "HOME": "/proc/nowhere"}
    done = schema(shop, "--search", "orders", **env)
    assert (done.code, done.stderr) == (0, "") and done.json()["matches"]


# A look at data


def test_samples_and_values(shop: Path) -> None:
    arguments = ("--table", "products", "--samples", "2", "--values")
    body = schema(shop, *arguments).json()
    (products,) = body["tables"]
    assert len(products["samples"]) == 2 and products["samples"][0]["id"] == 1
    tiers = schema(shop, "--table", "loyalty_tiers", "--values").json()["tables"][0]["columns"]
    assert any("{" in line for line in tiers)
    full = schema(shop, *arguments, "--detail", "full").json()["tables"][0]
    assert full["samples"] == products["samples"]


def test_samples_obey_the_operators_limit_and_cut_long_cells(tmp_path: Path) -> None:
    rows = "".join(f"INSERT INTO t VALUES ('{'x' * 500}');" for _ in range(9))
    path = build(tmp_path / "it.db", f"CREATE TABLE t (a TEXT); {rows}")
    samples = schema(path, "--table", "t", "--samples", "9", DB_1_MAX_ROWS="3").json()["tables"][0][
        "samples"
    ]
    assert len(samples) == 3 and len(samples[0]["a"]) == 80


def test_a_look_at_too_many_tables_is_refused(databases: dict[str, Path]) -> None:
    refused = schema(databases["erp"], "--table", "*", "--values")
    assert refused.code == 2 and "20 tables" in refused.error["message"]


# Odd databases


def test_a_database_without_tables(tmp_path: Path) -> None:
    path = build(tmp_path / "it.db", "CREATE TABLE t (a); DROP TABLE t;")
    for arguments in ((), ("--detail", "names"), ("--detail", "full"), ("--format", "ddl")):
        assert schema(path, *arguments).code == 0
    assert schema(path).json()["tables"] == []
    body = schema(path, "--search", "orders").json()
    assert body["matches"] == [] and body["weak"] is True
    assert schema(path, "--table", "t").error["hint"] == "the login sees no tables in this database"


def test_a_view_that_cannot_be_read_takes_nothing_else_with_it(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "v.db")
    db.executescript("""
        CREATE TABLE t (a); CREATE VIEW good AS SELECT a FROM t;
        CREATE VIEW bad AS SELECT * FROM gone; CREATE VIEW worse AS SELECT nope FROM t;
    """)
    db.close()
    answer = schema(tmp_path / "v.db", "--detail", "full").json()
    assert {t["name"]: [c["name"] for c in t["columns"]] for t in answer["tables"]} == {
        "t": ["a"], "good": ["a"], "bad": [], "worse": [],
    }  # fmt: skip
    assert answer["warnings"] == [
        "the view bad cannot be read: no such table: main.gone",
        "the view worse cannot be read: no such column: nope",
    ]


NAMES = [
    "Заказы", "订单状态", "MixedCase", "with space", 'quo"te', "dotted.name", "order", "semi;colon",
    "[brackets]", "star*", "100%", "emoji🙂", "a'b", "-- x", "tab\there",
]  # fmt: skip


def test_names_of_every_kind_are_shown_found_and_chosen(tmp_path: Path) -> None:
    script = "".join(
        'CREATE TABLE "{0}" ("{0}" TEXT, id INTEGER PRIMARY KEY);'.format(n.replace('"', '""'))
        for n in NAMES
    )
    path = build(tmp_path / "it.db", script)
    shown = schema(path, "--detail", "names").json()["tables"]
    assert len(shown) == len(NAMES)
    for name in NAMES:
        body = schema(path, "--table", name).json()
        assert [t["name"] for t in body["tables"]] == [name], name
        sql = body["tables"][0].get("sqlName", name)
        with sqlite3.connect(path) as db:
            assert db.execute(f"SELECT count(*) FROM {sql}").fetchone() == (0,)
        db.close()
    seen: list[str] = []
    words = ["--max-tokens", "300", "--detail", "names"]
    for _ in range(len(NAMES) + 1):
        body = schema(path, *words).json()
        seen += body["tables"]
        if not body["truncated"]:
            break
        words = shlex.split(body["next"])[1:]
    assert len(seen) == len(set(seen)) == len(NAMES)
    for form in ("ddl", "dense", "markdown", "mermaid"):
        assert schema(path, "--format", form).code == 0


def test_5000_tables_are_told_in_pages(tmp_path: Path) -> None:
    words = [f"{a}{b}{c}" for a in "bcdfg" for b in ("art", "ell", "ink", "old") for c in "abcde"]
    names = [f"{a}_{b}" for a in words for b in words][:5000]
    script = "BEGIN;" + "".join(f"CREATE TABLE {n} ({n}_id INTEGER);" for n in names) + "COMMIT;"
    path = build(tmp_path / "it.db", script)
    total, arguments = 0, []
    for _ in range(20):
        done = schema(path, *arguments)
        assert tokens(done) <= 8000
        total += done.json()["returned"]
        if not done.json()["truncated"]:
            break
        arguments = shlex.split(done.json()["next"])[1:]
    assert total == 5000


def test_a_table_of_many_columns_is_cut_and_says_so(tmp_path: Path) -> None:
    columns = ", ".join(f"a_rather_long_column_name_{n} TEXT" for n in range(1500))
    path = build(tmp_path / "it.db", f"CREATE TABLE wide ({columns});")
    done = schema(path, "--table", "wide")
    (wide,) = done.json()["tables"]
    assert tokens(done) <= 8000
    assert len(wide["columns"]) + wide["columnsOmitted"] == 1500


def test_a_folder_that_is_not_ours_alone_is_not_used(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "sandbox-toolbelt").mkdir()
    (tmp_path / "sandbox-toolbelt").chmod(0o777)
    done = schema(shop, "--detail", "names", XDG_CACHE_HOME=str(tmp_path))
    assert done.code == 0 and not os.listdir(tmp_path / "sandbox-toolbelt")  # noqa: PTH208
