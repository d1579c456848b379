"""`-p name=value` and `--params`."""

from __future__ import annotations

import pytest

from dbtools import parameters
from toolbelt.errors import ToolError

VALUES = [
    ("n=5", 5), ("n=-1.5", -1.5), ("n=true", True), ("n=null", None), ('n="5"', "5"), ("n=", ""),
    ("n=2025-01-01", "2025-01-01"), ("n=01234", "01234"), ("n=a=b", "a=b"), ("n=[1,2]", [1, 2]),
    ("n=NaN", "NaN"), ("n=Infinity", "Infinity"), ("n=O'Brien", "O'Brien"), (":n=1", 1),
]  # fmt: skip


@pytest.mark.parametrize(("pair", "value"), VALUES)
def test_values_are_typed_as_json(pair: str, value: object) -> None:
    assert parameters.parse([pair], None) == {"n": value}


BAD = [
    (["novalue"], None, "name=value"),
    (["1x=2"], None, "name=value"),
    (["a=1", "a=2"], None, "twice"),
    (["a=1"], '{"a": 2}', "twice"),
    ([], "{", "not valid JSON"),
    ([], "[1]", "JSON object"),
    ([], '{"a":1,"a":2}', "twice"),
    ([], '{"a":NaN}', "not valid JSON"),
]


@pytest.mark.parametrize(("pairs", "document", "words"), BAD)
def test_bad_parameters_are_usage_errors(
    pairs: list[str], document: str | None, words: str
) -> None:
    with pytest.raises(ToolError) as caught:
        parameters.parse(pairs, document)
    assert caught.value.code == "USAGE"
    assert words in caught.value.message


def test_missing_and_extra_parameters_are_named() -> None:
    with pytest.raises(ToolError, match=":status"):
        parameters.match(["status"], {"statuss": 1})
    with pytest.raises(ToolError, match="extra"):
        parameters.match(["a"], {"a": 1, "extra": 2})
    parameters.match(["a", "a"], {"a": 1})
