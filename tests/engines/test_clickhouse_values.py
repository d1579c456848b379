"""Every ClickHouse type's value and type name, and parameters bound by the server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit import cells, failure, query, session

from dbtools.drivers.base import Execution, Placeholder
from dbtools.drivers.clickhouse.binding import bind
from servers import Server

GOLDEN = Path(__file__).parents[1] / "golden" / "types_clickhouse.json"
CASES: list[dict[str, Any]] = json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["sql"][:40])
def test_golden_values_and_types(clickhouse: Server, case: dict[str, Any]) -> None:
    with session(clickhouse) as opened:
        result = opened.execute(Execution((f"SELECT {case['sql']} AS c",)))
        ((value,),) = cells(result)
    found = {"sql": case["sql"], "type": result.columns[0].type, "value": value}
    if result.warnings:
        (found["warning"],) = result.warnings
    assert found == case
    json.dumps(value, allow_nan=False)


def test_all_at_once_and_over_several_blocks(clickhouse: Server) -> None:
    """The same columns over many rows, so that every type is read from a second block too."""
    plain = [c for c in CASES if "(" not in c["type"] or c["type"].startswith("Decimal")]
    wanted = [c["value"] for c in plain if "count" not in c["sql"] and "avg" not in c["sql"]]
    names = [c["sql"] for c in plain if "count" not in c["sql"] and "avg" not in c["sql"]]
    skipped = ("quantile", "groupArray", "sum(")
    pairs = [(n, w) for n, w in zip(names, wanted, strict=True) if not n.startswith(skipped)]
    text = ", ".join(f"materialize({name}) AS c{i}" for i, (name, _) in enumerate(pairs))
    with session(clickhouse) as opened:
        result = opened.execute(Execution((f"SELECT {text} FROM numbers(20000)",)))
        rows = cells(result)
    assert len(rows) == 20_000
    assert rows[0] == rows[10_000] == rows[-1] == [value for _, value in pairs]


def test_nullable_and_low_cardinality_columns(clickhouse: Server) -> None:
    text = (
        "SELECT if(number % 2 = 0, NULL, toDecimal64(number, 2)), toLowCardinality(toString(number)),"
        " if(number = 1, NULL, toDateTime(number, 'UTC')), if(number = 2, NULL, toInt64(number)),"
        " [if(number = 0, NULL, number)] FROM numbers(3)"
    )
    assert query(clickhouse, text) == [
        [None, "0", "1970-01-01T00:00:00+00:00", 0, [None]],
        ["1.00", "1", None, 1, [1]],
        [None, "2", "1970-01-01T00:00:02+00:00", None, [2]],
    ]


def test_no_rows_have_columns_all_the_same(clickhouse: Server) -> None:
    with session(clickhouse) as opened:
        result = opened.execute(Execution(("SELECT 1 AS a, now('Asia/Tokyo') AS b WHERE 0",)))
        assert cells(result) == []
    assert [(c.name, c.type) for c in result.columns] == [
        ("a", "UInt8"), ("b", "DateTime('Asia/Tokyo')"),
    ]  # fmt: skip


def test_one_name_twice(clickhouse: Server) -> None:
    with session(clickhouse) as opened:
        result = opened.execute(Execution(("SELECT number, number FROM numbers(2)",)))
        assert cells(result) == [[0, 0], [1, 1]]
    assert [c.name for c in result.columns] == ["number", "number"]


def test_numbers_as_numbers(clickhouse: Server) -> None:
    text = "SELECT toDecimal64(1.5, 2), toUInt64(18446744073709551615), '1', toInt256(5)"
    with session(clickhouse) as opened:
        result = opened.execute(Execution((text,), numbers_as_number=True))
        assert cells(result) == [[1.5, 18446744073709551615, "1", 5]]


def test_a_state_cannot_be_shown(clickhouse: Server) -> None:
    error = failure(clickhouse, "SELECT sumState(1) AS s")
    assert error.code == "QUERY_FAILED"
    assert "column 's' is of type AggregateFunction(sum, UInt8)" in error.message
    assert "finalizeAggregation(s)" in error.hint
    assert query(clickhouse, "SELECT finalizeAggregation(sumState(1))") == [[1]]


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("SELECT 1 AS a FORMAT JSONEachRow", "SELECT 1 AS a                   "),
        ("SELECT 1 AS a\nformat  Null ", "SELECT 1 AS a\n             "),
        ("SELECT 1 AS a FORMAT CSV SETTINGS max_threads = 1, log_comment = 'x'",
         "SELECT 1 AS a            SETTINGS max_threads = 1, log_comment = 'x'"),
        ("SELECT 'FORMAT CSV' AS a", "SELECT 'FORMAT CSV' AS a"),
        ("SELECT a AS `FORMAT CSV`", "SELECT a AS `FORMAT CSV`"),
        ("SELECT * FROM format(CSV, '1')", "SELECT * FROM format(CSV, '1')"),
        ("SELECT 'FORMAT x SETTINGS a = 1'", "SELECT 'FORMAT x SETTINGS a = 1'"),
    ],
)  # fmt: skip
def test_a_format_at_the_end_is_left_out(text: str, sent: str) -> None:
    bound = bind([text], {})
    assert bound.text == sent
    assert bool(bound.format) == (sent != text)


def test_a_format_that_was_left_out_is_told(clickhouse: Server) -> None:
    with session(clickhouse) as opened:
        result = opened.execute(Execution(("SELECT 1 AS a FORMAT JSONEachRow",)))
        assert cells(result) == [[1]]
    assert list(result.warnings) == [
        "FORMAT JSONEachRow was left out: --format says how rows are given"
    ]


def test_as_many_columns_as_anyone_would_ask_for(clickhouse: Server) -> None:
    text = ", ".join(f"{i} AS c{i}" for i in range(5000))
    assert query(clickhouse, f"SELECT {text}") == [list(range(5000))]


PARAMETERS: list[tuple[object, object]] = [
    (None, None),
    (True, True),
    (-5, -5),
    (9007199254740993, "9007199254740993"),
    (2**64 - 1, "18446744073709551615"),
    (2**100, str(2**100)),
    (-(2**200), str(-(2**200))),
    (1.5, 1.5),
    (1e300, 1e300),
    (
        'it\'s a \\ "test" {x:String} :x \t\n\r\x00 😀',
        'it\'s a \\ "test" {x:String} :x \t\n\r\x00 😀',
    ),
    ("' OR 1=1 -- ", "' OR 1=1 -- "),
    ("\\N", "\\N"),
    ([1, 2], [1, 2]),
    ([1, None], [1, None]),
    ([1, 2.5], [1.0, 2.5]),
    ([-1, 2**63], [-1, "9223372036854775808"]),
    (["a'b", "\\", "\t"], ["a'b", "\\", "\t"]),
    ([True, False], [True, False]),
    ([], []),
    ([1, "a"], '[1, "a"]'),
    ({"ключ": [1]}, '{"ключ": [1]}'),
]


@pytest.mark.parametrize(("given_value", "wanted"), PARAMETERS, ids=lambda v: repr(v)[:20])
def test_parameters(clickhouse: Server, given_value: object, wanted: object) -> None:
    text = ("SELECT ", Placeholder("p"))
    assert query(clickhouse, *text, parameters={"p": given_value}) == [[wanted]]


def test_parameters_meet_columns_of_other_types(clickhouse: Server) -> None:
    text = (
        "SELECT toDate('2024-01-01') = ", Placeholder("day"),
        ", toDateTime('2024-01-01 10:00:00') > ", Placeholder("day"),
        ", toUUID('123e4567-e89b-12d3-a456-426614174000') = ", Placeholder("id"),
        ", CAST('a', 'Enum8(''a'' = 1)') = ", Placeholder("label"),
        ", toDecimal64(1.5, 2) = ", Placeholder("price"), ", 5 IN (", Placeholder("list"), ")",
        ", 5 NOT IN ", Placeholder("list"), ", 'x' IN ", Placeholder("none"),
    )  # fmt: skip
    parameters = {
        "day": "2024-01-01", "id": "123e4567-e89b-12d3-a456-426614174000", "label": "a",
        "price": 1.5, "list": [4, 5], "none": [],
    }  # fmt: skip
    assert query(clickhouse, *text, parameters=parameters) == [[1, 1, 1, 1, 1, 1, 0, 0]]


def test_names_of_parameters_may_be_words_of_the_language(clickhouse: Server) -> None:
    text = (
        "SELECT ",
        Placeholder("select"),
        " + ",
        Placeholder("limit"),
        " + ",
        Placeholder("select"),
    )
    assert query(clickhouse, *text, parameters={"select": 1, "limit": 10}) == [[12]]


def test_half_a_surrogate_pair_is_refused(clickhouse: Server) -> None:
    for value in ("\ud800", ["\ud800"]):
        error = failure(clickhouse, "SELECT ", Placeholder("p"), p=value)
        assert error.code == "USAGE" and ":p" in error.message


@settings(max_examples=25)
@given(texts=st.lists(st.text(), min_size=1, max_size=20))
def test_any_text_comes_back_as_it_was(clickhouse: Server, texts: list[str]) -> None:
    segments: list[str | Placeholder] = ["SELECT "]
    for index in range(len(texts)):
        segments += [Placeholder(f"p{index}"), ", "]
    segments += [Placeholder("all")]
    parameters: dict[str, object] = {f"p{i}": text for i, text in enumerate(texts)}
    parameters["all"] = list(texts)
    assert query(clickhouse, *segments, parameters=parameters) == [[*texts, texts]]


def test_places_of_errors_are_those_of_the_callers_text() -> None:
    bound = bind(["SELECT 'é', ", Placeholder("p"), " frm x y"], {"p": 5})
    assert bound.text == "SELECT 'é', {p_p:Int64} frm x y"
    byte = len(bound.text.encode()) - len("x y") + 1
    assert bound.position(byte) == len("SELECT 'é', :p frm ") + 1
    assert bound.position(10_000) is None


def test_a_syntax_error_has_its_place(clickhouse: Server) -> None:
    error = failure(clickhouse, "SELECT 'é', ", Placeholder("p"), " frm x y", p=1)
    assert error.code == "QUERY_FAILED"
    assert (error.detail["engineCode"], error.detail["engineError"]) == (62, "SYNTAX_ERROR")
    assert error.detail["position"] == len("SELECT 'é', :p frm ") + 1
    assert "Expected" not in error.message and "\n" not in error.message


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("SELECT nope", 47, "db-schema --table NAME"),
        ("SELECT * FROM nope", 60, "db-schema lists the tables"),
        ("SELECT * FROM no.pe", 81, "SHOW DATABASES"),
        ("SELECT foo(1)", 46, "no such function"),
        ("SELECT toDate('x')", 38, ""),
        ("SELECT intDiv(1, 0)", 153, ""),
        ("SELECT 1 + 'a'", 43, ""),
        ("SELECT [1, 'a']", 386, "toString"),
    ],
)
def test_errors(clickhouse: Server, text: str, code: int, hint: str) -> None:
    error = failure(clickhouse, text)
    assert error.code == "QUERY_FAILED" and error.detail["engineCode"] == code, error.body()
    assert hint in error.hint
    assert error.message.startswith("ClickHouse: ") and "Code:" not in error.message
    assert "version" not in error.message and str(error.detail["engineError"]).isupper()
