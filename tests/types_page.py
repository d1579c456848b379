"""docs/types.md, made of the golden files: `PYTHONPATH=tests python -m types_page` writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "types.md"
GOLDEN = ROOT / "tests" / "golden"
TITLES = {
    "postgres": "PostgreSQL", "mysql": "MySQL / MariaDB", "clickhouse": "ClickHouse", "mongodb": "MongoDB",
    "duckdb": "DuckDB", "sqlite": "SQLite", "bigquery": "BigQuery", "mssql": "SQL Server",
}  # fmt: skip
INTRO = """# Every type as JSON

Made from the files the tests compare against (`tests/golden/types_*.json`): what a value of each type
looks like in the answer of `db-query`. Exact numbers that JSON would round are strings; times are ISO
8601; bytes are `base64:…`; NaN and infinity are `null` with a warning.
"""


def _entries(data: Any) -> list[tuple[str, str, object]]:
    """(type, where the value came from, its JSON) of either form of golden file."""
    if isinstance(data, dict):
        return [(v["type"], name, v["json"]) for name, v in data.items()]
    return [(e["type"], e["sql"], e["value"]) for e in data]


def _cell(text: str) -> str:
    flat = " ".join(text.split()).replace("|", "\\|").replace("`", "'")
    return flat if len(flat) <= 90 else flat[:89] + "…"


def text() -> str:
    """The page."""
    parts = [INTRO]
    for name, title in TITLES.items():
        path = GOLDEN / f"types_{name}.json"
        if not path.exists():
            continue
        parts.append(f"\n## {title}\n\n| type | value | JSON |\n|---|---|---|\n")
        for kind, source, value in _entries(json.loads(path.read_text(encoding="utf-8"))):
            shown = json.dumps(value, ensure_ascii=False)
            parts.append(f"| {_cell(kind)} | `{_cell(source)}` | `{_cell(shown)}` |\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
