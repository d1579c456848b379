"""The search's accuracy on written questions, without any file of its users."""

from __future__ import annotations

import pytest

from dbtools.search.russian import meanings, skeleton, sounds_like
from searching import found, place, questions, share


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
    assert expected in found(schema, *phrasings)[:2]


@pytest.mark.parametrize(
    "text", ["", " ", "?!", "🙂🙂🙂", "where is the", "zqx wvv" * 2000, "a" * 10_000]
)
def test_questions_that_name_nothing_find_nothing(text: str) -> None:
    assert found("shop", text) == []


@pytest.mark.parametrize("language", ["en", "ru"])
def test_schemas_of_other_styles_are_searched_too(language: str) -> None:
    cases = [c for c in questions("questions_unseen") if c["lang"] == language]
    assert share([place(case) for case in cases], 10) >= 0.75


def test_a_second_phrasing_in_english_helps_a_russian_question() -> None:
    cases = questions("questions_unseen")
    pairs = [(ru, en["q"]) for en, ru in zip(cases[::2], cases[1::2], strict=True)]
    assert {ru["lang"] for ru, _ in pairs} == {"ru"}
    alone = share([place(ru) for ru, _ in pairs], 5)
    fused = [place(ru, en) for ru, en in pairs]
    assert share(fused, 5) >= alone and share(fused, 10) >= 0.85


@pytest.mark.parametrize(
    ("name", "english"),
    [
        ("zakazy", "order"), ("polzovateli", "user"), ("dogovory", "contract"),
        ("schet", "invoice"), ("schyot", "invoice"), ("sotrudniki", "employee"),
        ("postavshchiki", "supplier"), ("postavshik", "supplier"), ("заказы", "order"),
        ("orders", ""), ("invoice", ""), ("payload", ""), ("xyzzy", ""), ("12345", ""),
    ],
)  # fmt: skip
def test_a_russian_name_says_what_it_means(name: str, english: str) -> None:
    assert english in meanings(name) or meanings(name) == () == tuple(english)


def test_a_word_that_no_list_knows_is_found_by_its_sound() -> None:
    assert skeleton("щёлочь") == skeleton("schyoloch")
    assert sounds_like("щелоч", "schelochi") and not sounds_like("щелоч", "shelf")
