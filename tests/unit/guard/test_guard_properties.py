"""Properties of the guard over any text: no traceback, and a gated text that reads the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbtools.guard import append_limit, check, segments, tables
from dbtools.guard.lexer import Tokens, scan
from dbtools.guard.model import Refused

DIALECTS = st.sampled_from(["postgres", "mysql", "sqlite", "clickhouse", "bigquery", "tsql"])
# What quotes, comments, names and numbers are made of, so that random text meets every rule.
LETTERS = [
    "é",
    "\u00a0",
    "\u2019",
    "\u2028",
    "\ufeff",
    "\x00",
    "\x1b",
    "\udc80",
    "\u212a",
    "\uff53",
]
SPELLINGS = r"""
' '' " "" ` [ ] ]] ( ) { } $ $$ $a$ \ \' -- --/**/ /* */ /*! /*+ /*M! # #! // ; ;; , . .. : :: :=
:a @ @@x ? = <> |> -> E' e' N' U&" U&' r' b''' x' 0x 1 1e 1_0 1a .5 a b select from where union
delete insert into update values with as table explain limit offset for on is distinct sleep(
settings join apply array"""
PIECES = st.sampled_from([*SPELLINGS.split(), *LETTERS])
SPACE = st.sampled_from(["", " ", "\n", "\r", "\r\n", "\t", "\x0b", "\x0c"])
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.tuples(PIECES, SPACE), max_size=30).map(lambda ps: "".join(a + b for a, b in ps)),
    st.lists(st.tuples(PIECES, SPACE), max_size=30).map(
        lambda ps: "select " + "".join(a + b for a, b in ps)
    ),
)


def _read(text: str, dialect: str) -> Tokens | None:
    try:
        return scan(text, dialect)
    except Refused:
        return None


@pytest.mark.hypothesis
@given(TEXTS, DIALECTS)
def test_no_text_makes_the_guard_raise(text: str, dialect: str) -> None:
    verdict = check(text, dialect)
    assert bool(verdict.statement) == verdict.allowed
    assert verdict.allowed or (verdict.message and verdict.reason)
    assert 0 <= verdict.position <= len(text) + 1
    tables(text, dialect)
    append_limit(verdict, 10)


@pytest.mark.hypothesis
@given(TEXTS, DIALECTS)
def test_what_the_guard_sends_reads_the_same_and_needs_no_second_gate(
    text: str, dialect: str
) -> None:
    tokens = _read(text, dialect)
    if tokens is None:
        return
    again = _read(tokens.clean, dialect)
    assert again is not None
    assert (again.kinds, again.keys) == (tokens.kinds, tokens.keys)
    assert again.clean == tokens.clean
    verdict = check(text, dialect)
    if verdict.allowed:
        assert check(verdict.statement, dialect)._replace(position=0) == verdict


@pytest.mark.hypothesis
@given(TEXTS, DIALECTS)
def test_the_guards_segments_are_the_gated_text(text: str, dialect: str) -> None:
    tokens = _read(text, dialect)
    parts = segments(text, dialect)
    joined = "".join(part if isinstance(part, str) else f":{part[0]}" for part in parts)
    assert joined == (text if tokens is None else tokens.clean)


@pytest.mark.hypothesis
@given(st.text(max_size=40), st.sampled_from(["postgres", "sqlite", "tsql"]))
def test_a_doubled_quote_keeps_any_text_in_one_guard_string(text: str, dialect: str) -> None:
    quoted = "'" + text.replace("'", "''") + "'"
    verdict = check(f"select {quoted} as v", dialect)
    sendable = "\x00" not in text and not any("\ud800" <= c <= "\udfff" for c in text)
    assert verdict.allowed is sendable
    if sendable:
        assert quoted in verdict.statement
