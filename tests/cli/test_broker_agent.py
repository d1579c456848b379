"""Started from root as a container is: the agent finds the password nowhere, and can still ask."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from cli.commands import clean_environment
from openpython import opened
from servers import Server
from servers.postgres import connect, create_database

AGENT, BROKER = 10001, 10002
ASK = "from dbtools.start import {0}; {0}()"
SEARCH = Path(__file__).with_name("agent_search.py")


@pytest.fixture(scope="module")
def password() -> str:
    return f"hunter-{secrets.token_hex(12)}"


@pytest.fixture(scope="module")
def shop(postgres: Server, password: str) -> Server:
    server = create_database(postgres, "agent")
    with connect(server) as owner:
        owner.execute(f"CREATE ROLE agents_reader LOGIN PASSWORD '{password}'")
        owner.execute("CREATE TABLE orders (id int)")
        owner.execute("GRANT SELECT ON orders TO agents_reader")
    return server


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user can reach: socket, workspace, the secret's file."""
    with tempfile.TemporaryDirectory(prefix="toolbelt-agent-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "workspace").mkdir()
        os.chown(folder / "workspace", AGENT, AGENT)
        (folder / "search.py").write_bytes(SEARCH.read_bytes())
        yield folder


def settings(shop: Server, place: Path, password: str, *, as_file: bool) -> dict[str, str]:
    env = {k: v for k, v in shop.env().items() if not k.endswith("PASS")}
    env["DB_USER"] = "agents_reader"
    if not as_file:
        return env | {"DB_PASS": password}
    file = place / "secret"
    file.write_text(password + "\n", "utf-8")
    file.chmod(0o400)
    return env | {"DB_PASS_FILE": str(file)}


def end(process: subprocess.Popen[str], place: Path, given: str = "") -> tuple[str, str]:
    """stdout and stderr once the program has ended; the broker keeps the same stderr."""
    out, _ = process.communicate(given, timeout=120)
    return out, (place / "stderr").read_text("utf-8")


@contextmanager
def launched(
    env: Mapping[str, str], place: Path, *program: str, under: tuple[str, ...] = ()
) -> Iterator[Any]:
    """The program, started as a container's entry point starts it; the broker ends with it."""
    argv = opened(
        *under, sys.executable, "-m", "dbtools.broker.launch", "--client", str(AGENT), "--broker",
        str(BROKER), "--socket", str(place / "run/broker.sock"), "--", *program,
    )  # fmt: skip
    own = clean_environment(dict(env) | {"HOME": str(place / "workspace")})
    own.pop("TOOLBELT_BROKER")
    process = subprocess.Popen(
        argv, env=own, cwd=place / "workspace", text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=(place / "stderr").open("w"),
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
        for pid in brokers(place):
            os.kill(pid, signal.SIGTERM)


def brokers(place: Path) -> list[int]:
    """The brokers that serve this folder's socket."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"dbtools.broker" in words and str(place / "run/broker.sock").encode() in words:
            found.append(int(entry.parent.name))
    return found


def search(env: Mapping[str, str], place: Path, password: str, since: float) -> dict[str, Any]:
    coded = "".join(f"%{byte:02x}" for byte in password.encode())
    with launched(env, place, sys.executable, str(place / "search.py"), str(since)) as process:
        out, err = end(process, place, coded)
        assert process.returncode == 0, err
    return dict(json.loads(out))


@pytest.mark.parametrize("as_file", [True, False], ids=["DB_PASS_FILE", "DB_PASS"])
def test_the_agent_finds_the_password_nowhere(
    shop: Server, place: Path, password: str, as_file: bool
) -> None:
    since = time.time()
    env = settings(shop, place, password, as_file=as_file)
    seen = search(env, place, password, since)
    assert seen["found"] == [] and seen["variables"] == []
    assert seen["uid"] == AGENT and seen["new"]
    assert set(seen["capabilities"].values()) == {"0000000000000000"}
    assert seen["looked"]["environments"] > 10 and seen["looked"]["files"] > 0


def test_the_search_finds_what_is_there(place: Path, password: str) -> None:
    left = place / "workspace/.history"
    left.write_text(f"psql postgresql://u:{password}@h/d\n", "utf-8")
    seen = search({"LEAKED": password}, place, password, time.time() - 60)
    assert str(left) in seen["found"] and "env" in seen["found"]
    assert any(name.endswith("/environ") for name in seen["found"])


def ask(place: Path, env: Mapping[str, str], command: str, *arguments: str) -> tuple[str, str, int]:
    script = ASK.format("query" if command == "db-query" else "schema")
    with launched(env, place, sys.executable, "-c", script, *arguments) as process:
        out, err = end(process, place)
        return out, err, process.returncode


def test_the_agent_asks_and_no_answer_tells_the_password(
    shop: Server, place: Path, password: str
) -> None:
    env = settings(shop, place, password, as_file=True)
    out, _, code = ask(place, env, "db-query", "-q", "SELECT current_user AS me", "-o", "me.csv")
    assert code == 0, out
    written = place / "workspace/me.csv"
    assert written.read_text("utf-8") == "me\nagents_reader\n"
    # The file is the agent's, made with the agent's rights.
    assert written.stat().st_uid == AGENT
    out, _, code = ask(place, env, "db-query", "-q", "SELECT 1", "-o", "/etc/me.csv")
    assert (code, json.loads(out)["error"]["code"]) == (1, "BAD_PATH")
    said = ""
    for broken in ({"DB_NAME": "nosuch"}, {"DB_SSLMODE": "verify-full"}, {"DB_PORT": "1"}):
        for arguments in (
            ("--debug", "-q", "SELECT 1"),
            ("--check=live", "-q", "SELECT 1", "--debug"),
        ):
            out, err, code = ask(place, env | broken, "db-query", *arguments)
            assert code in (3, 4)
            said += out + err
    said += "".join(ask(place, env, "db-schema", "--list-connections")[:2])
    for form in (password, quote(password), password.encode().hex()):
        assert form not in said


def test_the_broker_shows_itself_to_nobody(shop: Server, place: Path, password: str) -> None:
    env = settings(shop, place, password, as_file=False)
    with launched(env, place, "sleep", "100"):
        deadline = time.monotonic() + 60
        while not (place / "run/broker.sock").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        (broker,) = brokers(place)
        folder = Path(f"/proc/{broker}")
        # Even root finds the password only in its memory; and no other process of its user may look.
        for name in ("environ", "cmdline"):
            assert password.encode() not in (folder / name).read_bytes()
        assert (folder / "environ").stat().st_uid == 0
        same_user = ["setpriv", f"--reuid={BROKER}", f"--regid={BROKER}", "--clear-groups"]
        for name in ("environ", "mem", "maps"):
            tried = subprocess.run(
                [*same_user, "cat", str(folder / name)], capture_output=True, check=False
            )
            assert tried.returncode != 0 and tried.stdout == b""
        limits = (folder / "limits").read_text("ascii")
        assert limits.split("Max core file size")[1].split()[:2] == ["0", "0"]
        status = (folder / "status").read_text("ascii")
        assert f"Uid:\t{BROKER}\t{BROKER}\t{BROKER}\t{BROKER}" in status
        assert "NoNewPrivs:\t1" in status and "CapEff:\t0000000000000000" in status


def test_a_broker_with_the_password_in_its_own_environment_wipes_it(password: str) -> None:
    from brokers import RunningBroker

    env = {"PATH": os.environ["PATH"], "DB_TYPE": "pg", "DB_HOST": "h", "DB_NAME": "d"}
    with RunningBroker(env | {"DB_USER": "u", "DB_PASS": password}) as broker:
        block = Path(f"/proc/{broker.process.pid}/environ").read_bytes()
        assert b"PATH=" in block and password.encode() not in block


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"DB_PASS": "x"}, "DB_PASS and DB_PASS_FILE are both set"),
        ({"DB_PASS_FILE": "/nosuch/secret"}, "cannot be read"),
    ],
)
def test_secrets_that_cannot_be_had_stop_the_start(
    shop: Server, place: Path, password: str, changes: dict[str, str], said: str
) -> None:
    env = settings(shop, place, password, as_file=True) | changes
    with launched(env, place, "true") as process:
        out, err = end(process, place)
    assert process.returncode == 2 and said in out and password not in out + err


def test_without_connections_it_only_drops_its_rights(place: Path) -> None:
    with launched({}, place, "id", "-u") as process:
        out, err = end(process, place)
    assert (process.returncode, out, err) == (0, f"{AGENT}\n", "")
    assert brokers(place) == [] and not (place / "run").exists()


def test_root_that_may_not_become_another_user_is_told_what_to_add(place: Path) -> None:
    without = ("setpriv", "--bounding-set=-setuid,-setgid")
    for env in ({}, {"DB_TYPE": "pg", "DB_HOST": "h", "DB_NAME": "d"}):
        with launched(env, place, "true", under=without) as process:
            out, err = end(process, place)
        assert process.returncode == 2 and "--cap-add SETUID" in out + err
