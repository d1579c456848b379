"""Every PostgreSQL type's value and type name, against a golden file and by property tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from postgres_kit import cells, execution, query, session

from dbtools.drivers.postgres import literals
from dbtools.drivers.postgres.types import short_name
from servers import Server
from servers.postgres import connect, create_database

GOLDEN = Path(__file__).parents[1] / "golden" / "types_postgres.json"
CASES: list[dict[str, Any]] = json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def kinds(each_postgres: Server) -> Server:
    """A database with types of a user's own."""
    server = create_database(each_postgres, "kinds")
    with connect(server) as owner:
        owner.execute(Path(__file__).with_name("postgres_types.sql").read_text(encoding="utf-8"))
    return server


def test_golden_values_and_types(kinds: Server) -> None:
    text = "SELECT " + ",\n".join(f"{case['sql']} AS c{i}" for i, case in enumerate(CASES))
    with session(kinds) as opened:
        result = opened.execute(execution(text))
        (row,) = cells(result)
    found = [
        {"sql": case["sql"], "type": column.type, "value": value}
        for case, column, value in zip(CASES, result.columns, row, strict=True)
    ]
    assert found == CASES
    assert list(result.warnings) == ["NaN or infinity became null"]
    # Every value is plain JSON.
    json.dumps(row, allow_nan=False)


def test_golden_types_are_those_of_the_catalog(kinds: Server) -> None:
    """db-query and db-schema spell a column's type the same way."""
    stored = [c for c in CASES if c["sql"] != "NULL" and "row(1" not in c["sql"]]
    columns = ",\n".join(f"{case['sql']} AS c{i}" for i, case in enumerate(stored))
    with connect(kinds) as owner:
        owner.execute(f"CREATE TABLE kinds.stored AS SELECT {columns}")
    try:
        with session(kinds) as opened:
            from dbtools.drivers.base import CatalogRequest

            (table,) = opened.catalog(CatalogRequest(tables=("stored",))).tables
        with session(kinds) as opened:
            asked = opened.execute(execution("SELECT * FROM kinds.stored")).columns
    finally:
        with connect(kinds) as owner:
            owner.execute("DROP TABLE kinds.stored")
    domains = {"kinds.email": "text", "kinds.amount": "numeric(12,2)", "kinds.tags": "text[]"}
    expected = [domains.get(column.type, column.type) for column in table.columns]
    assert [column.type for column in asked] == expected


def test_numbers_as_numbers(kinds: Server) -> None:
    text = "SELECT 1.10, 9007199254740993, 3::numeric, ARRAY[1.5], 'NaN'::numeric, '[1e2]'::json"
    with session(kinds) as opened:
        result = opened.execute(execution(text, numbers_as_number=True))
        assert cells(result) == [[1.1, 9007199254740993, 3, [1.5], None, [100.0]]]


def test_a_document_nested_too_deeply_is_text(kinds: Server) -> None:
    deep, wide = "[" * 3000 + "]" * 3000, "[" + ",".join(["[]"] * 3000) + "]"
    with session(kinds) as opened:
        result = opened.execute(execution(f"SELECT '{deep}'::json, '{wide}'::json"))
        ((first, second),) = cells(result)
    assert first == deep
    assert second == [[]] * 3000
    assert "nested too deeply" in next(iter(result.warnings))


def test_settings_of_the_role_do_not_change_values(kinds: Server) -> None:
    """DateStyle, IntervalStyle, bytea_output and the rest are pinned."""
    with connect(kinds) as owner:
        for setting in (
            "DateStyle = 'German'", "IntervalStyle = 'sql_standard'", "bytea_output = 'escape'",
            "extra_float_digits = -10", "standard_conforming_strings = off",
            "client_encoding = 'LATIN1'", "TimeZone = 'Asia/Kolkata'",
        ):  # fmt: skip
            owner.execute(f"ALTER DATABASE kinds SET {setting}")
    try:
        row = query(
            kinds,
            r"SELECT date '2024-02-29', interval '1 day', '\xff'::bytea, 0.1::float8, 'a\b',",
            " '🎉', timestamptz '2024-01-01 00:00+00'",
        )
    finally:
        with connect(kinds) as owner:
            owner.execute("ALTER DATABASE kinds RESET ALL")
    assert row == [
        ["2024-02-29", "P1D", "base64:/w==", 0.1, "a\\b", "🎉", "2024-01-01T05:30:00+05:30"]
    ]


def test_short_names() -> None:
    assert short_name("timestamp(3) with time zone[]") == "timestamptz(3)[]"
    assert short_name("character varying(20)") == "varchar(20)"
    assert short_name("time without time zone") == "time"
    assert short_name("character sets.own") == "character sets.own"
    assert short_name('"char"') == '"char"'


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


def _array_literal(value: object) -> str:
    if isinstance(value, list):
        return "{" + ",".join(_array_literal(item) for item in value) + "}"
    if value is None:
        return "NULL"
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@given(st.lists(st.none() | texts, max_size=6))
def test_any_array_literal_is_read_back(items: list[str | None]) -> None:
    assert literals.array(_array_literal(items), ",", None) == items


@given(st.lists(st.lists(st.none() | texts, min_size=1, max_size=3), min_size=1, max_size=3))
def test_any_nested_array_literal_is_read_back(items: list[list[str | None]]) -> None:
    assert literals.array(_array_literal(items), ",", None) == items


@given(st.lists(st.none() | texts, min_size=1, max_size=6))
def test_any_row_literal_is_read_back(fields: list[str | None]) -> None:
    doubled = [f.replace("\\", "\\\\").replace('"', '""') if f is not None else f for f in fields]
    text = "(" + ",".join("" if f is None else f'"{f}"' for f in doubled) + ")"
    assert literals.record(text, None) == fields


@given(st.dictionaries(texts, st.none() | texts, max_size=4))
def test_any_hstore_is_read_back(pairs: dict[str, str | None]) -> None:
    def quote(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    text = ", ".join(f"{quote(k)}=>{'NULL' if v is None else quote(v)}" for k, v in pairs.items())
    assert literals.hstore(text) == pairs


def test_the_server_writes_arrays_and_rows_as_read(kinds: Server) -> None:
    """Hard strings through the real server's own quoting."""
    hard = ["", " ", ",", "{}", '"', "\\", "()", "NULL", "a\nb", "'", "é,ß", '\\"']
    with session(kinds) as opened:
        from dbtools.drivers.base import Execution, Placeholder

        statement = ("SELECT ", Placeholder("x"), "::text[], ROW(", *_rows(hard), ")")
        parameters: dict[str, object] = {"x": hard} | {f"x{i}": t for i, t in enumerate(hard)}
        ((array, record),) = cells(opened.execute(Execution(statement, parameters)))
    assert array == hard
    assert record == hard


def _rows(hard: list[str]) -> list[Any]:
    from dbtools.drivers.base import Placeholder

    parts: list[Any] = []
    for i in range(len(hard)):
        parts += [Placeholder(f"x{i}"), "::text, " if i < len(hard) - 1 else "::text"]
    return parts
