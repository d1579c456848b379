"""Why a table was found: the columns that matched, and how each word was understood."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dbtools.catalog import Table, TableColumn
from dbtools.search.index import Index, comment_terms, identifier_terms
from dbtools.search.model import Group
from dbtools.search.words import stem

_LONG_NAME: Final = 0.1
_WORDS_SHOWN: Final = 6


def matched_columns(table: Table, groups: Sequence[Group], index: Index) -> list[str]:
    """The columns that hold words of the question, the best first."""
    scored = [(_column_score(c, groups, index), c.name) for c in table.columns]
    scored = [(s, n) for s, n in scored if s > 0]
    return [name for _, name in sorted(scored, key=lambda item: -item[0])]


def _column_score(column: TableColumn, groups: Sequence[Group], index: Index) -> float:
    own = identifier_terms(column.name)
    said = {*comment_terms(column.comment), *(t for v in column.values for t in comment_terms(v))}
    total = 0.0
    for group in groups:
        total += max(
            (
                sense.weight * index.idf(term) * (1.0 if term in own else 0.5)
                for term, sense in group.senses.items()
                if term in own or term in said
            ),
            default=0.0,
        )
    return total / (1 + _LONG_NAME * len(own))


def reasons(doc: int, groups: Sequence[Group], index: Index) -> str:
    """`статус → status, parcel → shipment (synonym)`: the words that matched and by what."""
    said: dict[str, None] = {}
    spelled = {stem(word): word for word in reversed(index.words)}
    for group in groups:
        best = ""
        weight = 0.0
        for term, sense in group.senses.items():
            if sense.weight > weight and doc in index.postings.get(term, ())[::2]:
                weight = sense.weight
                plain = sense.via in ("name", "glossary", "domain")
                how = "" if plain else f" ({sense.via})"
                meant = "" if sense.via == "name" else f" → {spelled.get(term, term)}{how}"
                best = group.text + meant
        if best:
            said[best] = None
    return ", ".join(list(said)[:_WORDS_SHOWN])
