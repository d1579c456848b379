"""Rows kept in a file come back as they were, as often as they are asked for."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from reporttools import clean, packed
from reporttools.rows import flatten, union

CELL = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5),
    st.lists(st.integers(), max_size=2), st.just({"$numberDouble": "1.5"}), st.just("a\x07\ud800"),
)  # fmt: skip
OBJECT = st.dictionaries(st.sampled_from("abcde"), CELL, max_size=5)


def cell(value: object) -> object:
    flat = flatten(value)
    return clean.text(flat) if isinstance(flat, str) else flat


@given(st.lists(OBJECT, max_size=30))
def test_packed_rows(objects: list[dict[str, Any]]) -> None:
    names = union(objects)
    rows = packed.packed(objects)
    wanted = [[cell(item.get(name)) for name in names] for item in objects]
    assert rows.names == names
    assert len(rows) == len(objects)
    assert list(rows) == wanted
    assert list(rows) == wanted


def test_chunks(monkeypatch: Any) -> None:
    monkeypatch.setattr(packed, "CHUNK", 3)
    rows = packed.packed({"n": n, **({"late": n} if n > 7 else {})} for n in range(10))
    assert [row[0] for row in rows] == list(range(10))
    assert [row[1] for row in rows] == [None] * 8 + [8, 9]
