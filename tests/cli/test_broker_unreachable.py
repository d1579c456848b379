"""Report code, converters and shell stages cannot talk to the broker, even as the user it serves."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from brokers import RunningBroker
from cli.commands import run

# socket and connect to the path in the file named first; what came of it on stdout.
PERL = """#!/usr/bin/perl
use Socket;
open(my $in, '<', $ARGV[0]) or die; chomp(my $path = <$in>);
my $said = 'REACHED';
socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un($path)) or $said = "refused: $!";
if (defined $ARGV[1]) { open(STDOUT, '>', $ARGV[1]) or die; }
print "$said\\n";
"""
PYTHON = """
import socket
s = None
try:
    s = socket.socket(socket.AF_UNIX)
    s.connect({path!r})
    print("REACHED")
except OSError as error:
    print("refused:", error)
"""
# The client of the two commands, asked from within.
COMMAND = """
import subprocess, sys
done = subprocess.run([sys.executable, "-c", "from dbtools.start import query; query()", "-q", "SELECT 1"],
                      env={{"TOOLBELT_BROKER": {path!r}}}, capture_output=True, text=True)
print(done.stdout, done.stderr)
"""


@pytest.fixture(scope="module")
def broker() -> Iterator[RunningBroker]:
    env = {"PATH": os.environ["PATH"], "DB_TYPE": "pg", "DB_HOST": "127.0.0.1", "DB_PORT": "1"}
    with RunningBroker({**env, "DB_NAME": "d", "DB_USER": "u", "DB_PASS": "p"}) as running:
        yield running


@pytest.fixture
def place(broker: RunningBroker) -> Iterator[Path]:
    """An operator's folder with the script, and below it a workspace that names the socket."""
    with tempfile.TemporaryDirectory(prefix="toolbelt-reach-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "workspace").mkdir()
        (folder / "workspace/path.sock").write_text(str(broker.socket), "utf-8")
        (folder / "conversions").mkdir()
        script = folder / "conversions/knock.pl"
        script.write_text(PERL, "utf-8")
        script.chmod(0o755)
        (folder / "workspace/knock.pl").write_bytes(script.read_bytes())
        yield folder


def test_unconfined_the_broker_is_reached(place: Path, broker: RunningBroker) -> None:
    argv = ["perl", "knock.pl", "path.sock"]
    done = subprocess.run(argv, cwd=place / "workspace", capture_output=True, check=True)
    assert done.stdout == b"REACHED\n"
    code = ["-c", PYTHON.format(path=str(broker.socket))]
    done = subprocess.run([sys.executable, *code], capture_output=True, check=True)
    assert done.stdout == b"REACHED\n"


@pytest.mark.parametrize("more", [[], ["--network"]], ids=["alone", "network"])
@pytest.mark.parametrize("code", [PYTHON, COMMAND], ids=["socket", "command"])
def test_report_code_reaches_no_broker(
    place: Path, broker: RunningBroker, code: str, more: list[str]
) -> None:
    (place / "workspace/it.py").write_text(code.format(path=str(broker.socket)), "utf-8")
    asked = ["execute-code", "--language", "python", "--code", "it.py", *more]
    answer = run("report-run", *asked, cwd=place / "workspace", env={"TOOLBELT_WORKSPACE": str(place / "workspace")})  # fmt: skip
    assert answer.code == 0, answer.stdout
    said = answer.json()["stdout"]
    assert "REACHED" not in said and "Operation not permitted" in said


@pytest.mark.parametrize("profile", ["plain", "office", "browser"])
def test_converters_reach_no_broker(place: Path, profile: str) -> None:
    manifest = place / "conversions.toml"
    manifest.write_text(
        f'[[recipe]]\nfrom = "sock"\nto = "txt"\nout_ext = "txt"\nprofile = "{profile}"\n'
        'argv = ["{script}/knock.pl", "{input}", "{output}"]\n',
        "utf-8",
    )
    env = {"TOOLBELT_WORKSPACE": str(place / "workspace"), "TOOLBELT_CONVERSIONS": str(manifest)}
    answer = run("file-convert", "txt", "path.sock", cwd=place / "workspace", env=env)
    assert answer.code == 0, answer.stdout
    said = (place / "workspace" / answer.json()["output_path"]).read_text("utf-8")
    assert said.startswith("refused: ")


def test_shell_stages_reach_no_broker(place: Path) -> None:
    policy = place / "shell.toml"
    policy.write_text('[command.perl]\nflags = ""\noperands = "paths"\n', "utf-8")
    env = {"TOOLBELT_WORKSPACE": str(place / "workspace"), "TOOLBELT_SHELL_POLICY": str(policy)}
    answer = run("safe-shell", "perl knock.pl path.sock", cwd=place / "workspace", env=env)
    assert answer.code == 0, answer.stdout
    assert answer.json()["stdout"].startswith("refused: ")
