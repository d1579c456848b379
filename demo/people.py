"""Employees, customers and where they live."""

from __future__ import annotations

from datetime import datetime, timedelta

from demo.tables import TODAY, Customer, Shop, cells, stamp, vocabulary

CUSTOMERS = 240
_LATIN = str.maketrans(
    dict(zip("абвгдеёзийклмнопрстуфхыэ", "abvgdeeziiklmnoprstufhye", strict=True))
    | {"ж": "zh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sch", "ю": "yu", "я": "ya"}
    | {"ь": "", "ъ": "", "'": "", "í": "i", "ü": "ue"}
)


def make(shop: Shop) -> None:
    """Fill employees, customers and customer_addresses."""
    for index, (login, full_name, role) in enumerate(vocabulary()["staff"]["employees"]):
        hired = datetime(2021, 2, 1) + timedelta(days=97 * index)
        shop.add("employees", login, full_name, role, f"!locked-{index}", f"{hired:%Y-%m-%d}")
    for number in range(1, CUSTOMERS + 1):
        customer = _customer(shop, number)
        shop.customers.append(customer)
        shop.rows["customers"].append(cells(customer))
        _addresses(shop, customer)


def _customer(shop: Shop, number: int) -> Customer:
    language = "ru" if shop.chance(0.3) else "en"
    gender = "f" if shop.chance(0.54) else "m"
    first, last = _name(shop, language, gender)
    # More and more people register: the square root leans towards the end.
    age_days = int(820 * (1 - shop.rng.random() ** 0.6))
    registered = TODAY - timedelta(days=age_days, seconds=shop.rng.randrange(86_400))
    born = datetime(1955, 1, 1) + timedelta(days=shop.rng.randrange(18_000))
    local = f"{first}.{last}".lower().translate(_LATIN)
    return Customer(
        id=number,
        first_name=first,
        last_name=last,
        email=f"{local}{number}@{shop.pick(vocabulary()['people']['mail_hosts'])}",
        phone=f"+44 20 7946 {shop.rng.randrange(10_000):04d}",
        birth_date=f"{born:%Y-%m-%d}",
        gender=gender,
        registered_at=stamp(registered) or "",
        is_blocked=shop.chance(0.015),
        preferred_language=language,
    )


def _name(shop: Shop, language: str, gender: str) -> tuple[str, str]:
    words = vocabulary()["people"]
    kind = "first_female" if gender == "f" else "first_male"
    if language == "en":
        return shop.pick(words[kind]), shop.pick(words["last"])
    masculine, feminine = shop.pick(words["last_ru"])
    return shop.pick(words[f"{kind}_ru"]), feminine if gender == "f" else masculine


def _addresses(shop: Shop, customer: Customer) -> None:
    labels = ["home", "work"] if shop.chance(0.25) else ["home"]
    for label in labels:
        place = shop.pick(vocabulary()["places"])
        street = f"{shop.pick(place['streets'])} {shop.rng.randrange(1, 140)}"
        postal = place["postal"].format(shop.rng.randrange(1, 10))
        number = shop.add(
            "customer_addresses", customer.id, label, place["country"], place["city"], street,
            postal, label == "home",
        )  # fmt: skip
        shop.addresses[customer.id].append(number)
