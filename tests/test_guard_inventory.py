"""No function of the engines used here goes unread: each is denied, allowed, or marked harmless."""

from __future__ import annotations

import sqlite3
import warnings

import pytest

import guard_inventory
from dbtools.guard.model import load
from servers import Server
from servers.clickhouse import execute


def _all_read(dialect: str, version: str, names: set[str], least: int) -> None:
    """Nothing is unread on the versions the table names; on another one, say what is new."""
    assert len(names) > least
    unread = guard_inventory.unknown(dialect, names)
    if version in load(dialect).checked_against:
        assert not unread, "deny them in functions/*.toml, or: make guard-inventory WRITE=--write"
    elif unread:
        warnings.warn(f"{dialect} {version} has functions nobody read: {unread}", stacklevel=2)


def test_the_guard_knows_every_function_of_postgresql(each_postgres: Server) -> None:
    names = guard_inventory.postgres_names(each_postgres)
    _all_read("postgres", each_postgres.version, names, 700)


def test_the_guard_knows_every_function_of_mariadb(mariadb: Server) -> None:
    _all_read("mysql", mariadb.version, guard_inventory.mariadb_names(mariadb), 250)


def test_the_guard_knows_every_function_of_sqlite() -> None:
    _all_read("sqlite", sqlite3.sqlite_version, guard_inventory.sqlite_names(), 100)


def test_the_guard_knows_every_function_of_clickhouse(clickhouse: Server) -> None:
    names = guard_inventory.clickhouse_names(clickhouse)
    _all_read("clickhouse", clickhouse.version.rpartition(".")[0], names, 1500)


def test_the_guard_knows_which_functions_of_clickhouse_take_a_function(clickhouse: Server) -> None:
    question = "SELECT lower(name) FROM system.functions WHERE higher_order FORMAT TSV"
    names = set(execute(clickhouse, question).split())
    assert names - {"tuple"} <= load("clickhouse").higher_order


@pytest.mark.parametrize("dialect", ["postgres", "mysql", "sqlite", "clickhouse"])
def test_no_function_is_both_denied_by_the_guard_and_marked_harmless(dialect: str) -> None:
    tables = load(dialect)
    both = {n for n in guard_inventory.harmless(dialect) if tables.denies(n)}
    assert not both
