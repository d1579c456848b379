"""The README's examples print what it says they print."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from demo.build import build

from cli.commands import BIN, clean_environment, run

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"<!-- example: ([a-z-]+) -->\n```console\n\$ (.+?)\n(.*?)```", README, re.S)


# What differs from run to run, or with the machine's kernel and libraries.
VOLATILE = {"executionTimeMs", "durationMs", "bytes", "confinement"}
CUT = "…"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo shop, and the CSV file that examples read."""
    place = tmp_path_factory.mktemp("readme")
    build(place / "shop.db")
    env = {"DB_TYPE": "sqlite", "DB_NAME": str(place / "shop.db")}
    statement = "SELECT id, order_number, total_amount FROM orders"
    assert run("db-query", "-q", statement, "-o", "orders.csv", env=env, cwd=place).code == 0
    return place


def lasting(document: Any) -> Any:
    """The answer without what is volatile."""
    if isinstance(document, dict):
        return {k: lasting(v) for k, v in document.items() if k not in VOLATILE}
    return [lasting(v) for v in document] if isinstance(document, list) else document


def steady(text: str) -> str:
    """The same for an answer that the README cuts short."""
    return re.sub(r'"durationMs":\d+', '"durationMs":0', text)


@pytest.mark.parametrize(("command", "line", "shown"), EXAMPLES, ids=[e[1][:50] for e in EXAMPLES])
def test_an_example_prints_what_the_readme_shows(
    folder: Path, command: str, line: str, shown: str
) -> None:
    assert command in line.split()
    env = clean_environment({"DB_TYPE": "sqlite", "DB_NAME": str(folder / "shop.db")})
    env["PATH"] = f"{BIN}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"], env=env, cwd=folder, capture_output=True,
        text=True, timeout=120, check=False,
    )  # fmt: skip
    said = done.stdout.replace(str(folder), "/workspace")
    if CUT in shown:
        assert steady(said).startswith(steady(shown.split(CUT)[0])), done.stderr
    else:
        assert lasting(json.loads(said)) == lasting(json.loads(shown)), done.stderr


def test_every_command_has_an_example() -> None:
    assert {command for command, _, _ in EXAMPLES} == {
        "db-query", "db-schema", "report-run", "file-convert", "safe-shell",
    }  # fmt: skip
