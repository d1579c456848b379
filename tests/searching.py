"""The search's accuracy on written questions: `python searching.py` prints places as JSON.

The sentence encoder takes part where it is installed.
"""

from __future__ import annotations

import json
import re
import sys
from functools import cache
from typing import Any

from dbtools.catalog import ForeignKey, Table, TableColumn
from dbtools.search import index, semantic
from dbtools.search.cache import CacheFile
from dbtools.search.index import Index
from dbtools.search.model import Domain
from dbtools.search.rank import fuse, rank
from schemas import CASES, SOURCES, catalog

UNSEEN = CASES / "unseen"
_COLUMN = re.compile(r'(\w+)(?:>(\w+))?(?:"([^"]*)")?')
NOWHERE = 99


@cache
def tables_of(schema: str) -> tuple[Table, ...]:
    """The tables of a schema of the cases."""
    if schema in SOURCES:
        return catalog(schema).tables
    text = (UNSEEN / f"{schema}.txt").read_text(encoding="utf-8")
    return tuple(_table(line) for line in text.splitlines())


def _table(line: str) -> Table:
    """`name: column column>target column"comment" -- comment of the table`."""
    body, _, comment = line.partition(" -- ")
    name, _, rest = body.partition(":")
    found = _COLUMN.findall(rest)
    return Table(
        name,
        columns=tuple(TableColumn(column, "text", comment=about) for column, _, about in found),
        foreign_keys=tuple(
            ForeignKey("", (column,), "", target, ()) for column, target, _ in found if target
        ),
        comment=comment,
    )


@cache
def indexed(schema: str) -> Index:
    """Its index."""
    return index.build(tables_of(schema))


@cache
def _encoder(schema: str) -> semantic.Encoder:
    return semantic.Encoder(indexed(schema), tables_of(schema), CacheFile(None), "")


def questions(name: str) -> list[dict[str, Any]]:
    """The questions of a file of the cases."""
    lines = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def found(schema: str, *phrasings: str) -> list[str]:
    """The ten tables that a question in one or several phrasings finds."""
    rankings = [rank(text, indexed(schema), Domain()) for text in phrasings]
    if semantic.available():
        encoder = _encoder(schema)
        rankings = [encoder.lift(r, t) for r, t in zip(rankings, phrasings, strict=True)]
    return [indexed(schema).keys[hit.doc][1] for hit in fuse(rankings, 10)]


def place(case: dict[str, Any], *more: str) -> int:
    """Where the first right table stands, from 1; NOWHERE for not at all."""
    names = found(case["schema"], case["q"], *more)
    return next((at for at, n in enumerate(names, start=1) if n in case["tables"]), NOWHERE)


def share(places: list[int], within: int) -> float:
    """How many of the places are that good."""
    return sum(p <= within for p in places) / len(places)


def main() -> None:
    """Print, for every file named, the places of its questions by language."""
    report: dict[str, dict[str, list[int]]] = {}
    for name in sys.argv[1:]:
        by_language: dict[str, list[int]] = {}
        for case in questions(name):
            by_language.setdefault(case["lang"], []).append(place(case))
        report[name] = by_language
    print(json.dumps({"semantic": semantic.available(), "places": report}))


if __name__ == "__main__":
    main()
