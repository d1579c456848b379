"""The three schemas of the navigator's tests as SQLite files, and their catalogs."""

from __future__ import annotations

import sqlite3
from functools import cache
from pathlib import Path

from dbtools import connection, drivers
from dbtools.catalog import Catalog
from dbtools.drivers.base import CatalogRequest

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "tests" / "cases" / "schema"
SOURCES = {"shop": ROOT / "demo" / "shop.sql", "erp": CASES / "erp.sql", "big": CASES / "big.sql"}


def build(path: Path, script: str) -> Path:
    """A SQLite file made by a script."""
    with sqlite3.connect(path) as db:
        db.executescript(script)
    db.close()
    return path


def build_all(folder: Path) -> dict[str, Path]:
    """A SQLite file of each schema, without rows."""
    return {
        name: build(folder / f"{name}.db", source.read_text(encoding="utf-8"))
        for name, source in SOURCES.items()
    }


def catalog_of(path: Path) -> Catalog:
    """What our driver reads from a SQLite file."""
    described = connection.find(None, {"DB_TYPE": "sqlite", "DB_NAME": str(path)})
    session = drivers.load("sqlite").connect(described, 30)
    try:
        return session.catalog(CatalogRequest())
    finally:
        session.close()


@cache
def catalog(name: str) -> Catalog:
    """The catalog of shop, erp or big."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = build(Path(folder) / "it.db", SOURCES[name].read_text(encoding="utf-8"))
        return catalog_of(path)
