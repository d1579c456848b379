"""Time, rows and memory on ClickHouse: what the server stops, and how we stop the rest."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kit import cells, failure, session

from cli.commands import clean_environment, run
from dbtools.drivers.base import Execution
from servers import Server
from servers.clickhouse import requests
from toolbelt.errors import ToolError

SLOW = "SELECT count() AS {} FROM numbers(1000000000000) WHERE sipHash64(number) = 1"


def killed(server: Server, mark: str) -> bool:
    """Whether the statement with the mark was asked to be killed by its id, waited for a little."""
    for _ in range(60):
        sent = requests(server)
        (statement,) = [r for r in sent if mark in str(r["sql"])]
        kills = [r for r in sent if str(statement["query_id"]) in str(r["sql"])]
        if kills:
            assert str(kills[0]["sql"]).startswith("KILL QUERY WHERE query_id = ")
            return True
        time.sleep(0.05)
    return False


def test_the_server_stops_at_the_limit(clickhouse: Server) -> None:
    error = failure(clickhouse, SLOW.format("stopped"), timeout=0.5)
    assert error.code == "TIMEOUT" and error.exit_code == 124
    assert error.message == "The query ran longer than 0.5 s and was stopped."
    assert error.detail["engineCode"] == 159


def test_the_command_says_timeout(clickhouse: Server) -> None:
    done = run(
        "db-query", "-q", SLOW.format("late"), "--timeout", "0.5",
        env=clickhouse.env(clickhouse.owner),
    )  # fmt: skip
    assert (done.code, done.json()["error"]["code"]) == (124, "TIMEOUT")


def test_the_client_deadline_of_a_login_that_may_set_none(clickhouse: Server) -> None:
    """The reader's profile is read-only: no limit of ours reaches the server, so we end it."""
    done = run(
        "db-query", "-q", SLOW.format("unlimited_one"), "--timeout", "0.5", env=clickhouse.env()
    )
    assert (done.code, done.json()["error"]["code"]) == (124, "TIMEOUT")
    sent = [r for r in requests(clickhouse) if "unlimited_one" in str(r["sql"])]
    assert len(sent) == 2
    ours = str(sent[0]["query_id"])
    assert any(ours in str(r["sql"]) for r in requests(clickhouse))


def test_ctrl_c_asks_the_server_to_stop(clickhouse: Server) -> None:
    program = Path(sys.executable).with_name("db-query")
    asking = subprocess.Popen(
        [str(program), "-q", SLOW.format("interrupted_one")],
        env=clean_environment(clickhouse.env(clickhouse.owner)), stdout=subprocess.PIPE,
    )  # fmt: skip
    while not any("interrupted_one" in str(r["sql"]) for r in requests(clickhouse)):
        assert asking.poll() is None
        time.sleep(0.02)
    asking.send_signal(signal.SIGINT)
    out, _ = asking.communicate(timeout=15)
    assert asking.returncode == 130
    assert json.loads(out)["error"]["code"] == "CANCELLED"
    assert killed(clickhouse, "interrupted_one")


def test_cancel_kills_by_id_and_never_raises(clickhouse: Server) -> None:
    with session(clickhouse) as opened:
        opened.execute(Execution(("SELECT 1 AS cancelled_one",)))
        opened.cancel()
        assert killed(clickhouse, "cancelled_one")
        object.__setattr__(opened._connection, "port", 1)  # type: ignore[attr-defined]
        opened.cancel()


def test_the_server_keeps_the_row_cap(clickhouse: Server) -> None:
    def rows(text: str, cap: int | None) -> int:
        with session(clickhouse) as opened:
            return len(cells(opened.execute(Execution((text,), fetch_rows=cap))))

    assert rows("SELECT number FROM numbers(100)", 8) == 8
    assert rows("SELECT number FROM numbers(100) LIMIT 3", 8) == 3
    assert rows("SELECT count() FROM numbers(100)", 8) == 1
    assert rows("SELECT * FROM (SELECT number FROM numbers(50) LIMIT 20)", 8) == 8
    assert rows("SELECT number FROM numbers(100)", None) == 100


def test_the_command_says_what_was_cut(clickhouse: Server) -> None:
    for login in (clickhouse.owner, clickhouse.reader):
        done = run("db-query", "-q", "SELECT number FROM system.numbers", env=clickhouse.env(login))
        body = done.json()
        assert (body["rowCount"], body["truncated"]) == (1000, True)
        assert body["truncation"]["by"] == "ROW_LIMIT"


def test_a_failure_in_mid_result_is_not_a_short_result(clickhouse: Server) -> None:
    text = "SELECT throwIf(number = 500000) FROM numbers(1000000)"
    with session(clickhouse) as opened:
        result = opened.execute(Execution((text,)))
        with pytest.raises(ToolError) as caught:
            cells(result)
    assert caught.value.code in ("CONNECTION_FAILED", "QUERY_FAILED")
    done = run("db-query", "-q", text, "--format", "csv", env=clickhouse.env())
    assert done.code != 0 and json.loads(done.stderr.splitlines()[-1])["ok"] is False


def test_a_result_is_left_at_once(clickhouse: Server) -> None:
    with session(clickhouse) as opened:
        result = opened.execute(Execution(("SELECT number FROM system.numbers",)))
        next(result.rows)
        result.close()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_memory_stays_flat(clickhouse: Server, form: str, tmp_path: Path) -> None:
    statement = "SELECT number, repeat('x', 200) AS text FROM numbers({})"

    def peak(rows: int) -> int:
        program = Path(sys.executable).with_name("db-query")
        arguments = ["-q", statement.format(rows), "--format", form, "-o", f"{rows}.{form}"]
        asking = subprocess.Popen(
            [str(program), *arguments, "--force"],
            env=clean_environment(clickhouse.env(clickhouse.owner)),
            cwd=tmp_path, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        _, status, usage = os.wait4(asking.pid, 0)
        asking.returncode = os.waitstatus_to_exitcode(status)
        assert asking.returncode == 0
        return int(usage.ru_maxrss)

    assert peak(300_000) - peak(10) < 40_000
    with (tmp_path / f"300000.{form}").open() as file:
        assert sum(1 for _ in file) == 300_000 + (form == "csv")
