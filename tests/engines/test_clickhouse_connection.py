"""Connections to ClickHouse that fail, each with its reason, and TLS; through the built command."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from kit import query, refusal, session

from cli.commands import Answer, run
from dbtools.drivers.base import Execution
from servers import Login, Server, certificates
from servers.certificates import Certificates
from servers.clickhouse import ClickHouse
from toolbelt.errors import ToolError


def error(done: Answer) -> dict[str, Any]:
    return dict(done.json()["error"])


def refused(server: Server, login: Login | None = None, **options: str) -> ToolError:
    """What the first statement over a connection that must fail fails with."""
    with pytest.raises(ToolError) as caught:
        query(server, "SELECT 1", login=login, **options)
    return caught.value


def test_reader_and_owner_by_variables_and_url(clickhouse: Server) -> None:
    for env in (
        clickhouse.env(clickhouse.owner),
        clickhouse.env(),
        clickhouse.env(name="shop", number=3),
        {"DATABASE_URL": clickhouse.url()},
        {"DATABASE_URL": clickhouse.url().replace("clickhouse://", "clickhouse+http://", 1)},
    ):
        done = run("db-query", "-q", "SELECT currentDatabase() AS here", env=env)
        assert done.code == 0, done.stdout
        assert done.json()["rows"] == [{"here": "toolbelt"}]


def test_without_a_database_it_is_the_logins_own(clickhouse: Server) -> None:
    env = {k: v for k, v in clickhouse.env().items() if k != "DB_NAME"}
    done = run("db-query", "-q", "SELECT currentDatabase() AS here", env=env)
    assert done.json()["rows"] == [{"here": "default"}]


def test_wrong_password(clickhouse: Server) -> None:
    secret = "no:such/password"
    done = run("db-query", "-q", "SELECT 1", env={**clickhouse.env(), "DB_PASS": secret})
    assert done.code == 3 and error(done)["code"] == "AUTH_FAILED"
    assert "refused user 'reader': Authentication failed" in error(done)["message"]
    assert error(done)["hint"] == "check DB_USER and DB_PASS"
    assert secret not in done.stdout + done.stderr and "\n" not in error(done)["message"]


def test_wrong_database(clickhouse: Server) -> None:
    done = run("db-query", "-q", "SELECT 1", env=clickhouse.with_database("no_such_db").env())
    assert done.code == 3 and error(done)["code"] == "CONNECTION_FAILED"
    assert "no_such_db" in error(done)["message"] and "DB_NAME" in error(done)["hint"]


@pytest.mark.parametrize("host", ["no such host", "a..b", ""])
def test_a_host_that_is_none(clickhouse: Server, host: str) -> None:
    done = run("db-query", "-q", "SELECT 1", env={**clickhouse.env(), "DB_HOST": host})
    assert done.code == (3 if host else 2)
    assert "DB_HOST" in error(done)["hint"]


def test_a_closed_port(clickhouse: Server) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        env = {**clickhouse.env(), "DB_PORT": str(taken.getsockname()[1])}
        done = run("db-query", "-q", "SELECT 1", env=env)
    assert done.code == 3 and error(done)["code"] == "CONNECTION_FAILED"
    assert error(done)["message"].endswith("Connection refused.")


def test_a_host_that_never_answers(clickhouse: Server) -> None:
    """It takes the connection and says nothing: with TLS the handshake, without it the statement."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        env = {
            **clickhouse.env(), "DB_PORT": str(silent.getsockname()[1]),
            "DB_CONNECT_TIMEOUT": "300",
        }  # fmt: skip
        done = run("db-query", "-q", "SELECT 1", env={**env, "DB_SSLMODE": "require"})
        assert done.code == 3 and error(done)["code"] == "CONNECTION_FAILED"
        done = run("db-query", "-q", "SELECT 1", "--timeout", "0.3", env=env)
        assert done.code == 124


@pytest.mark.parametrize(("head", "code"), [
    # What the server said of the statement counts, though its words are cut.
    ("500 Oops\r\nX-ClickHouse-Exception-Code: 60\r\nContent-Length: 1000", "QUERY_FAILED"),
    ("500 Oops\r\nX-ClickHouse-Exception-Code: 6\u00b2\r\nContent-Length: 1000", "CONNECTION_FAILED"),
    ("200 OK\r\nContent-Encoding: lz4\r\nConnection: close", "CONNECTION_FAILED"),
    ("404 Not Found\r\nContent-Encoding: lz4\r\nConnection: close", "CONNECTION_FAILED"),
])  # fmt: skip
def test_an_answer_that_is_cut_or_packed_otherwise(
    clickhouse: Server, head: str, code: str
) -> None:
    def serve(listening: socket.socket) -> None:
        client, _ = listening.accept()
        client.recv(65536)
        client.sendall(f"HTTP/1.1 {head}\r\n\r\nCode: 60. DB::Exc".encode("latin-1"))
        client.close()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, args=(listening,), daemon=True).start()
        env = {**clickhouse.env(), "DB_PORT": str(listening.getsockname()[1])}
        done = run("db-query", "-q", "SELECT 1", env=env)
    assert error(done)["code"] == code, done.stdout


def test_another_protocol_on_the_port(clickhouse: Server) -> None:
    def serve(listening: socket.socket) -> None:
        client, _ = listening.accept()
        with client:
            client.sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n" * 3)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        answering = threading.Thread(target=serve, args=(listening,), daemon=True)
        answering.start()
        found = refused(clickhouse, port=str(listening.getsockname()[1]))
        answering.join(5)
    assert found.code == "CONNECTION_FAILED"


def test_a_user_that_http_cannot_carry(clickhouse: Server) -> None:
    assert refusal(clickhouse, Login("a:b", "x")).code == "BAD_CONFIG"


def _pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        return


@contextmanager
def tls_in_front(server: Server, made: Certificates) -> Iterator[Server]:
    """The server behind a port that speaks TLS, as ClickHouse's 8443 does."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made.cert, made.key)

    def serve(listening: socket.socket) -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=pass_on, args=(client,), daemon=True).start()

    def pass_on(client: socket.socket) -> None:
        try:
            secure = context.wrap_socket(client, server_side=True)
        except OSError:
            client.close()
            return
        with secure, socket.create_connection((server.host, server.port)) as inner:
            back = threading.Thread(target=_pump, args=(inner, secure), daemon=True)
            back.start()
            _pump(secure, inner)
            back.join(10)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, args=(listening,), daemon=True).start()
        from dataclasses import replace

        yield replace(server, port=listening.getsockname()[1])
        listening.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return certificates.make(tmp_path_factory.mktemp("certificates"), "localhost")


def test_tls_modes(clickhouse: Server, made: Certificates) -> None:
    with tls_in_front(clickhouse, made) as secure:
        for options in (
            {"sslmode": "require"},
            {"secure": "true"},
            {"sslmode": "verify-ca", "ssl_ca": str(made.ca)},
            {"sslmode": "verify-full", "ssl_ca": str(made.ca), "host": "localhost"},
        ):
            assert query(secure, "SELECT 1", **options) == [[1]], options


def test_cancelling_works_over_tls(clickhouse: Server, made: Certificates) -> None:
    from test_clickhouse_limits import killed

    with tls_in_front(clickhouse, made) as secure, session(secure, sslmode="require") as opened:
        opened.execute(Execution(("SELECT 1 AS cancelled_over_tls",)))
        opened.cancel()
    assert killed(clickhouse, "cancelled_over_tls")


@pytest.mark.parametrize(
    ("options", "reason", "hint"),
    [
        ({"sslmode": "verify-ca"}, "is not trusted", "DB_SSL_CA"),
        ({"sslmode": "verify-full", "ssl_ca": "other"}, "is not trusted", "DB_SSL_CA"),
        ({"sslmode": "verify-full", "ssl_ca": "ca"}, "is of another host", "DB_HOST"),
    ],
)
def test_tls_refusals(
    clickhouse: Server, made: Certificates, options: dict[str, str], reason: str, hint: str
) -> None:
    files = {"ca": made.ca, "other": made.other_ca}
    filled = {k: str(files[v]) if v in files else v for k, v in options.items()}
    with tls_in_front(clickhouse, made) as secure:
        found = refused(secure, **filled)
    assert found.code == "CONNECTION_FAILED"
    assert reason in found.message and hint in found.hint


def test_tls_on_one_side_only(clickhouse: Server, made: Certificates) -> None:
    found = refused(clickhouse, sslmode="require", connect_timeout="3000")
    assert found.code == "CONNECTION_FAILED" and "TLS failed" in found.message
    with tls_in_front(clickhouse, made) as secure:
        assert refused(secure).code == "CONNECTION_FAILED"


def test_ports_that_mean_tls() -> None:
    from dbtools import connection
    from dbtools.drivers.clickhouse.wire import place, tls_choice

    def mode(**keys: str) -> str:
        env = {"DB_TYPE": "clickhouse", "DB_HOST": "h", **{f"DB_{k}": v for k, v in keys.items()}}
        return tls_choice(connection.find(None, env)).mode

    assert mode() == mode(PORT="8123") == mode(SSLMODE="prefer") == "disable"
    assert mode(PORT="8443") == mode(PORT="443") == "verify-full"
    assert mode(PORT="8443", SSLMODE="disable") == "disable"
    assert mode(PORT="8443", SSLMODE="prefer") == mode(SECURE="1") == "require"
    env = {"DB_TYPE": "clickhouse", "DB_HOST": "h", "DB_SSLMODE": "require"}
    assert place(connection.find(None, env)) == "h:8443"


def test_a_server_that_dies_in_mid_result(tmp_path: Path) -> None:
    del tmp_path
    engine = ClickHouse()
    server = engine.start()
    try:
        with session(server) as opened:
            result = opened.execute(Execution(("SELECT number FROM system.numbers",)))
            next(result.rows)
            engine.stop()
            with pytest.raises(ToolError) as caught:
                for _ in result.rows:
                    pass
        assert caught.value.code == "CONNECTION_FAILED"
        assert "was lost" in caught.value.message
    finally:
        engine.stop()
