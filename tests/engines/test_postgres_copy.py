"""CSV by COPY is, byte for byte, what our own writer prints for the same rows."""

from __future__ import annotations

import random

import pytest
from postgres_kit import execution, session

from dbtools.drivers.postgres import copying
from dbtools.drivers.postgres.session import PostgresSession
from dbtools.result import ResultSet
from dbtools.writers.cells import Rows
from dbtools.writers.delimited import csv, header_line
from servers import Server
from servers.postgres import connect, create_database
from toolbelt.errors import ToolError
from toolbelt.jsonvalue import NOT_FINITE

TYPES = {
    "a": "smallint", "b": "integer", "c": "bigint", "d": "text", "e": "varchar(40)",
    "f": "char(6)", "g": "uuid", "h": "date", "i": "time", "j": "timestamp", "k": "timestamptz",
    "l": "timestamptz(3)", "m": "interval", "n": "numeric", "o": "numeric(12,3)", "p": "boolean",
    "q": "bytea", "r": "inet", "s": "money", "t": "name", "u": "oid",
}  # fmt: skip
HARD = ["", " ", ",", '"', '""', "\n", "\r", "\r\n", "\\.", "\\", "\\N", "NULL", "é🎉", "a,b", "'",
        "NaN", "Infinity", "\t", " lead", "trail ", ";", 'a"b,c\nd', "\ufeff", "x" * 40]  # fmt: skip


def _row(dice: random.Random) -> list[object]:
    """One value a column of TYPES, often a hard one, sometimes NULL."""
    moment = f"{dice.choice(['0044', '1066', '1999', '2024', '12000'])}-0{dice.randint(1, 9)}-17"
    clock = f"{dice.randint(0, 23):02}:{dice.randint(0, 59):02}:{dice.choice(['00', '59.5', '00.000001'])}"
    era = " BC" if moment.startswith("0044") else ""
    stamp = dice.choice([f"{moment} {clock}{era}", "infinity", "-infinity"])
    text = dice.choice(HARD) + dice.choice(["", *HARD])
    number = dice.choice(["NaN", "0", "-0.000", "1e25", "123456789012345678901.10", "-5"])
    row: list[object] = [
        dice.randint(-9, 9), dice.randint(-(2**31), 2**31 - 1), dice.choice([2**63 - 1, -(2**60), 7]),
        text, text[:40], dice.choice(HARD)[:6], str(_uuid(dice)), dice.choice([f"{moment}{era}", "infinity"]),
        dice.choice([clock, "24:00"]), stamp, stamp, stamp,
        dice.choice(["0", "1 year 2 mons -3 days 04:05:06.7", "-1 day", "00:00:00.000001"]),
        number, dice.choice(["NaN", "1.5", "-2.125"]), dice.choice([True, False]),
        dice.randbytes(dice.randint(0, 120)), dice.choice(["10.0.0.1", "::1", "10.0.0.0/8"]),
        dice.choice(["1234.5", "-0.01"]), text[:40], dice.randint(0, 2**32 - 1),
    ]  # fmt: skip
    return [None if dice.random() < 0.15 else value for value in row]


def _uuid(dice: random.Random) -> object:
    from uuid import UUID

    return UUID(int=dice.getrandbits(128))


@pytest.fixture(scope="module")
def hard(each_postgres: Server) -> Server:
    server = create_database(each_postgres, "copying")
    columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    dice = random.Random(20240229)  # noqa: S311
    with connect(server) as owner:
        owner.execute(f"CREATE TABLE hard (row_number int, {columns})")
        marks = ", ".join(f"%s::{kind}" for kind in TYPES.values())
        for number in range(1500):
            owner.execute(f"INSERT INTO hard VALUES ({number}, {marks})", _row(dice))
        owner.execute("CREATE TYPE colour AS ENUM ('red', 'a,b')")
    return server


def run(opened: PostgresSession, text: str, **more: object) -> ResultSet:
    return opened.execute(execution(text, want_csv=True, kind="SELECT", **more))


def by_rows(server: Server, text: str) -> tuple[bytes, list[str]]:
    with session(server) as opened:
        result = run(opened, text)
        written = "".join(csv(result, Rows(result.rows))).encode()
        return written, list(result.warnings)


def by_copy(server: Server, text: str) -> tuple[bytes, list[str], int]:
    with session(server) as opened:
        result = run(opened, text)
        assert result.native_csv is not None, "COPY was not offered"
        pieces = [header_line(result.columns).encode()]
        count = result.native_csv(pieces.append)
        return b"".join(pieces), list(result.warnings), count


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "America/St_Johns", "Europe/Dublin"])
def test_every_type_and_hard_text(hard: Server, zone: str) -> None:
    with connect(hard) as owner:
        owner.execute(f"ALTER DATABASE copying SET TimeZone = '{zone}'")
    text = "SELECT * FROM hard ORDER BY row_number"
    rows, row_warnings = by_rows(hard, text)
    copied, copy_warnings, count = by_copy(hard, text)
    assert copied.split(b"\n") == rows.split(b"\n")
    assert count == 1500
    assert copy_warnings == row_warnings == [NOT_FINITE]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 AS a, 2 AS a, NULL AS b",
        "SELECT 1, 'x' -- a comment at the end",
        "SELECT 1, 2;",
        "SELECT 1, 2 ; ; \n",
        "WITH t AS (SELECT g, 'x' || g FROM generate_series(1, 5) g) SELECT * FROM t ORDER BY 1 DESC",
        "VALUES (1, 'a'), (2, NULL)",
        "TABLE hard LIMIT 3",
        "(SELECT 1, 2) UNION ALL (SELECT 3, 4) ORDER BY 1 DESC LIMIT 1",
        "SELECT 1, 2 WHERE false",
        "SELECT row_number, sum(row_number) OVER (ORDER BY row_number) FROM hard ORDER BY 1 LIMIT 9",
        "SELECT 'NaN'::numeric AS n, 'NaN' AS t, 'a,\"NaN' || chr(10) || 'x'",
    ],
)
def test_shapes_of_statements(hard: Server, text: str) -> None:
    assert by_copy(hard, text)[0] == by_rows(hard, text)[0]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1.5::float8, 2", "SELECT '{}'::json, 2", "SELECT ARRAY[1], 2", "SELECT 1",
        "SELECT timetz '10:00+02', 2", "SELECT row(1), 2", "SELECT 1, 2; -- and this",
        "SELECT 'red'::colour, 2", "SELECT 1, ';'",
    ],
)  # fmt: skip
def test_no_copy_without_proof(hard: Server, text: str) -> None:
    with session(hard) as opened:
        assert run(opened, text).native_csv is None
    by_rows(hard, text)


def test_no_copy_with_parameters_limits_or_explain(hard: Server) -> None:
    for text, kind, more in [
        ("SELECT 1, 2", "SELECT", {"fetch_rows": 5}),
        ("SELECT 1, 2", "SELECT", {"numbers_as_number": True}),
        ("EXPLAIN SELECT 1, 2", "EXPLAIN", {}),
        ("SHOW ALL", "SHOW", {}),
    ]:
        with session(hard) as opened:
            made = opened.execute(execution(text, want_csv=True, kind=kind, **more))
            assert made.native_csv is None
    with session(hard) as opened:
        assert opened.execute(execution("SELECT 1, 2")).native_csv is None


def test_errors_of_a_copy_point_into_the_callers_text(hard: Server) -> None:
    text = "SELECT 1, 10 / (row_number - 1000) FROM hard ORDER BY row_number"
    with session(hard) as opened, pytest.raises(ToolError) as caught:
        native = run(opened, text).native_csv
        assert native is not None
        native(lambda data: None)
    assert caught.value.detail["sqlstate"] == "22012"
    made = copying.statement(text, "SELECT", ["int4", "int4"])
    assert made is not None
    assert made[0][made[1] :].startswith(text)


def test_a_copy_is_stopped_in_time(hard: Server) -> None:
    with session(hard, timeout=0.4) as opened, pytest.raises(ToolError) as caught:
        native = run(
            opened, "SELECT g, pg_sleep(0.01)::text FROM generate_series(1, 999) g"
        ).native_csv
        assert native is not None
        native(lambda data: None)
    assert caught.value.code == "TIMEOUT"
