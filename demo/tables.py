"""The rows of the demo shop: one small class a table that others build upon."""

from __future__ import annotations

import random
import tomllib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

FIRST_DAY = datetime(2024, 1, 1)
TODAY = datetime(2025, 6, 30, 18, 0)

Row = tuple[object, ...]


@cache
def vocabulary() -> dict[str, Any]:
    """vocabulary.toml."""
    return tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))


def money(cents: int) -> float:
    """An amount as the database keeps it."""
    return round(cents / 100, 2)


def stamp(moment: datetime | None) -> str | None:
    """A TIMESTAMP as SQLite's date functions read it."""
    return None if moment is None else moment.isoformat(sep=" ", timespec="seconds")


@dataclass(frozen=True, slots=True)
class Customer:
    """A row of customers."""

    id: int
    first_name: str
    last_name: str
    email: str
    phone: str
    birth_date: str
    gender: str
    registered_at: str
    is_blocked: bool
    preferred_language: str


@dataclass(frozen=True, slots=True)
class Product:
    """A row of products; the price in cents until it is written."""

    id: int
    sku: str
    seller_id: int
    category_id: int
    brand_id: int
    title: str
    weight_g: int
    price_cents: int
    is_published: bool
    created_at: str

    def row(self) -> Row:
        return (
            self.id, self.sku, self.seller_id, self.category_id, self.brand_id, self.title,
            f"{self.title}, {self.weight_g} g", self.weight_g, money(self.price_cents),
            self.is_published, self.created_at,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """A row of order_items."""

    id: int
    product: Product
    quantity: int

    @property
    def total_cents(self) -> int:
        return self.quantity * self.product.price_cents


@dataclass(frozen=True, slots=True)
class Order:
    """A row of orders with its lines; moments it has not reached yet are None."""

    id: int
    customer_id: int
    seller_id: int
    status: str
    address_id: int
    lines: tuple[Line, ...]
    discount_cents: int
    promo_code_id: int | None
    placed_at: datetime
    paid_at: datetime | None = None
    shipped_at: datetime | None = None
    delivered_at: datetime | None = None
    cancelled_at: datetime | None = None
    cancel_reason: str | None = None

    @property
    def total_cents(self) -> int:
        return sum(line.total_cents for line in self.lines) - self.discount_cents

    @property
    def number(self) -> str:
        return f"{self.placed_at:%Y}-{self.id:05d}"


@dataclass(slots=True)
class Shop:
    """Everything made so far: what later tables refer to, and the rows to be written."""

    rng: random.Random
    rows: defaultdict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    customers: list[Customer] = field(default_factory=list)
    addresses: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    products: list[Product] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)

    def add(self, table: str, *cells: object) -> int:
        """Append a row whose first column is a running id; returns the id."""
        number = len(self.rows[table]) + 1
        self.rows[table].append((number, *cells))
        return number

    def link(self, table: str, *cells: object) -> None:
        """Append a row to a table without an id."""
        self.rows[table].append(cells)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, items: Sequence[Any]) -> Any:
        return items[self.rng.randrange(len(items))]

    def moment(self, start: datetime, end: datetime) -> datetime:
        """A random moment between two, by the second."""
        return start + timedelta(seconds=self.rng.randrange(int((end - start).total_seconds())))


def cells(row: Customer) -> Row:
    """A dataclass as the cells of its table."""
    return astuple(row)
