"""Reaching PostgreSQL: every way in, and every way it can fail, told apart."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from postgres_kit import answer, connection, refusal, session

from cli.commands import run
from dbtools import connection as connections
from servers import Login, Server
from servers.postgres import connect
from toolbelt.settings import Secret

# -- ways in ------------------------------------------------------------------------------------


def test_by_connection_string(each_postgres: Server) -> None:
    url = each_postgres.url(each_postgres.owner)
    for scheme in ("postgresql", "postgres", "pg", "postgresql+psycopg"):
        text = scheme + url[url.index(":") :] + "?connect_timeout=3&sslmode=prefer"
        assert answer(connections.find(None, {"DATABASE_URL": text})) == 1


def test_by_socket_folder(each_postgres: Server) -> None:
    wanted = replace(connection(each_postgres), host=each_postgres.socket)
    assert answer(wanted, "SELECT inet_server_addr() IS NULL") is True


def test_by_a_list_of_hosts(each_postgres: Server) -> None:
    hosts = f"127.0.0.1:{free_port()},127.0.0.1:{each_postgres.port}"
    assert answer(replace(connection(each_postgres), host=hosts, port=None)) == 1


def test_options_of_the_connection_string_do_not_loosen_the_session(each_postgres: Server) -> None:
    loose = "-c default_transaction_read_only=off -c statement_timeout=0 -c work_mem=5MB"
    wanted = connection(each_postgres, options=loose)
    names = ("statement_timeout", "work_mem")
    text = "SELECT concat_ws(' ', " + ", ".join(f"current_setting('{n}')" for n in names) + ")"
    assert answer(wanted, text) == "5s 5MB"
    assert answer(wanted, "SHOW default_transaction_read_only") == "on"


def test_the_environment_of_libpq_is_not_read(
    each_postgres: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    passwords = tmp_path / "passwords"
    passwords.write_text(f"*:*:*:*:{each_postgres.owner.password}\n", encoding="utf-8")
    passwords.chmod(0o600)
    (tmp_path / ".pgpass").write_bytes(passwords.read_bytes())
    (tmp_path / ".pgpass").chmod(0o600)
    for key, value in {
        "HOME": str(tmp_path), "PGHOST": "nosuch.invalid", "PGPORT": "1", "PGDATABASE": "nosuch",
        "PGUSER": "nosuch", "PGPASSWORD": each_postgres.owner.password, "PGSERVICE": "nosuch",
        "PGPASSFILE": str(passwords), "PGOPTIONS": "-c work_mem=7MB", "PGSSLMODE": "verify-full",
        "PGSSLROOTCERT": "/nosuch", "PGAPPNAME": "nosuch", "PGTZ": "Asia/Tokyo",
        "PGDATESTYLE": "German", "PGCLIENTENCODING": "LATIN1", "PGCONNECT_TIMEOUT": "1",
        "PGTARGETSESSIONATTRS": "standby", "PGREQUIREAUTH": "none", "PGCHANNELBINDING": "require",
    }.items():  # fmt: skip
        monkeypatch.setenv(key, value)
    wanted = connection(each_postgres)
    assert answer(wanted, "SHOW work_mem") == "4MB"
    assert answer(wanted, "SHOW application_name") == "sandbox-toolbelt"
    assert answer(wanted, "SHOW timezone") != "Asia/Tokyo"
    assert os.environ["PGHOST"] == "nosuch.invalid"
    assert refusal(replace(wanted, password=None)).code == "AUTH_FAILED"


# -- ways it fails ------------------------------------------------------------------------------


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_refused_port(each_postgres: Server) -> None:
    port = free_port()
    error = refusal(replace(connection(each_postgres), port=port))
    assert error.code == "CONNECTION_FAILED"
    assert f"127.0.0.1:{port}" in error.message
    assert "refused" in error.message
    assert "DB_PORT" in error.hint


def test_unknown_host(each_postgres: Server) -> None:
    error = refusal(replace(connection(each_postgres), host="nosuch.invalid"))
    assert error.code == "CONNECTION_FAILED"
    assert "nosuch.invalid" in error.message
    assert "DB_HOST" in error.hint


def test_no_socket_folder(each_postgres: Server) -> None:
    error = refusal(replace(connection(each_postgres), host="/nosuch/folder"))
    assert error.code == "CONNECTION_FAILED"
    assert "/nosuch/folder" in error.message


def test_a_host_that_never_answers(each_postgres: Server) -> None:
    with closing(socket.socket()) as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(1)
        wanted = connection(each_postgres)
        limits = replace(wanted.limits, connect_timeout_ms=1000)
        port = int(silent.getsockname()[1])
        error = refusal(replace(wanted, port=port, limits=limits))
    assert error.code == "CONNECTION_FAILED"
    assert "timeout" in error.message


def test_a_server_of_another_kind(each_postgres: Server) -> None:
    def greet(listener: socket.socket) -> None:
        peer, _ = listener.accept()
        with peer:
            peer.recv(1024)
            peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        thread = threading.Thread(target=greet, args=(listener,), daemon=True)
        thread.start()
        error = refusal(replace(connection(each_postgres), port=int(listener.getsockname()[1])))
        thread.join()
    assert error.code == "CONNECTION_FAILED"


def test_wrong_password(each_postgres: Server) -> None:
    error = refusal(replace(connection(each_postgres), password=Secret("hunter2")), "hunter2")
    assert error.code == "AUTH_FAILED"
    assert "owner" in error.message
    assert "DB_PASS" in error.hint


def test_unknown_user(each_postgres: Server) -> None:
    assert refusal(replace(connection(each_postgres), user="nosuch")).code == "AUTH_FAILED"


def test_no_password(each_postgres: Server) -> None:
    error = refusal(replace(connection(each_postgres), password=None))
    assert error.code == "AUTH_FAILED"
    assert "DB_PASS" in error.hint


def test_unknown_database(each_postgres: Server) -> None:
    error = refusal(replace(connection(each_postgres), database='no such "db"'))
    assert error.code == "CONNECTION_FAILED"
    assert 'no such "db"' in error.message


def test_hints_name_the_keys_of_the_connection(each_postgres: Server) -> None:
    single = refusal(replace(connection(each_postgres), database="nosuch"))
    assert single.hint == "check DB_NAME"
    env = {**each_postgres.env(each_postgres.owner, number=3), "DB_3_DB": "nosuch"}
    assert refusal(connections.find(None, env)).hint == "check DB_3_DB"
    url = each_postgres.with_database("nosuch").url(each_postgres.owner)
    for key in ("DATABASE_URL", "DB_2_CONNECTION_STRING"):
        assert refusal(connections.find(None, {key: url})).hint == f"check database (in {key})"
    unsure = connections.find(None, {"DATABASE_URL": url + "?sslmode=perhaps"})
    assert refusal(unsure).message.startswith("sslmode (in DATABASE_URL) is 'perhaps'")


def test_no_database_and_no_user(each_postgres: Server) -> None:
    error = refusal(replace(connection(each_postgres), database=""))
    assert (error.code, error.hint) == ("CONNECTION_FAILED", "check DB_NAME")
    error = refusal(replace(connection(each_postgres), user=""))
    assert (error.code, error.hint) == ("BAD_CONFIG", "set DB_USER")


def test_a_login_that_may_not_log_in(each_postgres: Server) -> None:
    with connect(each_postgres) as owner:
        owner.execute("DROP ROLE IF EXISTS locked; CREATE ROLE locked NOLOGIN PASSWORD 'x'")
    assert refusal(connection(each_postgres, Login("locked", "x"))).code == "AUTH_FAILED"


def test_too_many_connections(each_postgres: Server) -> None:
    with connect(each_postgres) as owner:
        owner.execute("DROP ROLE IF EXISTS busy")
        owner.execute("CREATE ROLE busy LOGIN PASSWORD 'x' CONNECTION LIMIT 1")
    busy = Login("busy", "x")
    with session(each_postgres, busy):
        error = refusal(connection(each_postgres, busy))
    assert error.code == "CONNECTION_FAILED"
    assert "too many connections" in error.message


def test_an_unknown_sslmode(each_postgres: Server) -> None:
    error = refusal(connection(each_postgres, sslmode="maybe"))
    assert error.code == "BAD_CONFIG"
    assert "verify-full" in error.hint


def test_a_ca_file_that_is_not_there(each_postgres: Server) -> None:
    error = refusal(connection(each_postgres, sslmode="verify-ca", ssl_ca="/nosuch/ca.pem"))
    assert (error.code, "DB_SSL_CA" in error.message) == ("BAD_CONFIG", True)
    assert "DB_SSL_CA" in refusal(connection(each_postgres, sslmode="verify-ca")).message


def test_tls_that_the_server_does_not_have(each_postgres: Server) -> None:
    error = refusal(connection(each_postgres, sslmode="require"))
    assert error.code == "CONNECTION_FAILED"
    assert "SSL" in error.message


def test_a_driver_without_its_compiled_part_is_named(tmp_path: Path, postgres: Server) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nfor name in ('psycopg_binary', 'psycopg_c', 'ctypes'):\n"
        "    sys.modules[name] = None\n",
        encoding="utf-8",
    )
    env = {**postgres.env(), "PYTHONPATH": str(tmp_path)}
    answer = run("db-query", "-q", "SELECT 1", env=env)
    assert (answer.code, answer.error["code"]) == (5, "MISSING_DEP")
    assert answer.error["hint"] == "pip install 'sandbox-toolbelt[postgres]'"
