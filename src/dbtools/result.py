"""What a query gives back, in any engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

Row = Sequence[object]
# Turns one cell as the client library gives it into a JSON-ready value. Never called for NULL.
Converter = Callable[[object], object]


@dataclass(frozen=True, slots=True)
class Column:
    """A result column: its label and the engine's own name of its type."""

    name: str
    type: str


@dataclass(slots=True)
class ResultSet:
    """Columns and an iterator of rows, each a sequence with one cell a column.

    converters: one a column, None where the cell is JSON-ready as it is. raw_is_json: any cell
    that JSON would not hold exactly is an integer beyond 2^53, or of no JSON type at all.
    documents: a row is one cell, a mapping that is the row; `columns` are the fields of the first
    of them, and with all_fields_known False later ones may hold more. warnings: filled while
    rows are read, in order, each once. native_csv: writes all rows as CSV to a binary sink by the
    engine's own fast way and returns their number; None where there is no such way. extra: engine
    facts for the envelope (`estimatedBytes`, `jobId`). close: frees the server's side early.
    columns_read: lower-case names of the columns that the engine says the statement reads; None
    where it says nothing of it.
    """

    columns: list[Column]
    rows: Iterator[Row]
    converters: list[Converter | None]
    raw_is_json: bool = False
    documents: bool = False
    all_fields_known: bool = True
    warnings: dict[str, None] = field(default_factory=dict)
    native_csv: Callable[[Callable[[bytes], object]], int] | None = None
    extra: Mapping[str, object] = field(default_factory=dict)
    close: Callable[[], None] = lambda: None
    columns_read: Set[str] | None = None
