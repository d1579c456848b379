"""Programs are run to their end, in time, and leave nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from confined import USERS, attack, driver, finish, start
from hypothesis import given
from hypothesis import strategies as st

from toolbelt import process
from toolbelt.capture import Buffer, Captured
from toolbelt.errors import ToolError
from toolbelt.job import job_folder, remove_tree
from toolbelt.process import (
    Completed,
    Limits,
    Literal,
    Stage,
    base_env,
    pass_env,
    pipeline,
    run,
    which,
)
from toolbelt.workspace import Workspace

SHELL = which("sh") or "/bin/sh"
CAT = which("cat") or "/bin/cat"
every_user = pytest.mark.parametrize("user", USERS)


def shell(script: str, **limits: object) -> Completed:
    return run([SHELL, "-c", script], cwd="/tmp", limits=Limits(**{"timeout": 20, **limits}))  # type: ignore[arg-type]


def running(marker: str) -> list[str]:
    """Processes whose command line holds a marker."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if marker.encode() in line.split(b"\0"):
                found.append(entry.name)
    return found


@pytest.mark.parametrize(
    ("script", "code", "signal_name", "out", "error"),
    [
        ("echo out; echo err >&2; exit 3", 3, None, b"out\n", b"err\n"),
        ("kill -9 $$", None, "SIGKILL", b"", b""),
        ("kill -USR1 $$", None, "SIGUSR1", b"", b""),
        ("cat", 0, None, b"", b""),
        ("printf '\\377\\000'", 0, None, b"\xff\0", b""),
        ("exec >&-; exec 2>&-; exit 4", 4, None, b"", b""),
        ("pwd; umask; ls /proc/$$/fd", 0, None, b"/tmp\n0022\n0\n1\n2\n", b""),
    ],
)
def test_how_a_program_ended(
    script: str, code: int | None, signal_name: str | None, out: bytes, error: bytes
) -> None:
    done = shell(script)
    assert (done.exit_code, done.signal) == (code, signal_name)
    assert (done.stdout.data, done.stderr.data) == (out, error)
    assert (done.limit, done.left_running) == (None, 0)


def test_stdin_takes_bytes_a_descriptor_or_nothing(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"from a file")
    big = os.urandom(3_000_000)
    limits = Limits(stdout_bytes=4_000_000)
    assert run([CAT], cwd="/tmp", stdin=big, limits=limits).stdout.data == big
    assert run([CAT], cwd="/tmp", stdin=b"").stdout.data == b""
    with (tmp_path / "in").open("rb") as file:
        assert run([CAT], cwd="/tmp", stdin=file.fileno()).stdout.data == b"from a file"
        assert not file.closed


def test_the_environment_is_made_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DB_PASS", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "LD_PRELOAD", "ANYTHING"):
        monkeypatch.setenv(name, "/nonexistent")
    done = run([which("env") or "/usr/bin/env"], cwd="/tmp")
    names = {line.split("=")[0] for line in done.stdout.text().splitlines()}
    assert names == {"PATH", "LANG", "LC_ALL", "HOME", "TMPDIR", "TZ"}
    assert base_env("/x", MPLBACKEND="Agg")["MPLBACKEND"] == "Agg"


@pytest.mark.parametrize(
    "name",
    ["DB_PASS", "DB_2_HOST", "db_pass", "DATABASE_URL", "AWS_PROFILE", "GITHUB_TOKEN", "MY_API_KEY",
     "SSH_KEY", "LD_PRELOAD", "PGPASSWORD", "TOOLBELT_BROKER", "ROOT_PASSWORD", "", "A=B"],
)  # fmt: skip
def test_secrets_are_not_handed_on_even_when_asked_for(name: str) -> None:
    with pytest.raises(ToolError) as error:
        pass_env([name], {name: "x"})
    assert error.value.code == "USAGE"
    assert pass_env(["LANG", "UNSET"], {"LANG": "C", "OTHER": "1"}) == {"LANG": "C"}


def test_which_knows_only_its_own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sh").write_text("#!/bin/sh\n")
    (tmp_path / "sh").chmod(0o755)
    (tmp_path / "data").write_text("x")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert which("sh") == SHELL
    assert which("sh") != str(tmp_path / "sh")
    assert which(str(tmp_path / "sh")) == str(tmp_path / "sh")
    assert [which(n) for n in ("./sh", "no-such-program", str(tmp_path / "data"), "/", "")] == [
        None
    ] * 5


@pytest.mark.parametrize(
    ("argv", "cwd", "reason"),
    [(["/no/such/program"], "/tmp", "exec"), (["/etc/passwd"], "/tmp", "exec"),
     ([CAT], "/no/such/folder", "cwd")],
)  # fmt: skip
def test_a_program_that_cannot_start(argv: list[str], cwd: str, reason: str) -> None:
    with pytest.raises(ToolError) as error:
        run(argv, cwd=cwd)
    assert (error.value.code, error.value.detail["reason"]) == ("MISSING_DEP", reason)


def test_too_many_arguments_are_a_usage_error() -> None:
    with pytest.raises(ToolError) as error:
        run([CAT, *["x" * 100_000] * 100], cwd="/tmp")
    assert error.value.code == "USAGE"


def test_programs_are_named_by_absolute_paths_without_nul() -> None:
    for argv in (["cat"], [CAT, "a\0b"]):
        with pytest.raises(ValueError, match=r"absolute|NUL"):
            run(argv, cwd="/tmp")


# Each of these leaves something running, or tries to hold the caller.
LEFTOVERS = {
    "a background child": "sleep 61.{n} & echo on",
    "a background child holding the pipes": "sleep 61.{n} & disown 2>/dev/null; echo on",
    "a session of its own": "setsid sleep 61.{n} >/dev/null 2>&1 & echo on",
    "a double fork": "(setsid sh -c 'sleep 61.{n} & sleep 61.{n}' & ) ; echo on",
    "deaf to SIGTERM": "(trap '' TERM INT HUP; sleep 61.{n} & wait) & echo on",
    "a nohup": "nohup sleep 61.{n} >/dev/null 2>&1 & echo on",
}


@pytest.mark.parametrize("name", list(LEFTOVERS))
def test_nothing_outlives_the_call(name: str) -> None:
    number = f"{os.getpid()}{list(LEFTOVERS).index(name)}"
    done = shell(LEFTOVERS[name].format(n=number))
    assert (done.exit_code, done.limit, done.stdout.data) == (0, None, b"on\n")
    assert running(f"61.{number}") == []


# Each of these would never end by itself.
ENDLESS = {
    "sleep": "sleep 62.{n}",
    "a loop": "while :; do :; done",
    "deaf to SIGTERM": "trap '' TERM; sleep 62.{n}; sleep 62.{n}",
    "closed pipes": "exec >&- 2>&-; sleep 62.{n}",
    "a FIFO": "rm -f {d}/f; mkfifo {d}/f; cat {d}/f",
    "endless output": "yes",
    "a stopped process": "kill -STOP $$",
    "daemons": "setsid sleep 62.{n} & setsid sleep 62.{n} & sleep 62.{n}",
}


@pytest.mark.parametrize("name", list(ENDLESS))
def test_the_time_limit_holds(name: str, tmp_path: Path) -> None:
    number = f"{os.getpid()}{list(ENDLESS).index(name)}"
    script = ENDLESS[name].format(n=number, d=tmp_path)
    done = shell(script, timeout=0.4, grace=0.2)
    assert (done.limit, done.timed_out, done.exit_code) == ("time", True, None)
    assert done.signal in ("SIGTERM", "SIGKILL", "SIGPIPE")
    assert running(f"62.{number}") == []


def test_output_before_the_limit_is_kept_and_sigterm_can_be_answered() -> None:
    done = shell("trap 'echo bye; exit 9' TERM; echo begun; sleep 30 & wait", timeout=0.5, grace=5)
    assert done.stdout.data == b"begun\nbye\n"
    assert (done.exit_code, done.limit) == (9, "time")


def test_endless_output_is_stopped_or_drained() -> None:
    stopped = shell("yes", overflow="stop", stdout_bytes=1000)
    assert stopped.limit == "output"
    assert len(stopped.stdout.data) == 1000
    assert stopped.stdout.truncated
    drained = shell("seq 200000; echo end >&2", stdout_bytes=1000)
    assert (drained.limit, drained.exit_code) == (None, 0)
    assert drained.stdout.head.startswith(b"1\n2\n")
    assert drained.stdout.tail.endswith(b"199999\n200000\n")
    assert drained.stdout.seen == 1288895
    assert len(drained.stdout.head) + len(drained.stdout.tail) == 1000
    assert b"bytes left out" in drained.stdout.data
    assert drained.stderr.data == b"end\n"
    endless = shell("yes", stdout_bytes=1000, drain_bytes=1 << 20)
    assert endless.limit == "output"
    assert len(endless.stdout.head) + len(endless.stdout.tail) == 1000
    assert endless.stdout.seen > 1 << 20


def test_a_full_stderr_eats_nothing_of_stdout() -> None:
    done = shell("seq 100000 >&2; echo out", stderr_bytes=100)
    assert done.stdout.data == b"out\n"
    assert done.stderr.truncated


def test_memory_of_the_whole_tree_is_limited() -> None:
    hog = "x = bytearray(60 << 20); import time; time.sleep(30)"
    python = sys.executable
    done = shell(f"{python} -c '{hog}' & {python} -c '{hog}' & wait", memory_bytes=90 << 20)
    assert (done.limit, done.exit_code, done.signal) == ("memory", None, "SIGKILL")


def test_a_folder_may_not_outgrow_its_size() -> None:
    with job_folder() as job:
        script = f"i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > {job}/$i; done"
        done = shell(script, folder=job, folder_bytes=20_000_000)
        assert done.limit == "disk"
        assert sum(p.stat().st_size for p in job.iterdir()) < 2_000_000_000


def test_a_flood_of_empty_files_is_a_full_folder() -> None:
    with job_folder() as job:
        script = f"i=0; while :; do i=$((i+1)); : > {job}/$i; done"
        assert shell(script, folder=job, folder_bytes=4_000_000).limit == "disk"


PIPES: list[tuple[list[Stage | Literal], bytes, list[int]]] = [
    ([Stage([SHELL, "-c", "seq 5"]), Stage([CAT]), Stage([SHELL, "-c", "tail -1"])], b"5\n", [0, 0, 0]),
    ([Stage([SHELL, "-c", "yes"]), Stage([SHELL, "-c", "head -2"])], b"y\ny\n", [141, 0]),
    ([Stage([SHELL, "-c", "exit 3"]), Stage([CAT])], b"", [3, 0]),
    ([Literal(b"abc"), Stage([CAT])], b"abc", [0, 0]),
    ([Stage([SHELL, "-c", "yes"]), Literal(b"only\n")], b"only\n", [141, 0]),
    ([Literal(b"alone", exit_code=1)], b"alone", [1]),
    ([Literal(b"a"), Literal(b"b")], b"b", [0, 0]),
    ([Stage([SHELL, "-c", "echo e >&2; echo o"], stderr="out"), Stage([CAT])], b"e\no\n", [0, 0]),
    ([Stage([SHELL, "-c", "echo o"], stdout="null"), Stage([CAT])], b"", [0, 0]),
    ([Stage([SHELL, "-c", "yes"]), Stage([CAT], stdin=b"mine")], b"mine", [141, 0]),
]  # fmt: skip


@pytest.mark.parametrize(("stages", "out", "codes"), PIPES)
def test_pipelines(stages: list[Stage | Literal], out: bytes, codes: list[int]) -> None:
    outcome = pipeline(stages, cwd="/tmp", limits=Limits(timeout=20))
    assert outcome.stdout.data == out
    assert [stage.shell_code for stage in outcome.stages] == codes


def test_every_stages_stderr_is_its_own() -> None:
    stages = [
        Stage([SHELL, "-c", "echo one >&2; echo data"]),
        Literal(b"", stderr=b"two\n"),
        Stage([SHELL, "-c", "echo three >&2"], stderr="err"),
        Stage([SHELL, "-c", "echo four"], stdout="err"),
        Stage([SHELL, "-c", "echo five >&2"], stderr="null"),
    ]
    outcome = pipeline(stages, cwd="/tmp")
    said = [stage.stderr.data for stage in outcome.stages]
    assert said == [b"one\n", b"two\n", b"three\n", b"four\n", b""]
    assert outcome.stdout.data == b""


def test_a_large_pipeline_passes_every_byte() -> None:
    stages = [Stage([SHELL, "-c", "head -c 50000000 /dev/zero"]), Stage([CAT]),
              Stage([SHELL, "-c", "wc -c"])]  # fmt: skip
    assert pipeline(stages, cwd="/tmp").stdout.data.strip() == b"50000000"


def test_no_descriptor_and_no_zombie_is_left() -> None:
    # In a process of its own: this one may have servers and their descriptors come and go.
    body = """
sh = which("sh")
run([sh, "-c", "true"], cwd="/tmp")
before = sorted(os.listdir("/proc/self/fd"))
for script in ("true", "exit 1", "sleep 9 & echo", "kill -9 $$"):
    run([sh, "-c", script], cwd="/tmp", confinement=Confinement(read=SYSTEM))
for argv in (["/no/such"], ["relative"]):
    try:
        pipeline([Stage([sh]), Stage(argv)], cwd="/tmp")
    except (ToolError, ValueError) as error:
        print(type(error).__name__, file=sys.stderr)
try:
    print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print(json.dumps(sorted(os.listdir("/proc/self/fd")) == before))
"""
    assert finish("self", body) is True


def test_a_command_without_streams_of_its_own_can_run_programs() -> None:
    body = """
for number in (0, 1, 2):
    os.close(number)
done = run([which("sh"), "-c", "cat; echo out; echo err >&2"], cwd="/tmp", stdin=b"in")
os._exit(done.stdout.data == b"inout\\n" and done.stderr.data == b"err\\n")
"""
    assert subprocess.run([sys.executable, "-c", driver("self", body)], check=False).returncode == 1


def test_a_second_thread_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "THREADS_ARE_IDLE", False)
    release = threading.Event()
    thread = threading.Thread(target=release.wait, daemon=True)
    thread.start()
    try:
        with pytest.raises(RuntimeError, match="single-threaded"):
            shell("true")
    finally:
        monkeypatch.setattr(process, "THREADS_ARE_IDLE", True)
        assert shell("true").ok
        release.set()
        thread.join()


def wait_for(condition: object, seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.02)
    return False


@every_user
@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_when_the_command_is_ended_all_ends(user: str, kind: signal.Signals) -> None:
    marker = f"63.{os.getpid()}{int(kind)}{USERS.index(user)}"
    script = f"(setsid sleep {marker} &) ; trap '' TERM; setsid sh -c 'sleep {marker} & wait' & sleep {marker}"
    body = f"""
import signal
signal.signal(signal.SIGTERM, signal.default_int_handler)
with job_folder() as job:
    print(job, flush=True)
    run(["{SHELL}", "-c", {script!r}], cwd="/tmp", job=job, confinement=Confinement(read=SYSTEM))
"""
    command = start(user, body)
    assert command.stdout is not None
    job = Path(command.stdout.readline().strip())
    assert wait_for(lambda: len(running(marker)) >= 3), "the programs did not start"
    assert job.is_dir()
    command.send_signal(kind)
    command.communicate(timeout=30)
    assert wait_for(lambda: not running(marker) and not job.exists())
    assert command.returncode != 0


def test_the_commands_own_process_group_may_be_killed_whole() -> None:
    marker = f"64.{os.getpid()}"
    body = f'run(["/bin/sleep", "{marker}"], cwd="/tmp")'
    command = subprocess.Popen([sys.executable, "-c", driver("self", body)], start_new_session=True)
    assert wait_for(lambda: running(marker))
    os.killpg(command.pid, signal.SIGKILL)
    command.wait()
    assert wait_for(lambda: not running(marker))


# (name, what the child does, further confinement, limits, how it may end)
BOMBS = [
    ("fork bomb", "import os\nwhile True: os.fork()", "{'processes': 40}", {"timeout": 3}),
    ("patient fork bomb",
     "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass", "{'processes': 60}",
     {"timeout": 1, "grace": 0.2}),
    ("thread bomb", "import threading, time\nwhile True: "
     "threading.Thread(target=time.sleep, args=(0.5,)).start()", "{'processes': 40}",
     {"timeout": 5}),
    ("ten gigabytes", "f = open('x', 'wb')\nfor i in range(10240): f.write(bytes(1 << 20))",
     "{'file_bytes': 20 << 20}", {}),
    ("much memory", "x = bytearray(1 << 30)", "{'memory_bytes': 400 << 20}", {}),
    ("much time", "while True: pass", "{'cpu_seconds': 1}", {}),
    ("many files", "x = [open('/dev/null') for _ in range(10000)]", "{'open_files': 50}", {}),
    ("a detached child and a loop",
     "import os\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    while True: pass\n"
     "while True: pass", "{}", {"timeout": 1, "grace": 0.2}),
]  # fmt: skip
ENDS = {
    "fork bomb": "BlockingIOError", "patient fork bomb": "time", "thread bomb": "can't start",
    "ten gigabytes": "File too large", "much memory": "MemoryError", "much time": "SIGXCPU",
    "many files": "Too many open files", "a detached child and a loop": "time",
}  # fmt: skip


@every_user
@pytest.mark.parametrize(("name", "code", "spec", "limits"), BOMBS, ids=[b[0] for b in BOMBS])
def test_bombs_are_stopped(
    user: str, name: str, code: str, spec: str, limits: dict[str, object]
) -> None:
    done = attack(user, code, spec, **limits)
    assert ENDS[name] in f"{done.stderr} {done.signal} {done.limit}"
    assert done.left == 0
    assert done.confinement["rlimits"] is True


def test_what_a_child_left_in_a_job_folder_is_read_safely_and_removed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("SECRET")
    with job_folder() as job:
        shell(f"cd {job}; ln -s {tmp_path}/secret out.pdf; mkdir -p a/b; chmod 0 a; echo ok > good")
        with pytest.raises(ToolError):
            Workspace.at(job).resolve_input("out.pdf")
        assert Workspace.at(job).read_bytes("good") == b"ok\n"
    assert not job.exists()
    assert (tmp_path / "secret").read_text() == "SECRET"
    remove_tree(job)


def test_a_very_deep_folder_is_removed(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    os.mkdir("deep", dir_fd=here)
    for _ in range(1100):
        inner = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.mkdir("deep", dir_fd=inner)
        os.close(here)
        here = inner
    os.close(here)
    remove_tree(tmp_path / "deep")
    assert list(tmp_path.iterdir()) == []


@given(st.lists(st.binary(max_size=40), max_size=12), st.integers(1, 60), st.booleans())
def test_what_is_kept_of_a_stream(pieces: list[bytes], size: int, tail: bool) -> None:
    buffer, whole = Buffer(size, tail=tail), b"".join(pieces)
    for piece in pieces:
        buffer.add(piece)
    kept = buffer.captured()
    assert kept.seen == len(whole)
    assert whole.startswith(kept.head)
    assert whole.endswith(kept.tail)
    assert len(kept.head) + len(kept.tail) == min(len(whole), size)
    assert kept.truncated == (len(whole) > size) == buffer.full
    json.dumps(kept.text())


@given(
    st.text(st.characters(exclude_characters="\ufffd", codec="utf-8")),
    st.integers(1, 30),
    st.booleans(),
)
def test_a_cut_never_breaks_a_character(text: str, size: int, tail: bool) -> None:
    buffer = Buffer(size, tail=tail)
    buffer.add(text.encode("utf-8", "ignore"))
    assert "\ufffd" not in buffer.captured().text()


def test_no_bytes_are_invented() -> None:
    assert Captured(b"ab", b"", 2).data == b"ab"
    assert Captured(b"a\xff", b"", 2).text() == "a\ufffd"
