"""MongoDB through `db-query` and `db-schema`, against a wire server with authentication."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pymongo
import pytest
from bson import (
    Binary,
    Code,
    DatetimeMS,
    DBRef,
    Decimal128,
    Int64,
    MaxKey,
    MinKey,
    ObjectId,
    Regex,
    Timestamp,
)  # fmt: skip
from pymongo.database import Database
from pymongo.monitoring import CommandStartedEvent

from cli.commands import BIN, Answer, clean_environment, run
from dbtools import connection as connections
from dbtools import drivers
from dbtools.deadline import Deadline
from dbtools.drivers.base import CatalogRequest, Execution
from dbtools.drivers.mongodb.values import BsonEncoder, extended, type_name
from engines import kit
from engines.between import between
from servers import Server
from toolbelt.errors import ToolError

GOLDEN = Path(__file__).parent.parent / "golden" / "types_mongodb.json"
OID = ObjectId("65a000000000000000000001")
VALUES: dict[str, Any] = {
    "double": 1.5, "double_nan": float("nan"), "double_infinity": float("inf"), "string": "Привет",
    "object": {"a": {"b": 1}}, "array": [1, "x", None], "binData": b"\xde\xad",
    "binData_uuid": Binary.from_uuid(uuid.UUID(int=1)), "binData_md5": Binary(b"\x00" * 4, 5),
    "objectId": OID, "bool": True, "date": datetime(2024, 2, 29, 10, 0, 0, 123000),
    "date_year_12000": DatetimeMS(316_516_204_800_000), "date_before_1": DatetimeMS(-62_198_755_200_000),
    "null": None, "regex": Regex("^a/b", "im"), "dbPointer": DBRef("orders", OID, "shop"),
    "javascript": Code("return 1"), "javascript_scope": Code("return x", {"x": 1}), "int": 7,
    "long": Int64(2**53 + 1), "long_small": Int64(5), "timestamp": Timestamp(1_700_000_000, 3),
    "decimal": Decimal128("1234567890.1234567890"), "decimal_exponent": Decimal128("1E+3"),
    "decimal_nan": Decimal128("NaN"), "minKey": MinKey(), "maxKey": MaxKey(),
}  # fmt: skip


def test_every_bson_type_as_json() -> None:
    got = {
        name: {"type": type_name(v), "json": BsonEncoder()(v), "extended": extended(v)}
        for name, v in VALUES.items()
    }
    assert got == json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def shop(mongodb: Server) -> Iterator[Server]:
    client: pymongo.MongoClient[Any] = pymongo.MongoClient(
        mongodb.host, mongodb.port, username=mongodb.owner.user, password=mongodb.owner.password,
        authSource="admin", uuidRepresentation="standard",
    )  # fmt: skip
    database = client[mongodb.database]
    storable = {k: v for k, v in VALUES.items() if not k.startswith("date_")}
    database.types.insert_one({"_id": 1, **storable})
    database.events.insert_many(
        {"_id": i, "level": "error" if i % 3 == 0 else "info", "n": i} for i in range(3000)
    )
    database.events.insert_one({"_id": 3000, "level": "error", "n": None, "late": {"deep": [1]}})
    database.events.create_index([("level", 1), ("n", -1)])
    database.create_collection("empty", validator={"$jsonSchema": {"required": ["a"]}})
    database.command("create", "errors", viewOn="events", pipeline=[{"$match": {"level": "error"}}])
    yield mongodb
    for name in ("types", "events", "empty", "errors"):
        database.drop_collection(name)
    client.close()


def query(server: Server, text: str, *options: str, **env: str) -> Answer:
    return run("db-query", "-q", text, *options, env={**server.env(), **env})


def test_the_seeds_call(shop: Server) -> None:
    text = '{"collection":"events","pipeline":[{"$match":{"level":"error"}}]}'
    body = query(shop, text, "--limit", "5").json()
    assert body["rowCount"] == 5 and body["truncated"] is True
    assert {row["level"] for row in body["rows"]} == {"error"}
    assert {"name": "level", "type": "string"} in body["columns"]


SHAPES = [
    ('{"find": "events", "filter": {"n": {"$gte": 2998}}, "sort": {"n": 1}}', [{"n": 2998}, {"n": 2999}]),
    ('{"collection": "events", "filter": {"_id": 5}}', [{"n": 5}]),
    ('db.events.find({n: {$lt: 2}}).sort({n: -1}).limit(1)', [{"n": 1}]),
    ('db.events.countDocuments({level: "error"})', [{"n": 1001}]),
    ('{"count": "events", "query": {}}', [{"n": 3001}]),
    ('{"distinct": "events", "key": "level"}', [{"value": "error"}, {"value": "info"}]),
    ('{"find": "types", "filter": {"objectId": {"$oid": "65a000000000000000000001"}}}', [{"int": 7}]),
    ('{"find": "types", "filter": {"date": {"$date": "2024-02-29T10:00:00.123Z"}}}', [{"int": 7}]),
    ('{"find": "errors", "limit": 1}', [{"level": "error"}]),
    ('{"find": "empty"}', []),
    ('{"find": "no_such_collection"}', []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), SHAPES, ids=[s[0][:40] for s in SHAPES])
def test_every_way_to_ask(shop: Server, text: str, wanted: list[dict[str, object]]) -> None:
    done = query(shop, text)
    assert done.code == 0, done.stdout
    rows = done.json()["rows"]
    assert len(rows) == len(wanted)
    assert all(row[k] == v for row, want in zip(rows, wanted, strict=True) for k, v in want.items())


def test_fields_that_come_late_are_not_lost(shop: Server) -> None:
    assert '"late":{"deep":[1]}' in query(shop, '{"find": "events"}', "--format", "jsonl").stdout
    lines = query(shop, '{"find": "events", "sort": {"_id": 1}}', "--format", "csv").stdout
    assert lines.splitlines()[0] == "_id,level,n,_other"
    assert lines.splitlines()[-1] == '3000,error,,"{""late"":{""deep"":[1]}}"'


REFUSED = [
    '{"delete": "events", "deletes": [{"q": {}, "limit": 0}]}',
    '{"insert": "events", "documents": [{}]}',
    '{"collection": "events", "pipeline": [{"$out": "x"}]}',
    '{"collection": "events", "pipeline": [{"$facet": {"a": [{"$merge": "x"}]}}]}',
    '{"collection": "events", "pipeline": [{"$lookup": {"from": "t", "pipeline": [{"$out": "x"}], "as": "a"}}]}',
    '{"find": "events", "filter": {"$where": "sleep(100)"}}',
    '{"collection": "events", "pipeline": [{"$set": {"a": {"$function": {"body": "", "args": [], "lang": "js"}}}}]}',
    'db.events.drop()',
    'db.getSiblingDB("admin").system.users.find()',
    '{"find": "events", "find": "events"}',
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED, ids=lambda t: t[:50])
def test_nothing_that_writes_or_runs_code_is_sent(shop: Server, text: str) -> None:
    done = query(shop, text)
    assert (done.code, done.error["code"]) == (1, "BLOCKED")
    assert done.error["hint"]


@pytest.mark.parametrize("value", [
    {"$oid": "zz"}, {"$oid": 5}, {"$date": "nope"}, {"$date": {"$numberLong": "x"}},
    {"$numberDecimal": "x"}, {"$numberLong": "99999999999999999999"}, {"$uuid": "x"},
    {"$binary": {"base64": "!!", "subType": "zz"}}, {"$timestamp": {"t": -1, "i": 1}},
    {"$numberInt": "x"}, {"$dbPointer": 1}, {"$numberDouble": "x"},
], ids=str)  # fmt: skip
def test_malformed_extended_json_is_the_callers_mistake(
    shop: Server, value: dict[str, object]
) -> None:
    with kit.session(shop) as session, pytest.raises(ToolError) as caught:
        list(
            session.execute(Execution([], document={"find": "events", "filter": {"a": value}})).rows
        )
    assert caught.value.code in ("QUERY_FAILED", "BLOCKED"), caught.value


BAD_CONNECTIONS: list[tuple[dict[str, str], int, str]] = [
    ({"DB_PASS": "wrong"}, 3, "AUTH_FAILED"),
    ({"DB_USER": "nobody"}, 3, "AUTH_FAILED"),
    ({"DB_PORT": "1"}, 3, "CONNECTION_FAILED"),
    ({"DB_HOST": "no.such.host.invalid"}, 3, "CONNECTION_FAILED"),
    ({"DB_SSLMODE": "require"}, 3, "CONNECTION_FAILED"),
    ({"DB_SSLMODE": "sometimes"}, 2, "BAD_CONFIG"),
    ({"DB_SSLMODE": "verify-full", "DB_SSL_CA": "/nowhere/ca.pem"}, 2, "BAD_CONFIG"),
    ({"DB_SSLMODE": "verify-full", "DB_SSL_CA": __file__}, 2, "BAD_CONFIG"),
    ({"DB_READ_PREFERENCE": "any"}, 2, "BAD_CONFIG"),
    ({"DB_REPLICA_SET": "rs9"}, 3, "CONNECTION_FAILED"),
    ({"DB_NAME": ""}, 2, "BAD_CONFIG"),
]


@pytest.mark.parametrize(("change", "code", "word"), BAD_CONNECTIONS, ids=lambda v: str(v)[:40])
def test_a_connection_that_fails_says_why(
    shop: Server, change: dict[str, str], code: int, word: str
) -> None:
    env = {**shop.env(), "DB_CONNECT_TIMEOUT": "2000", **change}
    done = run("db-query", "-q", '{"find": "events"}', env=env)
    assert (done.code, done.error["code"]) == (code, word), done.stdout
    assert shop.owner.password not in done.stdout + done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("change", [{"DB_PORT": "1"}, {"DB_HOST": "no.such.host.invalid"}])
def test_one_server_that_is_not_there_is_not_waited_for(
    shop: Server, change: dict[str, str]
) -> None:
    """The client library would look for it until the connect timeout."""
    described = connections.find(None, {**shop.env(), "DB_CONNECT_TIMEOUT": "60000", **change})
    with Deadline(30), pytest.raises(ToolError) as caught:
        drivers.load("mongodb").connect(described, 5.0)
    assert caught.value.code == "CONNECTION_FAILED"
    assert "Could not connect to MongoDB at" in caught.value.message


def test_a_host_that_never_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        env = {"DB_TYPE": "mongodb", "DB_HOST": "127.0.0.1", "DB_NAME": "d",
               "DB_PORT": str(silent.getsockname()[1]), "DB_CONNECT_TIMEOUT": "1500"}  # fmt: skip
        started = time.monotonic()
        done = run("db-query", "-q", '{"find": "a"}', env=env)
    assert done.error["code"] == "CONNECTION_FAILED"
    assert time.monotonic() - started < 20


def test_a_url_with_its_own_database_and_auth_source(shop: Server) -> None:
    from urllib.parse import quote

    login = f"{quote(shop.owner.user)}:{quote(shop.owner.password, safe='')}"
    url = f"mongodb://{login}@127.0.0.1:{shop.port}/{shop.database}?authSource=admin"
    env = {"DB_CONNECTION_STRING": url}
    assert run("db-query", "-q", '{"count": "events"}', env=env).json()["rows"] == [{"n": 3001}]
    failed = run(
        "db-query",
        "-q",
        '{"find": "x"}',
        env={"DB_CONNECTION_STRING": url + "&w=nonsense&tls=true"},
    )
    assert shop.owner.password not in failed.stdout + failed.stderr


HEAVY = json.dumps({
    "collection": "events",
    "pipeline": [
        {"$lookup": {"from": "events", "pipeline": [{"$match": {"$expr": {"$gt": ["$n", 3]}}}], "as": "z"}},
        {"$unwind": "$z"},
        {"$group": {"_id": None, "n": {"$sum": 1}}},
    ],
})  # fmt: skip


def _running(server: Server) -> int:
    with pymongo.MongoClient(
        server.host, server.port, username=server.owner.user, password=server.owner.password, authSource="admin"
    ) as client:  # fmt: skip
        operations = client.admin.command("currentOp")["inprog"]
        return sum("aggregate" in (o.get("command") or {}) for o in operations)


def test_the_time_limit(shop: Server) -> None:
    done = query(shop, HEAVY, "--timeout", "1")
    assert (done.code, done.error["code"]) == (124, "TIMEOUT")


def test_an_interrupt_ends_it_on_the_server_too(shop: Server) -> None:
    child = subprocess.Popen(
        [str(BIN / "db-query"), "-q", HEAVY],
        env=clean_environment(shop.env()),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not _running(shop) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert _running(shop) == 1
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=30)
    assert child.returncode == 130 and json.loads(out)["error"]["code"] == "CANCELLED"
    while _running(shop) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert _running(shop) == 0


def test_a_server_that_goes_away_in_mid_result(shop: Server) -> None:
    with between(shop.port, most=60_000) as proxy:
        env = {**shop.env(), "DB_PORT": str(proxy.port)}
        text = '{"find": "events", "batchSize": 100}'
        done = run("db-query", "-q", text, "--format", "jsonl", env=env)
    assert done.code == 3
    assert json.loads(done.stderr.splitlines()[-1])["error"]["code"] == "CONNECTION_FAILED"


def test_later_batches_are_as_small_as_the_first(
    shop: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless told, a server fills 16 MB, which are ten times that as Python's objects."""
    sizes = []

    def started(_watch: object, event: CommandStartedEvent) -> None:
        if event.command_name == "getMore":
            sizes.append(event.command.get("batchSize"))

    monkeypatch.setattr("dbtools.drivers.mongodb.session._Watch.started", started)
    for command in ({"find": "events"}, {"aggregate": "events", "pipeline": []}):
        with kit.session(shop) as session:
            execution = Execution([], document=command, kind="FIND")
            assert len(list(session.execute(execution).rows)) == 3001
    assert sizes and set(sizes) == {500}


def test_the_read_preference_goes_with_every_command(
    shop: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []
    for name in ("command", "cursor_command"):
        own = getattr(Database, name)

        def asked(*arguments: Any, own: Any = own, **more: Any) -> Any:
            given.append(more["read_preference"].mongos_mode)
            return own(*arguments, **more)

        monkeypatch.setattr(Database, name, asked)
    with kit.session(shop, read_preference="secondaryPreferred") as session:
        for command in ({"find": "events", "limit": 1}, {"count": "events"}):
            list(session.execute(Execution([], document=command)).rows)
        session.catalog(CatalogRequest(tables=("empty",)))
    assert given == ["secondaryPreferred"] * 4


def test_what_only_other_servers_store(shop: Server) -> None:
    """Text that is no UTF-8 and years beyond 9999, put in on the way."""
    with between(shop.port) as middle:
        near = replace(shop, port=middle.port)
        with kit.session(near) as session:
            middle.change = lambda data: data.replace(b"Mark\x00", b"M\xe4rk\x00").replace(
                (1_704_067_200_000).to_bytes(8, "little"), (2**55).to_bytes(8, "little")
            )
            command = {"aggregate": "events", "cursor": {}, "pipeline": [{"$limit": 1}, {"$project": {
                "_id": 0, "text": {"$literal": "Mark"}, "on": {"$toDate": 1_704_067_200_000}}}]}  # fmt: skip
            result = session.execute(Execution([], document=command, kind="AGGREGATE"))
            [[row]] = kit.cells(result)
    assert row["text"] == "base64:TeRyaw=="
    assert str(row["on"]).startswith("+1143677-")
    assert "UTF-8" in "".join(result.warnings)


def test_the_schema_of_a_collection(shop: Server) -> None:
    tables = {t["name"]: t for t in run("db-schema", env=shop.env()).json()["tables"]}
    events = tables["events"]
    assert (events["kind"], events["approximateRowCount"]) == ("collection", 3001)
    assert {"name": "_id_", "columns": ["_id"], "unique": True} in events["indexes"]
    assert any(i["columns"] == ["level", "n desc"] for i in events["indexes"])
    columns = {c["name"]: c for c in events["columns"]}
    assert columns["_id"]["primaryKey"] is True and columns["level"]["type"] == "string"
    assert tables["errors"]["kind"] == "view" and "$match" in tables["errors"]["definition"]
    assert tables["empty"]["columns"] == [] and "$jsonSchema" in tables["empty"]["validator"]
    types = {c["name"]: c["type"] for c in tables["types"]["columns"]}
    assert types["object.a.b"] == "int" and types["array[]"] == "int|null|string"


def test_the_readers_login_reads_and_its_refusals_are_plain(shop: Server) -> None:
    env = shop.env(shop.reader)
    assert run("db-query", "-q", '{"count": "events"}', env=env).json()["rows"] == [{"n": 3001}]
    assert run("db-schema", "-t", "events", env=env).code == 0


def test_16_mb_documents(shop: Server) -> None:
    with pymongo.MongoClient(
        shop.host, shop.port, username=shop.owner.user, password=shop.owner.password, authSource="admin"
    ) as client:  # fmt: skip
        client[shop.database].big.insert_one({"_id": 1, "text": "x" * 15_000_000})
    try:
        cut = query(shop, '{"find": "big"}').json()
        assert (cut["rowCount"], cut["truncation"]["by"]) == (0, "MAX_BYTES")
        assert len(query(shop, '{"find": "big"}', "--format", "jsonl").stdout) > 15_000_000
    finally:
        with pymongo.MongoClient(
            shop.host, shop.port, username=shop.owner.user, password=shop.owner.password, authSource="admin"
        ) as client:  # fmt: skip
            client[shop.database].drop_collection("big")


def test_nothing_of_the_client_library_is_loaded_for_a_refusal() -> None:
    program = (
        "import sys; sys.argv = ['db-query', '-q', '{\"drop\": \"x\"}']\n"
        "from dbtools.query_cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print('pymongo' in sys.modules)"
    )
    env = {"PATH": os.environ["PATH"], "DB_TYPE": "mongodb", "DB_HOST": "h", "DB_NAME": "d"}
    done = subprocess.run(
        [str(BIN / "python"), "-c", program], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "False"
