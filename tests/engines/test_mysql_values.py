"""Every MariaDB type's value and type name, parameters, and what servers store that is odd."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit import cells, failure, query, session

from dbtools.drivers import columns
from dbtools.drivers.base import CatalogRequest, Execution, Placeholder
from dbtools.drivers.mysql import geometry, values
from dbtools.drivers.mysql.wire import cells as cut
from servers import Server
from servers.mariadb import connect, create_database
from toolbelt.errors import ToolError

GOLDEN = Path(__file__).parents[1] / "golden" / "types_mysql.json"
CASES: list[dict[str, Any]] = json.loads(GOLDEN.read_text(encoding="utf-8"))
EXPRESSIONS = [case for case in CASES if "column" not in case]
COLUMNS = [case for case in CASES if "column" in case]


@pytest.fixture(scope="module")
def kinds(mariadb: Server) -> Server:
    """A database with a table that has a column of every type, and one row."""
    server = create_database(mariadb, "kinds")
    declared = ", ".join(f"c{i} {case['column']} NULL" for i, case in enumerate(COLUMNS))
    with connect(server) as owner, owner.cursor() as cursor:
        cursor.execute("SET sql_mode = '', time_zone = '+00:00'")
        cursor.execute(f"CREATE TABLE kinds ({declared})")
        cursor.execute(f"INSERT INTO kinds VALUES ({', '.join(c['sql'] for c in COLUMNS)})")
    return server


def test_golden_expressions(kinds: Server) -> None:
    text = "SELECT " + ",\n".join(f"{case['sql']} AS c{i}" for i, case in enumerate(EXPRESSIONS))
    with session(kinds) as opened:
        result = opened.execute(Execution((text,)))
        (row,) = cells(result)
    found = [
        {"sql": case["sql"], "type": column.type, "value": value}
        for case, column, value in zip(EXPRESSIONS, result.columns, row, strict=True)
    ]
    assert found == EXPRESSIONS
    assert list(result.warnings) == ["MariaDB: Division by 0"]
    json.dumps(row, allow_nan=False)


def test_golden_columns_and_db_schema_spells_their_types_alike(kinds: Server) -> None:
    with session(kinds, time_zone="+00:00") as opened:
        result = opened.execute(Execution(("SELECT * FROM kinds",)))
        (row,) = cells(result)
    found = [
        {"column": c["column"], "sql": c["sql"], "type": column.type, "value": value}
        for c, column, value in zip(COLUMNS, result.columns, row, strict=True)
    ]
    assert found == COLUMNS
    with session(kinds) as opened:
        (table,) = opened.catalog(CatalogRequest(tables=("kinds",))).tables
    told = [c.type.partition("('")[0] for c in table.columns]
    assert told == [c.type for c in result.columns]


def test_numbers_as_numbers(kinds: Server) -> None:
    text = "SELECT 1.50, 18446744073709551615, '1', JSON_ARRAY(9007199254740993)"
    with session(kinds) as opened:
        result = opened.execute(Execution((text,), numbers_as_number=True))
        assert cells(result) == [[1.5, 18446744073709551615, "1", [9007199254740993]]]


def test_a_timestamp_has_an_offset_where_the_zone_has_one(kinds: Server) -> None:
    text = "SELECT CAST(FROM_UNIXTIME(0) AS DATETIME), c42 FROM kinds"
    assert COLUMNS[42]["column"] == "timestamp"
    assert query(kinds, text, time_zone="+02:00") == [
        ["1970-01-01T02:00:00", "2024-02-29T14:00:00+02:00"]
    ]
    assert query(kinds, text, time_zone="-05:30")[0][1] == "2024-02-29T06:30:00-05:30"


def test_a_timestamp_of_a_zone_with_summer_time_comes_with_a_warning() -> None:
    from dbtools.drivers.mysql.wire import Column
    from toolbelt.jsonvalue import Encoder

    column = Column.__new__(Column)
    column.type_code = 7
    encoder = Encoder()
    read = values.Readers(encoder, "Europe/Berlin").reader(column)
    assert read([b"2024-02-29 12:00:00", None]) == ["2024-02-29T12:00:00", None]
    (warning,) = encoder.warnings
    assert "Europe/Berlin" in warning and "DB_TIME_ZONE=+00:00" in warning


def test_an_unknown_time_zone_is_a_configuration_error(kinds: Server) -> None:
    with pytest.raises(ToolError) as caught:
        query(kinds, "SELECT 1", time_zone="Mars/Olympus")
    assert caught.value.code == "BAD_CONFIG"
    assert "DB_TIME_ZONE is 'Mars/Olympus'" in caught.value.message


def test_text_that_is_not_utf_8_is_not_lost(kinds: Server) -> None:
    # A lone surrogate, which this server's own check of UTF-8 lets through.
    with session(kinds) as opened:
        result = opened.execute(Execution(("SELECT _utf8mb3 X'EDA080' AS odd",)))
        assert cells(result) == [["base64:7aCA"]]
    assert list(result.warnings) == ["text that is not UTF-8 became base64"]


def test_a_json_column_is_parsed_and_odd_documents_are_given_as_text(kinds: Server) -> None:
    with connect(kinds) as owner, owner.cursor() as cursor:
        cursor.execute("CREATE OR REPLACE TABLE documents (id int, d json)")
        deep = "[" * 30 + "]" * 30
        for number, text in enumerate(('{"a":1e400}', '{"a":1,"a":2}', deep, '"x"', "null")):
            cursor.execute("INSERT INTO documents VALUES (%s, %s)", (number, text))
    with session(kinds) as opened:
        result = opened.execute(Execution(("SELECT d FROM documents ORDER BY id",)))
        found = [row[0] for row in cells(result)]
    assert found[:2] == [{"a": "1e400"}, '{"a":1,"a":2}']
    assert found[2:] == [json.loads(deep), "x", None]


def test_column_names_as_the_statement_has_them(kinds: Server) -> None:
    text = "SELECT 1 a, 2 a, count(*), now() IS NULL, 'é' AS `né`, 3 AS `a b` FROM DUAL"
    with session(kinds) as opened:
        result = opened.execute(Execution((text,)))
    assert [c.name for c in result.columns] == [
        "a", "a", "count(*)", "now() IS NULL", "né", "a b",
    ]  # fmt: skip


PARAMETERS: list[tuple[object, object]] = [
    (None, None),
    (True, 1),
    (False, 0),
    (-5, -5),
    (9007199254740993, "9007199254740993"),
    (2**70, str(2**70)),
    (1.5, "1.5"),
    (-0.25, "-0.25"),
    (1e300, 1e300),
    ('it\'s a \\ "test" %s :x \x00 \x1a \n 😀', 'it\'s a \\ "test" %s :x \x00 \x1a \n 😀'),
    ("' OR 1=1 -- ", "' OR 1=1 -- "),
    ([1, "a"], '[1, "a"]'),
    ({"ключ": [1]}, '{"ключ": [1]}'),
]


@pytest.mark.parametrize(("given_value", "wanted"), PARAMETERS, ids=lambda v: repr(v)[:20])
def test_parameters(kinds: Server, given_value: object, wanted: object) -> None:
    assert query(kinds, "SELECT ", Placeholder("p"), parameters={"p": given_value}) == [[wanted]]


def test_lists_stand_for_their_items_inside_in(kinds: Server) -> None:
    def found(ids: list[object], word: str = "IN") -> list[object]:
        text = (
            f"SELECT seq FROM seq_1_to_4 WHERE seq {word} (",
            Placeholder("ids"),
            ") ORDER BY 1",
        )
        return [row[0] for row in query(kinds, *text, parameters={"ids": ids})]

    assert found([1, 3, 9]) == [1, 3]
    assert found(["2"]) == [2]
    assert found([]) == []
    assert found([], "NOT IN") == [1, 2, 3, 4]
    assert found([4], "not in") == [1, 2, 3]


def test_a_negative_number_does_not_become_a_comment(kinds: Server) -> None:
    text = ("SELECT 5 -", Placeholder("n"), "")
    assert query(kinds, *text, parameters={"n": -1}) == [[6]]


@pytest.mark.parametrize(
    "text", [("SELECT ", ".into outfile 'x'"), ("SELECT 1 WHERE 1=", ".for update")], ids=repr
)
def test_a_value_never_joins_what_stands_beside_it(kinds: Server, text: tuple[str, str]) -> None:
    before, after = text
    assert failure(kinds, before, Placeholder("p"), after, p=5).detail["engineCode"] == 1064


def test_half_a_surrogate_pair_is_refused(kinds: Server) -> None:
    error = failure(kinds, "SELECT ", Placeholder("p"), p="\ud800")
    assert error.code == "USAGE" and ":p" in error.message


@settings(max_examples=50)
@given(texts=st.lists(st.text(), min_size=1, max_size=20))
def test_any_text_comes_back_as_it_was(mariadb: Server, texts: list[str]) -> None:
    names = [f"p{i}" for i in range(len(texts))]
    segments: list[str | Placeholder] = ["SELECT "]
    for name in names:
        segments += [Placeholder(name), ", "]
    segments[-1] = ""
    assert query(mariadb, *segments, parameters=dict(zip(names, texts, strict=True))) == [texts]


SIZES = st.sampled_from((0, 1, 250, 251, 252, 65_535, 65_536, 70_000))
CELLS = st.lists(st.none() | st.binary(max_size=20) | SIZES.map(lambda size: b"\xfb" * size))


def packet(row: list[bytes | None]) -> bytes:
    """A row as the protocol writes it."""
    made = b""
    for cell in row:
        if cell is None:
            made += b"\xfb"
        elif len(cell) < 251:
            made += bytes([len(cell)]) + cell
        elif len(cell) < 1 << 16:
            made += b"\xfc" + struct.pack("<H", len(cell)) + cell
        else:
            made += b"\xfd" + struct.pack("<I", len(cell))[:3] + cell
    return made


@settings(max_examples=50)
@given(row=CELLS)
def test_rows_of_any_cells_are_cut_right(row: list[bytes | None]) -> None:
    assert cut(packet(row)) == row
    if row:
        as_they_are = [columns.each(bytes)] * len(row)
        assert list(values.rows([packet(row)] * 3, as_they_are)) == [tuple(row)] * 3


def test_a_cell_of_more_than_16_megabytes(kinds: Server) -> None:
    with connect(kinds) as owner, owner.cursor() as cursor:
        cursor.execute("SET GLOBAL max_allowed_packet = 67108864")
    size = 17 * 1024 * 1024
    [[text, after]] = query(kinds, f"SELECT REPEAT('x', {size}), 'after'")
    assert text == "x" * size and after == "after"


@given(raw=st.binary(max_size=80))
def test_no_bytes_break_the_geometry_reader(raw: bytes) -> None:
    geometry.text(raw)
    geometry.text(struct.pack("<IBI", 0, 1, 7) + raw)


def test_bytes_that_are_no_geometry_are_given_as_bytes() -> None:
    point = struct.pack("<IBIdd", 0, 1, 1, 1.0, 2.5)
    assert geometry.text(point) == "POINT(1 2.5)"
    assert geometry.text(struct.pack(">") + point + b"x") is None
    assert geometry.text(struct.pack("<I", 0) + struct.pack(">BIdd", 0, 1, 1.0, -0.5)) == (
        "POINT(1 -0.5)"
    )
    assert geometry.text(b"") is None
