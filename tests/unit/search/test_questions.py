"""The search's accuracy on written questions, without any file of its users."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from dbtools.search import index
from dbtools.search.index import Index
from dbtools.search.model import Domain
from dbtools.search.rank import fuse, rank
from schemas import CASES, catalog


@cache
def indexed(schema: str) -> Index:
    return index.build(catalog(schema).tables)


def questions(name: str) -> list[dict[str, Any]]:
    lines = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def tables(schema: str, *phrasings: str) -> list[str]:
    found = indexed(schema)
    rankings = [rank(text, found, Domain()) for text in phrasings]
    return [found.keys[hit.doc][1] for hit in fuse(rankings, 10)]


def place(case: dict[str, Any]) -> int:
    found = tables(case["schema"], case["q"])
    return next((at for at, name in enumerate(found, start=1) if name in case["tables"]), 99)


def share(places: list[int], within: int) -> float:
    return sum(p <= within for p in places) / len(places)


def test_plain_questions_find_their_table() -> None:
    places = [place(case) for case in questions("questions")]
    assert share(places, 1) >= 0.94
    assert share(places, 5) >= 0.99


@pytest.mark.parametrize("language", ["en", "ru"])
def test_either_language_finds_its_table(language: str) -> None:
    places = [place(case) for case in questions("questions") if case["lang"] == language]
    assert share(places, 5) >= 0.95


def test_questions_in_other_words_still_find_some_tables() -> None:
    places = [place(case) for case in questions("questions_hard")]
    assert share(places, 10) >= 0.4


@pytest.mark.parametrize(
    ("schema", "phrasings", "expected"),
    [
        ("shop", ("wher is the custmer emial",), "customers"),
        ("shop", ("адрсе покупателя",), "customer_addresses"),
        ("shop", ("CUSTOMER EMAIL!!!",), "customers"),
        ("shop", ("customerEmail",), "customers"),
        ("shop", ("что-то совсем другое", "refunds"), "refunds"),
        ("erp", ("kunden", "customer master"), "cust_mstr"),
        ("big", ("архив приёмов у врача",), "Appointment"),
    ],
)
def test_slips_and_second_phrasings(schema: str, phrasings: tuple[str, ...], expected: str) -> None:
    assert expected in tables(schema, *phrasings)[:2]


@pytest.mark.parametrize(
    "text", ["", " ", "?!", "🙂🙂🙂", "where is the", "zqx wvv" * 2000, "a" * 10_000]
)
def test_questions_that_name_nothing_find_nothing(text: str) -> None:
    assert tables("shop", text) == []
