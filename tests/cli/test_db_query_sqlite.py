"""`db-query` on SQLite, as an agent runs it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from cli.commands import BIN, Answer, run
from dbtools import connection as connections
from dbtools import drivers
from dbtools.drivers.base import Execution
from toolbelt.jsonvalue import base64_text

SETUP = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT, total NUMERIC, note TEXT);
INSERT INTO orders VALUES (1,'new',10.5,NULL),(2,'paid',20,''),(3,'paid',-3,'a,"b"
c');
CREATE TABLE odd (v);
INSERT INTO odd VALUES (9223372036854775807),(9e999),(x'dead'),('Привет'),(NULL),(1.5);
CREATE TABLE many (n INTEGER PRIMARY KEY);
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r WHERE n < 5000)
INSERT INTO many SELECT n FROM r;
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sqlite") / "a shop?.db"
    with sqlite3.connect(path) as db:
        db.executescript(SETUP)
    db.close()
    return path


def query(shop: Path, *arguments: str, **options: object) -> Answer:
    env = {"DB_TYPE": "sqlite", "DB_NAME": str(shop)}
    extra = options.pop("env", {})
    return run("db-query", *arguments, env={**env, **extra}, cwd=shop.parent, **options)  # type: ignore[dict-item, arg-type]


def test_the_answer_has_the_promised_keys_and_a_line_a_row(shop: Path) -> None:
    done = query(shop, "-q", "SELECT id, status FROM orders ORDER BY id LIMIT 2")
    assert (done.code, done.stderr) == (0, "")
    body = done.json()
    assert body["ok"] is True
    assert body["rows"] == [{"id": 1, "status": "new"}, {"id": 2, "status": "paid"}]
    assert body["rowCount"] == 2 and body["truncated"] is False
    assert body["columns"] == [
        {"name": "id", "type": "integer"},
        {"name": "status", "type": "text"},
    ]
    assert body["connection"] == "default" and body["executionTimeMs"] >= 0
    assert '\n{"id":2,"status":"paid"}\n' in done.stdout


def test_values_keep_all_they_hold(shop: Path) -> None:
    body = query(shop, "-q", "SELECT v, v AS v FROM odd").json()
    assert [r["v"] for r in body["rows"]] == [
        "9223372036854775807", None, "base64:3q0=", "Привет", None, 1.5,
    ]  # fmt: skip
    assert [c["name"] for c in body["columns"]] == ["v", "v_2"]
    assert any("infinity" in w for w in body["warnings"])
    assert any("renamed: v_2" in w for w in body["warnings"])


def test_numbers_as_number(shop: Path) -> None:
    done = query(shop, "-q", "SELECT v FROM odd LIMIT 1", "--numbers", "as-number")
    assert done.json()["rows"] == [{"v": 9223372036854775807}]


def test_rows_as_arrays_and_pretty(shop: Path) -> None:
    done = query(shop, "-q", "SELECT 1 a, 'x' b", "--rows", "arrays", "--pretty")
    assert done.json()["rows"] == [[1, "x"]]
    assert '\n  "rows": [' in done.stdout


@pytest.mark.parametrize(
    ("arguments", "count", "truncated"),
    [
        ((), 1000, True),
        (("--limit", "10"), 10, True),
        (("--limit", "5000"), 5000, False),
        (("--limit", "0"), 0, True),
    ],
)
def test_the_row_limit(shop: Path, arguments: tuple[str, ...], count: int, truncated: bool) -> None:
    body = query(shop, "-q", "SELECT n FROM many", *arguments).json()
    assert (body["rowCount"], body["truncated"]) == (count, truncated)
    assert ("truncation" in body) is truncated


def test_an_explicit_limit_above_the_default_is_honoured_up_to_max_rows(shop: Path) -> None:
    statement = "SELECT n FROM many LIMIT 3000"
    assert query(shop, "-q", statement).json()["rowCount"] == 3000
    body = query(shop, "-q", statement, env={"DB_MAX_ROWS": "7"}).json()
    assert (body["rowCount"], body["truncated"]) == (7, True)
    assert body["truncation"]["by"] == "MAX_ROWS"
    capped = query(shop, "-q", statement, "--limit", "99", env={"DB_MAX_ROWS": "7"}).json()
    assert capped["rowCount"] == 7


def test_the_byte_limit_cuts_between_rows_and_says_so(shop: Path) -> None:
    done = query(shop, "-q", "SELECT n FROM many", "--limit", "5000", "--max-bytes", "2000")
    assert done.json()["truncation"]["by"] == "MAX_BYTES"
    assert 0 < done.json()["rowCount"] < 200
    assert len(done.stdout.split('"rowCount"')[0]) < 2100


def test_parameters_are_bound_never_pasted(shop: Path) -> None:
    statement = (
        "SELECT id, ':not' AS t FROM orders WHERE status = :status AND total > :min ORDER BY 1"
    )
    done = query(shop, "-q", statement, "-p", "status=paid", "-p", "min=0")
    assert done.json()["rows"] == [{"id": 2, "t": ":not"}]
    evil = query(shop, "-q", statement, "--params", '{"status": "x\' OR 1=1 --", "min": 0}')
    assert evil.json()["rows"] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-p", "a=1"), ":a"),
        ((), ""),
        (("--params", "{"), "not valid JSON"),
        (("-p", "x"), "name=value"),
    ],
)
def test_bad_parameters(shop: Path, arguments: tuple[str, ...], words: str) -> None:
    done = query(shop, "-q", "SELECT 1", *arguments)
    if words:
        assert done.code == 2 and words in done.error["message"]
    else:
        assert done.code == 0


def test_a_statement_from_stdin_a_file_or_an_argument(shop: Path) -> None:
    (shop.parent / "q.sql").write_text("SELECT 7 AS n;\n", encoding="utf-8")
    for arguments, stdin in (
        (("-q", "-"), "SELECT 7 AS n -- seven\n"),
        (("-f", "q.sql"), ""),
        (("SELECT 7 AS n",), ""),
    ):
        assert query(shop, *arguments, stdin=stdin).json()["rows"] == [{"n": 7}]


CSV = 'id,status,total,note\n1,new,10.5,\n2,paid,20,""\n3,paid,-3,"a,""b""\nc"\n'


def test_csv_tells_null_from_an_empty_string(shop: Path) -> None:
    assert query(shop, "-q", "SELECT * FROM orders", "--format", "csv").stdout == CSV


def test_jsonl_tsv_table_and_markdown(shop: Path) -> None:
    statement = "SELECT id, note FROM orders ORDER BY id"
    lines = query(shop, "-q", statement, "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [1, 2, 3]
    assert query(shop, "-q", statement, "--format", "tsv").stdout.startswith("id\tnote\n1\t\n")
    table = query(shop, "-q", statement, "--format", "table").stdout
    assert table.splitlines()[0].rstrip() == "id | note" and table.endswith("(3 rows)\n")
    markdown = query(shop, "-q", statement, "--format", "markdown").stdout
    assert markdown.splitlines()[1] == "| ---: | --- |"


def test_a_file_is_written_whole_and_summed_up(shop: Path, tmp_path: Path) -> None:
    env = {"DB_TYPE": "sqlite", "DB_NAME": str(shop)}

    def write(*arguments: str) -> Answer:
        statement = ("-q", "SELECT * FROM orders", "-o", "out.csv")
        return run("db-query", *statement, *arguments, env=env, cwd=tmp_path)

    body = write().json()
    assert (body["path"], body["format"]) == (str(tmp_path / "out.csv"), "csv")
    assert (body["rows"], body["rowCount"], body["bytes"]) == (3, 3, len(CSV))
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == CSV
    again = write()
    assert (again.code, again.error["code"]) == (1, "BAD_PATH") and "--force" in again.error["hint"]
    assert write("--force", "--format", "json").code == 0
    assert json.loads((tmp_path / "out.csv").read_text(encoding="utf-8"))["rowCount"] == 3
    assert [p.name for p in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.parametrize("path", ["../out.csv", "/etc/out.csv", "no/such/folder.csv", "."])
def test_an_output_path_that_will_not_do_runs_nothing(shop: Path, path: str) -> None:
    done = query(shop, "-q", "SELECT nope", "-o", path)
    assert (done.code, done.error["code"]) == (1, "BAD_PATH")


def test_streaming_formats_are_not_cut_by_the_default_limit(shop: Path) -> None:
    done = query(shop, "-q", "SELECT n FROM many", "--format", "jsonl")
    assert len(done.stdout.splitlines()) == 5000


REFUSED = [
    ("", 2, "USAGE"),
    ("  -- nothing\n", 2, "USAGE"),
    ("SELECT 1; SELECT 2", 1, "BLOCKED"),
    ("DELETE FROM orders", 1, "BLOCKED"),
    ("WITH x AS (SELECT 1) DELETE FROM orders", 1, "BLOCKED"),
    ("PRAGMA journal_mode=wal", 1, "BLOCKED"),
    ("ATTACH ':memory:' AS m", 1, "BLOCKED"),
    ("SELECT load_extension('x')", 1, "BLOCKED"),
    ("SELECT nope FROM orders", 4, "QUERY_FAILED"),
    ("SELECT * FROM nope", 4, "QUERY_FAILED"),
    ("SELEC 1", 1, "BLOCKED"),
    ("SELECT '" + "x" * 2_100_000 + "'", 1, "STATEMENT_TOO_LONG"),
]


@pytest.mark.parametrize(("statement", "exit_code", "code"), REFUSED)
def test_refusals_and_failures(shop: Path, statement: str, exit_code: int, code: str) -> None:
    done = query(shop, "-q", "-", stdin=statement)
    assert (done.code, done.error["code"]) == (exit_code, code)
    assert len(done.stderr.splitlines()) == 1


def test_the_seed_names_the_statement_kind(shop: Path) -> None:
    error = query(shop, "-q", "DELETE FROM orders").error
    expected = (
        "Blocked: DELETE queries are not allowed. Only SELECT/WITH...SELECT/EXPLAIN permitted."
    )
    assert error["message"] == expected


def test_a_missing_a_junk_and_a_damaged_file(shop: Path, tmp_path: Path) -> None:
    missing = run("db-query", "-q", "SELECT 1", env={"DB_TYPE": "sqlite", "DB_NAME": "/no/x.db"})
    assert (missing.code, missing.error["code"]) == (3, "CONNECTION_FAILED")
    junk = tmp_path / "junk.db"
    junk.write_bytes(b"hello" * 1000)
    assert query(junk, "-q", "SELECT 1").error["code"] == "CONNECTION_FAILED"
    damaged = tmp_path / "damaged.db"
    raw = bytearray(shop.read_bytes())
    raw[4096:] = os.urandom(len(raw) - 4096)
    damaged.write_bytes(raw)
    done = query(damaged, "-q", "SELECT * FROM orders")
    assert done.code in (3, 4) and "Traceback" not in done.stderr
    assert not (tmp_path / "x.db").exists()


def test_a_wal_database_in_a_read_only_folder(tmp_path: Path) -> None:
    path = tmp_path / "wal.db"
    db = sqlite3.connect(path)
    db.executescript("PRAGMA journal_mode=wal; CREATE TABLE t(a); INSERT INTO t VALUES (5);")
    db.close()
    assert query(path, "-q", "SELECT a FROM t").json()["rows"] == [{"a": 5}]


def test_a_locked_database_is_said_to_be_busy(tmp_path: Path) -> None:
    path = tmp_path / "locked.db"
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("CREATE TABLE t(a); BEGIN EXCLUSIVE; INSERT INTO t VALUES (1);")
    done = query(path, "-q", "SELECT a FROM t", "--timeout", "1")
    db.close()
    assert done.code in (3, 4) and "lock" in done.error["message"]


def test_text_that_is_not_utf8_and_a_50_mb_cell(tmp_path: Path) -> None:
    path = tmp_path / "cells.db"
    with sqlite3.connect(path) as db:
        db.executescript("CREATE TABLE t(a); INSERT INTO t VALUES (CAST(x'ff41' AS TEXT));")
        db.execute("CREATE TABLE big AS SELECT ? AS b", ["x" * 50_000_000])
    db.close()
    body = query(path, "-q", "SELECT a FROM t").json()
    assert body["rows"] == [{"a": "base64:/0E="}] and "UTF-8" in body["warnings"][0]
    assert query(path, "-q", "SELECT length(b) AS n FROM big").json()["rows"] == [{"n": 50_000_000}]
    too_big = query(path, "-q", "SELECT b FROM big").json()
    assert too_big["truncation"]["by"] == "MAX_BYTES"
    done = query(path, "-q", "SELECT b FROM big", "--format", "csv")
    assert len(done.stdout) == 50_000_003
    over = query(path, "-q", "SELECT b || b FROM big")
    assert over.error["code"] == "QUERY_FAILED" and "substr" in over.error["hint"]


def test_two_thousand_columns(tmp_path: Path) -> None:
    path = tmp_path / "wide.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE w (" + ", ".join(f"c{i} INT" for i in range(2000)) + ")")
        db.execute("INSERT INTO w (c1999) VALUES (5)")
    db.close()
    row = query(path, "-q", "SELECT * FROM w").json()["rows"][0]
    assert len(row) == 2000 and row["c1999"] == 5


# One built-in that no limit of SQLite's own cuts short.
ONE_STEP = "SELECT instr(printf('%.*c', 30000000, 'a'), printf('%.*c', 15000000, 'a') || 'b')"
ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT count(*) FROM r"


def test_a_name_that_promises_another_kind_of_file_is_refused(shop: Path) -> None:
    error = query(shop, "-q", "SELECT 1", "-o", "rows.XLSX").error
    assert (error["code"], error["hint"]) == (
        "USAGE", "-o rows.csv, then file-convert xlsx rows.csv; or say --format",
    )  # fmt: skip
    done = query(shop, "-q", "SELECT 1 AS a", "-o", "rows.xlsx", "--format", "csv")
    assert done.json()["format"] == "csv"


def test_full_text_and_spatial_tables_are_read(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "v.db")
    db.executescript("""
        CREATE VIRTUAL TABLE words USING fts5(title, body);
        INSERT INTO words VALUES ('hello world', 'x'), ('other', 'y');
        CREATE VIRTUAL TABLE old USING fts4(title);
        INSERT INTO old VALUES ('hello');
        CREATE VIRTUAL TABLE "a ""box" USING rtree(id, low, high);
        INSERT INTO "a ""box" VALUES (1, 2, 3);
        CREATE VIEW seen AS SELECT title FROM words;
    """)
    db.close()
    for statement, rows in {
        "SELECT title, bm25(words) < 0 AS b FROM words WHERE words MATCH 'hel*'": 1,
        "SELECT title FROM old WHERE old MATCH 'hello'": 1,
        'SELECT id FROM "a ""box" WHERE low < 5': 1,
    }.items():
        assert len(query(tmp_path / "v.db", "-q", statement).json()["rows"]) == rows
    # Later versions of SQLite take a full-text table for harmless behind a view.
    done = query(tmp_path / "v.db", "-q", "SELECT * FROM seen")
    refused = "a view may not read a virtual table here: query that table itself"
    assert done.code == 0 or done.error["hint"] == refused


@pytest.mark.parametrize("statement", [ENDLESS, ONE_STEP])
def test_the_time_limit_holds(shop: Path, statement: str) -> None:
    started = time.monotonic()
    done = query(shop, "-q", statement, "--timeout", "0.5")
    assert (done.code, done.error["code"]) == (124, "TIMEOUT")
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    ("statement", "number"),
    [(ENDLESS, signal.SIGINT), (ENDLESS, signal.SIGTERM), (ONE_STEP, signal.SIGINT)],
)
def test_an_interrupt_ends_it_at_once(shop: Path, statement: str, number: int) -> None:
    child = subprocess.Popen(
        [str(BIN / "db-query"), "-q", statement],
        env={"DB_TYPE": "sqlite", "DB_NAME": str(shop), "PATH": os.environ["PATH"]},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(1.5)
    child.send_signal(number)
    out, _ = child.communicate(timeout=20)
    assert child.returncode == 130
    assert json.loads(out)["error"]["code"] == "CANCELLED"


def test_a_reader_that_goes_away(shop: Path) -> None:
    statement = "SELECT a.n, b.n FROM many a, many b"
    child = subprocess.Popen(
        [str(BIN / "db-query"), "-q", statement, "--format", "csv"],
        env={"DB_TYPE": "sqlite", "DB_NAME": str(shop), "PATH": os.environ["PATH"]},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None and child.stderr is not None
    child.stdout.read(100)
    child.stdout.close()
    assert child.stderr.read() == b""
    assert child.wait(timeout=20) == 141


def test_sigterm_in_mid_stream_leaves_the_old_file(shop: Path, tmp_path: Path) -> None:
    old = shop.parent / "kept.csv"
    old.write_text("old", encoding="utf-8")
    child = subprocess.Popen(
        [
            str(BIN / "db-query"),
            "-q",
            "SELECT a.n FROM many a, many b",
            "-o",
            "kept.csv",
            "--force",
        ],
        env={"DB_TYPE": "sqlite", "DB_NAME": str(shop), "PATH": os.environ["PATH"]},
        cwd=shop.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(1.5)
    child.terminate()
    out, _ = child.communicate(timeout=20)
    assert child.returncode == 130 and json.loads(out)["error"]["code"] == "CANCELLED"
    assert old.read_text(encoding="utf-8") == "old"
    assert sorted(p.name for p in shop.parent.iterdir() if p.name.endswith(".tmp")) == []


def test_check_sends_nothing_and_shows_the_text(tmp_path: Path) -> None:
    env = {"DB_TYPE": "postgresql", "DB_HOST": "127.0.0.1", "DB_PORT": "1", "DB_NAME": "d"}
    done = run("db-query", "--check", "-q", "SELECT * FROM orders o /* hi */ ;", env=env)
    body = done.json()
    assert (body["verdict"], body["kind"], body["tables"]) == ("allowed", "SELECT", ["orders"])
    assert body["statement"].endswith("\nLIMIT 1001") and "hi" not in body["statement"]
    blocked = run("db-query", "--check", "-q", "DROP TABLE orders", env=env)
    assert (blocked.code, blocked.error["kind"]) == (1, "DROP")


def test_explain(shop: Path) -> None:
    body = query(shop, "-q", "SELECT * FROM orders WHERE id = 1", "--explain").json()
    assert any("orders" in str(row.get("detail")) for row in body["rows"])
    assert query(shop, "-q", "DELETE FROM orders", "--explain").code == 1


def test_list_connections_shows_no_secret() -> None:
    env = {
        "DB_1_TYPE": "pg", "DB_1_NAME": "a", "DB_1_HOST": "h", "DB_1_DB": "d", "DB_1_PASS": "hunter2",
        "DB_2_NAME": "b", "DB_2_HOST": "h",
    }  # fmt: skip
    done = run("db-query", "--list-connections", env=env)
    assert done.json()["connections"][0] == {"name": "a", "type": "postgresql", "database": "d"}
    assert "DB_2_TYPE is missing" in done.json()["connections"][1]["problem"]
    assert "hunter2" not in done.stdout


@pytest.mark.parametrize("bad", [{0}, {1, 2}, {99}, {100, 101}, {0, 150, 249}, {249}, set()])
def test_no_row_is_lost_where_text_is_no_utf8(tmp_path: Path, bad: set[int]) -> None:
    """The library's fast way to read text gives up at such a cell, in the middle of a batch."""
    path = tmp_path / "bytes.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE t (n INTEGER, a TEXT, b TEXT)")
        for n in range(250):
            raw = b"\xff%d" % n if n in bad else b"%d" % n
            db.execute("INSERT INTO t VALUES (?, CAST(? AS TEXT), 'z')", (n, raw))
    connection = connections.find(None, {"DB_TYPE": "sqlite", "DB_NAME": str(path)})
    session = drivers.load("sqlite").connect(connection, 10.0)
    try:
        result = session.execute(Execution(["SELECT * FROM t ORDER BY n"]))
        rows = list(result.rows)
    finally:
        session.close()
    wanted = [base64_text(b"\xff%d" % n) if n in bad else str(n) for n in range(250)]
    assert rows == [(n, text, "z") for n, text in enumerate(wanted)]
    assert bool(result.warnings) is bool(bad)
