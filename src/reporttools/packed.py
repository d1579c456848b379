"""Rows of objects kept in a file: read as JSON once, however often they are asked for."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Final

from reporttools import clean
from reporttools.rows import flatten

CHUNK: Final = 500
_Chunk = tuple[tuple[str, ...], list[list[object]]]


def _file() -> IO[bytes]:
    return tempfile.TemporaryFile(prefix="report-rows-")


@dataclass(slots=True)
class Packed:
    """Rows with a cell for every key of any of them; texts hold no control characters.

    Iterating gives new lists each time.
    """

    names: list[str] = field(default_factory=list)
    count: int = 0
    _store: IO[bytes] = field(default_factory=_file)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[list[object]]:
        self._store.seek(0)
        while True:
            try:
                # A file of our own that has no name: nobody else can have written it.
                keys, rows = pickle.load(self._store)  # noqa: S301
            except EOFError:
                return
            if list(keys) == self.names:
                yield from rows
                continue
            places = {key: place for place, key in enumerate(keys)}
            order = [places.get(name) for name in self.names]
            for row in rows:
                yield [None if place is None else row[place] for place in order]

    def add(self, keys: tuple[str, ...], rows: list[list[object]]) -> None:
        """Rows of objects that all have these keys."""
        chunk: _Chunk = (keys, rows)
        pickle.dump(chunk, self._store, pickle.HIGHEST_PROTOCOL)
        self.count += len(rows)


def packed(objects: Iterable[dict[str, object]]) -> Packed:
    """All objects, in their order; columns in the order their keys are first seen."""
    made = Packed()
    names: dict[str, None] = {}
    keys: tuple[str, ...] = ()
    rows: list[list[object]] = []
    for item in objects:
        if tuple(item) != keys or len(rows) >= CHUNK:
            if rows:
                made.add(keys, rows)
                rows = []
            keys = tuple(item)
            names.update(dict.fromkeys(keys))
        rows.append([
            value
            if (kind := type(value)) is float or kind is int or value is None or kind is bool
            or (kind is str and value.isprintable())  # type: ignore[attr-defined]
            else _cell(value)
            for value in item.values()
        ])  # fmt: skip
    if rows:
        made.add(keys, rows)
    made.names = list(names)
    return made


def _cell(value: object) -> object:
    flat = flatten(value)
    return clean.text(flat) if isinstance(flat, str) else flat
