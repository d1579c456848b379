"""The README's examples print what it says they print."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from demo.build import build

from cli.commands import run

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"<!-- example: ([a-z-]+) -->\n```console\n\$ (.+?)\n(.*?)```", README, re.S)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("readme") / "shop.db"
    build(path)
    return path


def timeless(document: Any) -> Any:
    """The answer without what differs from run to run."""
    return {k: v for k, v in document.items() if k not in ("executionTimeMs", "durationMs")}


@pytest.mark.parametrize(("command", "line", "shown"), EXAMPLES, ids=[e[1][:50] for e in EXAMPLES])
def test_an_example_prints_what_the_readme_shows(
    shop: Path, command: str, line: str, shown: str
) -> None:
    words = shlex.split(line)
    assert words[0] == command
    env = {"DB_TYPE": "sqlite", "DB_NAME": str(shop)}
    done = run(command, *words[1:], env=env, cwd=shop.parent)
    assert timeless(json.loads(done.stdout)) == timeless(json.loads(shown))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 2
