"""Runs Python snippets as a command of ours would run a program: as root and as another user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NOBODY = 65534
USERS = ["root", "nobody"] if os.geteuid() == 0 else ["self"]

# What the kernel modules import lazily, loaded while every file can still be read.
_DRIVER = """
import ctypes, difflib, fcntl, json, os, resource, select, struct, sys, time, traceback
sys.path.insert(0, {source!r})
import toolbelt.run, toolbelt.confine_prepare, toolbelt.workspace
from pathlib import Path
from toolbelt.confine import *
from toolbelt.process import *
from toolbelt.job import job_folder
from toolbelt.errors import ToolError
uid = {user}
if uid is not None:
    os.setgroups([]); os.setgid(uid); os.setuid(uid)
PYTHON = which("python3")
def child(code, spec=None, **limits):
    with job_folder() as job:
        spec = dict(read=[*SYSTEM, *python_roots()], job=job) | (spec or {{}})
        done = run([PYTHON, "-I", "-c", code], cwd=job, confinement=Confinement(**spec),
                   limits=Limits(**({{"timeout": 20}} | limits)), job=job)
        return done
def told(done):
    return dict(exit_code=done.exit_code, signal=done.signal, limit=done.limit,
                stdout=done.stdout.text(), stderr=done.stderr.text(), left=done.left_running,
                confinement=done.confinement)
"""


def driver(user: str, body: str) -> str:
    """A program that becomes the user and runs `body` with the API at hand."""
    source = str(Path(__file__).parents[2] / "src")
    uid = NOBODY if user == "nobody" else None
    return _DRIVER.format(source=source, user=uid) + body


def start(user: str, body: str, **env: str) -> subprocess.Popen[str]:
    """Start it; stdout and stderr are pipes."""
    return subprocess.Popen(
        [sys.executable, "-c", driver(user, body)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **env},
    )  # fmt: skip


def finish(user: str, body: str, **env: str) -> Any:
    """Run it to its end; its stdout as JSON."""
    process = start(user, body, **env)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return json.loads(out)


@dataclass(frozen=True)
class Told:
    """What a confined child did."""

    exit_code: int | None
    signal: str | None
    limit: str | None
    stdout: str
    stderr: str
    left: int
    confinement: dict[str, object]


def attack(user: str, code: str, spec: str = "{}", before: str = "", **limits: object) -> Told:
    """Run a snippet in a confined child of a command started as `user`.

    spec: a dict display of further Confinement fields, evaluated in the command, as is `before`.
    """
    body = f"{before}\nprint(json.dumps(told(child({code!r}, {spec}, **{limits!r}))))"
    return Told(**finish(user, body, DB_PASS="hunter2-secret"))


def attacks(user: str, table: list[tuple[str, str, str, str]]) -> dict[str, Told]:
    """Many attacks, (name, code, spec, ...) each, from one command; what each did by name."""
    runs = ", ".join(f"{name!r}: told(child({code!r}, {spec}))" for name, code, spec, _ in table)
    found = finish(user, f"print(json.dumps({{{runs}}}))", DB_PASS="hunter2-secret")
    return {name: Told(**told) for name, told in found.items()}
