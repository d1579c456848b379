"""Time, rows and memory on MariaDB: what the server stops, what we stop, what is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from kit import cells, failure, session

from cli.commands import clean_environment, run
from dbtools.drivers.base import Execution
from servers import Server
from servers.mariadb import connect, create_database
from toolbelt.errors import ToolError

# Each takes far longer than any limit here.
SLOW = {
    "sleeping": "SELECT SLEEP(60)",
    "counting": "SELECT COUNT(*) FROM seq_1_to_1000000 a JOIN seq_1_to_1000000 b WHERE a.seq <> b.seq",
    "sorting": "SELECT MD5(a.seq) FROM seq_1_to_1000000 a JOIN seq_1_to_100 b ORDER BY 1 DESC",
    "late in the result": "SELECT seq, IF(seq = 500, SLEEP(60), 0) FROM seq_1_to_1000",
    "cut short without an error": "SELECT BENCHMARK(2000000000, MD5('a'))",
    "cut short inside": "SELECT 1 + (SELECT MAX(BENCHMARK(2000000000, MD5(seq))) FROM seq_1_to_2)",
}


@pytest.fixture(scope="module")
def shop(mariadb: Server) -> Server:
    server = create_database(mariadb, "limits")
    with connect(server) as owner, owner.cursor() as cursor:
        cursor.execute("CREATE TABLE locked (id int PRIMARY KEY) ENGINE=InnoDB")
        cursor.execute("CREATE VIEW endless AS SELECT BENCHMARK(2000000000, MD5('a')) AS n")
        cursor.execute("CREATE VIEW patient AS SELECT SLEEP(60) AS n")
    return server


def running(server: Server, text: str) -> int:
    """How many sessions run a statement that contains the text."""
    with connect(server) as owner, owner.cursor() as cursor:
        cursor.execute(
            "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE %s"
            " AND id <> CONNECTION_ID()",
            (f"%{text}%",),
        )
        return int(cursor.fetchone()[0])


def gone(server: Server, text: str) -> bool:
    """Whether no session runs it any more, waited for a little."""
    for _ in range(60):
        if running(server, text) == 0:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("statement", SLOW.values(), ids=SLOW)
def test_the_server_stops_at_the_limit(shop: Server, statement: str) -> None:
    error = failure(shop, statement, timeout=0.5)
    assert error.code == "TIMEOUT" and error.exit_code == 124
    assert error.message == "The query ran longer than 0.5 s and was stopped."


def test_a_statement_within_the_limit_is_not_said_to_be_late(shop: Server) -> None:
    with session(shop, timeout=1.0) as opened:
        assert cells(opened.execute(Execution(("SELECT SLEEP(0.95)",)))) == [[0]]


def test_a_lock_is_not_waited_for_longer_than_the_limit(shop: Server) -> None:
    with connect(shop) as owner, owner.cursor() as cursor:
        cursor.execute("LOCK TABLES locked WRITE")
        error = failure(shop, "SELECT * FROM locked", timeout=1.0)
    assert error.code == "TIMEOUT"


def test_the_command_says_timeout_where_a_view_takes_too_long(shop: Server) -> None:
    for view in ("endless", "patient"):
        done = run(
            "db-query", "-q", f"SELECT n FROM {view}", "--timeout", "0.5", env=shop.env(shop.owner)
        )
        assert (done.code, done.json()["error"]["code"]) == (124, "TIMEOUT"), view
    assert gone(shop, "FROM patient")


def test_cancel_ends_the_statement_on_the_server(shop: Server) -> None:
    text = "SELECT SLEEP(60) AS cancelled_one"
    with session(shop) as opened:
        timer = threading.Timer(0.5, opened.cancel)
        timer.start()
        with pytest.raises(ToolError) as caught:
            cells(opened.execute(Execution((text,))))
        timer.join()
        assert caught.value.detail["engineCode"] == 1317
        assert gone(shop, "cancelled_one")


def test_cancel_never_raises(shop: Server) -> None:
    with session(shop) as opened:
        opened.close()
        opened.cancel()
    with session(shop, host="127.0.0.1") as opened:
        object.__setattr__(opened._connection, "port", 1)  # type: ignore[attr-defined]
        opened.cancel()


def test_the_client_deadline_when_the_server_keeps_no_limit(shop: Server) -> None:
    """A statement that the server would run on: we stop waiting, and stop it there too."""
    script = """
import sys
from dbtools import query
from dbtools.drivers.mysql import settings
kept = settings._settings
settings._settings = lambda *a: [s for s in kept(*a) if 'max_' not in str(s)]
from dbtools.query_cli import main
sys.exit(main())
"""
    statement = "SELECT n AS unlimited_one FROM patient"
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", script, "-q", statement, "--timeout", "0.5"],
        env=clean_environment(shop.env(shop.owner)), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 124
    assert json.loads(done.stdout)["error"]["code"] == "TIMEOUT"
    assert time.monotonic() - started < 15
    assert gone(shop, "unlimited_one")


def test_ctrl_c_ends_the_statement_on_the_server(shop: Server) -> None:
    program = Path(sys.executable).with_name("db-query")
    asking = subprocess.Popen(
        [str(program), "-q", "SELECT n AS interrupted_one FROM patient"],
        env=clean_environment(shop.env(shop.owner)), stdout=subprocess.PIPE,
    )  # fmt: skip
    while running(shop, "interrupted_one") == 0:
        assert asking.poll() is None
        time.sleep(0.02)
    asking.send_signal(signal.SIGINT)
    out, _ = asking.communicate(timeout=15)
    assert asking.returncode == 130
    assert json.loads(out)["error"]["code"] == "CANCELLED"
    assert gone(shop, "interrupted_one")


def test_the_server_keeps_the_row_cap_of_a_statement_without_a_limit(shop: Server) -> None:
    def rows(text: str, cap: int | None) -> int:
        with session(shop) as opened:
            return len(cells(opened.execute(Execution((text,), fetch_rows=cap))))

    assert rows("SELECT seq FROM seq_1_to_100", 8) == 8
    assert rows("SELECT seq FROM seq_1_to_100 LIMIT 20", 8) == 20
    assert rows("SELECT * FROM (SELECT seq FROM seq_1_to_100) q", 8) == 8
    assert rows("SELECT COUNT(*) FROM (SELECT seq FROM seq_1_to_100) q", 8) == 1
    assert rows("SELECT 1 UNION ALL SELECT seq FROM seq_1_to_100", 8) == 8
    assert rows("SELECT seq FROM seq_1_to_100", None) == 100


def test_the_command_says_what_was_cut(shop: Server) -> None:
    body = run("db-query", "-q", "SELECT seq FROM seq_1_to_5000", env=shop.env()).json()
    assert (body["rowCount"], body["truncated"]) == (1000, True)
    done = run("db-query", "-q", "SELECT seq FROM seq_1_to_5000", "--limit", "2", env=shop.env())
    assert done.json()["rows"] == [{"seq": 1}, {"seq": 2}]


def test_a_result_is_left_at_once(shop: Server) -> None:
    """Nothing of a huge result is read after the caller has had enough."""
    with session(shop) as opened:
        result = opened.execute(
            Execution(("SELECT seq, REPEAT('x', 1000) AS left_one FROM seq_1_to_50000000",))
        )
        next(result.rows)
        result.close()
    assert gone(shop, "left_one")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_memory_stays_flat(shop: Server, form: str, tmp_path: Path) -> None:
    statement = "SELECT seq, REPEAT('x', 200) AS text FROM seq_1_to_{}"

    def peak(rows: int) -> int:
        program = Path(sys.executable).with_name("db-query")
        arguments = ["-q", statement.format(rows), "--format", form, "-o", f"{rows}.{form}"]
        asking = subprocess.Popen(
            [str(program), *arguments, "--force"],
            env=clean_environment(shop.env()), cwd=tmp_path, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        _, status, usage = os.wait4(asking.pid, 0)
        asking.returncode = os.waitstatus_to_exitcode(status)
        assert asking.returncode == 0
        return int(usage.ru_maxrss)

    assert peak(200_000) - peak(10) < 20_000
    with (tmp_path / f"200000.{form}").open() as file:
        assert sum(1 for _ in file) == 200_000 + (form == "csv")


def test_as_many_columns_as_the_server_allows(shop: Server) -> None:
    """InnoDB's 1017 in a table; far more in a result."""
    declared = ", ".join(f"c{i} tinyint DEFAULT {i % 100}" for i in range(1017))
    with connect(shop) as owner, owner.cursor() as cursor:
        cursor.execute(f"CREATE TABLE wide ({declared})")
        cursor.execute("INSERT INTO wide () VALUES ()")
    with session(shop) as opened:
        result = opened.execute(Execution(("SELECT * FROM wide a, wide b, wide c, wide d",)))
        assert cells(result) == [[i % 100 for i in range(1017)] * 4]
    body = run("db-query", "-q", "SELECT * FROM wide a JOIN wide b", env=shop.env()).json()
    assert len(body["rows"][0]) == 2034 and body["columns"][-1]["name"] == "c1016_2"
