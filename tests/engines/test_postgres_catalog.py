"""The catalog of PostgreSQL in one round trip, and what a login could write."""

from __future__ import annotations

from pathlib import Path

import pytest
from postgres_kit import cells, execution, session

from dbtools.catalog import Catalog, ForeignKey, Index, Table, TableColumn
from dbtools.drivers.base import CatalogRequest
from dbtools.drivers.postgres.checks import allowed_values
from servers import Login, Server
from servers.postgres import connect, create_database

SETUP = Path(__file__).with_name("postgres_catalog.sql")
OUTSIDER = Login("outsider", "o'ut side")


@pytest.fixture(scope="module")
def shop(each_postgres: Server) -> Server:
    server = create_database(each_postgres, "catalog")
    with connect(server) as owner:
        owner.execute("DROP ROLE IF EXISTS outsider")
        owner.execute("CREATE ROLE outsider LOGIN PASSWORD 'o''ut side'")
        owner.execute(SETUP.read_text(encoding="utf-8"))
    return server


def catalog(server: Server, request: CatalogRequest, login: Login | None = None) -> Catalog:
    with session(server, login) as opened:
        return opened.catalog(request)


def table(server: Server, name: str, login: Login | None = None) -> Table:
    (found,) = catalog(server, CatalogRequest(tables=(name,)), login).tables
    return found


def test_all_relations_in_order(shop: Server) -> None:
    found = catalog(shop, CatalogRequest())
    assert [(t.schema, t.name, t.kind) for t in found.tables] == [
        ("audit", "change", "table"),
        ("public", "Mixed Case", "table"),
        ("public", "customer", "table"),
        ("public", "customer_name", "view"),
        ("public", "customer_stats", "materialized view"),
        ("public", "event", "partitioned table"),
        ("public", "order_line", "table"),
        ("public", "orders", "table"),
    ]
    assert found.default_schema == "public"
    assert found.server.startswith("PostgreSQL 1")
    assert found.round_trips == 1
    assert found.missing == ()


def test_columns(shop: Server) -> None:
    assert table(shop, "customer").columns == (
        TableColumn("id", "bigint", nullable=False, primary_key=True, identity="always"),
        TableColumn("name", "varchar(80)", nullable=False, comment="full name, as on the invoice"),
        TableColumn("email", "email", nullable=False, extra={"baseType": "text"}),
        TableColumn("mood", "mood", default="'ok'::mood", values=("sad", "ok", "it's fine")),
        TableColumn("moods", "mood[]", values=("sad", "ok", "it's fine")),
        TableColumn("balance", "numeric(10,2)", default="0"),
        TableColumn("created_at", "timestamptz", nullable=False, default="now()"),
        TableColumn("upper_name", "text", generated="stored",
                    extra={"expression": "upper((name)::text)"}),
        TableColumn("status", "text", values=("new", "it's", "gone")),
        TableColumn("tier", "varchar(10)", values=("gold", "silver")),
        TableColumn("grade", "text"),
    )  # fmt: skip
    assert table(shop, "customer").comment == "who buys"


def test_indexes(shop: Server) -> None:
    assert table(shop, "customer").indexes == (
        Index("customer_pkey", ("id",), unique=True, method="btree"),
        Index("customer_lower", ("lower(name::text)", "created_at"), method="btree"),
        Index("customer_mail", ("email",), unique=True, where="balance > 0::numeric",
              method="btree"),
        Index("customer_moods", ("moods",), method="gin"),
    )  # fmt: skip


def test_keys_across_schemas(shop: Server) -> None:
    assert table(shop, "order_line").foreign_keys == (
        ForeignKey("line_of_order", ("order_region", "order_id"), "public", "orders",
                   ("region", "id"), "cascade"),
        ForeignKey("line_seen", ("change_id",), "audit", "change", ("id",), "set null"),
    )  # fmt: skip
    orders = table(shop, "orders")
    assert [c.name for c in orders.columns if c.primary_key] == ["id", "region"]
    assert orders.foreign_keys[0].on_delete == ""


def test_estimates_only(shop: Server) -> None:
    assert table(shop, "customer").row_count == 500
    assert table(shop, "orders").row_count is None
    assert table(shop, "customer_name").row_count is None
    assert table(shop, "event").row_count == 30


def test_partitions_are_folded(shop: Server) -> None:
    assert table(shop, "event").partitions == 3
    assert {i.name for i in table(shop, "event").indexes} == {"event_at"}


def test_definitions_of_views(shop: Server) -> None:
    assert "SELECT customer.name" in table(shop, "customer_name").definition.replace(
        "SELECT name", "SELECT customer.name"
    )
    assert "count(*)" in table(shop, "customer_stats").definition
    assert table(shop, "customer").definition == ""


def test_row_security_is_told(shop: Server) -> None:
    assert table(shop, "change").extra == {"rowSecurity": True}


def test_only_what_was_asked_for(shop: Server) -> None:
    by_schema = catalog(shop, CatalogRequest(schemas=("audit",)))
    assert [t.name for t in by_schema.tables] == ["change"]
    by_name = catalog(shop, CatalogRequest(tables=("orders", "Mixed Case")))
    assert [t.name for t in by_name.tables] == ["Mixed Case", "orders"]
    nothing = catalog(shop, CatalogRequest(tables=("nosuch",), schemas=('q"u\\o',)))
    assert (nothing.tables, nothing.default_schema) == ((), "public")
    system = catalog(shop, CatalogRequest(schemas=("pg_catalog",), tables=("pg_class",)))
    assert [t.name for t in system.tables] == ["pg_class"]


def test_names_only(shop: Server) -> None:
    found = catalog(shop, CatalogRequest(detail="names"))
    assert len(found.tables) == 8
    assert all(t.columns == () and t.definition == "" for t in found.tables)


def test_only_what_the_login_may_read(shop: Server) -> None:
    found = catalog(shop, CatalogRequest(), OUTSIDER)
    assert [(t.name, [c.name for c in t.columns]) for t in found.tables] == [
        ("customer", ["id", "name"]),
        ("orders", [c.name for c in table(shop, "orders").columns]),
    ]
    assert found.missing == (
        "audit: 1 table this login may not read (change)",
        "public: 5 tables this login may not read"
        " (Mixed Case, customer_name, customer_stats, event, order_line)",
    )


@pytest.mark.parametrize("count", [1, 1000])
def test_one_round_trip_for_any_number_of_tables(shop: Server, count: int) -> None:
    with connect(shop) as owner:
        owner.execute(
            "CREATE SCHEMA many; DO $$ BEGIN FOR i IN 1.." + str(count) + " LOOP EXECUTE format("
            "'CREATE TABLE many.t%s (id int PRIMARY KEY, a text, b text UNIQUE, c numeric, d date)'"
            ", i); END LOOP; END $$"
        )
    try:
        found = catalog(shop, CatalogRequest(schemas=("many",)))
    finally:
        with connect(shop) as owner:
            for first in range(0, count, 200):
                names = ", ".join(f"many.t{i + 1}" for i in range(first, min(first + 200, count)))
                owner.execute(f"DROP TABLE {names}")
            owner.execute("DROP SCHEMA many")
    assert (len(found.tables), found.round_trips) == (count, 1)
    assert all(len(t.columns) == 5 and len(t.indexes) == 2 for t in found.tables)


def test_types_agree_with_a_query(shop: Server) -> None:
    declared = [c for c in table(shop, "customer").columns if "baseType" not in c.extra]
    names = ", ".join(c.name for c in declared)
    with session(shop) as opened:
        result = opened.execute(execution(f"SELECT {names} FROM customer"))
        cells(result)
    assert [c.type for c in result.columns] == [c.type for c in declared]


def test_privileges_of_a_superuser(shop: Server) -> None:
    with session(shop) as opened:
        found = opened.privileges()
        assert opened._wire.round_trips == 1
    assert found.login == "owner"
    assert "superuser" in found.can_write[0]
    assert any("GRANT SELECT ON ALL TABLES" in line for line in found.grants)


def test_privileges_of_a_reader(shop: Server) -> None:
    with session(shop, shop.reader) as opened:
        found = opened.privileges()
    assert (found.login, found.can_write, found.grants) == ("reader", (), ())


def test_privileges_of_one_who_may_write_a_little(shop: Server) -> None:
    with connect(shop) as owner:
        owner.execute("GRANT INSERT, DELETE ON orders TO outsider; CREATE SCHEMA mine;"
                      "GRANT USAGE, CREATE ON SCHEMA mine TO outsider;"
                      "GRANT pg_write_server_files TO outsider;")  # fmt: skip
    with session(shop, OUTSIDER) as opened:
        found = opened.privileges()
    assert set(found.can_write) == {
        "is a member of pg_write_server_files",
        "may DELETE in 1 table (e.g. public.orders)",
        "may INSERT in 1 table (e.g. public.orders)",
        "may create tables and functions in schema mine",
    }


def test_the_lines_that_make_a_reader_do(shop: Server) -> None:
    with session(shop) as opened:
        lines = opened.privileges().grants
    with connect(shop) as owner:
        owner.execute("DROP ROLE IF EXISTS sandbox_reader")
        for line in lines:
            owner.execute(line.replace("…", "secret"))
    reader = Login("sandbox_reader", "secret")
    with session(shop, reader) as opened:
        assert opened.privileges().can_write == ()
    assert len(catalog(shop, CatalogRequest(), reader).tables) == 8


@pytest.mark.parametrize(
    ("column", "expression", "values"),
    [
        ("status", "(status = ANY (ARRAY['a'::text, 'it''s'::text]))", ("a", "it's")),
        ("t", "((t)::text = ANY ((ARRAY['g'::character varying])::text[]))", ("g",)),
        ("My Col", "(\"My Col\" = ANY (ARRAY['a'::text]))", ("a",)),
        ("c", "(c = ANY (ARRAY['a'::bpchar, 'b'::bpchar]))", ("a", "b")),
        ("s", "((s = ANY (ARRAY['a'::text, 'b'::text])) OR (x > 1))", ()),
        ("s", "((x > 1) OR (s = ANY (ARRAY['a'::text, 'b'::text])))", ()),
        ("s", "(s <> ALL (ARRAY['a'::text, 'b'::text]))", ()),
        ("n", "(n = ANY (ARRAY[1, 2]))", ()),
        ("s", "(lower(s) = ANY (ARRAY['a'::text]))", ()),
        ("b", "(b > (0)::numeric)", ()),
        ("b", "ARRAY[", ()),
        ("a", "(a = ANY (ARRAY['x', ", ()),
        ("a", "(a = ANY (ARRAY['x", ()),
    ],
)
def test_declared_values(column: str, expression: str, values: tuple[str, ...]) -> None:
    assert allowed_values(column, expression) == values
