"""Sellers, brands, categories, products, warehouses and what lies in them."""

from __future__ import annotations

from datetime import datetime, timedelta

from demo.tables import TODAY, Product, Shop, stamp, vocabulary


def make(shop: Shop) -> None:
    """Fill the catalogue's tables and the small tables of fixed rows."""
    trade = vocabulary()["trade"]
    for index, (name, tax, rating, commission, active) in enumerate(trade["sellers"]):
        onboarded = stamp(datetime(2022, 5, 2, 9, 0) + timedelta(days=61 * index))
        mail = f"sales@seller{index + 1}.example"
        shop.add("sellers", name, tax, mail, rating, commission, onboarded, active)
    for table, key in (
        ("brands", "brands"),
        ("warehouses", "warehouses"),
        ("carriers", "carriers"),
        ("loyalty_tiers", "tiers"),
        ("customer_segments", "segments"),
        ("order_statuses", "statuses"),
    ):
        for row in trade[key]:
            shop.add(table, *row)
    _shelves(shop)
    for product in shop.products:
        _pictures(shop, product)
        _stock(shop, product)


def _shelves(shop: Shop) -> None:
    parents: dict[str, int] = {}
    for shelf in vocabulary()["shelves"]:
        parent = shelf["parent"]
        if parent not in parents:
            parents[parent] = shop.add("categories", None, _slug(parent), parent)
        title = shelf["title"]
        category = shop.add("categories", parents[parent], _slug(title), title)
        for name, price, weight in shelf["goods"]:
            _product(shop, shelf, category, (name, round(price * 100), weight))


def _product(
    shop: Shop, shelf: dict[str, object], category: int, good: tuple[str, int, int]
) -> None:
    number = len(shop.products) + 1
    title, price_cents, weight = good
    product = Product(
        id=number,
        sku=f"{_slug(str(shelf['title']))[:3].upper()}-{number:04d}",
        seller_id=int(str(shelf["seller"])),
        category_id=category,
        brand_id=int(str(shelf["brand"])),
        title=title,
        weight_g=weight,
        price_cents=price_cents,
        # The seller who left is still in old orders, but sells no more.
        is_published=shelf["seller"] != 8,
        created_at=stamp(datetime(2023, 6, 1, 10, 0) + timedelta(days=3 * number)) or "",
    )
    shop.products.append(product)
    shop.rows["products"].append(product.row())


def _pictures(shop: Shop, product: Product) -> None:
    for order in range(1, 2 + shop.rng.randrange(3)):
        shop.add(
            "product_images",
            product.id,
            f"https://img.example/{product.sku.lower()}/{order}.jpg",
            order,
        )


def _stock(shop: Shop, product: Product) -> None:
    for warehouse in range(1, 4):
        if warehouse != 1 and shop.chance(0.4):
            continue
        on_hand = shop.rng.randrange(0, 160)
        reserved = min(on_hand, shop.rng.randrange(0, 12))
        counted = stamp(TODAY - timedelta(days=shop.rng.randrange(1, 40)))
        shop.link("stock_levels", warehouse, product.id, on_hand, reserved, 20, counted)


def _slug(title: str) -> str:
    return title.lower().replace(" ", "-")
