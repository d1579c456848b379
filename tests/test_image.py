"""The image's files agree with the project and with each other; `make image-test` runs the image."""

from __future__ import annotations

import re
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
DOCKER = ROOT / "docker"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PIN = re.compile(r"^([a-z0-9-]+)==([^ ;]+)( ;[^\\]*)?")


def pins(name: str) -> dict[str, Version]:
    """A lock's packages; each has a hash."""
    text = (DOCKER / "lock" / f"{name}.txt").read_text(encoding="utf-8")
    found = {}
    for block in re.split(r"\n(?=[a-z])", text):
        match = PIN.match(block)
        assert match is not None, block[:80]
        assert "--hash=sha256:" in block and "://" not in block
        found[match[1]] = Version(match[2])
    return found


def wanted(extra: str) -> list[Requirement]:
    """An extra's requirements, those of the extras that it names too."""
    found = []
    for line in PROJECT["optional-dependencies"][extra]:
        one = Requirement(line)
        own = one.name == PROJECT["name"]
        found += [r for name in sorted(one.extras) for r in wanted(name)] if own else [one]
    return found


@pytest.mark.parametrize(("lock", "extra"), [("slim", "all"), ("full", "parquet")])
def test_the_lock_has_what_the_project_asks_for(lock: str, extra: str) -> None:
    have = pins(lock)
    for one in [*map(Requirement, PROJECT["dependencies"]), *wanted(extra)]:
        version = have.get(canonicalize_name(one.name))
        assert version is not None and one.specifier.contains(version), f"{one}: run make lock"


def test_the_locks_agree() -> None:
    slim = pins("slim")
    assert {n: v for n, v in pins("full").items() if n in slim}.items() <= slim.items()


def test_the_dockerfile_fetches_nothing_to_be_read_and_keeps_no_site_setting() -> None:
    text = (DOCKER / "Dockerfile").read_text(encoding="utf-8")
    assert "syntax=" not in text.splitlines()[0] and "://" not in text
    stages = re.findall(r"^FROM (\S+) AS (\S+)", text, re.M)
    assert [name for _, name in stages][-3:] == ["slim", "full", "tests"]
    named = {name for _, name in stages}
    assert {source for source, _ in stages} <= named | {"${BASE_IMAGE}"}
    # A secret is mounted for one step; no argument or variable carries one.
    for word in ("INDEX_URL", "PROXY", "proxy", "TRUSTED_HOST", "registry="):
        assert word not in text
    for step in re.findall(r"^RUN (.*(?:\\\n.*)*)", text, re.M):
        if "with-site" in step:
            assert "--mount=type=secret" in step


def test_what_the_dockerfile_copies_is_in_the_repository() -> None:
    """A file that git ignores would be there for its author alone."""
    text = (DOCKER / "Dockerfile").read_text(encoding="utf-8")
    named = [
        word
        for line in re.findall(r"^COPY (?!--from)(.*)", text, re.M)
        for word in line.split()[:-1]
        if not word.startswith("--")
    ]
    assert len(named) > 8
    listed = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files"],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=60,
    ).stdout.splitlines()  # fmt: skip
    for word in named:
        assert any(fnmatch(file, word) or file.startswith(f"{word}/") for file in listed), word


def policy() -> dict[str, Any]:
    loaded = yaml.safe_load((DOCKER / "policy.yaml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_the_openshell_policy_has_its_form() -> None:
    found = policy()
    assert list(found) == [
        "version",
        "filesystem_policy",
        "landlock",
        "process",
        "network_policies",
    ]
    assert found["version"] == 1
    assert found["landlock"] == {"compatibility": "hard_requirement"}
    assert found["process"] == {"run_as_user": "sandbox", "run_as_group": "sandbox"}
    files = found["filesystem_policy"]
    assert {"/workspace", "/sandbox", "/tmp"} <= set(files["read_write"])
    # Everything the commands read lies below what may be read.
    assert {"/usr", "/etc", "/proc"} <= set(files["read_only"])
    assert not set(files["read_only"]) & set(files["read_write"])
    for path in files["read_only"] + files["read_write"]:
        assert path.startswith("/") and ".." not in path and path != "/"


def test_the_openshell_policy_lets_databases_be_reached_as_tcp() -> None:
    for rule in policy()["network_policies"].values():
        assert set(rule) == {"endpoints", "binaries"}
        for endpoint in rule["endpoints"]:
            assert set(endpoint) - {"tls"} == {"host", "port", "protocol"}
            assert endpoint["protocol"] == "tcp" and endpoint["host"].endswith(".example.com")
            assert endpoint.get("tls", "skip") == "skip"
        # Real paths of programs: a link is not what the kernel reports.
        assert all(binary["path"].startswith("/usr/") for binary in rule["binaries"])
