"""What reaches stdout and stderr, whatever the value."""

from __future__ import annotations

import json
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbelt.envelope import document, dumps, one_line, safe_text
from toolbelt.errors import EXIT_CODES, ToolError, missing_extra, nearest
from toolbelt.jsonvalue import NOT_FINITE, Encoder, duration_text

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)  # fmt: skip


@given(json_values)
def test_dumps_is_json_of_the_same_value(value: object) -> None:
    text = dumps(value)
    assert json.loads(text) == value
    text.encode("utf-8")


@given(st.text(st.characters()))
def test_no_control_or_bidi_character_reaches_a_reader(value: str) -> None:
    for text in (dumps(value), one_line(value), safe_text(value)):
        assert not any(ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 for c in text)
        assert not any(c in text for c in "\u202a\u202e\u2066\u2069\u200f\ufeff")


def test_lone_surrogates_are_escaped() -> None:
    assert dumps("a\ud800") == '"a\\ud800"'


def test_each_row_has_a_line_of_its_own() -> None:
    text = document({"ok": True, "rows": [{"a": 1}, {"a": 2}], "rowCount": 2}, pretty=False)
    assert text == '{"ok":true,"rows":[\n{"a":1},\n{"a":2}\n],"rowCount":2}'
    assert document({"rows": []}, pretty=False) == '{"rows":[]}'


VALUES = [
    (None, None), (True, True), (5, 5), (2**53, 2**53), (2**53 + 1, str(2**53 + 1)),
    (-(2**63), str(-(2**63))), (1.5, 1.5), (Decimal("1.10"), "1.10"), (Decimal("1E+3"), "1000"),
    (date(2024, 2, 29), "2024-02-29"), (time(1, 2, 3), "01:02:03"),
    (datetime(2024, 1, 1, 10, tzinfo=timezone(timedelta(hours=5))), "2024-01-01T10:00:00+05:00"),
    (timedelta(days=1, seconds=1), "P1DT1S"), (b"\xde\xad", "base64:3q0="),
    (UUID(int=1), "00000000-0000-0000-0000-000000000001"), ([1, Decimal("2.0")], [1, "2.0"]),
    ({1: b""}, {"1": "base64:"}), ((1, "a"), [1, "a"]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), VALUES)
def test_values_follow_the_json_rules(value: object, expected: object) -> None:
    encoder = Encoder()
    assert encoder(value) == expected
    assert not encoder.warnings


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), Decimal("NaN"), [float("inf")]])
def test_what_json_has_no_number_for_is_null_with_a_warning(value: object) -> None:
    encoder = Encoder()
    assert encoder(value) in (None, [None])
    assert list(encoder.warnings) == [NOT_FINITE]


def test_numbers_as_number() -> None:
    encoder = Encoder(numbers_as_number=True)
    assert encoder(2**60) == 2**60
    assert encoder(Decimal("1.5")) == 1.5


DURATIONS = [
    (timedelta(0), "PT0S"), (timedelta(hours=-1), "-PT1H"), (timedelta(microseconds=500), "PT0.0005S"),
    (timedelta(days=2), "P2D"), (timedelta(days=35, hours=2, minutes=3, seconds=4.5), "P35DT2H3M4.5S"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "text"), DURATIONS)
def test_durations_are_iso_8601(value: timedelta, text: str) -> None:
    assert duration_text(value) == text


def test_an_error_body_has_code_message_hint_and_detail() -> None:
    error = ToolError("BLOCKED", "no", hint="yes", detail={"position": 3})
    assert error.body() == {"code": "BLOCKED", "message": "no", "hint": "yes", "position": 3}
    assert error.exit_code == EXIT_CODES["BLOCKED"] == 1


def test_a_missing_extra_names_the_install_line() -> None:
    assert missing_extra("psycopg", "postgres").hint == "pip install 'sandbox-toolbelt[postgres]'"


def test_nearest_ignores_case() -> None:
    assert nearest("ORDRES", ["orders", "sellers"]) == ["orders"]
