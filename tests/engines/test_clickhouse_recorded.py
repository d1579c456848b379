"""What servers newer, older or set up otherwise than ours answer, from recorded bytes."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import lz4.frame
import pytest
from fake_clickhouse import INFO, Reply, block, refusal, running
from kit import cells, failure, query, session

from dbtools.drivers.base import Execution
from dbtools.drivers.clickhouse.privileges import lines
from toolbelt.errors import ToolError

TOKYO = {"X-ClickHouse-Timezone": "Asia/Tokyo", "X-ClickHouse-Format": "Native"}
ONE = block(("a", "UInt8", b"\x05"), info=INFO)


def test_a_current_server_tells_types_in_full() -> None:
    """client_protocol_version is asked for; each block comes with its info."""
    at = struct.pack("<I", 0)
    body = block(
        ("t", "DateTime('Europe/Berlin')", at), ("s", "DateTime", at), ("n", "UInt8", b"\x01"),
        info=INFO,
    )  # fmt: skip
    with running(lambda text, query: Reply(body * 2, headers=TOKYO)) as fake:
        rows = query(fake.server(), "SELECT 1")
    assert rows == [["1970-01-01T01:00:00+01:00", "1970-01-01T09:00:00+09:00", 1]] * 2
    (text, sent), *more = fake.seen
    assert not more and text == "SELECT 1"
    assert sent["client_protocol_version"] == "54405" and sent["default_format"] == "Native"
    assert sent["database"] == "shop" and sent["readonly"] == "1" and sent["query_id"]
    assert sent["cancel_http_readonly_queries_on_client_close"] == "1"


def test_a_tagged_error_in_mid_answer() -> None:
    message = "Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)"
    tag = "abcdefghijklmnop"
    tail = f"\r\n__exception__\r\n{tag}\r\n{message}\n{len(message) + 1} {tag}\r\n__exception__\r\n"
    headers = {**TOKYO, "X-ClickHouse-Exception-Tag": tag}
    reply = Reply(ONE + tail.encode(), headers=headers, cut=True)
    with running(lambda text, query: reply) as fake:
        error = failure(fake.server(), "SELECT 1")
    assert (error.code, error.detail["engineCode"]) == ("QUERY_FAILED", 241)
    assert error.message == "ClickHouse: Memory limit exceeded."
    assert "memory limit" in error.hint


def test_an_untagged_error_in_mid_answer_of_an_older_server() -> None:
    message = "Code: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED) (version 23.8)\n"
    plain = block(("a", "UInt8", b"\x05"))
    with running(lambda text, query: Reply(plain + message.encode(), cut=True)) as fake:
        error = failure(fake.server(), "SELECT 1")
    assert (error.code, error.detail["engineCode"]) == ("TIMEOUT", 159)


def test_an_answer_that_breaks_off_between_blocks() -> None:
    with running(lambda text, query: Reply(ONE, headers=TOKYO, cut=True)) as fake:
        error = failure(fake.server(), "SELECT 1")
    assert error.code == "CONNECTION_FAILED" and "incomplete" in error.hint


def test_an_answer_that_breaks_off_inside_a_block() -> None:
    with running(lambda text, query: Reply(ONE[:-1], headers=TOKYO, cut=True)) as fake:
        error = failure(fake.server(), "SELECT 1")
    assert error.code == "CONNECTION_FAILED"


def test_settings_that_an_older_server_does_not_know_are_left_out() -> None:
    def answer(text: str, query: Mapping[str, str]) -> Reply:
        for name in ("cancel_http_readonly_queries_on_client_close", "log_comment", "limit"):
            if name in query:
                return refusal(115, f"Unknown setting '{name}'. (UNKNOWN_SETTING)")
        return Reply(ONE, headers=TOKYO)

    with running(answer) as fake, session(fake.server()) as opened:
        result = opened.execute(Execution(("SELECT 1",), fetch_rows=5))
        assert cells(result) == [[5]]
    kept = fake.seen[-1][1]
    assert kept["readonly"] == "1" and kept["max_execution_time"] == "20.000"


def test_a_server_that_does_not_know_readonly_is_not_used() -> None:
    reply = refusal(115, "Unknown setting 'readonly'. (UNKNOWN_SETTING)")
    with running(lambda text, query: reply if "readonly" in query else Reply(ONE)) as fake:
        error = failure(fake.server(), "SELECT 1")
    assert error.code == "QUERY_FAILED"


def test_a_limit_that_the_logins_profile_forbids_to_raise() -> None:
    def answer(text: str, query: Mapping[str, str]) -> Reply:
        if "max_execution_time" in query:
            text = "Setting max_execution_time shouldn't be greater than 10."
            return refusal(452, f"{text} (SETTING_CONSTRAINT_VIOLATION)")
        return Reply(ONE, headers=TOKYO)

    with running(answer) as fake:
        assert query(fake.server(), "SELECT 1") == [[5]]
    assert fake.seen[-1][1]["readonly"] == "1"


def readonly_profile(own: str) -> object:
    """A server whose login has `readonly = own` in its profile."""

    def answer(text: str, query: Mapping[str, str]) -> Reply:
        if own == "1" and "max_execution_time" in query:
            name = "max_execution_time"
        elif "readonly" in query:
            name = "readonly"
        elif "system.settings" in text:
            return Reply(f'["{own}"]\n'.encode())
        else:
            return Reply(ONE, headers=TOKYO)
        return refusal(164, f"Cannot modify '{name}' setting in readonly mode. (READONLY)", 403)

    return answer


@pytest.mark.parametrize(("own", "limited"), [("1", False), ("2", True)])
def test_logins_whose_profile_is_read_only(own: str, limited: bool) -> None:
    with running(readonly_profile(own)) as fake:  # type: ignore[arg-type]
        assert query(fake.server(), "SELECT 1") == [[5]]
    text, sent = fake.seen[-1]
    assert text == "SELECT 1" and "readonly" not in sent
    assert ("max_execution_time" in sent) is limited


def test_a_refusal_by_a_login_that_is_not_read_only_is_never_worked_round() -> None:
    """Nothing goes out bare unless the login itself could not write."""
    with running(readonly_profile("0")) as fake:  # type: ignore[arg-type]
        error = failure(fake.server(), "SELECT 1")
    assert error.code == "BLOCKED"
    assert all("readonly" in sent for text, sent in fake.seen if text == "SELECT 1")


def test_compressed_answers_from_servers_elsewhere() -> None:
    headers = {**TOKYO, "Content-Encoding": "lz4"}
    body = lz4.frame.compress(ONE * 3)
    with running(lambda text, query: Reply(body, headers=headers)) as fake:
        assert query(fake.server(), "SELECT 1") == [[5]] * 3
    from dbtools.drivers.clickhouse.wire import Wire
    from dbtools.drivers.clickhouse.wire import _wants_compression as wants

    assert Wire and not wants(_connection("127.0.0.1")) and not wants(_connection("localhost"))
    assert wants(_connection("db.example")) and not wants(_connection("db.example", "false"))


def _connection(host: str, compress: str = "") -> object:
    from dbtools import connection

    env = {"DB_TYPE": "clickhouse", "DB_HOST": host, "DB_COMPRESS": compress}
    return connection.find(None, env)


def test_a_format_that_only_the_server_saw() -> None:
    headers = {"X-ClickHouse-Format": "JSON"}
    with running(lambda text, query: Reply(b'{"data":[]}', headers=headers)) as fake:
        error = failure(fake.server(), "SELECT 1")
    assert error.code == "QUERY_FAILED" and "FORMAT JSON" in error.message


def test_a_type_newer_than_the_client_library() -> None:
    body = block(("x", "Hyperloop(3)", b""), info=INFO)
    with running(lambda text, query: Reply(body, headers=TOKYO)) as fake:
        error = failure(fake.server(), "SELECT 1")
    assert error.code == "QUERY_FAILED"
    assert "column 'x' is of type Hyperloop(3)" in error.message and "toString(x)" in error.hint


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b"<html>404 Not Found</html>", 404),
        Reply(b"Port 9000 is for clickhouse-client program\r\nYou must use port 8123.\r\n", 400),
        Reply(b"", 502),
    ],
)
def test_what_is_not_clickhouses_http_interface(reply: Reply) -> None:
    with running(lambda text, query: reply) as fake, pytest.raises(ToolError) as caught:
        query(fake.server(), "SELECT 1")
    error = caught.value
    assert error.code == "CONNECTION_FAILED" and f"HTTP status {reply.status}" in error.message
    assert "8123" in error.hint and "<html>" not in error.message


@pytest.mark.parametrize(
    ("grant", "wanted"),
    [
        ("GRANT SELECT ON shop.* TO reader", []),
        ("GRANT SHOW, SELECT(a, b), dictGet ON *.* TO reader", []),
        ("GRANT SELECT, INSERT(a) ON shop.t TO reader", ["may INSERT on shop.t"]),
        ("GRANT ALL ON *.* TO admin WITH GRANT OPTION",
         ["may ALL on *.*", "may pass its rights on *.* on (GRANT OPTION)"]),
        ("GRANT URL, S3 ON *.* TO reader", ["may URL, S3 on *.*"]),
        ("GRANT some_role TO reader", []),
    ],
)  # fmt: skip
def test_lines_of_show_grants(grant: str, wanted: list[str]) -> None:
    assert lines(grant) == wanted
