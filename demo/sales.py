"""Orders from the click to the door: lines, discounts, payments, shipments, refunds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta

from demo.tables import (
    FIRST_DAY,
    TODAY,
    Customer,
    Line,
    Order,
    Product,
    Shop,
    money,
    stamp,
    vocabulary,
)

ORDERS = 900
STATUS_IDS = {"new": 1, "paid": 2, "shipped": 3, "done": 4, "cancelled": 5}
# How busy each month is: presents in winter, a quiet summer.
_SEASON = (0.8, 0.8, 0.9, 0.95, 1.0, 0.9, 0.75, 0.8, 1.0, 1.1, 1.5, 1.7)
_LEFT = datetime(2024, 9, 1)


def make(shop: Shop) -> None:
    """Fill orders and everything that hangs from them."""
    moments = sorted(_moment(shop) for _ in range(ORDERS))
    promos = _Promos(shop)
    for number, placed_at in enumerate(moments, start=1):
        order = _course(shop, _order(shop, promos, number, placed_at))
        shop.orders.append(order)
        _write(shop, order)
    promos.write()


def _moment(shop: Shop) -> datetime:
    """A moment of an order: the shop grows, and the seasons differ."""
    days = (TODAY - FIRST_DAY).days + 1
    while True:
        part = shop.rng.random()
        day = FIRST_DAY + timedelta(days=int(days * part))
        at = day + timedelta(hours=7, seconds=shop.rng.randrange(16 * 3600))
        weight = (0.6 + 0.8 * part) * _SEASON[day.month - 1]
        if at < TODAY and shop.rng.random() * 3.0 < weight:
            return at


class _Promos:
    """The promo codes, and how often each was used."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.used: Counter[int] = Counter()
        self.codes = vocabulary()["trade"]["promos"]

    def discount(self, subtotal: int, at: datetime) -> tuple[int | None, int]:
        """(promo code id, discount in cents) for an order, or (None, 0)."""
        if not self.shop.chance(0.18):
            return None, 0
        day = f"{at:%Y-%m-%d}"
        fit = [
            index
            for index, (_, _, _, start, end, most) in enumerate(self.codes, start=1)
            if start <= day <= end and self.used[index] < most
        ]
        number = fit[-1]
        self.used[number] += 1
        _, percent, amount, *_ = self.codes[number - 1]
        off = round(subtotal * percent / 100) + round(amount * 100)
        return number, min(off, subtotal - 100)

    def write(self) -> None:
        for number, (code, percent, amount, start, end, most) in enumerate(self.codes, start=1):
            self.shop.add(
                "promo_codes", code, percent or None, amount or None, f"{start} 00:00:00",
                f"{end} 23:59:59", most, self.used[number],
            )  # fmt: skip


def _order(shop: Shop, promos: _Promos, number: int, placed_at: datetime) -> Order:
    customer = _buyer(shop, placed_at)
    first = _good(shop, placed_at)
    same_seller = [p for p in shop.products if p.seller_id == first.seller_id]
    goods = {first.id: first}
    for _ in range(shop.rng.randrange(3)):
        other = shop.pick(same_seller)
        goods[other.id] = other
    start = len(shop.rows["order_items"])
    lines = tuple(
        Line(start + index, product, 1 if shop.chance(0.75) else shop.rng.randrange(2, 5))
        for index, product in enumerate(goods.values(), start=1)
    )
    promo, discount = promos.discount(sum(line.total_cents for line in lines), placed_at)
    return Order(
        id=number,
        customer_id=customer.id,
        seller_id=first.seller_id,
        status="new",
        address_id=shop.pick(shop.addresses[customer.id]),
        lines=lines,
        discount_cents=discount,
        promo_code_id=promo,
        placed_at=placed_at,
    )


def _buyer(shop: Shop, at: datetime) -> Customer:
    """Somebody registered by then; a few buy much more often than the rest."""
    known = [c for c in shop.customers if c.registered_at <= (stamp(at) or "")]
    return known[int(len(known) * shop.rng.random() ** 1.4)]


def _good(shop: Shop, at: datetime) -> Product:
    while True:
        product: Product = shop.pick(shop.products)
        if product.is_published or at < _LEFT:
            return product


def _course(shop: Shop, order: Order) -> Order:
    """The order with everything that has happened to it until today."""
    rng = shop.rng
    # A bank transfer takes days, a card minutes.
    slow = shop.chance(0.2)
    paid = order.placed_at + timedelta(minutes=rng.randrange(1200, 6000) if slow else 2)
    if shop.chance(0.07):
        cancelled = paid + timedelta(hours=rng.randrange(1, 30))
        if cancelled < TODAY:
            return replace(
                order,
                status="cancelled",
                paid_at=paid if shop.chance(0.7) else None,
                cancelled_at=cancelled,
                cancel_reason=shop.pick(vocabulary()["words"]["cancel_reasons"]),
            )
    shipped = paid + timedelta(hours=rng.randrange(8, 60))
    delivered = shipped + timedelta(hours=rng.randrange(20, 150))
    order = replace(
        order,
        paid_at=paid if paid < TODAY else None,
        shipped_at=shipped if shipped < TODAY else None,
        delivered_at=delivered if delivered < TODAY else None,
    )
    reached = {"paid": order.paid_at, "shipped": order.shipped_at, "done": order.delivered_at}
    passed = [status for status, at in reached.items() if at is not None]
    return replace(order, status=passed[-1] if passed else "new")


def _write(shop: Shop, order: Order) -> None:
    shop.add(
        "orders", order.number, order.customer_id, order.seller_id, STATUS_IDS[order.status],
        order.address_id, money(order.total_cents), money(order.discount_cents), "EUR",
        stamp(order.placed_at), stamp(order.cancelled_at), order.cancel_reason,
        order.promo_code_id,
    )  # fmt: skip
    for line in order.lines:
        shop.add(
            "order_items", order.id, line.product.id, line.quantity,
            money(line.product.price_cents), money(line.total_cents),
        )  # fmt: skip
    _history(shop, order)
    payment = _payment(shop, order)
    _shipment(shop, order)
    _refund(shop, order, payment)


def _history(shop: Shop, order: Order) -> None:
    steps = {
        "new": order.placed_at,
        "paid": order.paid_at,
        "shipped": order.shipped_at,
        "done": order.delivered_at,
        "cancelled": order.cancelled_at,
    }
    for status, at in steps.items():
        if at is not None:
            by = shop.rng.randrange(5, 7) if status == "shipped" else None
            note = order.cancel_reason if status == "cancelled" else None
            shop.add("order_status_history", order.id, STATUS_IDS[status], by, stamp(at), note)


def _payment(shop: Shop, order: Order) -> int:
    method, provider = shop.pick(
        [("card", "Cardgate"), ("card", "Cardgate"), ("card", "Cardgate"), ("wallet", "Purse"),
         ("bank transfer", "Bankline")]
    )  # fmt: skip
    state = "captured" if order.paid_at else "cancelled" if order.cancelled_at else "pending"
    last4 = f"{shop.rng.randrange(10_000):04d}" if method == "card" else None
    reference = f"{provider[:2].upper()}{shop.rng.randrange(10**9):09d}"
    return shop.add(
        "payments", order.id, method, provider, money(order.total_cents), state,
        stamp(order.paid_at), reference, last4,
    )  # fmt: skip


def _shipment(shop: Shop, order: Order) -> None:
    if order.shipped_at is None:
        return
    eta = order.shipped_at + timedelta(days=4)
    shop.add(
        "shipments", order.id, shop.rng.randrange(1, 4), shop.rng.randrange(1, 4),
        f"TB{shop.rng.randrange(10**10):010d}", stamp(order.shipped_at),
        stamp(order.delivered_at), f"{eta:%Y-%m-%d}",
    )  # fmt: skip


def _refund(shop: Shop, order: Order, payment: int) -> None:
    """A cancelled order's money goes back; one parcel in twenty comes back in part."""
    words = vocabulary()["words"]
    if order.paid_at and order.cancelled_at:
        amount, reason, asked = order.total_cents, "order cancelled", order.cancelled_at
    elif order.delivered_at and shop.chance(0.05):
        # Never more than was paid: a discount lowers what a line can give back.
        amount = min(order.lines[0].total_cents, order.total_cents)
        reason = shop.pick(words["refund_reasons"])
        asked = order.delivered_at + timedelta(days=shop.rng.randrange(1, 13))
    else:
        return
    done = asked + timedelta(days=shop.rng.randrange(1, 6))
    if asked < TODAY:
        shop.add(
            "refunds", payment, order.id, money(amount), reason, stamp(asked),
            stamp(done) if done < TODAY else None,
        )  # fmt: skip
