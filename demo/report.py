"""The demo's last act: the shop's month as report data, every figure asked through `db-query`."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

FROM, TO = "2025-06-01", "2025-06-30"
MONEY = {"format": "currency", "unit": "EUR"}
BEFORE_FROM, BEFORE_TO = "2025-05-01", "2025-05-31"

_FIGURES = """
SELECT count(*) AS orders, round(sum(total_amount), 2) AS revenue,
       round(avg(total_amount), 2) AS mean, count(DISTINCT customer_id) AS customers
FROM orders WHERE date(placed_at) BETWEEN :from AND :to"""
_BY_DAY = """
SELECT date(placed_at) AS label, round(sum(total_amount), 2) AS value
FROM orders WHERE date(placed_at) BETWEEN :from AND :to GROUP BY 1 ORDER BY 1"""
_WEEKLY = """
SELECT round(sum(total_amount), 2) AS revenue, count(*) AS orders,
       round(avg(total_amount), 2) AS mean, count(DISTINCT customer_id) AS customers
FROM orders WHERE date(placed_at) BETWEEN :from AND :to
GROUP BY strftime('%W', placed_at) ORDER BY min(placed_at)"""
_BY_STATUS = """
SELECT s.title AS label, count(*) AS value
FROM orders o JOIN order_statuses s ON s.id = o.status_id
WHERE date(o.placed_at) BETWEEN :from AND :to GROUP BY s.id ORDER BY value DESC"""
_BY_CATEGORY = """
SELECT c.title AS label, round(sum(i.line_total), 2) AS value
FROM orders o JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id
     JOIN categories c ON c.id = p.category_id
WHERE date(o.placed_at) BETWEEN :from AND :to GROUP BY c.id ORDER BY value DESC LIMIT 8"""
_SELLERS = """
SELECT s.company_name, count(*) AS orders, round(sum(o.total_amount), 2) AS revenue
FROM orders o JOIN sellers s ON s.id = o.seller_id
WHERE date(o.placed_at) BETWEEN :from AND :to GROUP BY s.id ORDER BY revenue DESC LIMIT 10"""

Rows = list[dict[str, Any]]
Ask = Callable[..., Rows]


def asker(environment: Mapping[str, str]) -> Ask:
    """A function that runs one statement through `db-query` and gives its rows."""

    def ask(statement: str, start: str = FROM, end: str = TO) -> Rows:
        bound = json.dumps({"from": start, "to": end})
        done = subprocess.run(
            ["db-query", "--query", statement, "--params", bound],
            env={**os.environ, **environment}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        rows: Rows = json.loads(done.stdout)["rows"]
        return rows

    return ask


def _key_figures(ask: Ask) -> Rows:
    now, before = ask(_FIGURES)[0], ask(_FIGURES, BEFORE_FROM, BEFORE_TO)[0]
    weeks = ask(_WEEKLY)
    titles = {
        "revenue": "Revenue", "orders": "Orders", "mean": "Mean order", "customers": "Customers"
    }  # fmt: skip
    return [
        {"metric": title, "value": now[key], "change": round((now[key] / before[key] - 1) * 100, 1),
         "changeLabel": "against May", "spark": [week[key] for week in weeks],
         **(MONEY if key in ("revenue", "mean") else {})}
        for key, title in titles.items()
    ]  # fmt: skip


def write(folder: Path, environment: Mapping[str, str]) -> tuple[Path, Path]:
    """monthly.json and dashboard.json in the folder."""
    ask = asker(environment)
    figures, sellers = _key_figures(ask), ask(_SELLERS)
    charts = [
        {"type": "line", "title": "Revenue by day", "data": ask(_BY_DAY), **MONEY},
        {"type": "pie", "title": "Orders by status", "data": ask(_BY_STATUS)},
        {"type": "bar", "title": "Revenue by category", "data": ask(_BY_CATEGORY), **MONEY},
    ]  # fmt: skip
    table = {
        "title": "Best sellers of the month",
        "headers": ["Seller", "Orders", "Revenue"],
        "rows": [list(row.values()) for row in sellers],
        "columns": [{}, {"total": "sum"}, {**MONEY, "total": "sum"}],
    }
    monthly = {
        "title": "Demo shop: June 2025", "period": {"from": FROM, "to": TO}, "summary": figures,
        "charts": charts, "tables": [table],
    }  # fmt: skip
    board = {
        "title": "Demo shop", "asOf": TO, "kpis": figures,
        "charts": [chart | {"span": span} for chart, span in zip(charts, (8, 4, 7), strict=True)],
        "tables": [table | {"span": 5}],
    }  # fmt: skip
    paths = folder / "monthly.json", folder / "dashboard.json"
    for path, body in zip(paths, (monthly, board), strict=True):
        path.write_text(json.dumps(body, ensure_ascii=False), encoding="utf-8")
    return paths
