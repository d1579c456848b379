"""Columns changed at once give what changing cell by cell gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dbtools.drivers import columns
from toolbelt.jsonvalue import SAFE_INTEGER, Encoder, base64_text


def _text(raw: bytes) -> object:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return base64_text(raw)


BYTES = st.none() | st.binary(max_size=6) | st.text(max_size=6).map(str.encode)


@given(cells=st.lists(BYTES, min_size=1))
def test_texts(cells: list[bytes | None]) -> None:
    wanted = [None if cell is None else _text(cell) for cell in cells]
    assert list(columns.texts(_text)(cells)) == wanted


@given(cells=st.lists(st.none() | st.integers(-(2**60), 2**60), min_size=1))
def test_integers(cells: list[int | None]) -> None:
    wanted = [c if c is None or abs(c) <= SAFE_INTEGER else str(c) for c in cells]
    assert list(columns.integers(cells)) == wanted


@given(cells=st.lists(st.none() | st.floats(), min_size=1))
def test_floats(cells: list[float | None]) -> None:
    encoder = Encoder()
    wanted = [None if cell is None else encoder(cell) for cell in cells]
    assert list(columns.floats(encoder)(cells)) == wanted


@given(cells=st.lists(st.none() | st.integers().map(lambda n: str(n).encode()), min_size=1))
def test_pure_and_each(cells: list[bytes | None]) -> None:
    wanted = [None if cell is None else int(cell) for cell in cells]
    assert list(columns.pure(int)(cells)) == list(columns.each(int)(cells)) == wanted
