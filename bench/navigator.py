"""The navigator's 17 cases in six categories, English and Russian: `make bench-navigator`.

Prints a JSON report: pass rate, average and p90 latency, per category and together.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo.build import build

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """argv: what is run. code: the exit code it must end with. good: looks at the JSON answer."""

    category: str
    name: str
    argv: tuple[str, ...]
    good: Callable[[Answer], bool]
    code: int = 0


def _finds(*tables: str) -> Callable[[Answer], bool]:
    return lambda a: any(m["table"] in tables for m in a["matches"][:3])


def _search(text: str) -> tuple[str, ...]:
    return ("db-schema", "--search", text)


def _query(text: str, *more: str) -> tuple[str, ...]:
    return ("db-query", "--query", text, *more)


def _refused(answer: Answer) -> bool:
    return bool(answer["error"]["code"] == "BLOCKED" and answer["error"]["hint"])


CASES = (
    Case("navigation", "question in English", _search("where is the order status stored"),
         _finds("orders", "order_statuses")),
    Case("navigation", "question in Russian", _search("где хранится статус заказа"),
         _finds("orders", "order_statuses")),
    Case("navigation", "question with slips", _search("loyality crad balanse"),
         _finds("loyalty_cards")),
    Case("schema", "table by name", ("db-schema", "--table", "orders"),
         lambda a: a["tables"][0]["name"] == "orders" and len(a["tables"][0]["columns"]) == 13),
    Case("schema", "misspelt table", ("db-schema", "--table", "ordres"),
         lambda a: "orders" in a["error"]["hint"], 2),
    Case("schema", "no table named: search, then its next command",
         _search("покажи структуру таблицы возвратов"),
         lambda a: a["next"].startswith("db-schema --table refunds")),
    Case("script", "the text that would be sent", _query("SELECT id FROM orders", "--check"),
         lambda a: a["statement"].endswith("LIMIT 1001") and a["tables"] == ["orders"]),
    Case("script", "another dialect's word",
         _query("SELECT TOP 3 id FROM orders", "--check=live"),
         lambda a: a["error"]["suggestedSql"] == "SELECT id FROM orders LIMIT 3", 4),
    Case("script", "unknown column", _query("SELECT amount FROM orders", "--check=live"),
         lambda a: "total_amount" in [c["column"] for c in a["error"]["candidates"]], 4),
    Case("data", "rows", _query("SELECT id, total_amount FROM orders WHERE id = :id", "-p", "id=1"),
         lambda a: a["rowCount"] == 1 and a["rows"][0]["id"] == 1),
    Case("data", "no rows are no failure", _query("SELECT id FROM orders WHERE id < 0"),
         lambda a: a["rowCount"] == 0 and a["rows"] == []),
    Case("data", "a wrong name comes back mended", _query("SELECT id FROM order_item LIMIT 1"),
         lambda a: a["error"]["suggestedSql"] == "SELECT id FROM order_items LIMIT 1", 4),
    Case("unsafe", "UPDATE", _query("UPDATE orders SET total_amount = 0"), _refused, 1),
    Case("unsafe", "DELETE in a CTE",
         _query("WITH gone AS (DELETE FROM orders RETURNING id) SELECT * FROM gone"), _refused, 1),
    Case("unsafe", "DROP behind a SELECT", _query("SELECT 1; DROP TABLE orders"), _refused, 1),
    Case("unknown", "a question about nothing here", _search("квантовая хромодинамика зюзюка"),
         lambda a: a["weak"] and a["unknownWords"] and "names" in a["next"]),
    Case("unknown", "a connection that is not there",
         ("db-query", "--connection", "shpo", "--query", "SELECT 1"),
         lambda a: "shop" in a["error"]["hint"], 2),
)  # fmt: skip


def environment(folder: Path) -> dict[str, str]:
    """The demo shop as the only connection, with a cache of its own."""
    foreign = ("DB_", "DATABASE_URL", "TOOLBELT_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
    own = {"DB_1_NAME": "shop", "DB_1_TYPE": "sqlite", "DB_1_DB": str(folder / "shop.db")}
    return {**kept, **own, "XDG_CACHE_HOME": str(folder / "cache")}


def passes(case: Case, env: dict[str, str]) -> bool:
    """Run one case; whether exit code and answer are right."""
    program = Path(sys.executable).with_name(case.argv[0])
    done = subprocess.run(
        [str(program), *case.argv[1:]], env=env, capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip
    return done.returncode == case.code and bool(case.good(json.loads(done.stdout)))


def _summary(runs: list[tuple[bool, float]]) -> dict[str, object]:
    seconds = sorted(s for _, s in runs)
    return {
        "cases": len(runs),
        "passRate": sum(ok for ok, _ in runs) / len(runs),
        "averageMs": round(statistics.fmean(seconds) * 1000),
        "p90Ms": round(seconds[-(-len(seconds) * 9 // 10) - 1] * 1000),
    }


def main() -> int:
    """Run all cases once and print the report; 0 when every case passed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder / "shop.db")
        env = environment(folder)
        runs: dict[str, list[tuple[bool, float]]] = {}
        failed = []
        for case in CASES:
            began = time.perf_counter()
            ok = passes(case, env)
            runs.setdefault(case.category, []).append((ok, time.perf_counter() - began))
            failed += [] if ok else [f"{case.category}: {case.name}"]
    everything = [run for group in runs.values() for run in group]
    report = {
        **_summary(everything),
        "byCategory": {category: _summary(group) for category, group in runs.items()},
        "failed": failed,
    }
    print(json.dumps(report, indent=2, ensure_ascii=False))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
