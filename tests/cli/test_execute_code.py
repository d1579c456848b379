"""execute-code as an agent calls it: real scripts, real attacks, nothing left running."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.commands import Answer, run

CASES = Path(__file__).parents[1] / "cases" / "code"
SECRET = "hunter2-secret"
SECRETS = {
    "DB_PASS": SECRET, "DB_1_PASSWORD": SECRET, "GITHUB_TOKEN": SECRET, "DATABASE_URL": SECRET,
    "AWS_SECRET_ACCESS_KEY": SECRET, "TOOLBELT_SECRET": SECRET, "SOME_OTHER": SECRET,
}  # fmt: skip


@dataclass(frozen=True)
class Done:
    """A finished call. body: its whole envelope."""

    answer: Answer
    body: dict[str, Any]

    @property
    def files(self) -> dict[str, str]:
        return {Path(e["path"]).name: e["status"] for e in self.body["files"]}

    @property
    def error(self) -> dict[str, Any]:
        return dict(self.body["error"])


def code(folder: Path, text: str, *more: str, language: str = "python") -> Done:
    """Run code given on stdin, in a workspace of its own, by a caller who holds secrets."""
    answer = run(
        "report-run", "execute-code", "--language", language, "--code", "-",
        "--workspace", str(folder), *more, stdin=text, cwd=folder, env=SECRETS,
    )  # fmt: skip
    body = answer.json()
    assert SECRET not in answer.stdout + answer.stderr
    return Done(answer, body)


def sample(folder: Path, name: str, language: str) -> Done:
    (folder / name).write_bytes((CASES / name).read_bytes())
    answer = run(
        "report-run", "execute-code", "--language", language, "--code", name, "--workspace",
        str(folder), cwd=folder,
    )  # fmt: skip
    return Done(answer, answer.json())


def marked() -> set[int]:
    """Processes whose environment could be a script's: those that know OUTPUT_DIR."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if b"CODE_REPORT=" in (entry / "environ").read_bytes():
                    found.add(int(entry.name))
            except OSError:
                continue
    return found


@pytest.fixture(autouse=True)
def _nothing_left_running(tmp_path: Path) -> Iterator[None]:
    yield
    mine = str(tmp_path).encode()
    left = [
        pid for pid in marked()
        if Path(f"/proc/{pid}").exists() and mine in Path(f"/proc/{pid}/environ").read_bytes()
    ]  # fmt: skip
    assert left == []
    for path in tmp_path.rglob("*"):
        assert path.lstat().st_uid == os.geteuid(), path


def test_python_sample(tmp_path: Path) -> None:
    done = sample(tmp_path, "matplotlib.py", "python")
    assert done.answer.code == 0, done.body
    assert list(done.body)[:4] == ["ok", "files", "stdout", "stderr"]
    assert done.files == dict.fromkeys(
        ["revenue.png", "revenue.svg", "revenue.csv", "revenue.xlsx"], "new"
    )
    mimes = {Path(e["path"]).suffix: e["mime"] for e in done.body["files"]}
    assert mimes[".png"] == "image/png" and mimes[".xlsx"].endswith("sheet")
    assert done.body["stdout"] == "mean 118.75\n"
    assert done.body["stderr"] == ""
    assert done.body["warnings"] == []
    assert sorted(p.name for p in (tmp_path / "output").iterdir()) == sorted(done.files)
    again = sample(tmp_path, "matplotlib.py", "python")
    assert set(again.files.values()) == {"modified"}


def test_javascript_sample(tmp_path: Path) -> None:
    done = sample(tmp_path, "chartjs.js", "javascript")
    assert done.answer.code == 0, done.body
    assert done.files == {"chart.png": "new", "chart.svg": "new"}
    assert done.body["stdout"] == "data:image/png;base64,\n"
    assert done.body["stderr"] == ""
    svg = (tmp_path / "output" / "chart.svg").read_text()
    texts = re.findall("<text[^>]*>([^<]*)", svg)
    # By letters: how they are cut into elements is the canvas's and its fonts' affair.
    assert "Revenuebymonth" in "".join("".join(texts).split())


def test_d3_sample(tmp_path: Path) -> None:
    done = sample(tmp_path, "d3.mjs", "js")
    assert done.answer.code == 0, done.body
    assert (tmp_path / "output" / "bars.svg").read_text().count("<rect") == 3


MODULES = [
    ("import fs from 'node:fs'; fs.writeFileSync('a.txt', 'x'); console.log(typeof require)", "function"),
    ("const fs = require('fs'); fs.writeFileSync('a.txt', 'x'); console.log(typeof module)", "object"),
    ("import { max } from 'd3'; const fs = require('fs'); fs.writeFileSync('a.txt', 'x'); console.log(max([1]))", "1"),
    ("const { writeFile } = await import('node:fs/promises'); await writeFile('a.txt', 'x'); console.log(1)", "1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "says"), MODULES)
def test_both_kinds_of_modules(text: str, says: str, tmp_path: Path) -> None:
    done = code(tmp_path, text, language="javascript")
    assert done.answer.code == 0, done.body
    assert done.body["stdout"].strip() == says
    assert done.body["stderr"] == ""
    assert done.files == {"a.txt": "new"}


def test_show_saves_numbered_pictures(tmp_path: Path) -> None:
    done = code(
        tmp_path,
        "import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt\n"
        "plt.plot([1, 2])\nplt.figure()\nplt.plot([2, 1])\nplt.show()\n"
        "plt.plot([1])\nplt.savefig('own.png')\nplt.show()\n",
    )
    assert done.files == dict.fromkeys(["figure-1.png", "figure-2.png", "own.png"], "new")
    assert done.body["stderr"] == ""


@pytest.mark.parametrize(
    ("language", "text", "line", "name"),
    [
        ("python", "x = 1\n\nprint(undefined)\n", 3, "NameError"),
        ("python", "x = 1\ndef f(:\n", 2, "SyntaxError"),
        ("python", "import json\n\njson.loads('{')\n", 3, "JSONDecodeError"),
        ("javascript", "const a = 1;\n\nnoSuch();\n", 3, "ReferenceError"),
        ("javascript", "import 'node:fs';\n\nthrow new TypeError('x');\n", 3, "TypeError"),
        ("javascript", "const a = 1;\nconst = 2;\n", 2, "SyntaxError"),
        ("javascript", "\nPromise.reject(new RangeError('x'));\n", 2, "RangeError"),
    ],
)
def test_lines_are_those_of_the_code(
    language: str, text: str, line: int, name: str, tmp_path: Path
) -> None:
    done = code(tmp_path, text, language=language)
    assert done.answer.code == 4
    assert done.error["code"] == "CODE_FAILED"
    assert (done.error["name"], done.error["line"]) == (name, line)
    assert (
        f"<code>:{line}" in done.body["stderr"] or f'"<code>", line {line}' in done.body["stderr"]
    )
    assert "/tmp/report-code" not in done.answer.stdout
    assert done.body["exitCode"] == 1


def test_streams_have_room_of_their_own(tmp_path: Path) -> None:
    done = code(
        tmp_path,
        "import sys\nsys.stdout.write('ä' * 4_000_000)\nsys.stdout.flush()\n"
        "sys.stderr.write('the reason')\nsys.exit(3)\n",
    )
    body = done.body
    assert (body["exitCode"], body["stderr"]) == (3, "the reason")
    assert body["stdoutBytes"] == 8_000_000 and body["stdoutTruncated"]
    assert len(body["stdout"].encode()) < 1_100_000
    assert "\ufffd" not in body["stdout"]
    assert done.error["reason"] == "exit"


def test_what_was_done_before_the_time_was_over_is_kept(tmp_path: Path) -> None:
    done = code(
        tmp_path,
        "import time\nprint('begun')\nopen('half.txt', 'w').write('x')\ntime.sleep(60)\n",
        "--timeout", "2",
    )  # fmt: skip
    assert done.answer.code == 124
    assert done.error["code"] == "TIMEOUT"
    assert done.body["timedOut"] is True and done.body["stdout"] == "begun\n"
    assert done.files == {"half.txt": "new"}


FORK_BOMB = """
import os, time
made = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        made += 1
except OSError as error:
    print("stopped after", made, flush=True)
    raise
"""
WILD_BOMB = (
    "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n"
)
DETACHED = """
import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        import signal
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        while True:
            pass
    os._exit(0)
os.wait()
while True:
    pass
"""
BIG_FILE = "block = b'x' * (1 << 24)\nwith open('big.bin', 'wb') as f:\n    for _ in range(640):\n        f.write(block)\n"
BIG_FILES = "block = b'x' * (1 << 24)\nfor n in range(40):\n    with open(f'{n}.bin', 'wb') as f:\n        for _ in range(16):\n            f.write(block)\n"
BIG_TEMP = BIG_FILES.replace("open(f'", "open(__import__('tempfile').gettempdir() + f'/")
UNLINKED = BIG_FILES.replace("        for _", "        __import__('os').unlink(f'{n}.bin')\n        for _").replace(
    "with open(f'{n}.bin', 'wb') as f:", "f = keep[n] = open(f'{n}.bin', 'wb')\n    if f:"
).replace("for n", "keep = {}\nfor n", 1)  # fmt: skip
MEMORY = "hold = []\nwhile True:\n    hold.append(bytearray(1 << 27))\n"


def test_a_fork_bomb_is_stopped(tmp_path: Path) -> None:
    done = code(tmp_path, FORK_BOMB)
    assert done.answer.code == 4
    assert done.error["name"] == "BlockingIOError"
    assert int(done.body["stdout"].split()[-1]) < 200
    wild = code(tmp_path, WILD_BOMB, "--timeout", "3")
    assert wild.answer.code == 124
    assert not any(w["code"] == "LEFT_RUNNING" for w in wild.body["warnings"])


def test_an_endless_loop_with_a_detached_child_is_stopped(tmp_path: Path) -> None:
    done = code(tmp_path, DETACHED, "--timeout", "2")
    assert done.answer.code == 124 and done.body["timedOut"]


def test_a_child_left_behind_ends_with_the_script(tmp_path: Path) -> None:
    text = DETACHED.replace("os.wait()\nwhile True:\n    pass\n", "print('ready')\n")
    done = code(tmp_path, text)
    assert done.answer.code == 0 and done.body["stdout"] == "ready\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (BIG_FILE, "file_size"),
        (BIG_FILES, "disk"),
        (BIG_TEMP, "disk"),
        (UNLINKED, "disk"),
        (MEMORY, "memory"),
    ],
    ids=["file", "files", "temp", "unlinked", "memory"],
)
def test_floods_are_stopped(text: str, reason: str, tmp_path: Path) -> None:
    done = code(tmp_path, text)
    assert done.answer.code == 4
    assert (done.error["code"], done.error["reason"]) == ("CODE_FAILED", reason)
    assert sum(entry["bytes"] for entry in done.body["files"]) < 4 << 30


def test_files_in_memory_are_not_made(tmp_path: Path) -> None:
    done = code(tmp_path, "import os\nos.memfd_create('x')\n")
    assert done.error["name"] == "PermissionError"


def test_modes_outside_of_the_output_stay(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("x")
    secret.chmod(0o600)
    before = tmp_path.stat().st_mode, secret.stat().st_mode, secret.stat().st_mtime_ns
    text = (
        "import os, shutil\n"
        "def tried(call, *rest):\n    try:\n        call(*rest)\n    except PermissionError:\n        pass\n"
        "tried(os.chmod, '..', 0o777)\ntried(os.chmod, '../secret.txt', 0o666)\n"
        "tried(os.utime, '../secret.txt', (1, 1))\n"
        "with open('../secret.txt') as file:\n    tried(os.fchmod, file.fileno(), 0o666)\n"
        "shutil.copy2('../secret.txt', 'copy.txt')\nprint(os.path.getsize('copy.txt'))\n"
    )
    done = code(tmp_path, text)
    assert done.answer.code == 0, done.body
    assert done.body["stdout"] == "1\n"
    assert (tmp_path.stat().st_mode, secret.stat().st_mode, secret.stat().st_mtime_ns) == before


def test_an_output_folder_that_was_closed_opens_again(tmp_path: Path) -> None:
    (tmp_path / "output").mkdir(mode=0o750)
    mode = (tmp_path / "output").stat().st_mode
    done = code(
        tmp_path, "import os\nopen('a.txt', 'w').write('x')\nos.chmod('.', 0)\nos.chmod('..', 0)\n"
    )
    assert done.files == {"a.txt": "new"}
    assert (tmp_path / "output").stat().st_mode == mode


REPORTS = {
    "link": "os.symlink('/etc/shadow', path)", "fifo": "os.mkfifo(path)", "folder": "os.mkdir(path)",
    "huge": "open(path, 'w').truncate(900 << 20)", "deep": "open(path, 'w').write('[' * 90_000)",
}  # fmt: skip


@pytest.mark.parametrize("text", REPORTS.values(), ids=REPORTS)
def test_a_report_of_the_script_s_own_does_no_harm(text: str, tmp_path: Path) -> None:
    done = code(tmp_path, f"import os\npath = os.environ['CODE_REPORT']\n{text}\nos._exit(3)\n")
    assert done.answer.code == 4
    assert (done.error["code"], done.body["exitCode"]) == ("CODE_FAILED", 3)
    assert "root:" not in done.answer.stdout


def test_names_that_are_no_text_are_told(tmp_path: Path) -> None:
    done = code(
        tmp_path, "open(b'bad\\xff.txt', 'w').write('x')\nopen('a\\nb.txt', 'w').write('x')\n"
    )
    assert set(done.files) == {"bad\udcff.txt", "a\nb.txt"}


KEYS = Path("/etc/ssl/private")


@pytest.mark.parametrize("path", [str(KEYS), "/opt", "/etc/shadow", "/root", "/dev/tty"])
def test_what_is_root_s_alone_is_not_read(path: str, tmp_path: Path) -> None:
    done = code(
        tmp_path,
        f"import os\nprint(os.listdir({path!r}) if os.path.isdir({path!r}) else open({path!r}))\n",
    )
    assert done.answer.code == 4
    assert done.error["name"] in ("PermissionError", "FileNotFoundError", "NotADirectoryError")


def test_javascript_memory_is_limited(tmp_path: Path) -> None:
    done = code(
        tmp_path, "const a = [];\nfor (;;) a.push(new Array(1e6).fill(1.5));\n", language="js"
    )
    assert done.answer.code == 4
    assert done.error["reason"] == "memory"


SOCKETS = {
    "python": "import socket\nsocket.create_connection(('127.0.0.1', {port}), 5).sendall(b'x')\nprint('SENT')\n",
    "javascript": "require('net').connect({port}, '127.0.0.1', () => console.log('SENT'));\n",
}


@pytest.mark.parametrize("language", SOCKETS)
def test_the_network_is_off_unless_asked_for(language: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        text = SOCKETS[language].replace("{port}", str(server.getsockname()[1]))
        done = code(tmp_path, text, language=language)
        assert done.answer.code == 4
        assert done.error["reason"] == "network"
        assert "--network" in done.error["hint"]
        assert done.body["confinement"]["network"] in ("seccomp", "namespace")
        allowed = code(tmp_path, text, "--network", "--timeout", "10", language=language)
        assert "SENT" in allowed.body["stdout"]
        assert allowed.body["confinement"]["network"] == "inherited"


SPY = """
import glob, os
found = []
for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/mem"):
    try:
        found.append(open(path, "rb").read(1 << 16))
    except OSError:
        pass
for entry in range(1, os.getppid() + 50):
    try:
        found.append(open(f"/proc/{entry}/environ", "rb").read())
    except OSError:
        pass
try:
    found.append(open(f"/proc/{os.getppid()}/environ", "rb").read())
except OSError as error:
    print("refused:", error.strerror)
print("SEEN", sum(b"hunter2" in one for one in found))
print(sorted(os.environ))
print([v for v in os.environ.values() if "hunter2" in v])
"""


def test_secrets_are_out_of_reach(tmp_path: Path) -> None:
    done = code(tmp_path, SPY)
    assert done.answer.code == 0, done.body
    assert "refused:" in done.body["stdout"]
    assert "SEEN 0" in done.body["stdout"]
    js = "console.log(JSON.stringify(process.env)); try { console.log(require('fs').readFileSync(`/proc/${process.ppid}/environ`, 'latin1')) } catch (e) { console.log(e.code) }"
    assert code(tmp_path, js, language="js").body["stdout"].strip().endswith(("EACCES", "EPERM"))


@pytest.mark.parametrize(
    "path", ["../outside.txt", "/etc/report-code.txt", "/tmp/report-code.txt", "../data.csv"]
)
def test_only_the_output_folder_is_written_to(path: str, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a\n")
    done = code(tmp_path, f"print(open('../data.csv').read())\nopen({path!r}, 'w')\n")
    assert done.body["stdout"].startswith("a\n")
    assert done.error["name"] == "PermissionError"
    assert "OUTPUT_DIR" in done.error["hint"]
    assert not Path("/tmp/report-code.txt").exists()
    assert (tmp_path / "data.csv").read_text() == "a\n"


def test_modules_beside_the_code_are_imported(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "helper.py").write_text("VALUE = 7\n")
    (tmp_path / "lib" / "main.py").write_text("import helper\nprint(helper.VALUE)\n")
    answer = run(
        "report-run", "execute-code", "--language", "py", "--code", "lib/main.py",
        "--workspace", str(tmp_path), cwd=tmp_path,
    )  # fmt: skip
    assert answer.json()["stdout"] == "7\n"
    assert not (tmp_path / "lib" / "__pycache__").exists()


@pytest.mark.parametrize(
    ("arguments", "stdin", "code_"),
    [
        (["--language", "ruby", "--code", "-"], "x", "USAGE"),
        (["--language", "python"], "x", "USAGE"),
        (["--language", "python", "--code", "-"], " \n", "USAGE"),
        (["--language", "python", "--code", "nowhere.py"], "", "BAD_PATH"),
        (["--language", "python", "--code", "/etc/passwd"], "", "BAD_PATH"),
        (["--language", "python", "--code", "-", "--output", "../x"], "1", "BAD_PATH"),
        (["--language", "python", "--code", "-", "--timeout", "0"], "1", "USAGE"),
        (["--language", "python", "--code", "-", "--timeout", "601"], "1", "USAGE"),
        (["--language", "python", "--code", "-", "--dependency", "-r/etc/passwd"], "1", "USAGE"),
        (["--language", "js", "--code", "-", "--dependency", "git+https://x/y"], "1", "USAGE"),
    ],
)
def test_bad_calls_run_nothing(
    arguments: list[str], stdin: str, code_: str, tmp_path: Path
) -> None:
    answer = run(
        "report-run", "execute-code", *arguments, "--workspace", str(tmp_path), stdin=stdin,
        cwd=tmp_path,
    )  # fmt: skip
    assert answer.error["code"] == code_
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize(("language", "given"), [("python", "pandas"), ("js", "chart.js"), ("js", "chartjs-node-canvas")])  # fmt: skip
def test_what_is_ready_is_not_installed_again(language: str, given: str, tmp_path: Path) -> None:
    text = "print(1)" if language == "python" else "console.log(1)"
    done = code(tmp_path, text, "--dependency", given, language=language)
    assert done.body["dependencies"]["installed"] == []


def test_a_missing_module_is_named(tmp_path: Path) -> None:
    done = code(tmp_path, "import nosuchmodule.inner\n")
    assert done.error["reason"] == "module"
    assert done.error["hint"] == "--dependency nosuchmodule"
    done = code(tmp_path, "require('@scope/none/inner')", language="js")
    assert done.error["hint"] == "--dependency @scope/none"


def test_code_in_place_of_a_file_and_a_file_in_another_folder_are_explained(tmp_path: Path) -> None:
    answer = run(
        "report-run", "execute-code", "--language", "python", "--code", "print(1)",
        "--workspace", str(tmp_path), cwd=tmp_path,
    )  # fmt: skip
    assert answer.error["hint"] == "--code FILE, or --code - and the code on stdin"
    (tmp_path / "orders.csv").write_text("a\n1\n")
    for language, text in (
        ("python", "open('orders.csv')"),
        ("javascript", "require('fs').readFileSync('orders.csv')"),
    ):
        assert "the variable WORKSPACE" in code(tmp_path, text, language=language).error["hint"]
