"""`db-query` and `db-schema` on PostgreSQL, as an agent runs them."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from cli.commands import BIN, clean_environment, run
from engines.postgres_between import Between
from servers import Server
from servers.postgres import connect, create_database

pytestmark = pytest.mark.usefixtures("either_way")

# Runs for minutes, without a function that the guard knows to wait.
SLOW = "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b"


@pytest.fixture(scope="module")
def shop(postgres: Server) -> Server:
    server = create_database(postgres, "cli")
    with connect(server) as owner:
        owner.execute("""
            CREATE TABLE orders (
                id uuid PRIMARY KEY, customer_id uuid NOT NULL, total numeric(10,2) NOT NULL,
                created_at timestamptz NOT NULL
            );
            CREATE INDEX idx_orders_customer ON orders (customer_id);
            INSERT INTO orders SELECT
                ('00000000-0000-4000-8000-' || lpad(g::text, 12, '0'))::uuid,
                '11111111-1111-4111-8111-111111111111', g * 1.10,
                timestamptz '2024-12-30 00:00+00' + g * interval '1 day'
            FROM generate_series(1, 40) g;
            ANALYZE orders;
        """)
    return server


def still_running(server: Server) -> bool:
    """Whether a session of ours is there some seconds after its command ended."""
    end = time.monotonic() + 10
    with connect(server) as owner:
        while time.monotonic() < end:
            row = owner.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'sandbox-toolbelt'"
                " AND state = 'active' AND datname = current_database()"
            ).fetchone()
            if row == (0,):
                return False
            time.sleep(0.1)
    return True


def test_the_seeds_calls(shop: Server) -> None:
    env = shop.env(name="primary_db", number=1)
    text = "SELECT * FROM orders WHERE created_at > '2025-01-01' LIMIT 10"
    answer = run("db-query", "--connection", "primary_db", "--query", text, env=env).json()
    assert answer["ok"] is True
    assert answer["rowCount"] == 10
    assert answer["rows"][0] == {
        "id": "00000000-0000-4000-8000-000000000003",
        "customer_id": "11111111-1111-4111-8111-111111111111",
        "total": "3.30",
        "created_at": "2025-01-02T00:00:00+00:00",
    }
    asked = ("--connection", "primary_db", "--table", "orders", "--detail", "full")
    described = run("db-schema", *asked, env=env).json()
    assert described["tables"] == [
        {
            "name": "orders",
            "columns": [
                {"name": "id", "type": "uuid", "nullable": False, "primaryKey": True},
                {"name": "customer_id", "type": "uuid", "nullable": False},
                {"name": "total", "type": "numeric(10,2)", "nullable": False},
                {"name": "created_at", "type": "timestamptz", "nullable": False},
            ],
            "indexes": [
                {"name": "orders_pkey", "columns": ["id"], "unique": True, "method": "btree"},
                {"name": "idx_orders_customer", "columns": ["customer_id"], "unique": False,
                 "method": "btree"},
            ],
            "approximateRowCount": 40,
        }
    ]  # fmt: skip


def test_parameters_and_positions(shop: Server) -> None:
    text = "SELECT count(*) FROM orders WHERE created_at < :until AND total > :least"
    params = json.dumps({"until": "2025-01-10", "least": 5})
    answer = run("db-query", "-q", text, "--params", params, env=shop.env()).json()
    assert answer["rows"] == [{"count": 6}]
    wrong = text.replace("total", "totl")
    error = run("db-query", "-q", wrong, "--params", params, env=shop.env()).error
    assert (error["code"], error["sqlstate"]) == ("QUERY_FAILED", "42703")
    assert wrong[error["position"] - 1 :].startswith("totl")


def test_csv_is_the_same_by_rows_and_by_copy(shop: Server, tmp_path: Path) -> None:
    text = "SELECT id, total, created_at, total > 5 AS big, NULL AS none, '' AS empty FROM orders"
    env = shop.env()
    copied = run("db-query", "-q", text, "--format", "csv", env=env)
    limited = run("db-query", "-q", text, "--format", "csv", "--limit", "1000", env=env)
    assert copied.stdout == limited.stdout
    assert copied.stdout.splitlines()[1].endswith(',1.10,2024-12-31T00:00:00+00:00,false,,""')
    made = run("db-query", "-q", text, "--workspace", ".", "-o", "all.csv", env=env, cwd=tmp_path)
    assert (tmp_path / "all.csv").read_text(encoding="utf-8") == copied.stdout
    assert made.json()["rows"] == 40


def test_a_failing_export_prints_no_header(shop: Server) -> None:
    answer = run("db-query", "-q", "SELECT 1/0 AS a, 2 AS b", "--format", "csv", env=shop.env())
    assert (answer.code, answer.stdout) == (4, answer.stdout)
    assert "a,b" not in answer.stdout


def test_the_time_limit_ends_it_on_the_server(shop: Server) -> None:
    answer = run("db-query", "-q", SLOW, "--timeout", "0.5", env=shop.env())
    assert (answer.code, answer.error["code"]) == (124, "TIMEOUT")
    assert not still_running(shop)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_on_the_server(shop: Server, number: signal.Signals) -> None:
    running = subprocess.Popen(
        [str(BIN / "db-query"), "-q", SLOW], env=clean_environment(shop.env()),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with connect(shop) as owner:
        seen = "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%%generate_series%%' AND %s <> pid"
        while owner.execute(seen, [owner.info.backend_pid]).fetchone() is None:
            assert running.poll() is None
            time.sleep(0.05)
    running.send_signal(number)
    out, _ = running.communicate(timeout=30)
    assert running.returncode == 130
    assert json.loads(out)["error"]["code"] == "CANCELLED"
    assert not still_running(shop)


def test_a_line_that_goes_dead_does_not_hold_us(shop: Server) -> None:
    proxy = Between(shop, stall=b"count(total)")
    answer = run(
        "db-query", "-q", "SELECT count(total) FROM orders", "--timeout", "1",
        env=proxy.server.env(), deadline=30,
    )  # fmt: skip
    proxy.close()
    assert (answer.code, answer.error["code"]) == (124, "TIMEOUT")


def test_a_reader_that_goes_away(shop: Server) -> None:
    text = "SELECT g, repeat('x', 1000) AS x FROM generate_series(1, 1000000) g"
    for shape in ("csv", "jsonl"):
        running = subprocess.Popen(
            [str(BIN / "db-query"), "-q", text, "--format", shape],
            env=clean_environment(shop.env()), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert running.stdout is not None
        running.stdout.read(1000)
        running.stdout.close()
        assert running.wait(30) == 141
        assert running.stderr is not None
        assert running.stderr.read() == b""
        running.stderr.close()
        assert not still_running(shop)


@pytest.mark.parametrize(
    ("changes", "exit_code", "code"),
    [
        ({"DB_PASS": "wrong"}, 3, "AUTH_FAILED"),
        ({"DB_NAME": "nosuch"}, 3, "CONNECTION_FAILED"),
        ({"DB_HOST": "nosuch.invalid"}, 3, "CONNECTION_FAILED"),
        ({"DB_PORT": "1"}, 3, "CONNECTION_FAILED"),
        ({"DB_SSLMODE": "require"}, 3, "CONNECTION_FAILED"),
        ({"DB_SSLMODE": "perhaps"}, 2, "BAD_CONFIG"),
    ],
)
def test_connections_that_fail(
    shop: Server, changes: dict[str, str], exit_code: int, code: str
) -> None:
    answer = run("db-query", "-q", "SELECT 1", env={**shop.env(), **changes})
    assert (answer.code, answer.error["code"]) == (exit_code, code)
    assert shop.reader.password not in answer.stdout + answer.stderr
    assert answer.stderr.count("\n") == 1
