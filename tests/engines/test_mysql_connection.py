"""Connections to MariaDB that fail, each with its reason, and TLS; through the built command."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kit import cells, query, refusal, session

from cli.commands import Answer, run
from dbtools.drivers.base import Execution
from servers import Login, Server, certificates
from servers.certificates import Certificates
from servers.mariadb import MariaDB, connect
from toolbelt.errors import ToolError


def error(done: Answer) -> dict[str, Any]:
    return dict(done.json()["error"])


BIG = "SELECT seq, REPEAT('x', 1000) FROM seq_1_to_1000000"


def test_reader_and_owner_by_variables_url_and_socket(mariadb: Server) -> None:
    for env in (
        mariadb.env(mariadb.owner),
        mariadb.env(mariadb.reader),
        mariadb.env(name="shop", number=3),
        {"DATABASE_URL": mariadb.url()},
        {"DATABASE_URL": mariadb.url().replace("mysql://", "mariadb://", 1)},
        {**mariadb.env(), "DB_HOST": mariadb.socket},
        {**mariadb.env(), "DB_HOST": f"{mariadb.socket}/mysqld.sock", "DB_TYPE": "mariadb"},
    ):
        done = run("db-query", "-q", "SELECT CURRENT_USER() AS me", env=env)
        assert done.code == 0, done.stdout
        assert done.json()["rows"][0]["me"].endswith(("@127.0.0.1", "@localhost"))


def test_wrong_password(mariadb: Server) -> None:
    secret = "no:such/password"
    done = run("db-query", "-q", "SELECT 1", env={**mariadb.env(), "DB_PASS": secret})
    assert done.code == 3 and error(done)["code"] == "AUTH_FAILED"
    assert "refused user 'reader'" in error(done)["message"]
    assert error(done)["hint"] == "check DB_USER and DB_PASS"
    assert secret not in done.stdout + done.stderr and "\n" not in error(done)["message"]


def test_wrong_user_and_no_user(mariadb: Server) -> None:
    assert refusal(mariadb, Login("nobody_here", "x")).code == "AUTH_FAILED"
    assert refusal(mariadb, Login("", "")).code == "AUTH_FAILED"


def test_wrong_database(mariadb: Server) -> None:
    error = refusal(mariadb.with_database("no_such_db"))
    assert error.code == "CONNECTION_FAILED"
    assert "Unknown database 'no_such_db'" in error.message and "DB_NAME" in error.hint
    assert error.detail["engineCode"] == 1049


def test_a_database_the_login_may_not_use(mariadb: Server) -> None:
    with connect(mariadb) as owner, owner.cursor() as cursor:
        cursor.execute("CREATE USER IF NOT EXISTS 'narrow'@'127.0.0.1' IDENTIFIED BY 'n'")
    error = refusal(mariadb, Login("narrow", "n"))
    assert error.code == "AUTH_FAILED" and error.detail["engineCode"] == 1044


def test_without_a_database_names_are_qualified(mariadb: Server) -> None:
    env = {k: v for k, v in mariadb.env().items() if k != "DB_NAME"}
    done = run("db-query", "-q", "SELECT 1 AS a FROM information_schema.tables LIMIT 1", env=env)
    assert done.json()["rows"] == [{"a": 1}]
    done = run("db-query", "-q", "SELECT * FROM t", env=env)
    assert error(done)["engineCode"] == 1046 and "database.table" in error(done)["hint"]


@pytest.mark.parametrize("host", ["no such host", "a..b", ""])
def test_a_host_that_is_none(mariadb: Server, host: str) -> None:
    env = {**mariadb.env(), "DB_HOST": host}
    done = run("db-query", "-q", "SELECT 1", env=env)
    assert done.code == (3 if host else 2)
    assert "DB_HOST" in error(done)["hint"]


def test_a_closed_port(mariadb: Server) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        env = {**mariadb.env(), "DB_PORT": str(taken.getsockname()[1])}
        done = run("db-query", "-q", "SELECT 1", env=env)
    assert done.code == 3 and error(done)["code"] == "CONNECTION_FAILED"
    assert error(done)["message"].endswith("Connection refused.")


def test_a_missing_socket(mariadb: Server, tmp_path: Path) -> None:
    error = refusal(mariadb, host=str(tmp_path))
    assert error.code == "CONNECTION_FAILED" and str(tmp_path) in error.message


def test_a_host_that_never_answers(mariadb: Server) -> None:
    """The server accepts and says nothing: the connect timeout ends it."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        env = {
            **mariadb.env(),
            "DB_PORT": str(silent.getsockname()[1]),
            "DB_CONNECT_TIMEOUT": "300",
        }
        done = run("db-query", "-q", "SELECT 1", env=env)
    assert done.code == 3 and error(done)["code"] == "CONNECTION_FAILED"


def test_another_protocol_on_the_port(mariadb: Server) -> None:
    def serve(listening: socket.socket) -> None:
        client, _ = listening.accept()
        with client:
            client.sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n" * 3)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        answering = threading.Thread(target=serve, args=(listening,), daemon=True)
        answering.start()
        error = refusal(mariadb, port=str(listening.getsockname()[1]), connect_timeout="2000")
        answering.join(5)
    assert error.code == "CONNECTION_FAILED" and "protocol" in error.message


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"sslmode": "sometimes"}, "DB_SSLMODE is 'sometimes'"),
        ({"sslmode": "verify-ca", "ssl_ca": "/nowhere/ca.pem"}, "DB_SSL_CA names"),
        ({"sslmode": "require", "ssl_ca": __file__}, "DB_SSL_CA holds no usable"),
    ],
)
def test_tls_that_is_configured_wrongly(
    mariadb: Server, options: dict[str, str], what: str
) -> None:
    error = refusal(mariadb, **options)
    assert error.code == "BAD_CONFIG" and what in error.message


class SecureMariaDB(MariaDB):
    """A server that takes only encrypted connections over TCP."""

    certificates: Certificates

    def prepare(self) -> None:
        self.certificates = certificates.make(self.folder, "localhost")
        identity = self.identity()
        if identity.uid is not None:
            os.chown(self.certificates.key, identity.uid, -1)
        super().prepare()

    def command(self, port: int) -> list[str]:
        made = self.certificates
        return [
            *super().command(port), f"--ssl-cert={made.cert}", f"--ssl-key={made.key}",
            f"--ssl-ca={made.ca}", "--require-secure-transport=ON",
        ]  # fmt: skip


@pytest.fixture(scope="module")
def secure() -> Iterator[tuple[SecureMariaDB, Server]]:
    engine = SecureMariaDB()
    server = engine.start()
    yield engine, server
    engine.stop()


def test_tls_modes(secure: tuple[SecureMariaDB, Server]) -> None:
    engine, server = secure
    made = engine.certificates
    status = "SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = "
    for options in (
        {},
        {"sslmode": "prefer"},
        {"sslmode": "REQUIRED"},
        {"ssl": "true"},
        {"sslmode": "verify-ca", "ssl_ca": str(made.ca)},
        {"sslmode": "verify-full", "ssl_ca": str(made.ca), "host": "localhost"},
        {"sslmode": "VERIFY_IDENTITY", "ssl_ca": str(made.ca), "host": "localhost"},
    ):
        [[version]] = query(server, status + "'Ssl_version'", **options)
        assert str(version).startswith("TLS"), options


@pytest.mark.parametrize(
    ("options", "reason", "hint"),
    [
        ({"sslmode": "verify-ca"}, "is not trusted", "DB_SSL_CA"),
        ({"sslmode": "verify-ca", "ssl_ca": "other"}, "is not trusted", "DB_SSL_CA"),
        ({"sslmode": "verify-full", "ssl_ca": "ca"}, "is of another host", "DB_HOST"),
    ],
)
def test_tls_refusals(
    secure: tuple[SecureMariaDB, Server], options: dict[str, str], reason: str, hint: str
) -> None:
    engine, server = secure
    files = {"ca": engine.certificates.ca, "other": engine.certificates.other_ca}
    filled = {k: str(files[v]) if v in files else v for k, v in options.items()}
    error = refusal(server, **filled)
    assert error.code == "CONNECTION_FAILED"
    assert reason in error.message and hint in error.hint


def test_tls_that_the_server_wants_and_we_may_not_use(
    secure: tuple[SecureMariaDB, Server],
) -> None:
    _, server = secure
    error = refusal(server, sslmode="disable")
    assert error.code == "AUTH_FAILED"
    assert "may want TLS: export DB_SSLMODE=require" in error.hint


def test_cancelling_works_over_tls(secure: tuple[SecureMariaDB, Server]) -> None:
    _, server = secure
    with session(server) as opened:
        result = opened.execute(Execution((BIG,)))
        next(result.rows)
        opened.cancel()
        with pytest.raises(ToolError) as caught:
            for _ in result.rows:
                pass
    assert caught.value.detail["engineCode"] == 1317


def test_a_session_that_is_killed_in_mid_result(mariadb: Server) -> None:
    with session(mariadb) as opened:
        result = opened.execute(Execution((BIG,)))
        next(result.rows)
        with connect(mariadb) as owner, owner.cursor() as cursor:
            cursor.execute(
                "SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT seq, REP%'"
            )
            cursor.execute(f"KILL {cursor.fetchone()[0]}")
        with pytest.raises(ToolError) as caught:
            for _ in result.rows:
                pass
    assert caught.value.code == "CONNECTION_FAILED"
    assert "was lost" in caught.value.message and "incomplete" in caught.value.hint


def test_a_server_that_is_killed_in_mid_result() -> None:
    engine = MariaDB()
    server = engine.start()
    try:
        with session(server) as opened:
            result = opened.execute(Execution((BIG,)))
            next(result.rows)
            assert engine.server_process is not None
            os.kill(engine.server_process.pid, signal.SIGKILL)
            with pytest.raises(ToolError) as caught:
                for _ in result.rows:
                    pass
        assert caught.value.code == "CONNECTION_FAILED"
        assert "was lost" in caught.value.message
    finally:
        engine.stop()


def test_nothing_is_left_behind_on_the_server(mariadb: Server) -> None:
    for _ in range(3):
        with session(mariadb) as opened:
            assert len(cells(opened.execute(Execution(("SELECT 1",))))) == 1
    mine = "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'owner'"
    for _ in range(100):
        with connect(mariadb) as owner, owner.cursor() as cursor:
            cursor.execute(mine)
            if cursor.fetchone()[0] == 1:
                return
        time.sleep(0.05)
    raise AssertionError("sessions are still open")
