"""SQL Server against a scripted TDS server: what is sent, what comes back, what may go wrong.

No SQL is understood there; tests/real/sqlserver.py asks a real server.
"""

from __future__ import annotations

import json
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from datetime import time as clock
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cli.commands import BIN, Answer, clean_environment, run
from dbtools.drivers.base import CatalogRequest
from dbtools.drivers.mssql.catalogue import spelled
from dbtools.drivers.mssql.errors import position
from engines import kit
from servers import FakeSqlServer
from servers.tds import Failure, Hang, Result, Tokens
from servers.tds_types import Column
from servers.tds_wire import done, metadata

GOLDEN = Path(__file__).parent.parent / "golden" / "types_mssql.json"
ONE = Result([Column("n", "int")], [[1]])
TYPES: dict[str, object] = {
    "bit": True, "tinyint": 255, "smallint": -32768, "int": 42, "bigint": 2**62, "real": 0.1,
    "float": -1.25, "decimal(38,10)": Decimal("-1234567890123456789012345678.0123456780"),
    "numeric(9,2)": Decimal("12.30"), "smallmoney": Decimal("-1.2300"),
    "money": Decimal("-922337203685477.5808"), "char(3)": "abc", "varchar(10)": "café",
    "varchar(max)": "x", "nchar(2)": "жю", "nvarchar(20)": "héllo 🙂", "nvarchar(max)": "ы",
    "xml": "<a/>", "binary(2)": b"\x00\xff", "varbinary(10)": b"\x01", "varbinary(max)": b"\x02",
    "uniqueidentifier": "6f9619ff-8b86-d011-b42d-00c04fc964ff", "date": date(2024, 2, 29),
    "time(7)": clock(23, 59, 59, 999999), "smalldatetime": datetime(1999, 12, 31, 23, 59),
    "datetime": datetime(1999, 12, 31, 23, 59, 59, 997000),
    "datetime2(3)": datetime(9999, 12, 31, 23, 59, 59, 999000),
    "datetime2(7)": datetime(1, 1, 1, 0, 0, 0, 1),
    "datetimeoffset(7)": datetime(2024, 2, 29, 1, 2, 3, tzinfo=UTC),
}  # fmt: skip


def query(fake: FakeSqlServer, statement: str, *options: str, **more: str) -> Answer:
    env = fake.server.env() | {f"DB_{key}": value for key, value in more.items()}
    return run("db-query", "-q", statement, *options, env=env)


def failed(answer: Answer, code: str) -> dict[str, Any]:
    error: dict[str, Any] = answer.json()["error"]
    assert error["code"] == code, error
    return error


def test_every_type_as_json(mssql: FakeSqlServer) -> None:
    columns = [Column(f"c{n}", name) for n, name in enumerate(TYPES)]
    mssql.reply("types", Result(columns, [list(TYPES.values()), [None] * len(TYPES)]))
    body = query(mssql, "SELECT types").json()
    told = zip(TYPES, body["columns"], body["rows"][0].values(), strict=True)
    got = {name: {"type": column["type"], "json": value} for name, column, value in told}
    assert got == json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert [one["type"] for one in got.values()] == list(TYPES)
    assert set(body["rows"][1].values()) == {None}


@pytest.mark.parametrize(
    ("kind", "cell", "wanted"),
    [
        ("time(7)", struct.pack("<Q", 360000000001)[:5], "10:00:00.0000001"),
        ("datetime2(7)", struct.pack("<Q", 1)[:5] + b"\x5b\x95\x0a", "1900-01-01T00:00:00.0000001"),
        (
            "datetimeoffset(7)",
            struct.pack("<Q", 1)[:5] + b"\x5b\x95\x0a" + struct.pack("<h", 330),
            "1900-01-01T05:30:00.0000001+05:30",
        ),
        ("time(7)", struct.pack("<Q", 360000000010)[:5], "10:00:00.000001"),
    ],
)
def test_the_seventh_digit_is_kept(
    mssql: FakeSqlServer, kind: str, cell: bytes, wanted: str
) -> None:
    raw = metadata([Column("t", kind)]) + b"\xd1" + bytes([len(cell)]) + cell + done(0x10, 1)
    mssql.reply("moment", Tokens(raw))
    assert query(mssql, "SELECT moment").json()["rows"] == [{"t": wanted}]


def test_rowversion_and_a_type_of_the_server_are_named(mssql: FakeSqlServer) -> None:
    columns = [Column("v", "rowversion", usertype=80), Column("s", "nvarchar(128)", usertype=256)]
    mssql.reply("named", Result(columns, [[b"\0" * 8, "x"]]))
    body = query(mssql, "SELECT named").json()
    assert [c["type"] for c in body["columns"]] == ["rowversion", "sysname"]
    assert body["rows"] == [{"v": "base64:AAAAAAAAAAA=", "s": "x"}]


def test_a_statement_goes_out_unchanged_in_a_transaction_that_is_rolled_back(
    mssql: FakeSqlServer,
) -> None:
    statement = "SELECT  n, '100 %s'\nFROM t\tWHERE 1=1"
    mssql.reply("FROM t", ONE)
    assert query(mssql, statement, "--limit", "5", "--timeout", "2").json()["rows"] == [{"n": 1}]
    assert [(call.kind, call.text) for call in mssql.calls] == [
        ("begin", ""),
        ("batch", "SET NOCOUNT ON; SET LOCK_TIMEOUT 1800; SET ROWCOUNT 6"),
        ("batch", statement),
        ("rollback", ""),
    ]
    [login] = mssql.logins
    assert (login.read_only_intent, login.application) == (True, "sandbox-toolbelt")
    assert (login.user, login.password) == (
        mssql.server.reader.user,
        mssql.server.reader.password,
    )


def test_a_failed_statement_is_rolled_back_too(mssql: FakeSqlServer) -> None:
    mssql.reply("missing", Failure(208, "Invalid object name 'missing'."))
    failed(query(mssql, "SELECT 1 FROM missing"), "QUERY_FAILED")
    assert mssql.calls[-1].kind == "rollback"


def test_rows_stop_at_the_cap_whatever_the_server_sends(mssql: FakeSqlServer) -> None:
    mssql.reply("many", Result([Column("n", "int")], [[n] for n in range(5000)]))
    body = query(mssql, "SELECT many", "--limit", "3").json()
    assert ([row["n"] for row in body["rows"]], body["truncated"]) == ([0, 1, 2], True)


def test_parameters_go_beside_the_text(mssql: FakeSqlServer) -> None:
    mssql.reply("FROM t", ONE)
    statement = (
        "SELECT n FROM t WHERE a = :a AND b = :b AND c = :c AND d = :d AND a <> :a AND e = :e"
    )
    bound = {"a": "ж%s'", "b": 5, "c": None, "d": [1, "x"], "e": 2**40}
    assert query(mssql, statement, "--params", json.dumps(bound)).json()["rows"] == [{"n": 1}]
    [call] = [call for call in mssql.calls if call.kind == "rpc"]
    assert call.text == statement.replace(":", "@")
    assert call.parameters == {
        "@a": "ж%s'".encode("utf-16-le"),
        "@b": struct.pack("<i", 5),
        "@c": None,
        "@d": '[1, "x"]'.encode("utf-16-le"),
        "@e": struct.pack("<q", 2**40),
    }


def test_explain_asks_for_the_plan_only(mssql: FakeSqlServer) -> None:
    plan = Result([Column("StmtText", "nvarchar(100)")], [["|--Clustered Index Scan"]])
    mssql.reply("FROM t", plan)
    body = query(mssql, "SELECT n FROM t WHERE a = :a", "--explain", "--params", '{"a": 1}').json()
    assert body["rows"] == [{"StmtText": "|--Clustered Index Scan"}]
    assert mssql.statements() == [
        "SET SHOWPLAN_ALL ON",
        "DECLARE @a INT; SELECT n FROM t WHERE a = @a",
    ]


@pytest.mark.parametrize(
    ("failure", "code", "extra"),
    [
        (Failure(208, "Invalid object name 'nope'.", line=2), "QUERY_FAILED", {"position": 15}),
        (Failure(207, "Invalid column name 'a'.", line=1), "QUERY_FAILED", {"position": 8}),
        (Failure(102, "Incorrect syntax near 'LIMIT'.", line=2), "QUERY_FAILED", {"position": 20}),
        (Failure(1222, "Lock request time out period exceeded."), "QUERY_FAILED", {}),
        (Failure(229, "The SELECT permission was denied on the object 't'.", 14), "QUERY_FAILED", {}),
        (Failure(1205, "Transaction was deadlocked.", 13), "QUERY_FAILED", {}),
        (Failure(50000, "Anything at all"), "QUERY_FAILED", {}),
    ],
    ids=lambda case: str(case.number) if isinstance(case, Failure) else "",
)  # fmt: skip
def test_error_numbers(
    mssql: FakeSqlServer, failure: Failure, code: str, extra: dict[str, object]
) -> None:
    mssql.reply("nope", failure)
    error = failed(query(mssql, "SELECT a\nFROM nope LIMIT"), code)
    assert error["engineCode"] == failure.number
    assert {key: error[key] for key in extra} == extra
    assert error.get("hint") or failure.number == 50000


def test_an_error_amid_rows_is_told(mssql: FakeSqlServer) -> None:
    mssql.reply("halves", ONE, Failure(8134, "Divide by zero error encountered."))
    wide = Result([Column("n", "int")], [[1]] * 3)
    mssql.reply("zero", Tokens(_rows_then_error(wide)))
    assert failed(query(mssql, "SELECT zero"), "QUERY_FAILED")["engineCode"] == 8134


def _rows_then_error(result: Result) -> bytes:
    from servers.tds_wire import error, row

    rows = b"".join(row(result.columns, cells) for cells in result.rows)
    return metadata(result.columns) + rows + error(8134, "Divide by zero.", 16, 1) + done(2)


def test_a_hanging_statement_is_stopped_by_attention(mssql: FakeSqlServer) -> None:
    mssql.reply("hang", Hang())
    error = failed(query(mssql, "SELECT hang", "--timeout", "1"), "TIMEOUT")
    assert error["timeoutSeconds"] == 1.0
    assert [call.kind for call in mssql.calls].count("attention") == 1


def test_ctrl_c_sends_attention(mssql: FakeSqlServer) -> None:
    mssql.reply("hang", Hang())
    started = subprocess.Popen(
        [str(BIN / "db-query"), "-q", "SELECT hang"], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=clean_environment(mssql.server.env()),
    )  # fmt: skip
    while "SELECT hang" not in mssql.statements():
        assert started.poll() is None
        time.sleep(0.02)
    started.send_signal(signal.SIGINT)
    started.communicate(timeout=20)
    assert started.returncode == 130
    assert "attention" in [call.kind for call in mssql.calls]


def test_a_server_killed_amid_the_result(mssql: FakeSqlServer) -> None:
    wide = Result([Column("a", "nvarchar(4000)")], [["x" * 3000]] * 100, cut_after=50)
    mssql.reply("cut", wide)
    error = failed(query(mssql, "SELECT cut"), "CONNECTION_FAILED")
    assert "was lost" in error["message"]


def test_the_most_columns_there_can_be(mssql: FakeSqlServer) -> None:
    """SQL Server's limit is 4,096 columns of a SELECT; names may take many packets."""
    columns = [Column(f"{'c' * 100}{i}", "int") for i in range(4096)]
    mssql.reply("wide", Result(columns, [list(range(4096))] * 2))
    body = query(mssql, "SELECT wide").json()
    assert [column["name"] for column in body["columns"]] == [c.name for c in columns]
    assert [list(row.values()) for row in body["rows"]] == [list(range(4096))] * 2


def test_names_that_repeat_and_no_rows(mssql: FakeSqlServer) -> None:
    mssql.reply("twins", Result([Column("a", "int"), Column("a", "int")], [[1, 2]]))
    assert query(mssql, "SELECT twins").json()["rows"] == [{"a": 1, "a_2": 2}]
    mssql.reply("nothing", Result([Column("a", "int")], []))
    assert query(mssql, "SELECT nothing").json()["rows"] == []


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"PASS": "hunter2"}, "AUTH_FAILED", "Login failed for user 'reader'"),
        ({"NAME": "nowhere"}, "CONNECTION_FAILED", 'Cannot open database "nowhere"'),
        ({"PORT": "1"}, "CONNECTION_FAILED", "refused"),
        ({"HOST": "no-such-host.invalid"}, "CONNECTION_FAILED", "no-such-host.invalid"),
        ({"SSLMODE": "require"}, "CONNECTION_FAILED", "offers no TLS"),
        ({"ENCRYPT": "yes"}, "CONNECTION_FAILED", "offers no TLS"),
        ({"ENCRYPT": "strict"}, "BAD_CONFIG", "strict"),
        ({"SSLMODE": "sometimes"}, "BAD_CONFIG", "SSLMODE"),
    ],
)
def test_connections_that_must_fail(
    mssql: FakeSqlServer, change: dict[str, str], code: str, said: str
) -> None:
    answer = query(mssql, "SELECT 1", **change)
    error = failed(answer, code)
    assert said in error["message"] and error["hint"]
    assert "hunter2" not in answer.stdout + answer.stderr


def test_a_silent_host_fails_within_the_connect_timeout(mssql: FakeSqlServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = str(silent.getsockname()[1])
        answer = query(mssql, "SELECT 1", PORT=port, CONNECT_TIMEOUT="1500")
    assert "no answer" in failed(answer, "CONNECTION_FAILED")["message"]


def test_something_else_listens_there(mssql: FakeSqlServer) -> None:
    with _answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
        error = failed(query(mssql, "SELECT 1", PORT=str(port)), "CONNECTION_FAILED")
    assert "does not speak TDS" in error["message"]


@contextmanager
def _answering(reply: bytes) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            client, _ = listener.accept()
            with client:
                client.recv(4096)
                client.sendall(reply)

        threading.Thread(target=serve, daemon=True).start()
        yield int(listener.getsockname()[1])


@pytest.mark.parametrize("encryption", ["on", "required"])
def test_encryption(encryption: str) -> None:
    fake = FakeSqlServer(encryption)
    fake.start()
    try:
        files = fake.certificates
        assert files is not None
        fake.reply("SELECT 1", ONE)
        trusted, stranger = {"SSL_CA": str(files.ca)}, {"SSL_CA": str(files.other_ca)}
        local = {"HOST": "localhost"}
        for good in (
            {},
            {"SSLMODE": "require"},
            {"ENCRYPT": "yes", "TRUST_SERVER_CERTIFICATE": "yes"},
            {"SSLMODE": "verify-ca", **trusted},
            {"SSLMODE": "verify-full", **trusted, **local},
            {"ENCRYPT": "mandatory", **trusted, **local},
        ):
            assert query(fake, "SELECT 1", **good).json()["rows"] == [{"n": 1}], good
        assert set(fake.encryption_asked) == {1}
        for bad, said in (
            ({"SSLMODE": "verify-full", **trusted}, "another host"),
            ({"SSLMODE": "verify-full", **stranger, **local}, "not trusted"),
            ({"ENCRYPT": "yes", **local}, "not trusted"),
            ({"SSLMODE": "disable"}, "wants TLS"),
        ):
            error = failed(query(fake, "SELECT 1", **bad), "CONNECTION_FAILED")
            assert said in error["message"], bad
    finally:
        fake.stop()


def test_a_connection_string_of_dotnet(mssql: FakeSqlServer) -> None:
    mssql.reply("SELECT 1", ONE)
    server, login = mssql.server, mssql.server.owner
    text = (
        f"Server=tcp:127.0.0.1,{server.port};Database={server.database};User Id={login.user};"
        f"Password={{{login.password}}};Encrypt=no;ApplicationIntent=ReadWrite"
    )
    answer = run("db-query", "-q", "SELECT 1", env={"DB_CONNECTION_STRING": text})
    assert answer.json()["rows"] == [{"n": 1}]
    assert mssql.logins[0].read_only_intent is False
    url = server.url(login).replace("mssql://", "sqlserver://")
    assert run("db-query", "-q", "SELECT 1", env={"DATABASE_URL": url}).json()["rows"] == [{"n": 1}]


def test_a_named_instance_is_asked_for(mssql: FakeSqlServer) -> None:
    mssql.reply("SELECT 1", ONE)
    env = mssql.server.env()
    port = env.pop("DB_PORT")
    told = f"ServerName;H;InstanceName;SALES;IsClustered;No;Version;15.0;tcp;{port};;".encode()
    with socket.socket(type=socket.SOCK_DGRAM) as browser:
        browser.bind(("127.0.0.1", 1434))

        def serve() -> None:
            for _ in range(2):
                _, client = browser.recvfrom(16)
                browser.sendto(b"\x05" + struct.pack("<H", len(told)) + told, client)

        threading.Thread(target=serve, daemon=True).start()
        found = run("db-query", "-q", "SELECT 1", env=env | {"DB_HOST": "127.0.0.1\\sales"})
        other = run("db-query", "-q", "SELECT 1", env=env | {"DB_INSTANCE": "HR"})
    assert found.json()["rows"] == [{"n": 1}]
    error = failed(other, "CONNECTION_FAILED")
    assert "HR" in error["message"] and "SALES" in error["hint"]


_HEAD = Result([Column("", "nvarchar(128)"), Column("", "nvarchar(128)")], [["16.0.4100.1", "dbo"]])


def _result(kinds: str, rows: list[list[object]]) -> Result:
    """kinds: one letter a column: s nvarchar, i int, b bit."""
    types = {"s": "nvarchar(4000)", "i": "int", "b": "bit"}
    return Result([Column("", types[kind]) for kind in kinds], rows)


CATALOG = (
    _HEAD,
    _result("sssssii", [
        ["dbo", "cust", "U ", "customers", None, 12, 1],
        ["dbo", "names", "V ", None, "CREATE VIEW names AS SELECT name FROM cust", None, None],
        ["dbo", "ord", "U ", None, None, 40, 4],
    ]),
    _result("ssssiiibbssbs", [
        ["dbo", "cust", "id", "int", 4, 10, 0, False, True, None, None, None, "the id"],
        ["dbo", "cust", "name", "nvarchar", 100, 0, 0, True, False, "(N'x')", None, None, None],
        ["dbo", "names", "name", "nvarchar", -1, 0, 0, True, False, None, None, None, None],
        ["dbo", "ord", "cust", "int", 4, 10, 0, False, False, None, None, None, None],
        ["dbo", "ord", "net", "decimal", 9, 10, 2, True, False, None, "([a]*(2))", True, None],
    ]),
    _result("sssbbsss", [
        ["dbo", "cust", "PK_cust", True, True, "CLUSTERED", None, "id"],
        ["dbo", "cust", "ix", True, False, "NONCLUSTERED", "([name] IS NOT NULL)", "name"],
    ]),
    _result("ssssssss", [["dbo", "ord", "fk", "cust", "dbo", "cust", "id", "CASCADE"]]),
)  # fmt: skip


def test_the_catalog_is_one_batch(mssql: FakeSqlServer) -> None:
    mssql.reply("FROM sys.objects", *CATALOG)
    with kit.session(mssql.server) as session:
        catalog = session.catalog(CatalogRequest(tables=("cust", "o'rd")))
    assert (catalog.round_trips, catalog.default_schema) == (1, "dbo")
    assert catalog.server == "SQL Server 16.0.4100.1"
    assert "o.name IN (N'cust', N'o''rd')" in mssql.statements()[0]
    cust, names, order = catalog.tables
    assert (cust.kind, cust.row_count, cust.comment) == ("table", 12, "customers")
    assert [(c.name, c.type, c.nullable, c.primary_key) for c in cust.columns] == [
        ("id", "int", False, True),
        ("name", "nvarchar(50)", True, False),
    ]
    assert (cust.columns[0].identity, cust.columns[0].comment) == ("always", "the id")
    assert cust.columns[1].default == "(N'x')"
    [index] = cust.indexes
    assert (index.columns, index.unique, index.where) == (("name",), True, "([name] IS NOT NULL)")
    assert (names.kind, names.columns[0].type) == ("view", "nvarchar(max)")
    assert names.definition.startswith("CREATE VIEW")
    assert (order.kind, order.partitions) == ("partitioned table", 4)
    assert (order.columns[1].generated, order.columns[1].type) == ("stored", "decimal(10,2)")
    [reference] = order.foreign_keys
    assert (reference.table, reference.target_columns, reference.on_delete) == (
        "cust",
        ("id",),
        "CASCADE",
    )


def test_a_view_whose_text_the_login_may_not_see_is_told(mssql: FakeSqlServer) -> None:
    """sys.objects pads its types to two characters."""
    hidden = _result("sssssii", [["dbo", "names", "V ", None, None, None, None]])
    mssql.reply("FROM sys.objects", CATALOG[0], hidden, *CATALOG[2:])
    with kit.session(mssql.server) as session:
        assert "VIEW DEFINITION" in session.catalog(CatalogRequest()).missing[0]


def test_what_the_login_could_do(mssql: FakeSqlServer) -> None:
    mssql.reply(
        "SUSER_SNAME", _result("ss", [["sa", "shop"]]), _result("s", [["sysadmin"]]),
        _result("s", []), _result("s", [["INSERT"]]),
    )  # fmt: skip
    with kit.session(mssql.server) as session:
        told = session.privileges()
    assert told.can_write == ("is a member of the server role sysadmin", "may INSERT in shop")
    assert any("db_datareader" in line for line in told.grants)


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        (("nvarchar", 100, 0, 0), "nvarchar(50)"), (("varchar", -1, 0, 0), "varchar(max)"),
        (("decimal", 9, 18, 4), "decimal(18,4)"), (("datetime2", 8, 27, 7), "datetime2(7)"),
        (("int", 4, 10, 0), "int"), (("varbinary", 16, 0, 0), "varbinary(16)"),
        (("sysname", 256, 0, 0), "sysname"),
    ],
)  # fmt: skip
def test_declared_types(row: tuple[str, int, int, int], wanted: str) -> None:
    assert spelled(*row) == wanted


@pytest.mark.parametrize(
    ("text", "line", "message", "wanted"),
    [
        ("SELECT ab, b", 1, "Invalid column name 'b'.", 12),
        ("SELECT 1\n  FROM x", 2, "Something else.", 12),
        ("SELECT 1", 7, "Incorrect syntax near '1'.", 0),
        ("SELECT dbo.f(1)", 1, "Invalid object name 'dbo.f'.", 8),
    ],
)
def test_positions(text: str, line: int, message: str, wanted: int) -> None:
    assert position(text, line, message) == wanted
