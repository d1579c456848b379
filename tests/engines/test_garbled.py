"""Bytes changed on the way: whatever they become, the answer is one of our errors, soon."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbtools import drivers
from dbtools.deadline import Deadline, DeadlineReached
from dbtools.drivers.base import Execution
from engines import kit
from engines.between import between, noise
from servers import FakeSqlServer, Server, tds_wire
from servers.tds import Tokens
from servers.tds_types import Column
from toolbelt.errors import ToolError

CODES = ("CONNECTION_FAILED", "QUERY_FAILED", "AUTH_FAILED", "TIMEOUT", "BLOCKED")
STATEMENTS = {
    "postgresql": "SELECT 1 AS a, 'x' AS b, 1.5 AS c, ARRAY[1,2] AS d, interval '1 day' AS e",
    "mysql": "SELECT 1 AS a, 'x' AS b, 1.5 AS c, NOW() AS d, x'00ff' AS e",
    "clickhouse": "SELECT 1 AS a, 'x' AS b, [1,2] AS c, map('a', 1) AS d, NULL AS e",
    "mongodb": "",
}
ROUNDS = 6


def garbled(server: Server, seed: int) -> None:
    """One statement whose answer was changed; anything but our own errors fails the test."""
    text = STATEMENTS[server.engine]
    document = {"listCollections": 1} if not text else None
    with between(server.port) as middle:
        described = kit.connection(replace(server, port=middle.port), connect_timeout="5000")
        session = drivers.load(described.engine).connect(described, 1.0)
        try:
            middle.change = noise(seed)
            with Deadline(0.1):
                kit.cells(session.execute(Execution([text], document=document)))
        except DeadlineReached:
            return  # a length was changed, and the rest is waited for
        except ToolError as error:
            assert error.code in CODES, error
            assert "PGresult" not in error.message and "object at 0x" not in error.message
        finally:
            session.close()


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_postgres(postgres: Server, seed: int) -> None:
    garbled(postgres, seed)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_mariadb(mariadb: Server, seed: int) -> None:
    garbled(mariadb, seed)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_clickhouse(clickhouse: Server, seed: int) -> None:
    garbled(clickhouse, seed)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_mongodb(mongodb: Server, seed: int) -> None:
    garbled(mongodb, seed)


KINDS = ("int", "nvarchar(20)", "decimal(10,2)", "varbinary(max)", "varchar(max)", "datetime2(7)")
CELLS = (1, "héllo", None, b"abc", "xx", None)


def test_sql_server(mssql: FakeSqlServer) -> None:
    """The library's own reader would wait for ever behind the end of an answer."""
    columns = [Column(kind[0], kind) for kind in KINDS]
    rows = tds_wire.row(columns, CELLS) * 4
    whole = tds_wire.metadata(columns) + rows + tds_wire.done(tds_wire.COUNT, 4)
    broken = 0
    for seed in range(150):
        changed = noise(seed)(whole)
        raw = changed if seed % 3 else changed[: seed + 5]
        mssql.reply(f"noise {seed};", Tokens(raw))
        with kit.session(mssql.server, timeout=5.0) as session, Deadline(5.0):
            try:
                kit.cells(session.execute(Execution([f"SELECT noise {seed};"])))
            except ToolError as error:
                broken += error.code == "CONNECTION_FAILED"
                assert error.code in ("CONNECTION_FAILED", "QUERY_FAILED"), error
    assert broken > 50


@pytest.mark.parametrize(
    ("collation", "raw", "wanted"),
    [
        (b"\x09\x04\xd0\x04\x00", "Ж🙂".encode(), "Ж🙂"),  # Latin1_General_100_CI_AS_SC_UTF8
        (b"\x09\x04\xd0\x00\xd2", b"caf\xe9", "café"),  # a sort order the library lacks
        (b"\x19\x04\xd0\x00\x00", "мир".encode("cp1251"), "мир"),
    ],
)
def test_sql_server_texts_by_their_collation(
    mssql: FakeSqlServer, collation: bytes, raw: bytes, wanted: str
) -> None:
    text = Column("t", "varchar(20)")
    head = tds_wire.metadata([text]).replace(b"\x09\x04\xd0\x00\x34", collation)
    assert collation in head
    cell = b"\xd1" + len(raw).to_bytes(2, "little") + raw
    mssql.reply("collated", Tokens(head + cell + tds_wire.done(tds_wire.COUNT, 1)))
    assert kit.query(mssql.server, "SELECT collated") == [[wanted]]
