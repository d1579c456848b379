"""Blocks of ClickHouse's Native format, each decoded a column at a time by the client library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from clickhouse_connect.datatypes.registry import get_from_name
from clickhouse_connect.driver.ctypes import RespBuffCls
from clickhouse_connect.driver.exceptions import (
    ClickHouseError,
    InternalError,
    StreamCompleteException,
)
from clickhouse_connect.driver.query import QueryContext
from clickhouse_connect.driver.transform import extract_error_message, extract_exception_with_tag

from dbtools.drivers import network
from dbtools.drivers.clickhouse.wire import Answer, Broken, Refused

# How cells are to come: raw where the library would round, guess or hide something.
_EXACT: Final = {
    "String": "bytes", "DateTime": "int", "DateTime64": "int", "Time": "int", "Time64": "int",
    "UUID": "string", "IPv": "string", "Map": "pairs", "Tuple": "tuple", "Variant": "typed",
}  # fmt: skip
# The protocol from which on types are told in full; a server that ignores it sends no info.
PROTOCOL: Final = "54405"
# What precedes each block from then on: is_overflows = 0, bucket_num = -1, end.
_INFO: Final = b"\x01\x00\x02\xff\xff\xff\xff\x00"
# Inside these only the value tells its type, so cells must come as objects of their type.
_SELF_TYPED: Final = ("Dynamic", "JSON", "Object(")


class Unreadable(Exception):
    """A column of a type that has no values to show."""

    def __init__(self, column: str, kind: str) -> None:
        super().__init__(column, kind)
        self.column = column
        self.kind = kind


@dataclass(frozen=True, slots=True)
class ColumnHead:
    """name, type: as the server spells them. kind: the library's type. exact: cells come raw."""

    name: str
    type: str
    kind: Any
    exact: bool


@dataclass(frozen=True, slots=True)
class Block:
    """Columns of equal length."""

    heads: tuple[ColumnHead, ...]
    columns: list[Sequence[Any]]


class _Source:
    """What the library reads from. has_info: eight bytes of no use to us precede each block."""

    def __init__(self, answer: Answer) -> None:
        self.exception_tag = answer.tag
        chunks = answer.chunks()
        first = b""
        for chunk in chunks:
            first += chunk
            if len(first) >= len(_INFO):
                break
        self.has_info = first.startswith(_INFO)
        self.gen = chain((first,) if first else (), chunks)

    def close(self) -> None:
        """Nothing: the library calls this late, and the session hangs up in time."""


class Reader:
    """The blocks of one answer. Iterating raises Refused (an error in mid-answer) and Broken.

    full_types: the server tells the zones of DateTime columns.
    """

    def __init__(self, answer: Answer) -> None:
        source = _Source(answer)
        self._buffer = RespBuffCls(source)
        self.full_types = source.has_info
        self._answer = answer
        self._exact = QueryContext(query_formats=_EXACT, tz_mode="aware")
        self._loose = QueryContext(query_formats={"UUID": "string"}, tz_mode="aware")

    def __iter__(self) -> Iterator[Block]:
        heads: tuple[ColumnHead, ...] = ()
        while True:
            try:
                if self.full_types:
                    self._buffer.read_bytes(len(_INFO))
                count = self._buffer.read_leb128()
            except StreamCompleteException:
                self._raise_tagged()
                if self._answer.broken:
                    raise Broken(self._answer.broken) from None
                return
            block = self._block(count, heads)
            heads = block.heads
            yield block

    def _block(self, count: int, known: tuple[ColumnHead, ...]) -> Block:
        try:
            rows = self._buffer.read_leb128()
            heads: list[ColumnHead] = []
            columns: list[Sequence[Any]] = []
            for index in range(count):
                name, kind = self._buffer.read_leb128_str(), self._buffer.read_leb128_str()
                head = known[index] if index < len(known) else head_of(name, kind)
                context = self._exact if head.exact else self._loose
                heads.append(head)
                columns.append(head.kind.read_column(self._buffer, rows, context) if rows else ())
        except _GARBLED as error:
            # Servers before 25.11 write an error as text where a block should begin.
            self._raise_message()
            if isinstance(error, StreamCompleteException):
                raise Broken(self._answer.broken or "the answer ended early") from error
            raise Broken(network.unreadable(error)) from error
        return Block(tuple(heads), columns)

    def _raise_tagged(self) -> None:
        if self._answer.tag and self._buffer.last_message:
            text = extract_exception_with_tag(self._buffer.last_message, self._answer.tag)
            if text:
                raise _refusal(text)

    def _raise_message(self) -> None:
        self._raise_tagged()
        message = self._buffer.last_message or b""
        if b"Code: " in message[-_LONGEST_MESSAGE:]:
            raise _refusal(extract_error_message(message))


_LONGEST_MESSAGE: Final = 1024
# What reading something else than a block may end in.
_GARBLED: Final = (
    ClickHouseError, StreamCompleteException, MemoryError, *network.GARBLED,
)  # fmt: skip


def _refusal(text: str) -> Refused:
    digits = text.partition("Code: ")[2].partition(".")[0]
    return Refused(200, int(digits) if digits.isdigit() else 0, text)


def head_of(name: str, kind: str) -> ColumnHead:
    """A column by its name and the server's spelling of its type; raises Unreadable."""
    try:
        made = get_from_name(kind)
    except InternalError as error:
        raise Unreadable(name, kind) from error
    if "AggregateFunction(" in kind.replace("SimpleAggregateFunction(", ""):
        raise Unreadable(name, kind)
    return ColumnHead(name, kind, made, not any(word in kind for word in _SELF_TYPED))
