"""The extra `semantic`, in an environment of its own that has it: accuracy, cache, answer."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from demo.build import build

from searching import share
from servers import venvs

ROOT = Path(__file__).resolve().parents[2]
DB_SCHEMA = "from dbtools.schema_cli import main; main()"


@pytest.fixture(scope="module")
def python() -> Path:
    place = venvs.locate("semantic")
    assert place is not None, "make engines"
    return place / "bin" / "python"


def run(python: Path, *arguments: str, **env: str) -> Any:
    path = f"{ROOT / 'src'}{os.pathsep}{ROOT / 'tests'}"
    # Threads of a matrix library only get in each other's way on a small machine.
    own = {"PATH": os.environ["PATH"], "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [str(python), *arguments], env={**own, **env}, capture_output=True, text=True,
        check=True, timeout=900,
    )  # fmt: skip
    return json.loads(done.stdout)


def test_the_encoder_finds_what_no_list_knows(python: Path) -> None:
    report = run(python, str(ROOT / "tests" / "searching.py"), "questions_hard", "questions_unseen")
    assert report["semantic"] is True
    hard, unseen = report["places"]["questions_hard"], report["places"]["questions_unseen"]
    assert share(hard["en"] + hard["ru"], 10) >= 0.9
    for places in unseen.values():
        assert share(places, 5) >= 0.72 and share(places, 10) >= 0.82
    assert share(unseen["ru"], 10) >= share(unseen["en"], 10) - 0.05


def test_vectors_are_kept_for_the_user_alone_and_not_made_twice(
    python: Path, tmp_path: Path
) -> None:
    build(tmp_path / "shop.db")
    env = {
        "DB_TYPE": "sqlite", "DB_NAME": str(tmp_path / "shop.db"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }  # fmt: skip
    question = ("--search", "how much money went back to people")
    first = run(python, "-c", DB_SCHEMA, *question, **env)
    assert "refunds" in [m["table"] for m in first["matches"][:5]]
    (kept,) = (tmp_path / "cache").glob("*/*.vectors")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    made = kept.stat().st_mtime_ns
    assert run(python, "-c", DB_SCHEMA, *question, **env) == first
    assert kept.stat().st_mtime_ns == made
    kept.write_bytes(b"{}\nnot vectors")
    assert run(python, "-c", DB_SCHEMA, *question, **env) == first
    odd = run(python, "-c", DB_SCHEMA, "--search", "zxqv blorbs", **env)
    assert odd["weak"] is True and odd["unknownWords"] == ["zxqv", "blorbs"]
