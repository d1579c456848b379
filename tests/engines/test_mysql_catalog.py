"""What `db-schema` reads of a MariaDB database, and what the login is told it could write."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit import connection, session

from cli.commands import run
from dbtools.catalog import Catalog, ForeignKey, Index, Table
from dbtools.drivers.base import CatalogRequest
from dbtools.drivers.mysql import privileges
from dbtools.drivers.mysql.wire import Wire
from servers import Login, Server
from servers.mariadb import connect, create_database


@pytest.fixture(scope="module")
def shop(mariadb: Server) -> Server:
    server = create_database(mariadb, "catalog")
    text = Path(__file__).with_name("mysql_catalog.sql").read_text(encoding="utf-8")
    with connect(server) as owner, owner.cursor() as cursor:
        for statement in filter(str.strip, text.split(";\n")):
            cursor.execute(statement)
            cursor.fetchall()
    return server


def read(server: Server, login: Login | None = None, **request: object) -> Catalog:
    with session(server, login) as opened:
        return opened.catalog(CatalogRequest(**request))  # type: ignore[arg-type]


def tables(catalog: Catalog) -> dict[str, Table]:
    return {table.name: table for table in catalog.tables}


def test_tables_and_views_of_the_connections_database(shop: Server) -> None:
    catalog = read(shop)
    found = {t.name: t.kind for t in catalog.tables}
    assert found == {
        "broken": "view", "customers": "table", "facts": "table", "history": "table",
        "names": "view", "orders": "table", "shipments": "table",
    }  # fmt: skip
    assert catalog.default_schema == "catalog"
    assert catalog.server == f"MariaDB {shop.version}"
    assert {t.schema for t in catalog.tables} == {"catalog"}


def test_columns(shop: Server) -> None:
    table = tables(read(shop))["customers"]
    assert (table.comment, table.row_count, table.extra) == ("who buys", 2, {"engine": "InnoDB"})
    columns = {c.name: c for c in table.columns}
    assert columns["id"].type == "int" and columns["id"].primary_key
    assert columns["id"].identity == "auto increment" and not columns["id"].nullable
    assert columns["id"].comment == "the customer's number"
    assert columns["name"].type == "varchar(50)" and columns["name"].default is None
    assert columns["mood"].values == ("sad", "it's ok") and columns["mood"].default == "'sad'"
    assert columns["tags"].values == ("new", "vip")
    assert columns["status"].values == ("open", "it's shut")
    assert columns["details"].type == "json" and columns["details"].comment == "free form"
    assert columns["upper_name"].generated == "virtual"
    assert columns["upper_name"].extra["expression"] == "ucase(`name`)"
    assert columns["name_length"].generated == "stored"
    assert columns["name_length"].default is None
    assert columns["made"].default == "current_timestamp()"
    assert columns["made"].extra == {"onUpdate": "current_timestamp()"}
    assert columns["secret"].extra == {"invisible": True}
    assert columns["price"].default == "1.50"


def test_keys(shop: Server) -> None:
    found = tables(read(shop))
    assert found["customers"].indexes == (
        Index("PRIMARY", ("id",), unique=True),
        Index("by_name", ("name",), unique=True),
        Index("by_prefix", ("name(10)", "mood")),
        Index("words", ("name",), method="fulltext"),
    )
    assert found["orders"].indexes[0] == Index("PRIMARY", ("id", "line"), unique=True)
    assert found["orders"].foreign_keys == (
        ForeignKey("buyer", ("customer",), "catalog", "customers", ("id",), "cascade"),
        ForeignKey("partner", ("partner",), "catalog", "customers", ("id",), "set null"),
    )
    assert found["shipments"].foreign_keys == (
        ForeignKey("what", ("order_id", "order_line"), "catalog", "orders", ("id", "line")),
    )


def test_views_partitions_and_versions(shop: Server) -> None:
    catalog = read(shop)
    found = tables(catalog)
    assert "`catalog`.`customers`" in found["names"].definition
    assert found["names"].row_count is None
    assert [c.name for c in found["names"].columns] == ["id", "name"]
    assert (found["facts"].partitions, found["facts"].extra["partitionBy"]) == (
        2, "RANGE (year(`d`))",
    )  # fmt: skip
    assert found["history"].extra["systemVersioned"] is True
    assert len(catalog.missing) == 1
    assert catalog.missing[0].startswith("the view broken cannot be read: View 'catalog.broken'")


def test_a_broken_view_is_told_by_the_query_too(shop: Server) -> None:
    done = run("db-query", "-q", "SELECT * FROM broken", env=shop.env())
    error = done.json()["error"]
    assert (done.code, error["code"], error["engineCode"]) == (4, "QUERY_FAILED", 1356)
    assert "the view is broken" in error["hint"]


def test_asking_for_less(shop: Server) -> None:
    assert [t.name for t in read(shop, tables=("orders", "nothing")).tables] == ["orders"]
    assert read(shop, schemas=("no_such",)).tables == ()
    several = read(shop, schemas=("catalog", "toolbelt")).tables
    assert {t.schema for t in several} >= {"catalog"}
    names = read(shop, detail="names")
    assert names.round_trips == 1 and names.tables[1].columns == ()
    elsewhere = read(shop.with_database("toolbelt"), schemas=("catalog",))
    assert len(elsewhere.tables) == 7


def test_without_a_database_all_but_the_servers_own(shop: Server) -> None:
    found = {t.schema for t in read(shop.with_database("")).tables}
    assert "catalog" in found
    assert not found & {"mysql", "information_schema", "performance_schema", "sys"}


def test_the_reader_sees_the_same(shop: Server) -> None:
    mine, theirs = read(shop), read(shop, shop.reader)
    assert [t.name for t in mine.tables] == [t.name for t in theirs.tables]
    assert tables(theirs)["customers"] == tables(mine)["customers"]


def test_the_command(shop: Server) -> None:
    body = run("db-schema", "--detail", "full", "--table", "orders", env=shop.env()).json()
    (table,) = body["tables"]
    assert table["foreignKeys"][0] == {
        "columns": ["customer"],
        "references": "customers",
        "referencedColumns": ["id"],
        "onDelete": "cascade",
    }
    assert body["server"] == f"MariaDB {shop.version}"


def test_round_trips_do_not_grow(mariadb: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server = create_database(mariadb, "thousand")
    with connect(server) as owner, owner.cursor() as cursor:
        for number in range(1000):
            cursor.execute(f"CREATE TABLE t{number} (id int PRIMARY KEY, name text) ENGINE=MyISAM")
    sent: list[str] = []
    start = Wire.start

    def counted(wire: Wire, text: str) -> object:
        sent.append(text)
        return start(wire, text)

    monkeypatch.setattr(Wire, "start", counted)
    catalog = read(server)
    assert len(catalog.tables) == 1000 and len(catalog.tables[0].columns) == 2
    assert catalog.round_trips == sum("FROM information_schema" in text for text in sent) == 4


def test_privileges(shop: Server) -> None:
    with session(shop) as opened:
        owner = opened.privileges()
    assert owner.login == "owner@127.0.0.1"
    assert owner.can_write == (
        "has ALL PRIVILEGES on *.*",
        "may pass its rights on *.* on (GRANT OPTION)",
    )
    assert owner.grants[1] == "GRANT SELECT, SHOW VIEW ON `catalog`.* TO 'sandbox_reader'@'%';"
    with session(shop, shop.reader) as opened:
        reader = opened.privileges()
    assert (reader.can_write, reader.grants) == ((), ())
    assert connection(shop).password is not None
    assert "IDENTIFIED" not in str(owner.can_write)


@pytest.mark.parametrize(
    ("grant", "lines"),
    [
        ("GRANT USAGE ON *.* TO `u`@`%` IDENTIFIED BY PASSWORD '*ABC'", []),
        ("GRANT SELECT, SHOW VIEW ON `a b`.* TO `u`@`%`", []),
        ("GRANT SELECT (a, b), INSERT (c) ON `d`.`t` TO `u`@`%`", ["may INSERT on `d`.`t`"]),
        ("GRANT SELECT, FILE ON *.* TO `u`@`%`", ["may read and write files of the server (FILE)"]),
        ("GRANT `reader` TO `u`@`%`", []),
        ("GRANT INSERT, UPDATE ON `d`.* TO `u`@`%`", ["may INSERT, UPDATE on `d`.*"]),
        (
            "GRANT PROXY ON ''@'' TO 'root'@'localhost'",
            ["may act as another user (PROXY on ''@'')"],
        ),
    ],
)
def test_lines_of_show_grants(grant: str, lines: list[str]) -> None:
    assert privileges.lines(grant) == lines
