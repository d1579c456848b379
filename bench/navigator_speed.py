"""`db-schema` on 1,014 tables from a warm cache, against a bare interpreter."""

from __future__ import annotations

import sys
from pathlib import Path

from bench.measure import Case
from bench.peers import own
from schemas import SOURCES, build

_BARE = "python3 -c pass"
_TIMES = 9
_SEARCH_MS = 250


def cases(folder: Path) -> list[Case]:
    """Names, chosen tables and searches; the database and the cache are made in `folder`."""
    path = build(folder / "big.db", SOURCES["big"].read_text(encoding="utf-8"))
    env = {"DB_TYPE": "sqlite", "DB_NAME": str(path), "XDG_CACHE_HOME": str(folder / "cache")}

    def ours(title: str, *arguments: str, cpu: float | None = _TIMES, more_ms: float = 0) -> Case:
        argv = (own("db-schema"), *arguments)
        return Case(title, argv, env, against=_BARE, cpu=cpu, more_cpu_ms=more_ms)

    def search(title: str, text: str) -> Case:
        return ours(title, "--search", text, more_ms=_SEARCH_MS)

    return [
        Case(_BARE, (sys.executable, "-c", "pass")),
        ours("names of 1,014 tables"),
        ours("three tables", *("-t", "Appointment", "-t", "Doctor", "-t", "Patient"), cpu=None),
        search("search, English", "where is the order status stored"),
        search("search, Russian", "где хранится статус заказа"),
        search("search, slips of the fingers", "loyality crad balanse"),
    ]
