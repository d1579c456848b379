"""The test engines themselves: they start, their logins differ, they leave nothing behind."""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pymysql
import pytest
from pymongo.errors import OperationFailure

import servers
import servers.bigquery
import servers.clickhouse
import servers.mariadb
import servers.mongodb
from servers import EngineError, PostgreSQL, Server
from servers.base import ProcessEngine
from servers.postgres import connect


def test_postgres_owner_writes_and_reader_only_reads(each_postgres: Server) -> None:
    with connect(each_postgres) as owner:
        owner.execute("CREATE TABLE IF NOT EXISTS probe_rights (a int)")
    with connect(each_postgres, each_postgres.reader) as reader:
        assert reader.execute("SELECT count(*) FROM probe_rights").fetchone() is not None
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute("INSERT INTO probe_rights VALUES (1)")


def test_mariadb_owner_writes_and_reader_only_reads(mariadb: Server) -> None:
    with servers.mariadb.connect(mariadb) as owner, owner.cursor() as cursor:
        cursor.execute("CREATE TABLE probe_rights (a int)")
    with (
        servers.mariadb.connect(mariadb, mariadb.reader) as reader,
        reader.cursor() as cursor,
    ):
        cursor.execute("SELECT count(*) FROM probe_rights")
        assert cursor.fetchall() == ((0,),)
        with pytest.raises(pymysql.err.OperationalError) as refused:
            cursor.execute("INSERT INTO probe_rights VALUES (1)")
    assert refused.value.args[0] == 1142


def test_mongodb_owner_writes_and_reader_only_reads(mongodb: Server) -> None:
    with servers.mongodb.connect(mongodb) as owner:
        owner[mongodb.database].probe.insert_one({"a": 1})
    with servers.mongodb.connect(mongodb, mongodb.reader) as reader:
        assert reader[mongodb.database].probe.count_documents({}) == 1
        with pytest.raises(OperationFailure) as refused:
            reader[mongodb.database].probe.insert_one({"a": 2})
    assert refused.value.code == 13


def test_clickhouse_owner_writes_and_reader_only_reads(clickhouse: Server) -> None:
    execute = servers.clickhouse.execute
    execute(clickhouse, "CREATE TABLE probe (a Int8) ENGINE = Memory")
    assert execute(clickhouse, "SELECT count() FROM probe", clickhouse.reader) == "0\n"
    with pytest.raises(RuntimeError, match="Code: 164"):
        execute(clickhouse, "INSERT INTO probe VALUES (1)", clickhouse.reader)
    with pytest.raises(RuntimeError, match="Code: 516"):
        execute(clickhouse, "SELECT 1", servers.Login("reader", "wrong"))


def test_clickhouse_really_kills_a_query_by_its_id(clickhouse: Server) -> None:
    endless = "SELECT count() FROM numbers(100000000000) WHERE sipHash64(number) % 7 = 3"
    with ThreadPoolExecutor() as pool:
        running = pool.submit(servers.clickhouse.execute, clickhouse, endless, query_id="slow-1")
        deadline = time.monotonic() + 60
        while "waiting" not in servers.clickhouse.execute(
            clickhouse, "KILL QUERY WHERE query_id = 'slow-1' ASYNC"
        ):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        with pytest.raises((RuntimeError, http.client.IncompleteRead)):
            running.result(timeout=60)
    assert any(r["query_id"] == "slow-1" for r in servers.clickhouse.requests(clickhouse))


def test_bigquery_answers_a_query_of_its_dataset(bigquery: Server) -> None:
    client = servers.bigquery.connect(bigquery)
    rows = client.query_and_wait(f"SELECT 1 + 1 AS two FROM (SELECT '{bigquery.database}')")
    assert [tuple(row.values()) for row in rows] == [(2,)]
    assert [d.dataset_id for d in client.list_datasets()].count("toolbelt") == 1


def test_a_url_of_the_server_connects(postgres: Server) -> None:
    with psycopg.connect(postgres.url(postgres.owner)) as owner:
        assert owner.info.dbname == "toolbelt"


def test_killed_tests_leave_no_server_behind(tmp_path: Path) -> None:
    program = textwrap.dedent("""
        import sys, time
        from servers import PostgreSQL
        engine = PostgreSQL()
        engine.start()
        print(engine.server_process.pid, engine.folder, flush=True)
        time.sleep(60)
    """)
    tests = Path(__file__).parent
    child = subprocess.Popen(
        [sys.executable, "-c", program], cwd=tests, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    pid, folder = child.stdout.readline().split()
    child.kill()
    child.wait()
    child.stdout.close()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and (Path("/proc", pid).exists() or Path(folder).exists()):
        time.sleep(0.05)
    assert not Path("/proc", pid).exists()
    assert not Path(folder).exists()


def test_a_missing_engine_says_how_to_install_it() -> None:
    with pytest.raises(EngineError, match=r"is not installed\.\nTo install it: pip install"):
        PostgreSQL(Path("/nowhere/bin")).start()


class _Broken(ProcessEngine):
    engine = "none"
    title = "A server that dies"
    install_hint = "do without it"

    def prepare(self) -> None:
        pass

    def command(self, port: int) -> list[str]:
        return ["sh", "-c", "echo the disk is on fire; exit 3"]

    def probe(self, port: int) -> Server | None:
        return None

    def load_flights(self, server: Server) -> Server:
        return server


def test_a_server_that_dies_shows_its_last_lines_and_is_cleaned_up() -> None:
    engine = _Broken()
    with pytest.raises(EngineError, match=r"(?s)ended with code 3.*the disk is on fire"):
        engine.start()
    assert engine.folder == Path()


def test_a_skipped_test_fails_the_run(tmp_path: Path) -> None:
    (tmp_path / "test_lazy.py").write_text(
        "import pytest\ndef test_lazy():\n    pytest.skip('no engine')\n"
    )
    tests = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "conftest", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(tests)}, cwd=tmp_path, check=False, timeout=120,
        capture_output=True, text=True,
    )  # fmt: skip
    assert "1 skipped" in done.stdout
    assert done.returncode == 1
