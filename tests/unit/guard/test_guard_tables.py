"""The compiled tables are the TOML files, no more and no less."""

from __future__ import annotations

import pytest

from dbtools.guard import generate
from dbtools.guard.model import load

REMEDY = "run: python -m dbtools.guard.generate"


@pytest.mark.parametrize("dialect", generate.DIALECTS)
def test_the_guards_compiled_table_equals_its_source(dialect: str) -> None:
    target = generate.HERE / f"tables_{dialect}.py"
    source = generate.read_source(dialect)
    assert target.read_text("utf-8") == generate.compiled(source), REMEDY
    tables = load(dialect)
    assert tables.checked_against
    assert all(cause.why and cause.hint for cause in tables.causes.values())


def test_the_guards_compiled_mongodb_table_equals_its_source() -> None:
    target = generate.HERE / "tables_mongodb.py"
    source = generate.read_source("mongodb")
    assert target.read_text("utf-8") == generate.compiled_mongodb(source), REMEDY
