"""The MongoDB guard: documents, raw commands and mongosh text, and what comes out of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbtools.guard.mongo import MongoVerdict, check_mongo

FOLDER = Path(__file__).parents[2] / "cases" / "guard"
LIMIT = {"$limit": 1000}


def _check(text: str) -> MongoVerdict:
    return check_mongo(text, default_limit=1000)


def _cases() -> list[dict[str, str]]:
    lines = [
        json.loads(line)
        for path in sorted(FOLDER.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    return [c for c in lines if c.get("layer", "guard") == "guard" and c["dialect"] == "mongodb"]


def test_the_guard_decides_the_mongodb_cases_as_written() -> None:
    wrong = []
    for case in _cases():
        verdict = _check(case["query"])
        if verdict.allowed != (case["verdict"] == "allow"):
            wrong.append((case["id"], verdict))
        assert bool(verdict.command) == verdict.allowed
        assert verdict.allowed or (verdict.message.startswith("Blocked: ") and verdict.hint)
    assert not wrong


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (
            '{"collection":"events","pipeline":[{"$match":{"level":"error"}}]}',
            {"aggregate": "events", "pipeline": [{"$match": {"level": "error"}}, LIMIT], "cursor": {}},
        ),
        (
            '{"collection":"events","filter":{"a":1},"sort":{"a":-1},"limit":5}',
            {"find": "events", "filter": {"a": 1}, "sort": {"a": -1}, "limit": 5},
        ),
        ('{"filter":{},"collection":"events"}', {"find": "events", "filter": {}, "limit": 1000}),
        ("db.orders.find()", {"find": "orders", "filter": {}, "limit": 1000}),
        (
            "db.orders.find({status: 'paid', total: {$gt: 10}}, {_id: 0}).sort({at: -1}).limit(5);",
            {
                "find": "orders",
                "filter": {"status": "paid", "total": {"$gt": 10}},
                "projection": {"_id": 0},
                "sort": {"at": -1},
                "limit": 5,
            },
        ),
        (
            'db.getCollection("a.b").findOne({_id: ObjectId("507f1f77bcf86cd799439011")})',
            {
                "find": "a.b",
                "filter": {"_id": {"$oid": "507f1f77bcf86cd799439011"}},
                "limit": 1,
                "singleBatch": True,
            },
        ),
        ('db["my coll"].count({a: 1})', {"count": "my coll", "query": {"a": 1}}),
        ("db.t.find({a: 1}).limit(3).count()", {"count": "t", "query": {"a": 1}}),
        ("db.t.find({a: 1}).limit(3).size()", {"count": "t", "query": {"a": 1}, "limit": 3}),
        ("db.t.estimatedDocumentCount()", {"count": "t"}),
        (
            "db.t.countDocuments({a: 1})",
            {
                "aggregate": "t",
                "pipeline": [
                    {"$match": {"a": 1}},
                    {"$group": {"_id": None, "n": {"$sum": 1}}},
                    {"$project": {"_id": 0, "n": 1}},
                    LIMIT,
                ],
                "cursor": {},
            },
        ),
        ("db.t.distinct('k', {a: /^x\\/y/i})", {
            "distinct": "t",
            "key": "k",
            "query": {"a": {"$regularExpression": {"pattern": "^x/y", "options": "i"}}},
        }),
        (
            "db.t.aggregate([{$match: {d: {$gte: ISODate('2026-01-01')}}}, {$limit: 3}])",
            {
                "aggregate": "t",
                "pipeline": [{"$match": {"d": {"$gte": {"$date": "2026-01-01"}}}}, {"$limit": 3}],
                "cursor": {},
            },
        ),
        (
            "db.t.find({n: NumberLong('5'), m: NumberInt(1), d: NumberDecimal(\"1.5\"),})",
            {
                "find": "t",
                "filter": {
                    "n": {"$numberLong": "5"},
                    "m": {"$numberInt": "1"},
                    "d": {"$numberDecimal": "1.5"},
                },
                "limit": 1000,
            },
        ),
        (
            'db.t.find({a: 1}).explain("executionStats")',
            {"explain": {"find": "t", "filter": {"a": 1}}, "verbosity": "executionStats"},
        ),
        ("db.t.explain().find()", {"explain": {"find": "t", "filter": {}}}),
        ("db.t.getIndexes()", {"listIndexes": "t"}),
        ("db.t.stats()", {"collStats": "t"}),
        ("db.stats()", {"dbStats": 1}),
        ("show collections", {"listCollections": 1, "nameOnly": True}),
        ("db.getCollectionNames()", {"listCollections": 1, "nameOnly": True}),
        ("db.runCommand({count: 't'})", {"count": "t"}),
        ("// all\ndb.t /* here */ .find( ) . limit( 2 ) // end", {
            "find": "t", "filter": {}, "limit": 2,
        }),
        ('\ufeff{"ping": 1}', {"ping": 1}),
    ],
)  # fmt: skip
def test_the_guard_reads_a_mongodb_text_as_one_command(text: str, command: dict[str, Any]) -> None:
    verdict = _check(text)
    assert verdict.allowed, verdict
    assert verdict.command == command
    assert next(iter(verdict.command)) == next(iter(command))


@pytest.mark.parametrize(
    "text",
    [
        "db.t.insertOne({a: 1})",
        "db.t.find().forEach(d => db.u.insertOne(d))",
        "db.t.find({$where: 'true'})",
        "db.t.find({a: Date.now()})",
        "db.t.find({a: 1 + 1})",
        "db.t.find({a: `x`})",
        "db.t.find({a: b})",
        "db.t.find({a: new Date()})",
        "db.t.find({a: function() { return 1 }})",
        "db.t.aggregate([{$out: 'x'}])",
        "db.t.aggregate({$match: {}}, {$merge: 'x'})",
        "db.t.find().toArray().length",
        "db.t.find(); db.t.drop()",
        "db.t.find({a: 1, a: 2})",
        "db.system.users.find()",
        "db.getSiblingDB('admin').t.find()",
        "db.adminCommand({shutdown: 1})",
        "db.runCommand({drop: 't'})",
        "db.runCommand('shutdown')",
        "db.t.explain().remove({})",
        "db.t.find({}, {}, {tailable: true})",
        "db",
        "db.t",
        "use other",
        "show dbs",
        "SELECT 1",
        "{'find': 't'}",
        "{find: 't'}",
        '{"find": "t"} // comment',
        '["find", "t"]',
        '{"find": "t", "maxTimeMS": 0}',
        '{"find": "t", "limit": -5}',
        '{"find": "t", "$db": "admin"}',
        '{"find": "t", "noCursorTimeout": true}',
        '{"find": "\\ud800"}',
        '{"find": "t", "filter": {"a": 9223372036854775808}}',
        '{"find": "t", "filter": {"a\\u0000b": 1}}',
        '{"aggregate": "t", "pipeline": [{"$graphLookup": {"from": "t", "startWith": 1}}]}',
        '{"aggregate": "t", "pipeline": [{"$match": {}, "$out": "x"}]}',
        '{"aggregate": "t", "pipeline": [{"$lookup": {"from": "system.users", "as": "x"}}]}',
        '{"aggregate": "t", "pipeline": [{"$facet": {"a": {"$out": "x"}}}]}',
        '{"explain": {"explain": {"find": "t"}}}',
        '{"explain": {"find": "t"}, "verbosity": "x"}',
        '{"listIndexes": 1}',
        '{"dbStats": "t"}',
        "{" * 5_000,
        '{"find":"t","filter":' + '{"a":' * 5_000 + "1" + "}" * 5_000 + "}",
        "db.t.find(" + "[" * 5_000,
        "db.t.find({a: " + "1" * 5_000 + "})",
        "db.t.find({a: " + "1" * 200_000 + "x})",
    ],
)
def test_the_guard_refuses_what_is_not_one_mongodb_read(text: str) -> None:
    verdict = _check(text)
    assert not verdict.allowed
    assert verdict.command == {}
    assert verdict.code == "BLOCKED"
    assert verdict.message.startswith("Blocked: ")


def test_the_guard_bounds_every_mongodb_command() -> None:
    find = check_mongo('{"find": "t"}', default_limit=50, max_time_ms=900)
    assert find.command == {"find": "t", "limit": 50, "maxTimeMS": 900}
    own = check_mongo(
        '{"find": "t", "limit": 7, "maxTimeMS": 5}', default_limit=50, max_time_ms=900
    )
    assert own.command == {"find": "t", "limit": 7, "maxTimeMS": 5}
    more = check_mongo('{"count": "t", "maxTimeMS": 5000}', default_limit=50, max_time_ms=900)
    assert more.command == {"count": "t", "maxTimeMS": 900}
    plan = check_mongo("db.t.find().explain()", default_limit=50, max_time_ms=900)
    assert plan.command == {"explain": {"find": "t", "filter": {}}, "maxTimeMS": 900}


def test_the_mongodb_guard_says_what_is_empty_or_too_long() -> None:
    assert _check(" \n").code == "USAGE"
    assert _check('{"find": "' + "x" * 2_000_000 + '"}').code == "STATEMENT_TOO_LONG"


def test_the_mongodb_guard_needs_no_driver() -> None:
    code = (
        "import sys\nfrom dbtools.guard.mongo import check_mongo\n"
        'assert check_mongo(\'{"find": "t"}\', default_limit=1).allowed\n'
        "print(sorted({'pymongo', 'bson', 'sqlglot', 'tomllib'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


PIECES = st.sampled_from(
    """db. db .t .find( .limit( ) { } [ ] : , ; "a" 'b' $where $gt /x/i // /* */ ObjectId( new Date(
    1 -2.5 .5 1e9 null true a $ "\\ud800" "\\u0000" \\ ` function( => {"find":"t"} "pipeline":""".split()
)


@pytest.mark.hypothesis
@given(st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=25).map("".join)))
def test_no_text_makes_the_mongodb_guard_raise(text: str) -> None:
    verdict = _check(text)
    assert bool(verdict.command) == verdict.allowed
    if verdict.allowed:
        assert "$where" not in json.dumps(list(verdict.command))
