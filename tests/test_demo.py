"""The demo shop: the same every time, and its numbers fit together."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from demo.build import build, rows
from demo.story import STEPS

# Each counts rows that contradict another table.
CONTRADICTIONS = {
    "an order's total is its lines less the discount": """
        SELECT COUNT(*) FROM orders o WHERE ABS(o.total_amount + o.discount_amount
        - (SELECT SUM(line_total) FROM order_items i WHERE i.order_id = o.id)) > 0.001""",
    "a payment is the order's total": """
        SELECT COUNT(*) FROM payments p JOIN orders o ON o.id = p.order_id
        WHERE p.amount <> o.total_amount""",
    "no refund exceeds its payment": """
        SELECT COUNT(*) FROM refunds r JOIN payments p ON p.id = r.payment_id
        WHERE r.amount > p.amount OR p.state <> 'captured'""",
    "all lines of an order are its seller's": """
        SELECT COUNT(*) FROM order_items i JOIN orders o ON o.id = i.order_id
        JOIN products p ON p.id = i.product_id WHERE p.seller_id <> o.seller_id""",
    "nobody buys before registering": """
        SELECT COUNT(*) FROM orders o JOIN customers c ON c.id = o.customer_id
        WHERE o.placed_at < c.registered_at""",
    "a parcel goes to the buyer's own address": """
        SELECT COUNT(*) FROM orders o JOIN customer_addresses a ON a.id = o.shipping_address_id
        WHERE a.customer_id <> o.customer_id""",
    "a card's balance is the sum of its transactions": """
        SELECT COUNT(*) FROM loyalty_cards c WHERE c.points_balance <> COALESCE(
        (SELECT SUM(points) FROM loyalty_transactions t WHERE t.card_id = c.id), 0)""",
    "a promo code's count is its orders": """
        SELECT COUNT(*) FROM promo_codes p WHERE p.used_count <>
        (SELECT COUNT(*) FROM orders o WHERE o.promo_code_id = p.id)""",
    "the status is the last of the history": """
        SELECT COUNT(*) FROM orders o WHERE o.status_id <>
        (SELECT MAX(status_id) FROM order_status_history h WHERE h.order_id = o.id)""",
    "payouts are the month's completed orders": """
        SELECT COUNT(*) FROM seller_payouts p WHERE ABS(p.gross - (SELECT SUM(o.total_amount)
        FROM orders o JOIN shipments s ON s.order_id = o.id WHERE o.seller_id = p.seller_id
        AND date(s.delivered_at) BETWEEN p.period_start AND p.period_end)) > 0.001""",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "shop.db"
    build(path)
    return path


@pytest.mark.parametrize("query", CONTRADICTIONS.values(), ids=CONTRADICTIONS.keys())
def test_no_row_contradicts_another(shop: Path, query: str) -> None:
    with closing(sqlite3.connect(shop)) as connection:
        assert connection.execute(query).fetchone() == (0,)


def test_every_month_and_every_status_has_orders(shop: Path) -> None:
    with closing(sqlite3.connect(shop)) as connection:
        months = connection.execute(
            "SELECT COUNT(DISTINCT strftime('%Y-%m', placed_at)) FROM orders"
        ).fetchone()
        unused = connection.execute(
            "SELECT code FROM order_statuses WHERE id NOT IN (SELECT status_id FROM orders)"
        ).fetchall()
    assert months == (18,)
    assert unused == []


def test_all_28_tables_are_filled_and_the_same_every_time() -> None:
    first, second = rows(), rows()
    assert len(first.rows) == 28
    assert 5_000 < sum(map(len, first.rows.values())) < 15_000
    assert first.rows == second.rows


def test_the_story_ends_as_told(tmp_path: Path) -> None:
    programs = str(Path(sys.executable).parent)
    told = subprocess.run(
        [sys.executable, "-m", "demo.story", str(tmp_path)], capture_output=True, text=True,
        cwd=Path(__file__).parents[1], check=False, timeout=120,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert told.returncode == 0, told.stdout + told.stderr
    assert all(f"# {step.title}" in told.stdout for step in STEPS)
    assert "Blocked: DELETE queries are not allowed." in told.stdout
