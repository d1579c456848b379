"""Ways between tables by foreign keys, as the search follows them."""

from __future__ import annotations

import pytest

from dbtools.catalog import ForeignKey, Table, TableColumn
from dbtools.search.index import build

# Each table and those it refers to.
_REFERENCES = {"a": "b", "b": "c", "c": "d", "d": "", "e": "d", "island": ""}


def _table(name: str, target: str) -> Table:
    keys = (ForeignKey("", (f"{target}_id",), "", target, ("id",)),) if target else ()
    return Table(name, columns=(TableColumn(f"{name}_id", "int"),), foreign_keys=keys)


@pytest.mark.parametrize(
    ("ends", "way"),
    [
        ("a d", "a b c d"),
        ("a e", "a b c d e"),
        ("a c e", "a b c d e"),
        ("a island", "a island"),
        ("island a b", "island a b"),
        ("a", "a"),
        ("", ""),
    ],
)
def test_the_shortest_way_between_tables(ends: str, way: str) -> None:
    index = build([_table(*pair) for pair in _REFERENCES.items()])
    docs = {name: doc for doc, (_, name) in enumerate(index.keys)}
    found = index.between([docs[name] for name in ends.split()])
    assert {index.keys[doc][1] for doc in found} == set(way.split())
