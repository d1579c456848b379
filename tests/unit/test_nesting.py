"""Depth of JSON text, counted without reading it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbelt.nesting import MOST, too_deep


@pytest.mark.parametrize(
    ("text", "deep"),
    [
        ("[" * MOST + "]" * MOST, False),
        ("[" * (MOST + 1) + "]" * (MOST + 1), True),
        ('{"a":' * (MOST + 1) + "1" + "}" * (MOST + 1), True),
        ("[1," * (MOST + 1) + "1" + ",1]" * (MOST + 1), True),
        ("[" + "[1]," * 5000 + "[1]]", False),
        (json.dumps("[" * 5000), False),
        (json.dumps('"\\' * 400 + "[" * 400), False),
    ],
)
def test_depth(text: str, deep: bool) -> None:
    json.loads(text)
    assert too_deep(text) is deep


VALUES = st.recursive(
    st.none() | st.text('[]{}\\"aé\n'),
    lambda inner: st.lists(inner) | st.dictionaries(st.text('[]{\\"'), inner),
)


def depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


@given(VALUES)
def test_depth_is_that_of_the_value(value: object) -> None:
    found = depth(value)
    text = json.dumps(value, ensure_ascii=False)
    assert not too_deep(text, found)
    assert found == 0 or too_deep(text, found - 1)
