"""Names cut into words, in any script."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbtools.search import generate, lexicon_tables, twin_tables
from dbtools.search.index import identifier_terms
from dbtools.search.lexicon import lexicon
from dbtools.search.spelling import closest, distance
from dbtools.search.words import small_stem, split
from toolbelt.data import recipes


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cust_ord_hdr", "cust ord hdr"),
        ("OrderItems", "order items"),
        ("orderID", "order id"),
        ("HTTPServerLog", "http server log"),
        ("order2024Lines", "order 2024 lines"),
        ("Заказы_клиентов", "заказы клиентов"),
        ("СтатусЗаказа", "статус заказа"),
        ("учёт", "учет"),
        ("订单状态", "订单 单状 状态"),
        ("dbo.[Order Details]", "dbo order details"),
        ('we"ird$name', "we ird name"),
        ("ÜberGröße", "über größe"),
        ("", ""),
        ("___", ""),
    ],
)
def test_a_name_is_cut_into_words(name: str, words: str) -> None:
    assert split(name) == words.split()


@given(st.text(max_size=60))
def test_any_text_is_cut_without_loss_of_letters(text: str) -> None:
    for word in split(text):
        assert word and (word.isalnum() or any(c.isalnum() for c in word))


def test_abbreviations_and_words_run_together_are_known() -> None:
    assert {"custom", "order", "header"} <= set(identifier_terms("cust_ord_hdr"))
    assert {"lab", "result"} <= set(identifier_terms("labresult"))


@pytest.mark.parametrize(
    ("one", "other", "slips"),
    [("email", "emial", 1), ("order", "ordr", 1), ("abc", "abc", 0), ("abcdef", "uvwxyz", 3)],
)
def test_slips_are_counted(one: str, other: str, slips: int) -> None:
    assert distance(one, other, 2) == slips


def test_the_nearest_word_is_meant() -> None:
    assert closest("custmer", ["custom", "customer", "cluster"]) == "customer"
    assert closest("xyz", ["abc"]) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("заказы", "заказа"),
        ("покупателями", "покупатель"),
        ("orders", "order"),
        ("cities", "city"),
        ("payments", "payment"),
    ],
)
def test_our_own_stems_join_the_forms_of_a_word(one: str, other: str) -> None:
    assert small_stem(one) == small_stem(other)


def test_the_compiled_lists_are_those_of_the_files() -> None:
    texts = generate.compiled(generate.read_folder(recipes() / "lexicon"))
    for name, module in (("lexicon_tables.py", lexicon_tables), ("twin_tables.py", twin_tables)):
        with open(str(module.__file__), encoding="utf-8") as file:  # noqa: PTH123
            assert file.read() == texts[name], "run: python -m dbtools.search.generate"


def test_every_word_of_the_lists_can_be_looked_up() -> None:
    words = lexicon()
    for table in (words.abbreviations, words.synonyms, words.glossary):
        for key, targets in table.items():
            assert key == key.lower().strip() and targets
            assert all(t == t.lower() for t in targets)


def test_without_snowball_russian_is_still_found(monkeypatch: pytest.MonkeyPatch) -> None:
    program = """
import sys
sys.modules["snowballstemmer"] = None
from dbtools.search import index, words
from dbtools.search.model import Domain
from dbtools.search.rank import fuse, rank
from schemas import catalog
assert words.stemmer()[0] == "small"
found = index.build(catalog("shop").tables)
for text, table in (("статусы заказов", "order_statuses"), ("возвраты", "refunds"),
                    ("customer emails", "customers")):
    best = fuse([rank(text, found, Domain())], 3)
    assert table in [found.keys[h.doc][1] for h in best], (text, best)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": "tests:src"}, capture_output=True,
        text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
