"""The scripted TDS server against a real client: types, errors, cancelling, transactions, TLS."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from datetime import time as clock
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytds
import pytest

from servers import FakeSqlServer
from servers.tds import Failure, Hang, Result
from servers.tds_types import Column

# type -> a value, and what the client must read back (the same unless given).
TYPES: dict[str, tuple[object, ...]] = {
    "bit": (True,),
    "tinyint": (255,),
    "smallint": (-32768,),
    "int": (42,),
    "bigint": (2**62,),
    "real": (0.5,),
    "float": (-1.25,),
    "decimal(38,10)": (Decimal("-1234567890123456789012345678.0123456789"),),
    "numeric(9,2)": (Decimal("12.30"),),
    "smallmoney": (Decimal("-1.2345"),),
    "money": (Decimal("-922337203685477.5808"),),
    "char(3)": ("abc",),
    "varchar(10)": ("café",),
    "varchar(max)": ("x" * 9000,),
    "nchar(2)": ("жю",),
    "nvarchar(20)": ("héllo 🙂",),
    "nvarchar(max)": ("ы" * 5000,),
    "xml": ("<a/>",),
    "binary(2)": (b"\x00\xff",),
    "varbinary(10)": (b"\x01",),
    "varbinary(max)": (b"\x02" * 9000,),
    "uniqueidentifier": (UUID("6f9619ff-8b86-d011-b42d-00c04fc964ff"),),
    "date": (date(2024, 2, 29),),
    "time(7)": (clock(23, 59, 59, 999999),),
    "smalldatetime": (datetime(1999, 12, 31, 23, 59),),
    "datetime": (datetime(1999, 12, 31, 23, 59, 59, 997000),),
    "datetime2(3)": (datetime(9999, 12, 31, 23, 59, 59, 999000),),
    "datetimeoffset(7)": (datetime(2024, 2, 29, 1, 2, 3, tzinfo=UTC),),
}


def connect(fake: FakeSqlServer, **extra: Any) -> Any:
    server = fake.server
    settings = {
        "port": server.port, "user": server.reader.user, "password": server.reader.password,
        "database": server.database, "timeout": 2, "login_timeout": 20, "readonly": True,
    }  # fmt: skip
    return pytds.connect("localhost", **(settings | extra))


def test_every_type_and_its_null_arrive_as_sent(mssql: FakeSqlServer) -> None:
    columns = [Column(f"c{n}", name) for n, name in enumerate(TYPES)]
    values = [sent[0] for sent in TYPES.values()]
    mssql.reply("types", Result(columns, [values, [None] * len(values)]))
    with connect(mssql) as client, client.cursor() as cursor:
        cursor.execute("select types")
        assert cursor.fetchall() == [tuple(values), (None,) * len(values)]
    assert "select types" in mssql.statements()


def test_the_login_and_the_parameters_are_recorded(mssql: FakeSqlServer) -> None:
    mssql.reply("from orders", Result([Column("id", "int")], [[1]]))
    with connect(mssql) as client, client.cursor() as cursor:
        cursor.execute("select id from orders where name = %s", ("ж",))
    assert mssql.logins[0].user == mssql.server.reader.user
    assert mssql.logins[0].read_only_intent
    call = next(call for call in mssql.calls if call.kind == "rpc")
    assert call.text == "select id from orders where name = @P1"
    assert call.parameters == {"@P1": "ж".encode("utf-16-le")}


def test_errors_arrive_with_their_numbers(mssql: FakeSqlServer) -> None:
    mssql.reply("missing", Failure(208, "Invalid object name 'missing'.", line=3))
    client = connect(mssql)
    with pytest.raises(pytds.ProgrammingError) as failed:
        client.cursor().execute("select * from missing")
    assert (failed.value.number, failed.value.severity) == (208, 16)


def test_a_wrong_password_is_refused(mssql: FakeSqlServer) -> None:
    with pytest.raises(pytds.OperationalError, match="Login failed for user 'reader'"):
        connect(mssql, password="wrong", disable_connect_retry=True)


def test_a_hanging_statement_is_cancelled_by_attention(mssql: FakeSqlServer) -> None:
    mssql.reply("hang", Hang())
    with connect(mssql) as client, client.cursor() as cursor, pytest.raises(TimeoutError):
        cursor.execute("hang")
    # The client does not wait for the answer, so the server may still be reading.
    deadline = time.monotonic() + 10
    while "attention" not in [call.kind for call in mssql.calls]:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_cut_result_breaks_the_connection(mssql: FakeSqlServer) -> None:
    wide = Result([Column("a", "nvarchar(4000)")], [["x" * 3000]] * 100, cut_after=50)
    mssql.reply("cut", wide)
    client = connect(mssql)
    cursor = client.cursor()
    with pytest.raises((ConnectionError, pytds.Error)):
        cursor.execute("cut")
        cursor.fetchall()


@pytest.fixture
def encrypted() -> Iterator[FakeSqlServer]:
    fake = FakeSqlServer("required")
    fake.start()
    yield fake
    fake.stop()


def test_a_trusted_certificate_is_accepted_and_a_strangers_refused(
    encrypted: FakeSqlServer,
) -> None:
    files = encrypted.certificates
    assert files is not None
    encrypted.reply("select 1", Result([Column("", "int")], [[1]]))
    with connect(encrypted, cafile=str(files.ca)) as client, client.cursor() as cursor:
        cursor.execute("select 1")
        assert cursor.fetchall() == [(1,)]
    with pytest.raises(Exception, match="certificate verify failed"):
        connect(encrypted, cafile=str(files.other_ca), disable_connect_retry=True)
