"""What a campaign found, written as rows of a case file, so that it becomes a case."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from fuzz.campaign import Report

# Names of one run's canaries -> what stands for them in a case.
_NEUTRAL = {"file": "/tmp/canary.txt", "dir": "/tmp", "pid": "4242", "port": "9"}


def rows(report: Report, dialect: str, fill: dict[str, str]) -> list[dict[str, str]]:
    """One row a bypass, in the form of tests/cases/guard."""
    return [
        {
            "id": f"fuzz-{dialect}-{sha256(statement.encode('utf-8', 'replace')).hexdigest()[:8]}",
            "dialect": dialect,
            "query": _neutral(statement, fill),
            "verdict": "block",
            "kind": "fuzz",
            "layer": "guard",
            "why": _neutral(change, fill)[:200],
        }
        for statement, change in report.found.items()
    ]


def _neutral(text: str, fill: dict[str, str]) -> str:
    """The text without this run's paths and numbers."""
    for name, value in sorted(fill.items(), key=lambda pair: -len(pair[1])):
        text = text.replace(value, _NEUTRAL.get(name, name))
    return text


def append(path: Path, found: list[dict[str, str]]) -> int:
    """Add the rows that the file lacks; how many those were."""
    old = path.read_text("utf-8").splitlines() if path.exists() else []
    known = {json.loads(line)["id"] for line in old if line}
    new = [row for row in found if row["id"] not in known]
    if new:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as sink:
            sink.writelines(json.dumps(row) + "\n" for row in new)
    return len(new)
