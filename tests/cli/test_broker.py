"""The credential broker: the same answers as without it, and nobody hangs when it fails."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from brokers import RunningBroker
from cli.commands import BIN, clean_environment, run
from dbtools.broker import wire
from servers import Server
from servers.postgres import connect, create_database

SLOW = "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b"
# What another user runs: the console script may lie where only we can reach it.
SCRIPT = "from dbtools.start import query; query()"


@pytest.fixture(scope="module")
def shop(postgres: Server) -> Server:
    server = create_database(postgres, "broker")
    with connect(server) as owner:
        owner.execute("""
            CREATE TABLE orders (id int PRIMARY KEY, total numeric(10,2), note text);
            INSERT INTO orders SELECT g, g * 1.10, 'ж ' || g FROM generate_series(1, 1200) g;
            ANALYZE orders;
        """)
    return server


@pytest.fixture(scope="module")
def settings(shop: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Two connections: `main` on PostgreSQL and `files` on SQLite."""
    path = tmp_path_factory.mktemp("files") / "shop.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE t (a)")
    db.close()
    files = {"DB_2_NAME": "files", "DB_2_TYPE": "sqlite", "DB_2_DB": str(path)}
    return shop.env(name="main", number=1) | files


@pytest.fixture(scope="module")
def broker(settings: dict[str, str]) -> Iterator[RunningBroker]:
    with RunningBroker({"PATH": os.environ["PATH"], **settings}) as running:
        yield running


def through(broker: RunningBroker) -> dict[str, str]:
    return {"TOOLBELT_BROKER": str(broker.socket)}


def start(broker: RunningBroker, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(BIN / "db-query"), *arguments], env=clean_environment(through(broker)),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def wait_for(server: Server, *, running: int) -> None:
    """Until so many slow statements run on the server."""
    end = time.monotonic() + 30
    seen = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE %s AND state = 'active' AND datname = current_database() AND pid <> pg_backend_pid()"
    with connect(server) as owner:
        while owner.execute(seen, ["%generate_series(1, 100000)%"]).fetchone() != (running,):
            assert time.monotonic() < end
            time.sleep(0.05)


# The same answers

CALLS: dict[str, tuple[list[str], str | None]] = {
    "rows": (["-c", "main", "-q", "SELECT * FROM orders ORDER BY id LIMIT 3"], None),
    "a cut result": (["-c", "main", "-q", "SELECT * FROM orders ORDER BY id"], None),
    "pretty arrays": (["-c", "main", "-q", "SELECT 1 AS a, 2 AS a", "--rows", "arrays", "--pretty"], None),
    "stdin": (["-c", "main", "-q", "-"], "SELECT 'ü' AS a"),
    "a file": (["-c", "main", "-f", "in/it.sql"], None),
    "no file": (["-c", "main", "-f", "in/its.sql"], None),
    "a file outside": (["-c", "main", "-f", "/etc/passwd"], None),
    "csv": (["-c", "main", "-q", "SELECT * FROM orders ORDER BY id", "--format", "csv"], None),
    "jsonl": (["-c", "main", "-q", "SELECT * FROM orders ORDER BY id", "--format", "jsonl", "--limit", "7"], None),
    "table": (["-c", "main", "-q", "SELECT * FROM orders ORDER BY id LIMIT 4", "--format", "table"], None),
    "output": (["-c", "main", "-q", "SELECT * FROM orders ORDER BY id", "-o", "out.csv"], None),
    "output again": (["-c", "main", "-q", "SELECT 1 AS a", "-o", "old.csv"], None),
    "output forced": (["-c", "main", "-q", "SELECT 1 AS a", "-o", "old.csv", "--force"], None),
    "output outside": (["-c", "main", "-q", "SELECT 1 AS a", "-o", "../out.json"], None),
    "output of a failure": (["-c", "main", "-q", "SELECT 1/0", "-o", "bad.csv"], None),
    "workspace": (["-c", "main", "--workspace", "in", "-f", "it.sql"], None),
    "no workspace": (["-c", "main", "--workspace", "nosuch", "-q", "SELECT 1", "-o", "a.csv"], None),
    "parameters": (["-c", "main", "-q", "SELECT :a AS a", "-p", "a=ж\\udcff"], None),
    "refused": (["-c", "main", "-q", "DELETE FROM orders"], None),
    "refused as csv": (["-c", "main", "-q", "DELETE FROM orders", "--format", "csv"], None),
    "failed": (["-c", "main", "-q", "SELECT totl FROM orders"], None),
    "failed as csv": (["-c", "main", "-q", "SELECT 1/0", "--format", "csv"], None),
    "timed out": (["-c", "main", "-q", SLOW, "--timeout", "0.3"], None),
    "checked": (["-c", "main", "--check", "-q", "SELECT * FROM orders"], None),
    "checked live": (["-c", "main", "--check=live", "-q", "SELECT id FROM orders"], None),
    "explained": (["-c", "main", "--explain", "-q", "SELECT 1"], None),
    "connections": (["--list-connections"], None),
    "which connection": (["-q", "SELECT 1"], None),
    "no such connection": (["-c", "mian", "-q", "SELECT 1"], None),
    "usage": (["-c", "main", "--limit", "x", "-q", "SELECT 1"], None),
    "no statement": (["-c", "main"], None),
    "version": (["--version"], None),
    "sqlite": (["-c", "files", "-q", "SELECT count(*) AS n FROM t"], None),
    "sqlite from stdin": (["-c", "files", "-q", "-"], "SELECT 7 AS n"),
    "sqlite to a file": (["-c", "files", "-q", "SELECT 7 AS n", "-o", "seven.csv"], None),
}  # fmt: skip


def both(
    command: str, arguments: list[str], stdin: str | None, tmp_path: Path,
    settings: Mapping[str, str], broker: RunningBroker,
) -> list[tuple[int, str, str, dict[str, bytes]]]:  # fmt: skip
    """Exit code, streams and files of a call in a folder of its own, without a broker and with."""
    answers = []
    for env in (settings, through(broker)):
        folder = tmp_path / "workspace"
        (folder / "in").mkdir(parents=True)
        (folder / "in/it.sql").write_text("SELECT 42 AS answer", "utf-8")
        (folder / "old.csv").write_text("old", "utf-8")
        done = run(command, *arguments, env=env, stdin=stdin, cwd=folder)
        files = {p.name: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        answers.append((done.code, masked(done.stdout), masked(done.stderr), files))
        folder.rename(tmp_path / f"workspace-{len(answers)}")
    return answers


def masked(text: str) -> str:
    text = re.sub(r'("executionTimeMs":\s*)\d+', r"\1T", text)
    text = re.sub(r"toolbelt_[0-9a-f-]{36}", "JOB", text)
    return re.sub(r"((?:actual )?time)=[0-9.]+", r"\1=T", text)


@pytest.mark.parametrize("name", CALLS)
def test_db_query_answers_byte_for_byte_as_without_a_broker(
    name: str, tmp_path: Path, settings: dict[str, str], broker: RunningBroker
) -> None:
    arguments, stdin = CALLS[name]
    direct, brokered = both("db-query", arguments, stdin, tmp_path, settings, broker)
    assert brokered == direct


@pytest.mark.parametrize(
    "arguments",
    [
        ["-c", "main"], ["-c", "main", "--table", "orders", "--format", "ddl"],
        ["-c", "main", "--search", "where are the totals"], ["-c", "main", "--samples", "2"],
        ["-c", "main", "--domain", "in/domain.toml"], ["-c", "main", "--domain", "in/nosuch.toml"],
        ["-c", "files"], ["-c", "nosuch"], ["--list-connections"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_db_schema_answers_byte_for_byte_as_without_a_broker(
    arguments: list[str], tmp_path: Path, settings: dict[str, str], broker: RunningBroker
) -> None:
    direct, brokered = both("db-schema", arguments, None, tmp_path, settings, broker)
    assert brokered == direct


def test_every_engine_answers_byte_for_byte_as_without_a_broker(
    mariadb: Server, mongodb: Server, clickhouse: Server, bigquery: Server
) -> None:
    engines = {"maria": mariadb, "mongo": mongodb, "click": clickhouse, "big": bigquery}
    env: dict[str, str] = {"PATH": os.environ["PATH"]}
    for number, (name, server) in enumerate(engines.items(), start=1):
        env |= server.env(name=name, number=number)
    with RunningBroker(env) as broker:
        for name in engines:
            text = '{"ping": 1}' if name == "mongo" else "SELECT 1 AS n"
            calls = [("db-query", "-q", text), *([("db-schema",)] if name != "big" else [])]
            for command, *arguments in calls:
                direct, brokered = (
                    run(command, "-c", name, *arguments, env=way) for way in (env, through(broker))
                )
                assert direct.code == 0
                assert (brokered.code, masked(brokered.stdout), brokered.stderr) == (
                    direct.code, masked(direct.stdout), direct.stderr,
                )  # fmt: skip


# Whose connection is meant


def test_a_client_with_a_connection_of_its_own_uses_that(
    broker: RunningBroker, settings: dict[str, str], tmp_path: Path
) -> None:
    own = tmp_path / "own.db"
    own.touch()
    mine = {"DB_TYPE": "sqlite", "DB_NAME": str(own)}
    env = through(broker) | mine
    assert run("db-query", "-q", "SELECT 5 AS a", env=env).json()["connection"] == "default"
    # A name of the broker's is the broker's all the same.
    answer = run("db-query", "-c", "main", "-q", "SELECT 5 AS a", env=env).json()
    assert answer["connection"] == "main"
    # What `docker exec` shows of the container's own settings is no connection of the client's.
    same = {k: v for k, v in settings.items() if k.rpartition("_")[2] != "PASS"}
    answer = run("db-query", "-c", "main", "-q", "SELECT 5 AS a", env=through(broker) | same).json()
    assert answer["connection"] == "main"
    url = {"DATABASE_URL": f"sqlite:///{own}"}
    answer = run("db-query", "-q", "SELECT 5 AS a", env=through(broker) | url).json()
    assert answer["connection"] == "default"


def test_limits_and_hosts_are_the_operators(broker: RunningBroker, shop: Server) -> None:
    text = "SELECT count(*) AS n FROM generate_series(1, 3)"
    given = {"DB_1_MAX_ROWS": "1", "DB_MAX_BYTES": "1", "PGHOST": "203.0.113.9", "PGSSLMODE": "x"}
    answer = run("db-query", "-c", "main", "-q", text, env=through(broker) | given).json()
    assert answer["rows"] == [{"n": 3}] and answer["truncated"] is False


def test_off_and_help_need_no_broker(tmp_path: Path) -> None:
    nowhere = {"TOOLBELT_BROKER": str(tmp_path / "none.sock")}
    assert run("db-query", "--help", env=nowhere).code == 0
    assert run("db-schema", "--version", env=nowhere).code == 0
    off = {"TOOLBELT_BROKER": "off", "DB_TYPE": "sqlite", "DB_NAME": str(tmp_path / "x.db")}
    (tmp_path / "x.db").touch()
    assert run("db-query", "-q", "SELECT 1", env=off).code == 0


# Who is served


def test_each_call_is_a_process_and_a_session_of_its_own(broker: RunningBroker) -> None:
    env = through(broker)
    text = "SELECT pg_backend_pid() AS pid"
    pids = [
        run("db-query", "-c", "main", "-q", text, env=env).json()["rows"][0]["pid"] for _ in "ab"
    ]
    assert pids[0] != pids[1]


def test_another_user_is_refused_whatever_it_says(settings: dict[str, str]) -> None:
    ours = os.getuid()
    with RunningBroker({"PATH": os.environ["PATH"], **settings}, uid=ours + 1) as broker:
        lies = {"UID": str(ours + 1), "SUDO_UID": str(ours + 1), "DB_USER": str(ours + 1)}
        answer = run("db-query", "-c", "main", "-q", "SELECT 1", env=through(broker) | lies)
        assert (answer.code, answer.error["code"]) == (3, "AUTH_FAILED")
        assert f"uid {ours}" in answer.error["message"]
        # A request that says whose it is says nothing.
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(broker.socket))
            body = wire.fields("db-query", "1", f"uid={ours + 1}", "-q", "SELECT 1")
            client.sendall(wire.MAGIC + len(body).to_bytes(4, "big") + body)
            assert wire.split(client.recv(4096))[:2] == ["refused", "AUTH_FAILED"]


def test_what_is_no_request_gets_a_clear_end_and_harms_nobody(broker: RunningBroker) -> None:
    good = wire.pack("db-query", {}, ["-c", "main", "-q", "SELECT 1"])
    shell = wire.pack("sh", {}, ["-c", "id"])
    short = wire.MAGIC + b"\0\0\0\x04" + b"a\x005\0"
    for request in (
        good,
        shell,
        short,
        b"GET / HTTP/1.1\r\n\r\n",
        b"\0" * 5000,
        wire.MAGIC + b"\xff" * 4,
    ):
        # The good one comes without the streams that belong to it.
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(20)
            client.connect(str(broker.socket))
            client.sendall(request)
            said = client.recv(4096)
            assert wire.split(said)[:3] == ["refused", "CONNECTION_FAILED", "broker_protocol"]
    assert run("db-query", "-c", "main", "-q", "SELECT 1", env=through(broker)).code == 0


def test_only_the_operators_variables_reach_the_call(broker: RunningBroker) -> None:
    told = wire.pack("db-query", {"DB_PASS": "x", "DB_1_HOST": "h", "PATH": "/x", "TZ": "UTC"}, [])
    _, env, _ = wire.unpack(told[wire.HEADER :])
    assert env == {"DB_1_HOST": "h", "TZ": "UTC"}
    forged = wire.fields("db-query", "2", "LD_PRELOAD=/x.so", "DB_1_PASS=y", "-q", "1")
    assert wire.unpack(forged)[1] == {}


# Failing


def test_a_broker_killed_in_mid_query_is_said_at_once(
    shop: Server, settings: dict[str, str]
) -> None:
    with RunningBroker({"PATH": os.environ["PATH"], **settings}) as broker:
        calls = [start(broker, "-c", "main", "-q", SLOW), start(broker, "-c", "main", "-q", SLOW, "--format", "csv")]  # fmt: skip
        wait_for(shop, running=2)
        broker.kill()
        (out, err), (rows, line) = [call.communicate(timeout=20) for call in calls]
        assert [call.returncode for call in calls] == [3, 3]
        assert json.loads(out)["error"]["code"] == "CONNECTION_FAILED"
        assert err.count("\n") == 1
        # Where rows were expected, stdout stays theirs.
        assert rows == "" and json.loads(line)["error"]["code"] == "CONNECTION_FAILED"
        # The statements end with the broker, and what it left behind is no obstacle.
        wait_for(shop, running=0)
        assert broker.socket.exists()
        answer = run("db-query", "-c", "main", "-q", "SELECT 1", env=through(broker))
        assert (answer.code, answer.error["code"]) == (3, "CONNECTION_FAILED")
        broker.start()
        assert run("db-query", "-c", "main", "-q", "SELECT 1", env=through(broker)).code == 0


def test_a_call_whose_process_is_killed(shop: Server, broker: RunningBroker) -> None:
    call = start(broker, "-c", "main", "-q", SLOW)
    wait_for(shop, running=1)
    children = Path(f"/proc/{broker.process.pid}/task/{broker.process.pid}/children")
    for pid in children.read_text("ascii").split():
        os.kill(int(pid), signal.SIGKILL)
    out, _ = call.communicate(timeout=20)
    assert (call.returncode, json.loads(out)["error"]["reason"]) == (3, "broker_process")
    with connect(shop) as owner:
        # Nobody was left to cancel it on the server, which would go on until its own time limit.
        owner.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'active'"
                      " AND datname = current_database() AND pid <> pg_backend_pid()")  # fmt: skip
    wait_for(shop, running=0)


def test_a_second_broker_does_not_take_the_socket(broker: RunningBroker) -> None:
    argv = [sys.executable, "-m", "dbtools.broker", "--socket", str(broker.socket), "--uid", "1"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2 and "Another broker" in done.stderr
    assert run("db-query", "-c", "main", "-q", "SELECT 1", env=through(broker)).code == 0


class Queued:
    """A call as the client sends it, taken in by the broker when this returns."""

    def __init__(self, broker: RunningBroker, *arguments: str) -> None:
        self.control = socket.socket(socket.AF_UNIX)
        self.control.settimeout(30)
        self.control.connect(str(broker.socket))
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.channel.settimeout(30)
        self.output, stdout = os.pipe()
        null = os.open(os.devnull, os.O_RDWR)
        given = [null, stdout, null, theirs.fileno()]
        socket.send_fds(self.control, [wire.pack("db-query", {}, arguments)], given)
        for fd in (null, stdout):
            os.close(fd)
        theirs.close()
        assert self.control.recv(1) == wire.ACCEPTED

    def close(self) -> None:
        self.control.close()
        self.channel.close()
        os.close(self.output)


def test_a_flood_is_refused_and_what_waits_can_be_interrupted(
    shop: Server, settings: dict[str, str]
) -> None:
    base = {"PATH": os.environ["PATH"], **settings}
    with RunningBroker(base, "--running", "1", "--waiting", "1") as broker:
        runs = start(broker, "-c", "main", "-q", SLOW)
        wait_for(shop, running=1)
        waits = Queued(broker, "-c", "main", "-q", "SELECT 1 AS a")
        busy = run("db-query", "-c", "main", "-q", "SELECT 1", env=through(broker))
        assert (busy.code, busy.error["reason"]) == (3, "broker_busy")
        waits.control.send(wire.TERMINATE)
        assert wire.split(waits.control.recv(4096))[:2] == ["refused", "CANCELLED"]
        waits.close()
        # A client that dies takes its statement with it, and the next one's turn comes.
        waits = Queued(broker, "-c", "main", "-q", "SELECT 1 AS a")
        runs.kill()
        runs.communicate(timeout=20)
        assert wire.split(waits.channel.recv(4096)) == ["exit", "0"]
        assert json.loads(os.read(waits.output, 4096))["rows"] == [{"a": 1}]
        waits.close()
        wait_for(shop, running=0)


def test_fifty_calls_at_once(broker: RunningBroker) -> None:
    calls = [start(broker, "-c", "main", "-q", f"SELECT {n} AS n") for n in range(50)]
    answers = [call.communicate(timeout=120) for call in calls]
    assert [(c.returncode, json.loads(out)["rows"]) for c, (out, _) in zip(calls, answers, strict=True)] == [
        (0, [{"n": n}]) for n in range(50)
    ]  # fmt: skip


def test_closed_streams_are_not_mistaken_for_others(broker: RunningBroker) -> None:
    line = f'"{BIN / "db-query"}" -c main -q "SELECT 1 AS a" <&- 2>&-'
    env = clean_environment(through(broker))
    done = subprocess.run(["sh", "-c", line], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and json.loads(done.stdout)["rows"] == [{"a": 1}]


def test_the_client_imports_next_to_nothing(broker: RunningBroker) -> None:
    argv = [sys.executable, "-X", "importtime", "-c", SCRIPT, "-c", "main", "-q", "SELECT 1"]
    bare = [sys.executable, "-X", "importtime", "-c", "pass"]
    env = clean_environment(through(broker))
    loaded = []
    for command in (argv, bare):
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        lines = done.stderr.splitlines()
        loaded.append({x.rpartition("|")[2].strip() for x in lines if x.startswith("import time:")})
    ours = {
        "dbtools",
        "dbtools.start",
        "dbtools.broker",
        "dbtools.broker.client",
        "dbtools.broker.wire",
    }
    assert loaded[0] - loaded[1] <= ours | {"__future__", "_socket", "_signal", "select", "errno"}
