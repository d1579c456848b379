"""Parts of the broker that a whole command cannot show: what is handed back, odd moments."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbtools.broker import operator, wire
from dbtools.broker.child import Request
from dbtools.broker.server import Broker, Call, Rules
from dbtools.broker.spare import Spare

ENV = {
    "DB_TYPE": "sqlite", "DB_NAME": "/w/plain.db", "DB_PASS": "S-plain", "DB_MAX_ROWS": "9",
    "DB_1_NAME": "far", "DB_1_TYPE": "pg", "DB_1_HOST": "h", "DB_1_DB": "d", "DB_1_PASS": "S-one",
    "DB_2_NAME": "near", "DB_2_TYPE": "duckdb", "DB_2_DB": "/w/near.db", "DB_2_PASS": "S-two",
    "DB_3_NAME": "url", "DB_3_CONNECTION_STRING": "postgresql://u:S-three@h/d",
    "DB_4_NAME": "lite", "DB_4_CONNECTION_STRING": "sqlite:////w/lite.db",
    "DATABASE_URL": "mysql://u:S-url@h/d",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("default", {"DB_TYPE", "DB_NAME", "DB_MAX_ROWS"}),
        ("near", {"DB_2_NAME", "DB_2_TYPE", "DB_2_DB", "DB_MAX_ROWS"}),
        ("lite", {"DB_4_NAME", "DB_4_CONNECTION_STRING", "DB_MAX_ROWS"}),
    ],
)
def test_a_call_handed_back_takes_no_secret_along(name: str, wanted: set[str]) -> None:
    configured = operator.take(dict(ENV))
    (found,) = [c for c in configured.connections() if c.name == name]
    told = dict(text.split("=", 1) for text in configured.variables(found))
    assert set(told) == wanted
    assert not any("S-" in value for value in told.values())


def test_every_secret_is_known_for_redaction() -> None:
    known = {secret.reveal() for secret in operator.take(dict(ENV)).secrets()}
    assert {"S-plain", "S-one", "S-two", "S-three", ENV["DATABASE_URL"]} <= known


def test_secret_files_are_read_once_and_their_names_forgotten(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("S-file\n", "utf-8")
    env = {"DB_1_PASS_FILE": str(tmp_path / "s"), "PATH": "/bin"}
    assert dict(operator.take(env).env) == {"DB_1_PASS": "S-file"}
    assert env == {"PATH": "/bin"}


@pytest.mark.parametrize(
    ("told", "name", "foreign"),
    [
        ({}, None, False),
        ({"NO_COLOR": "1", "TZ": "UTC"}, None, False),
        # What the container is configured with, seen by `docker exec`.
        ({"DB_TYPE": "sqlite", "DB_NAME": "/w/plain.db", "DB_1_HOST": "h", "DATABASE_URL": ""}, None, False),
        ({"DB_TYPE": "sqlite", "DB_NAME": "/other.db"}, None, True),
        ({"DB_TYPE": "sqlite", "DB_NAME": "/other.db"}, "far", False),
        ({"DB_TYPE": "sqlite", "DB_NAME": "/other.db"}, "default", True),
        ({"DB_1_HOST": "elsewhere"}, "far", True),
        ({"DB_7_TYPE": "sqlite", "DB_7_NAME": "mine", "DB_7_DB": "/m.db"}, "mine", True),
        ({"DB_7_TYPE": "sqlite", "DB_7_NAME": "mine", "DB_7_DB": "/m.db"}, "NEAR", False),
        # A user alone makes no connection.
        ({"DB_USER": "me"}, None, False),
    ],
)  # fmt: skip
def test_whose_connection_is_meant(told: dict[str, str], name: str | None, foreign: bool) -> None:
    assert operator.take(dict(ENV)).is_foreign(told, name) is foreign


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
       st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))),
       st.dictionaries(st.sampled_from(["TZ", "TERM", "DB_1_HOST", "DB_PASS", "PATH", "DB_1_PASS_FILE"]),
                       st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))))  # fmt: skip
def test_a_request_comes_out_as_it_went_in(
    command: str, arguments: list[str], env: dict[str, str]
) -> None:
    packed = wire.pack(command, env, arguments)
    size = int.from_bytes(packed[len(wire.MAGIC) : wire.HEADER], "big")
    assert size == len(packed) - wire.HEADER
    told = {k: v for k, v in env.items() if k in ("TZ", "TERM", "DB_1_HOST")}
    assert wire.unpack(packed[wire.HEADER :]) == (command, told, arguments)


@given(st.binary(max_size=200))
def test_any_other_bytes_are_a_value_error_or_a_request_without_secrets(body: bytes) -> None:
    try:
        _, env, _ = wire.unpack(body)
    except ValueError:
        return
    assert all(not key.endswith(("PASS", "STRING", "FILE")) for key in env)


class Odd:
    """A broker whose loop is turned by hand, and a client of it."""

    def __init__(self, folder: Path) -> None:
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / "s"))
        self.listener.listen()
        self.broker = Broker(self.listener, Rules(frozenset({os.getuid()}), 1, 5), never, print)
        self.client = socket.socket(socket.AF_UNIX)
        self.client.settimeout(10)
        self.client.connect(str(folder / "s"))
        self.broker._accept()
        (self.call,) = self.broker._calls.values()

    def send(self, data: bytes) -> None:
        null = os.open(os.devnull, os.O_RDWR)
        socket.send_fds(self.client, [data], [null] * wire.DESCRIPTORS)
        os.close(null)
        self.broker._read(self.call)

    def close(self) -> None:
        self.client.close()
        self.listener.close()


def never(_request: object, _descriptors: object) -> NoReturn:
    raise AssertionError("no process is forked here")


@pytest.fixture
def odd(tmp_path: Path) -> Iterator[Odd]:
    made = Odd(tmp_path)
    yield made
    made.close()


REQUEST = wire.pack("db-query", {}, ["-q", "SELECT 1"])


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_signal_right_behind_the_request_is_not_lost(odd: Odd) -> None:
    before = descriptors()
    odd.send(REQUEST + wire.INTERRUPT + wire.TERMINATE + wire.TERMINATE)
    said = odd.client.recv(4096).removeprefix(wire.ACCEPTED) or odd.client.recv(4096)
    assert wire.split(said)[:2] == ["refused", "CANCELLED"]
    assert not odd.broker._waiting and not odd.broker._calls
    assert descriptors() == before - 1  # its end of the connection


def test_a_process_that_cannot_be_started_is_said(
    odd: Odd, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    odd.send(REQUEST)
    monkeypatch.setattr(os, "fork", full)
    odd.broker._start_waiting()
    assert odd.client.recv(1) == wire.ACCEPTED
    assert wire.split(odd.client.recv(4096))[:3] == ["refused", "CONNECTION_FAILED", "broker_busy"]
    assert not odd.broker._running and not odd.broker._calls


def test_a_process_forked_ahead_serves_one_call_and_ends_with_its_broker() -> None:
    def answer(request: Request, streams: tuple[int, ...]) -> NoReturn:
        os.write(streams[1], repr(request.arguments).encode())
        os._exit(7)

    body = REQUEST[wire.HEADER :]
    told, tell = os.pipe()
    spare = Spare.fork(answer, lambda: None)
    assert spare.give(body, (tell,) * wire.DESCRIPTORS)
    assert os.waitstatus_to_exitcode(os.waitpid(spare.pid, 0)[1]) == 7
    assert os.read(told, 100) == b"('-q', 'SELECT 1')"
    idle = Spare.fork(answer, lambda: None)
    idle.mouth.close()
    assert os.waitstatus_to_exitcode(os.waitpid(idle.pid, 0)[1]) == 0
    gone = Spare.fork(answer, lambda: os._exit(3))
    os.waitpid(gone.pid, 0)
    assert not gone.give(body, (tell,) * wire.DESCRIPTORS)
    os.close(told)
    os.close(tell)


def test_a_request_in_pieces_and_one_that_never_comes(odd: Odd) -> None:
    odd.send(REQUEST[:3])
    for at in range(3, len(REQUEST)):
        odd.client.send(REQUEST[at : at + 1])
        odd.broker._read(odd.call)
    assert list(odd.broker._waiting) == [odd.call]
    late = Call(odd.call.control, time.monotonic() - 1)
    odd.broker._calls[odd.call.control.fileno()] = late
    odd.broker._act_in_time()
    assert late.control.fileno() == -1
