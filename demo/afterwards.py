"""What follows from the orders: loyalty points, payouts, segments, reviews, tickets, the log."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import datetime, timedelta

from demo.tables import TODAY, Order, Shop, money, stamp, vocabulary


def make(shop: Shop) -> None:
    """Fill the remaining tables."""
    spent = _spent(shop)
    _segments(shop, spent)
    _loyalty(shop, spent)
    _payouts(shop)
    _reviews(shop)
    _tickets(shop)
    _log(shop)


def _done(shop: Shop) -> list[Order]:
    return [order for order in shop.orders if order.delivered_at]


def _spent(shop: Shop) -> Counter[int]:
    """Customer id -> cents of completed orders."""
    spent: Counter[int] = Counter()
    for order in _done(shop):
        spent[order.customer_id] += order.total_cents
    return spent


def _level(rows: list[list[object]], cents: int) -> int:
    """The highest row (from 1) whose threshold, its last cell, is reached."""
    reached = [n for n, row in enumerate(rows, start=1) if cents >= float(str(row[-1])) * 100]
    return reached[-1]


def _segments(shop: Shop, spent: Counter[int]) -> None:
    rows = vocabulary()["trade"]["segments"]
    for customer in shop.customers:
        segment = _level(rows, spent[customer.id])
        shop.link("customer_segment_members", customer.id, segment, customer.registered_at)


def _loyalty(shop: Shop, spent: Counter[int]) -> None:
    tiers = vocabulary()["trade"]["tiers"]
    by_customer: dict[int, list[Order]] = defaultdict(list)
    for order in _done(shop):
        by_customer[order.customer_id].append(order)
    for customer in shop.customers:
        if not shop.chance(0.5):
            continue
        card = len(shop.rows["loyalty_cards"]) + 1
        tier = _level(tiers, spent[customer.id])
        balance = _points(shop, card, float(tiers[tier - 1][2]), by_customer[customer.id])
        issued = datetime.fromisoformat(customer.registered_at) + timedelta(days=1)
        blocked = TODAY - timedelta(days=20) if customer.is_blocked else None
        shop.add(
            "loyalty_cards", customer.id, f"7700 {card:04d} {customer.id:04d}", tier, balance,
            stamp(issued), stamp(issued + timedelta(days=1095)), stamp(blocked),
        )  # fmt: skip


def _points(shop: Shop, card: int, cashback: float, orders: list[Order]) -> int:
    """Write a card's transactions; returns what is left on it."""
    balance = 0
    for order in orders:
        earned = int(order.total_cents * cashback / 10_000)
        at = order.delivered_at or TODAY
        if earned:
            shop.add("loyalty_transactions", card, order.id, earned, "earn", stamp(at))
        balance += earned
        if balance >= 10 and shop.chance(0.2):
            used = balance // 2
            shop.add(
                "loyalty_transactions", card, order.id, -used, "redeem",
                stamp(min(at + timedelta(days=2), TODAY)),
            )  # fmt: skip
            balance -= used
    return balance


def _payouts(shop: Shop) -> None:
    """One payout a seller and month of delivery, paid on the fifth of the next month."""
    gross: Counter[tuple[int, str]] = Counter()
    for order in _done(shop):
        gross[order.seller_id, f"{order.delivered_at:%Y-%m}"] += order.total_cents
    for (seller, month), cents in sorted(gross.items(), key=lambda item: item[0][::-1]):
        start = datetime.fromisoformat(f"{month}-01")
        after = (start + timedelta(days=32)).replace(day=1)
        paid = after + timedelta(days=4, hours=9)
        commission = round(cents * float(vocabulary()["trade"]["sellers"][seller - 1][3]) / 100)
        shop.add(
            "seller_payouts", seller, f"{start:%Y-%m-%d}", f"{after - timedelta(days=1):%Y-%m-%d}",
            money(cents), money(commission), money(cents - commission),
            stamp(paid) if paid < TODAY else None,
            f"SEPA-{seller:02d}-{month}" if paid < TODAY else None,
        )  # fmt: skip


def _reviews(shop: Shop) -> None:
    words = vocabulary()["words"]
    for order in _done(shop):
        if not shop.chance(0.3):
            continue
        product = order.lines[0].product
        pleased = shop.chance(0.45 if product.seller_id == 8 else 0.85)
        stars = shop.rng.randrange(4, 6) if pleased else shop.rng.randrange(1, 4)
        body = shop.pick(words["praise"] if pleased else words["blame"])
        at = min((order.delivered_at or TODAY) + timedelta(days=shop.rng.randrange(1, 20)), TODAY)
        moderator = shop.rng.randrange(3, 5) if shop.chance(0.8) else None
        shop.add(
            "product_reviews", product.id, order.customer_id, stars, body, stamp(at), moderator
        )


def _tickets(shop: Shop) -> None:
    for order in shop.orders:
        if not shop.chance(0.12):
            continue
        opened = order.placed_at + timedelta(hours=shop.rng.randrange(2, 90))
        closed = opened + timedelta(hours=shop.rng.randrange(1, 100))
        if opened >= TODAY:
            continue
        is_closed = closed < TODAY
        shop.add(
            "support_tickets", order.customer_id, order.id, shop.rng.randrange(1, 3),
            shop.pick(vocabulary()["words"]["subjects"]), shop.pick(["low", "normal", "high"]),
            "closed" if is_closed else "open", stamp(opened), stamp(closed) if is_closed else None,
        )  # fmt: skip


def _log(shop: Shop) -> None:
    for order in shop.orders:
        if order.cancelled_at:
            payload = {"from": "paid" if order.paid_at else "new", "to": "cancelled"}
            shop.add(
                "audit_log", shop.rng.randrange(1, 3), "orders", order.id, "status",
                json.dumps(payload), stamp(order.cancelled_at),
            )  # fmt: skip
