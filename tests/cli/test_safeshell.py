"""safe-shell as its users call it: options, envelope, exit codes, limits."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from commands import BIN, Answer, clean_environment, run


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Path]:
    root = tmp_path / "ws"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("def foo():\n    return 1\n")
    (root / "a;b").write_text("x\n")
    (root / "list.txt").write_text("b\na\nb\n")
    yield root.resolve()


def shell(workspace: Path, *words: str, **env: str) -> Answer:
    return run(
        "safe-shell", *words, env={"TOOLBELT_WORKSPACE": str(workspace), **env}, cwd=workspace
    )


def test_the_envelope_of_a_line(workspace: Path) -> None:
    done = shell(workspace, "cd src && cat app.py | head -1; ls nope")
    body = done.json()
    assert list(body)[:2] == ["ok", "command"]
    assert (body["ok"], done.code, body["exitCode"]) == (False, 2, 2)
    assert body["stdout"] == "def foo():\n"
    assert "nope" in body["stderr"]
    assert body["cwd"] == str(workspace / "src")
    assert [stage["argv"][0] for stage in body["stages"]] == ["cd", "cat", "head", "ls"]
    assert [stage["exitCode"] for stage in body["stages"]] == [0, 0, 0, 2]
    assert body["truncated"] is False
    assert body["timedOut"] is False
    assert body["confinement"]["rlimits"] is True
    assert done.stderr == ""


def test_words_after_two_dashes_are_one_command(workspace: Path) -> None:
    body = shell(workspace, "--", "cat", "a;b").json()
    assert (body["stdout"], body["argv"], body["command"]) == ("x\n", ["cat", "a;b"], "cat 'a;b'")
    assert shell(workspace, "echo", "$HOME", "`x`").json()["stdout"] == "$HOME `x`\n"
    assert shell(workspace, "--", "echo hi").code == 126
    assert shell(workspace, "--", "ls", "-la", "--", "src").code == 0


def test_options_may_stand_behind_the_line(workspace: Path) -> None:
    assert shell(workspace, "cat list.txt", "--pretty", "--timeout", "5").code == 0
    done = shell(workspace, "cat list.txt", "more")
    assert (done.code, done.error["code"]) == (2, "USAGE")


@pytest.mark.parametrize(
    ("words", "code", "name"),
    [
        ([], 2, "USAGE"),
        ([""], 126, "BLOCKED"),
        (["  \n "], 126, "BLOCKED"),
        (["--nonsense", "ls"], 2, "USAGE"),
        (["--timeout", "0", "ls"], 2, "USAGE"),
        (["--timeout", "x", "ls"], 2, "USAGE"),
        (["--timeout", "nan", "ls"], 2, "USAGE"),
        (["--timeout", "1e9", "ls"], 2, "USAGE"),
        (["--workspace", "/no/such", "ls"], 2, "USAGE"),
        (["--cwd", "..", "ls"], 126, "BLOCKED"),
        (["--cwd", "list.txt", "ls"], 126, "BLOCKED"),
        (["--list", "rm"], 2, "USAGE"),
        (["rm x"], 126, "BLOCKED"),
        (["ls", "\ud800"], 126, "BLOCKED"),
    ],
)
def test_every_malformed_call_answers_in_json(
    workspace: Path, words: list[str], code: int, name: str
) -> None:
    if "\ud800" in words:
        words = ["ls \udcff"]
    done = shell(workspace, *words)
    assert (done.code, done.error["code"]) == (code, name)
    assert done.error["hint"]
    assert len(done.stdout.splitlines()) == 1
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "code", "stdout"),
    [
        ("grep -q zzz list.txt", 1, ""),
        ("grep -q a list.txt", 0, ""),
        ("ls nope 2>/dev/null", 2, ""),
        ("false", 1, ""),
        ("false || echo b", 0, "b\n"),
        ("true && false; echo c", 0, "c\n"),
        ("false && echo no || echo yes", 0, "yes\n"),
        ("ls nope |& grep -c nope", 0, "1\n"),
        ("ls nope 2>&1 >/dev/null | wc -l", 0, "1\n"),
        ("ls nope >/dev/null 2>&1 | wc -l", 0, "0\n"),
        ("echo hi >&2", 0, ""),
        ("echo hi 2>&1 | cat", 0, "hi\n"),
        ("sort -u < list.txt | head -1", 0, "a\n"),
        ("cat < nope || echo missing", 0, "missing\n"),
        ("cat < src", 1, ""),
        ("seq 1 100000 | head -1", 0, "1\n"),
        ("echo a | cat | cat - list.txt", 0, "a\nb\na\nb\n"),
        ("cd src | pwd; pwd | cat", 0, "{ws}\n{ws}\n"),
        ("cd nope || pwd", 0, "{ws}\n"),
        ("cd src; cd ..; pwd", 0, "{ws}\n"),
        ("test -d src && cd src; pwd", 0, "{ws}/src\n"),
        ("[ -f list.txt ] && echo yes", 0, "yes\n"),
        ("cat list.txt | echo ignored", 0, "ignored\n"),
        ("LC_ALL=C sort list.txt | uniq -c", 0, "      1 a\n      2 b\n"),
        ("printf 'x\\ny\\n' | sed -n '2p'", 0, "y\n"),
        ("sed 's/b/c/g' list.txt", 0, "c\na\nc\n"),
        ("sort", 0, ""),
        ("command -v rg && which jq", 0, "/usr/bin/rg\n/usr/bin/jq\n"),
        ("git status", 128, ""),
        ("git stash list || echo none", 0, "none\n"),
    ],
)
def test_what_a_line_comes_to(workspace: Path, line: str, code: int, stdout: str) -> None:
    done = shell(workspace, line)
    body = done.json()
    assert (done.code, body["stdout"]) == (code, stdout.replace("{ws}", str(workspace)))


def test_a_refusal_names_the_place_and_the_way(workspace: Path) -> None:
    done = shell(workspace, "ls src | xargs rm")
    error = done.error
    assert done.code == 126
    assert (error["code"], error["reason"], error["token"]) == (
        "BLOCKED",
        "COMMAND_NOT_ALLOWED",
        "xargs",
    )
    assert (error["position"], error["stage"]) == (9, 1)
    assert "rg -l" in error["hint"]
    assert error["message"] in done.stderr


def test_nothing_of_a_refused_line_runs(workspace: Path) -> None:
    body = shell(workspace, "echo first; cat list.txt; rm list.txt").json()
    assert (body["stdout"], body["exitCode"]) == ("", 126)
    assert "stages" not in body


def test_check_and_explain_run_nothing(workspace: Path) -> None:
    body = shell(workspace, "--check", "seq 1 100000000 | sort && cat list.txt").json()
    assert (body["ok"], body["verdict"]) == (True, "allow")
    assert [stage["argv"][0] for stage in body["stages"]] == ["seq", "sort", "cat"]
    assert shell(workspace, "--check", "rm x").code == 126
    told = shell(workspace, "--explain", "cd src && grep -r foo . < ../list.txt 2>/dev/null").json()
    grep = told["stages"][1]
    assert grep["argv"] == ["grep", "--devices=skip", "-r", "foo", "."]
    assert grep["cwd"] == str(workspace / "src")
    assert (grep["stdin"], grep["stderr"]) == ([str(workspace / "list.txt")], "null")


def test_the_list_names_what_is_allowed(workspace: Path) -> None:
    body = shell(workspace, "--list").json()
    assert {"rg", "git", "jq", "column"} <= set(body["commands"])
    assert {"status", "log", "blame"} <= set(body["git"])
    assert {"cd", "echo"} <= set(body["builtins"])
    body = shell(workspace, "--list", "git", "sort", "cd").json()
    assert "--stat[=text]" in body["commands"]["git"]["subcommands"]["diff"]["flags"]
    assert "-k=text" in body["commands"]["sort"]["flags"]
    assert "-o" in body["commands"]["sort"]["instead"]


def test_text_is_for_people(workspace: Path) -> None:
    done = shell(workspace, "--text", "cat list.txt; ls nope")
    assert (done.code, done.stdout) == (2, "b\na\nb\n")
    assert "nope" in done.stderr
    done = shell(workspace, "--text", "rm x")
    assert (done.code, done.stdout) == (126, "")
    assert "Hint" in done.stderr


def test_a_terminal_sees_no_control_characters(workspace: Path) -> None:
    (workspace / "ansi").write_bytes(
        "a\x1b[31mred\x1b]52;c;eA==\x07 \u202eevil\u200f \x9b1m b\n".encode()
    )
    raw = shell(workspace, "--text", "cat ansi").stdout
    assert "\x1b[31m" in raw
    main, side = pty.openpty()
    env = clean_environment({"TOOLBELT_WORKSPACE": str(workspace)})
    done = subprocess.run(
        [str(BIN / "safe-shell"), "--text", "cat ansi"], stdout=side, stderr=side, cwd=workspace, env=env,
        check=False, timeout=60,
    )  # fmt: skip
    os.close(side)
    shown = os.read(main, 65536).decode()
    os.close(main)
    assert done.returncode == 0
    assert shown == "a[31mred]52;c;eA== evil 1m b\r\n"
    for line in ("cat ansi", "rg a ansi"):
        out = shell(workspace, line).stdout
        assert "\x1b" not in out
        assert "\u202e" not in out
        assert json.loads(out)["stdout"].startswith("a\x1b[31m")


def test_any_bytes_become_valid_json(workspace: Path) -> None:
    (workspace / "soup").write_bytes(bytes(range(256)) * 40)
    (workspace / os.fsdecode(b"bad\xff")).write_bytes(b"in")
    body = shell(workspace, "cat soup").json()
    assert body["encoding"] == "utf-8-replaced"
    assert len(body["stdout"]) > 1000
    assert shell(workspace, "cat bad*").json()["stdout"] == "in"
    assert shell(workspace, "ls").json()["ok"]


def test_long_output_is_cut_and_counted(workspace: Path) -> None:
    body = shell(workspace, "seq 1 1000000").json()
    assert body["truncated"] == {"stdout": 6888896, "stderr": False}
    assert len(body["stdout"]) < 1_000_100
    assert body["stdout"].startswith("1\n2\n")
    assert body["stdout"].endswith("\n1000000\n")
    assert (body["exitCode"], body["ok"]) == (0, True)
    assert "head" in body["hint"]


@pytest.mark.parametrize(
    "line", ["cat pipe", "grep x < pipe2 pipe", "sed ':a;ba' list.txt", "rg x pipe"]
)
def test_the_time_limit_holds(workspace: Path, line: str) -> None:
    os.mkfifo(workspace / "pipe")
    os.mkfifo(workspace / "pipe2")
    begun = time.monotonic()
    done = shell(workspace, "--timeout", "1", line)
    if line.startswith("grep"):
        assert done.code in (1, 2)  # --devices=skip
        return
    assert time.monotonic() - begun < 10
    body = done.json()
    assert (done.code, body["error"]["code"], body["exitCode"]) == (124, "TIMEOUT", 124)
    assert body["timedOut"] is True
    assert 900 < body["durationMs"] < 4000


def test_memory_is_limited(workspace: Path) -> None:
    done = shell(workspace, "--timeout", "20", "jq -n '[range(0;1e18)]|length'")
    body = done.json()
    assert done.code != 0
    assert body.get("limit") == "memory" or body["exitCode"] in (134, 137, 5, 2) or body["timedOut"]


def test_a_program_that_is_not_installed_is_said(workspace: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[command.no-such-tool]\nflags = "-x"\noperands = "paths"\n')
    env = {"TOOLBELT_SHELL_POLICY": str(policy)}
    done = shell(workspace, "no-such-tool -x src", **env)
    body = done.json()
    assert (done.code, body["exitCode"], body["ok"]) == (127, 127, False)
    assert body["error"]["code"] == "MISSING_DEP"
    assert "apt-get install" in body["error"]["hint"]
    assert shell(workspace, "no-such-tool || echo else", **env).json()["stdout"] == "else\n"


def test_confinement_is_required_or_off(workspace: Path) -> None:
    body = shell(workspace, "cat list.txt", TOOLBELT_CONFINE="require").json()
    assert body["confinement"]["landlock"] > 0
    body = shell(workspace, "cat list.txt", TOOLBELT_CONFINE="off").json()
    assert body["confinement"]["landlock"] == 0
    done = shell(workspace, "cat list.txt", TOOLBELT_CONFINE="maybe")
    assert (done.code, done.error["code"]) == (125, "BAD_CONFIG")


def test_nothing_of_the_environment_is_inherited(workspace: Path) -> None:
    secret = {"DB_PASS": "hunter2", "AWS_SECRET_ACCESS_KEY": "hunter2", "LD_PRELOAD": "/no", "GIT_DIR": "/tmp",
              "RIPGREP_CONFIG_PATH": "/no", "TZ": ":/etc/passwd", "GREP_COLORS": "x"}  # fmt: skip
    done = shell(workspace, "rg foo; date +%Z; grep -c foo src/app.py", **secret)
    assert done.code == 0
    assert "hunter2" not in done.stdout
    assert "LD_PRELOAD" not in done.json()["stderr"]


def test_programs_in_the_workspace_are_not_run(workspace: Path) -> None:
    for name in ("ls", "git", "rg"):
        shutil.copy("/bin/false", workspace / name)
    done = shell(workspace, "ls -d src && rg -c foo src", PATH=f"{workspace}:/usr/bin:/bin")
    assert done.code == 0


def test_much_is_sorted_behind_a_pipe(workspace: Path) -> None:
    answer = shell(workspace, "seq 1 600000 | sort -rn | sort -n | wc -l").json()
    assert (answer["stdout"], "warnings" in answer) == ("600000\n", False)


def test_a_stage_that_fails_in_front_of_others_is_named(workspace: Path) -> None:
    answer = shell(workspace, "ls nothing-here | wc -l").json()
    assert answer["ok"] and answer["warnings"] == [
        "ls failed (exit code 2): what follows it saw part of its output"
    ]
    for line in ("rg no-such-text . | wc -l", "seq 1 9999999 | head -1"):
        assert "warnings" not in shell(workspace, line).json()


def test_sigterm_ends_the_line(workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    child = subprocess.Popen(
        [str(BIN / "safe-shell"), "cat pipe"], cwd=workspace, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=clean_environment({"TOOLBELT_WORKSPACE": str(workspace)}), text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 30
    while not readers(workspace / "pipe") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert readers(workspace / "pipe")
    child.send_signal(signal.SIGTERM)
    out, _ = child.communicate(timeout=30)
    assert (child.returncode, json.loads(out)["error"]["code"]) == (130, "CANCELLED")
    assert not readers(workspace / "pipe")


def readers(pipe: Path) -> bool:
    """Whether a `cat` waits for a writer of the pipe."""
    try:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return any(words.startswith(b"cat\0pipe") for words in _command_lines())
    return True


def _command_lines() -> Iterator[bytes]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended since
            yield path.read_bytes()


def test_the_audit_file_has_a_line_a_call(workspace: Path, tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    policy = tmp_path / "policy.toml"
    policy.write_text(f'[audit]\npath = "{log}"\n')
    env = {"TOOLBELT_SHELL_POLICY": str(policy)}
    shell(workspace, "grep foo src/app.py", **env)
    shell(workspace, "rm x", **env)
    shell(workspace, "--", "cat", "nope", **env)
    rows: list[dict[str, Any]] = [json.loads(line) for line in log.read_text().splitlines()]
    assert [row["verdict"] for row in rows] == ["allow", "block", "allow"]
    assert [row["exitCode"] for row in rows] == [0, 126, 1]
    assert rows[1]["reason"] == "COMMAND_NOT_ALLOWED"
    assert rows[2]["argv"] == ["cat", "nope"]
    assert all("foo()" not in json.dumps(row) for row in rows)
    assert log.stat().st_mode & 0o777 == 0o600
    policy.write_text('[audit]\npath = "/no/such/folder/x"\n')
    done = shell(workspace, "echo hi", **env)
    assert (done.code, done.error["code"]) == (125, "BAD_CONFIG")
