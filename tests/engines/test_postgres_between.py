"""PostgreSQL behind TLS, behind a pooler, and in another language."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from postgres_between import Between, certificate
from postgres_kit import answer, cells, connection, execution, refusal, session

from dbtools.drivers.base import CatalogRequest
from servers import Server
from toolbelt.errors import ToolError
from toolbelt.settings import Secret


@dataclass(frozen=True, slots=True)
class Encrypted:
    """A server that takes TLS only, with a certificate for `localhost`: its CA, another CA."""

    server: Server
    ca: str
    other_ca: str


@pytest.fixture(scope="module")
def encrypted(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Encrypted]:
    before = threading.active_count()
    folder = tmp_path_factory.mktemp("tls")
    both, ca = certificate(folder, "server", "localhost")
    _, other = certificate(folder, "other", "localhost")
    proxy = Between(postgres, certificate=both, plain=False)
    yield Encrypted(proxy.server, str(ca), str(other))
    proxy.close()
    assert threading.active_count() <= before


def test_tls_as_asked_for(encrypted: Encrypted) -> None:
    server = encrypted.server
    assert answer(connection(server)) == 1
    assert answer(connection(server, sslmode="require")) == 1
    assert answer(connection(server, ssl="true")) == 1
    assert answer(connection(server, sslmode="verify-ca", ssl_ca=encrypted.ca)) == 1
    by_name = connection(server, sslmode="verify-full", ssl_ca=encrypted.ca)
    assert answer(replace(by_name, host="localhost")) == 1


def test_tls_required(encrypted: Encrypted) -> None:
    error = refusal(connection(encrypted.server, sslmode="disable"))
    assert error.code == "CONNECTION_FAILED"
    assert "DB_SSLMODE=require" in error.hint


def test_tls_not_trusted(encrypted: Encrypted) -> None:
    error = refusal(connection(encrypted.server, sslmode="verify-ca", ssl_ca=encrypted.other_ca))
    assert error.code == "CONNECTION_FAILED"
    assert "DB_SSL_CA" in error.hint


def test_tls_without_a_ca_is_checked_against_the_systems(encrypted: Encrypted) -> None:
    wanted = replace(connection(encrypted.server, sslmode="verify-full"), host="localhost")
    error = refusal(wanted)
    assert error.code == "CONNECTION_FAILED"
    assert "verify failed" in error.message


def test_tls_for_another_name(encrypted: Encrypted) -> None:
    error = refusal(connection(encrypted.server, sslmode="verify-full", ssl_ca=encrypted.ca))
    assert error.code == "CONNECTION_FAILED"
    assert "DB_HOST" in error.hint


def test_tls_and_a_wrong_password(encrypted: Encrypted) -> None:
    wanted = replace(connection(encrypted.server), password=Secret("hunter2"))
    assert refusal(wanted, "hunter2").code == "AUTH_FAILED"


def test_cancel_through_tls(encrypted: Encrypted) -> None:
    with session(encrypted.server, timeout=60, sslmode="require") as opened:
        timer = threading.Timer(0.3, opened.cancel)
        timer.start()
        with pytest.raises(ToolError) as caught:
            cells(opened.execute(execution("SELECT pg_sleep(30)")))
        timer.join()
    assert caught.value.code == "TIMEOUT"


@pytest.fixture
def pooled(each_postgres: Server) -> Iterator[Server]:
    """A server behind something that refuses start-up options, as PgBouncer does."""
    message = "unsupported startup parameter: options"
    proxy = Between(each_postgres, refuse=b"\0options\0", message=message)
    yield proxy.server
    proxy.close()


def test_behind_a_pooler_the_settings_bind_the_transaction(pooled: Server) -> None:
    with session(pooled, timeout=7, schema="pg_catalog") as opened:
        names = ("statement_timeout", "transaction_read_only", "IntervalStyle", "search_path")
        text = "SELECT interval '1 day', " + ", ".join(f"current_setting('{n}')" for n in names)
        result = opened.execute(execution(text))
        assert cells(result) == [["P1D", "7s", "on", "iso_8601", '"pg_catalog"']]
        assert opened._wire.round_trips == 2


@pytest.mark.parametrize(
    ("text", "state"),
    [("SET TRANSACTION READ WRITE", "25001"), ("CREATE TABLE pooled (a int)", "25006")],
)
def test_behind_a_pooler_nothing_is_written(pooled: Server, text: str, state: str) -> None:
    with session(pooled) as opened, pytest.raises(ToolError) as caught:
        cells(opened.execute(execution(text)))
    assert caught.value.detail["sqlstate"] == state


def test_behind_a_pooler_the_catalog_is_read(pooled: Server) -> None:
    with session(pooled) as opened:
        found = opened.catalog(CatalogRequest(schemas=("pg_catalog",), tables=("pg_class",)))
    assert (found.round_trips, len(found.tables)) == (1, 1)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ('пользователь "owner" не прошёл проверку подлинности (по паролю)', "AUTH_FAILED"),
        ('база данных "toolbelt" не существует', "CONNECTION_FAILED"),
        ('password authentication failed for user "owner"', "AUTH_FAILED"),
    ],
)
def test_a_server_that_speaks_another_language(postgres: Server, message: str, code: str) -> None:
    proxy = Between(postgres, refuse=b"user\0", message=message, ask_password=True)
    wanted = connection(proxy.server)
    error = refusal(wanted)
    proxy.close()
    assert error.code == code
    assert message in error.message
