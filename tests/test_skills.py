"""The skills: their form, and every example in them is run."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from demo.build import build

from cli.commands import BIN, clean_environment, run

FOLDER = Path(__file__).parents[1] / "docker" / "skills"
SKILLS = sorted(FOLDER.iterdir())
EXAMPLES = [
    (skill.name, line[2:])
    for skill in SKILLS
    for block in re.findall(
        r"```console\n(.*?)```", (skill / "SKILL.md").read_text(encoding="utf-8"), re.S
    )
    for line in block.splitlines()
    if line.startswith("$ ")
]
# Examples that show a refusal.
REFUSED = {"safe-shell --check 'rm -rf build'": 126}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("skills")
    build(folder / "shop.db")
    env = {"DB_TYPE": "sqlite", "DB_NAME": str(folder / "shop.db")}
    done = run("db-query", "-q", "SELECT * FROM orders", "-o", "orders.csv", env=env, cwd=folder)
    assert done.code == 0
    return folder


@pytest.mark.parametrize("skill", SKILLS, ids=lambda s: s.name)
def test_a_skill_has_the_form_agents_expect(skill: Path) -> None:
    text = (skill / "SKILL.md").read_text(encoding="utf-8")
    head = re.match(r"---\n(.*?)\n---\n(.*)", text, re.S)
    assert head is not None
    fields = dict(line.split(": ", 1) for line in head[1].splitlines())
    assert fields["name"] == skill.name and re.fullmatch(r"[a-z0-9-]{1,64}", fields["name"])
    assert len(fields["description"]) <= 1024 and "Use " in fields["description"]
    assert len(head[2].splitlines()) < 500
    assert len(head[2].encode()) / 3 < 5000


def test_there_is_a_skill_for_each_command() -> None:
    names = ["db-query", "db-schema", "file-convert", "report-run", "safe-shell"]
    assert [s.name for s in SKILLS] == names


@pytest.mark.parametrize(("skill", "line"), EXAMPLES, ids=[e[1][:60] for e in EXAMPLES])
def test_an_example_works(workspace: Path, skill: str, line: str) -> None:
    env = clean_environment({"DB_TYPE": "sqlite", "DB_NAME": str(workspace / "shop.db")})
    env["PATH"] = f"{BIN}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        env=env,
        cwd=workspace,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == REFUSED.get(line, 0), done.stdout + done.stderr
    if "--format table" not in line:
        assert json.loads(done.stdout)["ok"] is (line not in REFUSED)
