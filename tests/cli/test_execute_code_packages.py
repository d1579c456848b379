"""Packages that report code asks for, from registries on loopback; what a stop leaves behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cli.commands import BIN, clean_environment, run
from registry import index


def call(
    folder: Path, text: str, *more: str, language: str = "python", env: Mapping[str, str]
) -> Any:
    answer = run(
        "report-run", "execute-code", "--language", language, "--code", "-",
        "--workspace", str(folder), *more, stdin=text, cwd=folder, env=env,
    )  # fmt: skip
    return answer.json() | {"code": answer.code}


@pytest.fixture
def mark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mark") / "setup-ran"


@pytest.fixture
def registry(mark: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with index(str(mark)) as address:
        yield {
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_INDEX_URL": f"{address}/simple",
            "PIP_FIND_LINKS": "",
            "npm_config_registry": f"{address}/npm",
            "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")),
        }


@pytest.fixture
def nobody_listens(registry: dict[str, str]) -> dict[str, str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    return registry | {"PIP_INDEX_URL": f"{address}/simple", "npm_config_registry": address}


def test_a_wheel_is_installed_once(tmp_path: Path, registry: dict[str, str]) -> None:
    text = "import numpy, toolbelt_sample\nprint(toolbelt_sample.VALUE)\n"
    first = call(tmp_path, text, "--dependency", "toolbelt-sample==1.2", env=registry)
    assert first["stdout"] == "42\n", first
    assert first["dependencies"] == {"installed": ["toolbelt-sample==1.2"], "cached": False}
    second = call(tmp_path, text, "--dependency", "toolbelt-sample==1.2", env=registry)
    assert second["dependencies"]["cached"] is True
    without = call(tmp_path, text, env=registry)
    assert without["error"]["reason"] == "module"


@pytest.mark.parametrize(
    ("language", "name", "reason"),
    [
        ("python", "toolbelt-nothing", "not_found"),
        ("python", "toolbelt-sample==9", "no_version"),
        ("python", "toolbelt-source", "no_version"),
        ("javascript", "toolbelt-nothing", "not_found"),
    ],
)
def test_why_nothing_was_installed(
    language: str, name: str, reason: str, tmp_path: Path, registry: dict[str, str], mark: Path
) -> None:
    text = "open('ran.txt', 'w')" if language == "python" else "require('fs').mkdirSync('ran')"
    body = call(tmp_path, text, "--dependency", name, language=language, env=registry)
    assert body["code"] == 4
    assert (body["error"]["code"], body["error"]["reason"]) == ("DEP_FAILED", reason), body
    assert not mark.exists()
    assert list((tmp_path / "output").iterdir()) == []


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_a_registry_out_of_reach(
    language: str, tmp_path: Path, nobody_listens: dict[str, str]
) -> None:
    body = call(
        tmp_path, "1", "--dependency", "toolbelt-sample", language=language, env=nobody_listens
    )
    assert (body["error"]["code"], body["error"]["reason"]) == ("DEP_FAILED", "unreachable"), body


def test_javascript_without_packages_still_runs(
    tmp_path: Path, nobody_listens: dict[str, str]
) -> None:
    plain = call(tmp_path, "console.log(6 * 7)", language="js", env=nobody_listens)
    assert (plain["ok"], plain["stdout"]) == (True, "42\n")
    assert plain["warnings"][0]["code"] == "NO_PACKAGES"
    needy = call(tmp_path, "require('chart.js')", language="js", env=nobody_listens)
    assert needy["error"]["code"] == "DEP_FAILED"
    assert needy["error"]["reason"] == "unreachable"


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_code_that_does_not_parse_installs_nothing(
    language: str, tmp_path: Path, nobody_listens: dict[str, str]
) -> None:
    body = call(
        tmp_path, "\nlet x = (;\n", "--dependency", "toolbelt-sample", language=language,
        env=nobody_listens,
    )  # fmt: skip
    assert (body["error"]["code"], body["error"]["reason"]) == ("CODE_FAILED", "syntax"), body


def test_neighbours_of_javascript_are_found(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "data.json").write_text('{"n": 5}')
    (tmp_path / "lib" / "helper.mjs").write_text("export const two = 2;\n")
    (tmp_path / "lib" / "main.mjs").write_text(
        "import { two } from './helper.mjs';\nconsole.log(require('./data.json').n * two);\n"
    )
    answer = run(
        "report-run", "execute-code", "--language", "js", "--code", "lib/main.mjs",
        "--workspace", str(tmp_path), cwd=tmp_path,
    )  # fmt: skip
    assert answer.json()["stdout"] == "10\n", answer.stdout


def start(folder: Path, text: str) -> subprocess.Popen[str]:
    (folder / "code.py").write_text(text)
    return subprocess.Popen(
        [BIN / "report-run", "execute-code", "--language", "python", "--code", "code.py",
         "--workspace", str(folder)], cwd=folder, env=clean_environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def until(path: Path) -> None:
    end = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.02)


SLEEPER = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
open("pid.txt", "a").write(f"{os.getpid()}\\n")
open(f"ready-{os.getpid()}", "w")
time.sleep(100)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_stopped_command_leaves_no_script(number: signal.Signals, tmp_path: Path) -> None:
    process = start(tmp_path, SLEEPER)
    end = time.monotonic() + 60
    while len(list(tmp_path.glob("output/ready-*"))) < 2:
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == (-9 if number == signal.SIGKILL else 130)
    mine = str(tmp_path).encode()
    end = time.monotonic() + 30
    while time.monotonic() < end:
        left = [p for p in Path("/proc").glob("[0-9]*/environ") if mine in _read(p)]
        if not left:
            break
        time.sleep(0.05)
    assert left == []
    if number != signal.SIGKILL:
        assert {p.lstat().st_uid for p in tmp_path.rglob("*")} == {os.geteuid()}
    # A folder that was not given back is lent again all the same.
    again = call(tmp_path, "open('pid.txt', 'a').write('x')", env={})
    assert again["ok"] is True, again
    assert {Path(e["path"]).name: e["status"] for e in again["files"]} == {"pid.txt": "modified"}


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_two_scripts_take_turns_in_one_folder(tmp_path: Path) -> None:
    first = start(tmp_path, "import time\nopen('a.txt', 'w').write('x')\ntime.sleep(2)\n")
    until(tmp_path / "output" / "a.txt")
    second = call(tmp_path, "open('b.txt', 'w').write('x')", env={})
    assert [Path(e["path"]).name for e in second["files"]] == ["b.txt"]
    out, _ = first.communicate(timeout=60)
    assert "b.txt" not in out
    third = start(tmp_path, "import time\nopen('c.txt', 'w').write('x')\ntime.sleep(5)\n")
    until(tmp_path / "output" / "c.txt")
    busy = call(tmp_path, "1", "--timeout", "0.2", env={})
    assert busy["error"]["reason"] == "busy"
    third.communicate(timeout=60)


def test_without_confinement_it_still_runs(tmp_path: Path) -> None:
    body = call(tmp_path, "open('a.txt', 'w').write('x')", env={"TOOLBELT_CONFINE": "off"})
    assert body["ok"] is True, body
    assert body["confinement"]["landlock"] == 0


def test_existing_files_keep_their_owners(tmp_path: Path) -> None:
    output = tmp_path / "output"
    (output / "sub").mkdir(parents=True)
    other = 1234 if os.geteuid() == 0 else os.geteuid()
    (output / "sub" / "theirs.txt").write_text("a")
    os.chown(output / "sub" / "theirs.txt", other, -1)
    outside = tmp_path / "outside.txt"
    outside.write_text("a")
    os.link(outside, output / "linked.txt")
    (output / "pointing").symlink_to(tmp_path)
    text = (
        "open('sub/theirs.txt', 'a').write('b')\nopen('sub/new.txt', 'w').write('c')\n"
        "import os\nos.makedirs('closed/in')\nos.chmod('closed', 0)\n"
    )
    body = call(tmp_path, text, env={})
    assert body["ok"] is True, body
    assert (output / "sub" / "theirs.txt").stat().st_uid == other
    for path in (output, output / "sub" / "new.txt", output / "closed", outside, tmp_path):
        assert path.stat().st_uid == os.geteuid()
    statuses = {Path(e["path"]).name: e["status"] for e in body["files"]}
    assert statuses == {"theirs.txt": "modified", "new.txt": "new"}
    (output / "closed").chmod(0o700)
