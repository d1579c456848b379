"""A session with PostgreSQL: one statement or one look at the catalog, read-only, then closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg.adapt import AdaptersMap, Loader, Transformer
from psycopg.types.string import TextLoader

from dbtools.catalog import Catalog
from dbtools.drivers.base import CatalogRequest, Execution, Privileges
from dbtools.drivers.postgres import binding, catalogue, copying, privileges, types
from dbtools.drivers.postgres.dialling import is_bytes
from dbtools.drivers.postgres.errors import Locate
from dbtools.drivers.postgres.values import Readers
from dbtools.drivers.postgres.wire import Result, Wire
from dbtools.result import Column, ResultSet, Row
from toolbelt.errors import ToolError
from toolbelt.jsonvalue import Encoder

# Rows read at once: a few when a cell may be of any size, so that memory stays flat.
_ROWS_OF_ANY_SIZE: Final = 50
_ROWS_OF_FIXED_SIZE: Final = 1000


@dataclass(frozen=True, slots=True)
class _Described:
    """A parsed statement: its columns, their type oids and what is known of those."""

    columns: list[Column]
    oids: list[int]
    known: types.ColumnTypes
    bound: binding.Bound
    typing: tuple[int, ...]

    def base_names(self) -> list[str]:
        return [self.known.facts[o].name if o in self.known.facts else "" for o in self.oids]


class PostgresSession:
    """Fills drivers.base.Session."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def execute(self, execution: Execution) -> ResultSet:
        """Run the statement. Raises QUERY_FAILED, TIMEOUT, BLOCKED (a write), CONNECTION_FAILED."""
        described = self._describe(execution)
        encoder = Encoder(numbers_as_number=execution.numbers_as_number)
        readers = Readers(encoder, described.known.facts, any_bytes=is_bytes(self._wire.raw))
        native = self._native_csv(execution, described, encoder)
        rows = self._rows(execution, described)
        return ResultSet(
            columns=described.columns,
            # A COPY replaces the statement, so with one at hand the statement must wait.
            rows=rows if native else _started(rows),
            converters=[readers.converter(oid) for oid in described.oids],
            warnings=encoder.warnings,
            native_csv=native,
            close=self._wire.stop,
        )

    def catalog(self, request: CatalogRequest) -> Catalog:
        """Everything in one round trip."""
        return catalogue.read(self._wire, request)

    def privileges(self) -> Privileges:
        """What the login could do without the guard, in one round trip."""
        return privileges.read(self._wire)

    def cancel(self) -> None:
        """Stop the statement on the server. Safe from another thread, never raises."""
        self._wire.cancel()

    def close(self) -> None:
        """Stop, roll back, disconnect."""
        self._wire.close()

    def _describe(self, execution: Execution) -> _Described:
        bound = binding.bind(execution.segments, execution.parameters)
        result, typing = self._prepared(bound)
        oids = [result.ftype(i) for i in range(result.nfields)]
        modifiers = [result.fmod(i) for i in range(result.nfields)]
        known = self._types(oids, modifiers)
        columns = [
            Column((result.fname(i) or b"").decode("utf-8", "backslashreplace"), name)
            for i, name in enumerate(known.names)
        ]
        return _Described(columns, oids, known, bound, typing)

    def _prepared(self, bound: binding.Bound) -> tuple[Result, tuple[int, ...]]:
        """Describe with each typing of the parameters in turn; the first failure is told."""
        first: ToolError | None = None
        for typing in bound.typings:
            if first is not None:
                self._wire.rollback()
            result = self._wire.describe(bound.text.encode(), typing)
            if result.status != psycopg.pq.ExecStatus.FATAL_ERROR:
                return result, typing
            failure = self._wire.failures.of_result(result, bound.locate)
            first = first or failure
            if failure.detail.get("sqlstate") not in binding.UNTYPABLE:
                break
        assert first is not None  # noqa: S101 - bind gives at least one typing
        raise first

    def _types(self, oids: list[int], modifiers: list[int]) -> types.ColumnTypes:
        facts = types.with_elements(set(oids))
        unknown = sorted({o for o in oids if o not in facts})
        names: dict[tuple[int, int], str] = {}
        if unknown:
            asked = sorted({(o, m) for o, m in zip(oids, modifiers, strict=True) if o in unknown})
            lists = [",".join(map(str, column)) for column in zip(*asked, strict=True)]
            values = [f"{{{text}}}".encode() for text in lists]
            names, found = types.from_rows(self._wire.query(types.statement(), values))
            facts |= found
        return types.ColumnTypes(
            [
                names.get((o, m)) or types.builtin_name(o, m)
                for o, m in zip(oids, modifiers, strict=True)
            ],
            facts,
        )

    def _rows(self, execution: Execution, described: _Described) -> Iterator[Row]:
        loader = _AnyBytes if is_bytes(self._wire.raw) else TextLoader
        adapters = AdaptersMap(psycopg.adapters)
        for oid in set(described.oids) - types.NATIVE:
            adapters.register_loader(oid, loader)
        transformer = Transformer(_Context(adapters, self._wire.raw))
        at_once = _ROWS_OF_FIXED_SIZE if _all_small(described) else _ROWS_OF_ANY_SIZE
        if execution.fetch_rows is not None:
            at_once = max(1, min(at_once, execution.fetch_rows))
        first = True
        bound = described.bound
        statement = bound.text.encode()
        results = self._wire.run(statement, described.typing, bound.values, at_once, bound.locate)
        for result in results:
            transformer.set_pgresult(result, set_loaders=first)
            first = False
            yield from transformer.load_rows(0, result.ntuples, tuple)

    def _native_csv(
        self, execution: Execution, described: _Described, encoder: Encoder
    ) -> Callable[[Callable[[bytes], object]], int] | None:
        plain = execution.want_csv and not described.bound.values
        if not plain or execution.numbers_as_number or execution.fetch_rows is not None:
            return None
        names = described.base_names()
        made = copying.statement(described.bound.text, execution.kind, names)
        if made is None or is_bytes(self._wire.raw):
            return None
        text, head = made

        def write(sink: Callable[[bytes], object]) -> int:
            rows = self._wire.copy_out(text.encode(), _shifted(described.bound.locate, head))
            return copying.write(rows, sink, names, encoder)

        return write


@dataclass(frozen=True, slots=True)
class _Context:
    """psycopg's AdaptContext: which loaders, on which connection."""

    adapters: AdaptersMap
    connection: Any


def _shifted(locate: Locate, head: int) -> Locate:
    return lambda position: locate(position - head)


def _started(rows: Iterator[Row]) -> Iterator[Row]:
    """The same rows, with the statement sent and its first row here: what fails, fails now."""
    first = next(rows, None)
    if first is None:
        return iter(())
    return _chained(first, rows)


def _chained(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest


_SMALL = frozenset((
    "bool", "int2", "int4", "int8", "oid", "float4", "float8", "date", "time", "timetz",
    "timestamp", "timestamptz", "interval", "uuid", "money", "inet", "cidr", "macaddr", "name",
))  # fmt: skip


def _all_small(described: _Described) -> bool:
    return len(described.oids) <= 100 and all(n in _SMALL for n in described.base_names())


class _AnyBytes(Loader):  # type: ignore[misc]
    """Loads the text of a database that takes any bytes; values.py tells what is no UTF-8."""

    def load(self, data: bytes | bytearray | memoryview) -> str:
        return bytes(data).decode("utf-8", "surrogateescape")
