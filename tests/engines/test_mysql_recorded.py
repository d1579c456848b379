"""MySQL 8, proxies and hostile servers, by recorded packets: see fake_mysql.

No MySQL server can be had where these tests run. What is proved here is what we send and how we
read what MySQL is documented to answer; the shared suite proves the rest on MariaDB.
"""

from __future__ import annotations

import struct

import pytest
from fake_mysql import Fake, answers, column, error, result, running
from kit import cells, query, refusal, session

from dbtools.drivers.base import Execution
from dbtools.drivers.mysql import declared
from toolbelt.errors import ToolError


def test_mysql_gets_its_own_settings_in_one_statement() -> None:
    fake = Fake(answer=answers)
    with running(fake), session(fake.server(), timeout=1.5) as opened:
        opened.execute(Execution(("DO 1",), fetch_rows=11))
    setup, asked, begun, statement = (fake.statements[i] for i in (0, 2, 1, 3))
    assert setup.startswith("SET NAMES utf8mb4, @@SESSION.transaction_read_only = 1, ")
    assert "@@SESSION.max_execution_time = 1500, " in setup
    assert "@@SESSION.sql_select_limit = 11" in setup
    assert "ANSI_QUOTES" not in setup and "NO_BACKSLASH_ESCAPES" not in setup
    assert begun == "START TRANSACTION READ ONLY"
    assert asked.startswith("SELECT @@version")
    assert statement == "DO 1"


def test_an_explain_is_not_planned_with_our_row_cap() -> None:
    fake = Fake(answer=answers)
    with running(fake), session(fake.server()) as opened:
        opened.execute(Execution(("DO 1",), fetch_rows=11, kind="EXPLAIN"))
    assert "@@SESSION.sql_select_limit = DEFAULT" in fake.statements[0]


def test_a_mariadb_behind_a_proxy_that_says_mysql() -> None:
    """Whatever the greeting says, a refused variable gives way to the one the server has."""

    def answer(text: str) -> list[bytes]:
        for name in ("transaction_read_only", "max_execution_time"):
            if f"@@SESSION.{name} " in text:
                return error(1193, "HY000", f"Unknown system variable '{name}'")
        return answers(text)

    fake = Fake(answer=answer)
    with running(fake), session(fake.server(), timeout=2) as opened:
        opened.execute(Execution(("DO 1",)))
    last = [text for text in fake.statements if text.startswith("SET")][-1]
    assert "@@SESSION.tx_read_only = 1" in last
    assert "@@SESSION.max_statement_time = 2.000" in last


def test_a_server_without_read_only_sessions_is_not_used() -> None:
    def answer(text: str) -> list[bytes]:
        for name in ("transaction_read_only", "tx_read_only"):
            if f"@@SESSION.{name} " in text:
                return error(1193, "HY000", f"Unknown system variable '{name}'")
        return answers(text)

    fake = Fake(answer=answer)
    with running(fake), session(fake.server()) as opened, pytest.raises(ToolError) as caught:
        opened.execute(Execution(("DO 1",)))
    assert caught.value.code == "QUERY_FAILED"
    assert "DO 1" not in fake.statements


def test_mysql_types_that_mariadb_has_not() -> None:
    def answer(text: str) -> list[bytes]:
        if text != "SELECT 1":
            return answers(text)
        vector = struct.pack("<3f", 0.1, -2.0, 1e-10)
        columns = [column("j", 245, charset=63), column("v", 242, charset=63), column("n", 6)]
        return result(columns, [b'{"a": 1.10}', vector, None])

    with running(Fake(answer=answer)) as fake, session(fake.server()) as opened:
        found = opened.execute(Execution(("SELECT 1",)))
        assert cells(found) == [[{"a": 1.1}, [0.1, -2.0, 1e-10], None]]
    assert [c.type for c in found.columns] == ["json", "vector", "null"]


def test_mysql_time_limit() -> None:
    late = "Query execution was interrupted, maximum statement execution time exceeded"

    def answer(text: str) -> list[bytes]:
        return error(3024, "HY000", late) if text == "SELECT 1" else answers(text)

    with running(Fake(answer=answer)) as fake, pytest.raises(ToolError) as caught:
        query(fake.server(), "SELECT 1")
    assert caught.value.code == "TIMEOUT"
    assert caught.value.detail["engineCode"] == 3024


def test_a_server_that_asks_for_a_local_file_gets_none() -> None:
    def answer(text: str) -> list[bytes]:
        return [b"\xfb/etc/passwd"] if text == "SELECT 1" else answers(text)

    fake = Fake(answer=answer)
    with running(fake), pytest.raises(ToolError) as caught:
        query(fake.server(), "SELECT 1")
    assert "local file" in caught.value.message


@pytest.mark.parametrize("plugin", ["mysql_clear_password", "dialog"])
def test_no_password_in_clear_text_without_tls(plugin: str) -> None:
    fake = Fake(plugin_asked=plugin)
    with running(fake):
        refused = refusal(fake.server())
    assert refused.code == "AUTH_FAILED" and "clear text" in refused.message
    assert fake.server().owner.password.encode() not in fake.login + b"".join(fake.after_login)


def test_tls_asked_for_and_not_offered_sends_no_password() -> None:
    fake = Fake()
    with running(fake):
        refused = refusal(fake.server(), sslmode="require")
    assert refused.code == "CONNECTION_FAILED"
    assert "offers no TLS" in refused.message and "SSLMODE" in refused.hint
    assert fake.login == b""


def test_a_view_of_mysql_8s_check_constraints() -> None:
    """As MySQL 8 shows them, with escaped quotes and character sets."""
    clause = r"(`status` in (_utf8mb4\'new\',_utf8mb4\'it\\\'s\'))"
    assert declared.value_list(clause) == ("status", ("new", "it's"))
    assert declared.value_list("(`a` > 5)") == ("", ())
    assert declared.value_list("`s` in ('a') and `t` in ('b')") == ("", ())
    assert declared.json_column("json_valid(`a``b`)") == "a`b"
    assert declared.json_column("json_valid(`a`) and 1") == ""
    assert declared.labels("enum('a,b','it''s','c\\d')") == ("a,b", "it's", "c\\d")
    assert declared.labels("varchar(10)") == ()


def test_garbage_instead_of_a_greeting() -> None:
    fake = Fake(version="x" * 10)
    with running(fake):
        assert refusal(fake.server()).code == "CONNECTION_FAILED"
