"""DB_* variables and connection strings into connections."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbtools import connection, dsn
from dbtools.connection import Connection
from toolbelt.errors import ToolError

PG = {"DB_TYPE": "postgresql", "DB_HOST": "db.example.com", "DB_NAME": "analytics"}
TWO = {
    "DB_1_TYPE": "pg", "DB_1_NAME": "primary_db", "DB_1_HOST": "h1", "DB_1_DB": "analytics",
    "DB_1_USER": "readonly", "DB_1_PASS": "s3cret", "DB_1_PORT": "5433",
    "DB_7_TYPE": "sqlite", "DB_7_NAME": "files", "DB_7_DB": "/data/x.db",
}  # fmt: skip


def test_the_only_connection_needs_no_name() -> None:
    found = connection.find(None, PG)
    assert (found.name, found.engine, found.host) == ("default", "postgresql", "db.example.com")
    assert found.database == "analytics"


def test_numbered_connections_may_have_gaps_and_name_is_their_name() -> None:
    found = connection.find("primary_db", TWO)
    assert (found.database, found.port, found.user) == ("analytics", 5433, "readonly")
    assert found.password is not None and found.password.reveal() == "s3cret"
    assert connection.find("files", TWO).database == "/data/x.db"


def test_names_are_found_in_another_case_too() -> None:
    assert connection.find("PRIMARY_DB", TWO).name == "primary_db"


def test_plain_and_numbered_sets_stand_together() -> None:
    names = [c["name"] for c in connection.list_all({**TWO, **PG})]
    assert names == ["primary_db", "files", "default"]


def test_database_url_is_the_last_resort() -> None:
    url = {"DATABASE_URL": "postgres://u:p@h:5/d"}
    assert connection.find(None, url).host == "h"
    assert connection.find(None, {**url, **PG}).host == "db.example.com"


def test_a_numbered_connection_takes_the_plain_limits_it_does_not_set() -> None:
    env = {**TWO, "DB_ROW_LIMIT": "50", "DB_1_MAX_ROWS": "9", "DB_MAX_ROWS": "99"}
    limits = connection.find("primary_db", env).limits
    assert (limits.row_limit, limits.max_rows, limits.query_timeout_ms) == (50, 9, 30_000)
    assert connection.find("files", env).limits.max_rows == 99


def test_other_variables_are_no_connection() -> None:
    with pytest.raises(ToolError) as caught:
        connection.find(None, {"DB_BACKUP_DIR": "/x", "DB_0_HOST": "h", "PGHOST": "h"})
    assert caught.value.code == "UNKNOWN_CONNECTION"


BAD = [
    ({}, None, "UNKNOWN_CONNECTION", "No database connection"),
    (TWO, None, "UNKNOWN_CONNECTION", "2 connections"),
    (TWO, "primary_bd", "UNKNOWN_CONNECTION", "primary_bd"),
    ({**TWO, "DB_7_NAME": "primary_db"}, "primary_db", "UNKNOWN_CONNECTION", "2 connections are"),
    ({"DB_HOST": "h", "DB_NAME": "d"}, None, "BAD_CONFIG", "DB_TYPE is missing"),
    ({"DB_TYPE": "oracle", "DB_HOST": "h"}, None, "BAD_CONFIG", "'oracle'"),
    ({"DB_TYPE": "pg", "DB_NAME": "d"}, None, "BAD_CONFIG", "DB_HOST is missing"),
    (PG | {"DB_HOST": "u:hunter2@h"}, None, "BAD_CONFIG", "DB_HOST holds more than a host name"),
    (PG | {"DB_HOST": "http://u:hunter2@h"}, None, "BAD_CONFIG", "DB_HOST holds more"),
    ({"DB_3_TYPE": "sqlite", "DB_3_NAME": "x"}, None, "BAD_CONFIG", "DB_3_DB is missing"),
    ({**PG, "DB_PORT": "abc"}, None, "BAD_CONFIG", "DB_PORT"),
    ({**PG, "DB_PORT": "70000"}, None, "BAD_CONFIG", "70000"),
    ({**PG, "DB_QUERY_TIMEOUT": "-1"}, None, "BAD_CONFIG", "DB_QUERY_TIMEOUT"),
    ({**PG, "DB_PASS": "a", "DB_PASS_FILE": "/x"}, None, "BAD_CONFIG", "both set"),
    ({**PG, "DB_PASS_FILE": "/no/such"}, None, "BAD_CONFIG", "DB_PASS_FILE"),
    ({"DB_CONNECTION_STRING": "nonsense"}, None, "BAD_CONFIG", "not a connection string"),
]


@pytest.mark.parametrize(("env", "name", "code", "words"), BAD)
def test_a_bad_configuration_says_what_is_wrong(
    env: dict[str, str], name: str | None, code: str, words: str
) -> None:
    with pytest.raises(ToolError) as caught:
        connection.find(name, env)
    assert caught.value.code == code
    assert words in caught.value.message
    assert caught.value.hint or "PORT" in words or words == "70000"


def test_an_unknown_name_lists_the_names_there_are() -> None:
    with pytest.raises(ToolError) as caught:
        connection.find("primary_bd", TWO)
    assert "did you mean primary_db?" in caught.value.hint
    assert caught.value.detail["connections"] == ["primary_db", "files"]


def test_a_secret_file_is_read_without_its_line_end(tmp_path: Path) -> None:
    (tmp_path / "pass").write_text("p@ss: wörd\n", encoding="utf-8")
    found = connection.find(None, {**PG, "DB_PASS_FILE": str(tmp_path / "pass")})
    assert found.password is not None and found.password.reveal() == "p@ss: wörd"


def test_no_secret_shows_in_repr_list_or_redacted_text() -> None:
    url = "postgresql://u:to%40p@h/d"
    found = connection.find(None, {"DB_CONNECTION_STRING": url})
    assert found.password is not None and found.password.reveal() == "to@p"
    shown = repr(found) + str(connection.list_all({"DB_CONNECTION_STRING": url}))
    assert "to@p" not in shown and "to%40p" not in shown
    assert found.redact(f"cannot reach {url} as to@p") == "cannot reach *** as ***"


URLS = [
    # text, (scheme, host, port, user, password, database)
    ("postgresql://u:p@h:5432/d", ("postgresql", "h", 5432, "u", "p", "d")),
    ("postgres://u@h/d", ("postgres", "h", None, "u", None, "d")),
    ("postgresql://u:p%40%3A%2F@h/d", ("postgresql", "h", None, "u", "p@:/", "d")),
    ("postgresql://u:p@ss@h:1/d", ("postgresql", "h", 1, "u", "p@ss", "d")),
    ("postgresql://u:a/b@h:1/d", ("postgresql", "h", 1, "u", "a/b", "d")),
    ("postgresql://u:a#b@h:1/d", ("postgresql", "h", 1, "u", "a#b", "d")),
    ("postgresql://u:100%@h/d", ("postgresql", "h", None, "u", "100%", "d")),
    ("postgresql://u:@h/d", ("postgresql", "h", None, "u", "", "d")),
    ("postgresql://[::1]:5/d", ("postgresql", "::1", 5, "", None, "d")),
    ("postgresql://u@/d?host=/run/pg", ("postgresql", "/run/pg", None, "u", None, "d")),
    ("postgresql://u@%2Frun%2Fpg/d", ("postgresql", "/run/pg", None, "u", None, "d")),
    ("postgresql://h1:1,h2:2/d", ("postgresql", "h1:1,h2:2", None, "", None, "d")),
    ("mysql+pymysql://u:p@h/d?charset=utf8", ("mysql", "h", None, "u", "p", "d")),
    ("mongodb+srv://u:p@c.example.net/d", ("mongodb+srv", "c.example.net", None, "u", "p", "d")),
    ("sqlite:////data/x.db", ("sqlite", "", None, "", None, "/data/x.db")),
    ("sqlite:///rel/x.db", ("sqlite", "", None, "", None, "rel/x.db")),
    ("host=h port=5 dbname=d user=u password='a b\\'c'", ("postgresql", "h", 5, "u", "a b'c", "d")),
    ("Server=tcp:h,1433;Database=d;User Id=u;Password={p;x}", ("mssql", "h", 1433, "u", "p;x", "d")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), URLS)
def test_connection_strings(text: str, expected: tuple[object, ...]) -> None:
    parts = dsn.parse(text)
    assert parts is not None
    got = (parts.scheme, parts.host, parts.port, parts.user, parts.password, parts.database)
    assert got == expected


def test_url_options_reach_the_connection_under_our_names() -> None:
    url = "postgresql://h/d?sslmode=verify-full&sslrootcert=/ca.pem"
    found = connection.find(None, {"DB_CONNECTION_STRING": url, "DB_SSL_CERT": "/c.pem"})
    assert found.options == {"sslmode": "verify-full", "ssl_ca": "/ca.pem", "ssl_cert": "/c.pem"}


def test_the_string_wins_and_keys_fill_what_it_lacks() -> None:
    env = {"DB_CONNECTION_STRING": "postgresql://u@h/d", "DB_PASS": "x", "DB_USER": "other"}
    found: Connection = connection.find(None, env)
    assert found.user == "u" and found.password is not None and found.password.reveal() == "x"
