"""A session with ClickHouse: one statement or one look at the catalog, then closed."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from datetime import UTC, tzinfo
from itertools import chain
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dbtools.connection import Connection
from dbtools.drivers.base import CatalogRequest, Execution, Privileges
from dbtools.drivers.clickhouse import binding, settings
from dbtools.drivers.clickhouse.binding import Bound
from dbtools.drivers.clickhouse.blocks import (
    PROTOCOL,
    Block,
    ColumnHead,
    Reader,
    Unreadable,
    head_of,
)
from dbtools.drivers.clickhouse.errors import Failures
from dbtools.drivers.clickhouse.values import Converters
from dbtools.drivers.clickhouse.wire import Answer, Broken, Refused, Wire
from dbtools.drivers.columns import Change
from dbtools.result import Column, ResultSet, Row
from toolbelt.errors import ToolError
from toolbelt.jsonvalue import Encoder

if TYPE_CHECKING:
    from dbtools.catalog import Catalog

_CANCEL_SECONDS: Final = 2.0
_TRIES: Final = 8
# DateTime without brackets behind it: its zone, if any, was left out.
_ZONELESS: Final = re.compile(r"DateTime(?![\d(])")
_TUNED: Final = re.compile(r"(?i)\bSETTINGS\b")
_SHORT: Final = "JSONCompactStringsEachRow"


class ClickHouseSession:
    """Fills drivers.base.Session."""

    def __init__(self, wire: Wire, connection: Connection, timeout_seconds: float) -> None:
        self._wire = wire
        self._connection = connection
        self._timeout = timeout_seconds
        self._query_id = str(uuid.uuid4())
        self._failures = Failures(connection, timeout_seconds)

    def execute(self, execution: Execution) -> ResultSet:
        """Run the statement; rows arrive a block at a time."""
        bound = binding.bind(execution.segments, execution.parameters)
        wanted = settings.of_statement(
            self._timeout, execution.fetch_rows, execution.kind, compress=self._wire.compress
        )
        encoder = Encoder(numbers_as_number=execution.numbers_as_number)
        if bound.format:
            encoder.warnings[f"{bound.format} was left out: --format says how rows are given"] = (
                None
            )
        try:
            answer = self._ask(bound, wanted)
            if answer.format not in ("", "Native"):
                raise self._failures.formatted(answer.format)
            reader = Reader(answer)
            blocks = iter(reader)
            first = next(blocks, None)
            heads = self._heads(bound, reader, first)
        except (Refused, Broken, Unreadable) as error:
            raise self._failed(error, bound) from error
        converters = Converters(encoder, _zone(answer.zone))
        found = chain([first], blocks) if first is not None else iter(())
        return ResultSet(
            columns=[Column(head.name, head.type) for head in heads],
            rows=self._rows(found, [converters.of(head) for head in heads], bound),
            converters=[None] * len(heads),
            warnings=encoder.warnings,
            close=answer.close,
        )

    def _heads(self, bound: Bound, reader: Reader, first: Block | None) -> tuple[ColumnHead, ...]:
        """The columns: those of the first block, or what DESCRIBE says where it says more.

        No block comes for no rows, and an older server leaves the zone out of DateTime's name.
        """
        if first is None:
            return tuple(head_of(name, kind) for name, kind in self._described(bound))
        zoneless = any(_ZONELESS.search(head.type) for head in first.heads)
        if reader.full_types or not zoneless:
            return first.heads
        types = [kind for _, kind in self._described(bound)]
        if len(types) != len(first.heads):
            return first.heads
        return tuple(
            head_of(head.name, full) if full.startswith(head.type.rstrip(")")) else head
            for head, full in zip(first.heads, types, strict=True)
        )

    def _described(self, bound: Bound) -> list[tuple[str, str]]:
        """(name, type) of the statement's columns; [] of SHOW and EXPLAIN, which have only text.

        Asked over a connection of its own, since the answer is under way on this one.
        """
        asked = Bound(f"DESCRIBE TABLE (\n{bound.text}\n)", bound.parameters, bound.marks)
        other = ClickHouseSession(Wire(self._connection), self._connection, self._timeout)
        try:
            wanted = settings.of_statement(self._timeout, None, "DESCRIBE", compress=False)
            return [(row[0], row[1]) for row in other._ask(asked, wanted, _SHORT).rows()]
        except (Refused, Broken):
            return []
        finally:
            other.close()

    def catalog(self, request: CatalogRequest) -> Catalog:
        """Everything in three round trips."""
        from dbtools.drivers.clickhouse import catalogue

        return catalogue.read(self.rows, request, self._connection)

    def privileges(self) -> Privileges:
        """What the login could do without the guard, in three round trips."""
        from dbtools.drivers.clickhouse import privileges

        try:
            fixed = self._own_readonly() != "0"
        except (Refused, Broken) as error:
            raise self._failed(error, None) from error
        return privileges.read(self.rows, self._connection, fixed=fixed)

    def rows(self, statement: str) -> list[list[str]]:
        """All rows of one of our own statements, as text."""
        wanted = settings.of_statement(self._timeout, None, "SELECT", compress=False)
        bound = Bound(statement)
        try:
            return self._ask(bound, wanted, form=_SHORT).rows()
        except (Refused, Broken) as error:
            raise self._failed(error, None) from error

    def cancel(self) -> None:
        """Stop the statement by a request of its own. Never raises."""
        try:
            other = Wire(self._connection, _CANCEL_SECONDS)
            try:
                other.ask(f"KILL QUERY WHERE query_id = '{self._query_id}' ASYNC", {}, "Null")
            finally:
                other.close()
        except (ToolError, Refused, Broken, OSError):
            return

    def close(self) -> None:
        """Hang up."""
        self._wire.close()

    def _ask(self, bound: Bound, wanted: dict[str, str], form: str = "Native") -> Answer:
        """Send it with our settings, as far as this login may set them.

        A login whose own profile is read-only may set nothing: it is asked bare, once it is known
        that it is read-only indeed. A statement with tuning SETTINGS of its own, which the guard
        has looked at, needs readonly=2.
        """
        for _ in range(_TRIES):
            try:
                return self._send(bound, wanted, form)
            except Refused as error:
                name = settings.refused_setting(error)
                tuned = wanted.get("readonly") == "1" and bool(_TUNED.search(bound.text))
                if not name or not (name in wanted or tuned):
                    raise
                wanted = self._less(wanted, name, error, tuned=tuned)
        raise Broken("the server refused one setting after the other")

    def _send(self, bound: Bound, wanted: dict[str, str], form: str) -> Answer:
        parameters = {**wanted, **bound.parameters, "query_id": self._query_id}
        if form == "Native":
            parameters["client_protocol_version"] = PROTOCOL
        return self._wire.ask(bound.text, parameters, form)

    def _less(
        self, wanted: dict[str, str], name: str, error: Refused, *, tuned: bool
    ) -> dict[str, str]:
        """The settings to try next, now that the server has refused one of them."""
        if settings.is_optional(error):
            if name == "readonly":
                raise error
            return {key: value for key, value in wanted.items() if key != name}
        if name not in wanted:
            return {**wanted, "readonly": "2"}
        own = self._own_readonly()
        if own == "1":
            return {}
        if own == "2":
            return {key: value for key, value in wanted.items() if key != "readonly"}
        if tuned:
            # It is one of ours as well, but the statement's own that was refused.
            return {**wanted, "readonly": "2"}
        raise error

    def _own_readonly(self) -> str:
        """The login's own `readonly`, asked without any setting of ours."""
        asked = Bound("SELECT value FROM system.settings WHERE name = 'readonly'")
        found = self._send(asked, {}, _SHORT).rows()
        return found[0][0] if found else "0"

    def _rows(
        self, blocks: Iterator[Block], changes: list[Change | None], bound: Bound
    ) -> Iterator[Row]:
        try:
            for block in blocks:
                yield from zip(
                    *(
                        change(cells) if change is not None else cells
                        for change, cells in zip(changes, block.columns, strict=True)
                    ),
                    strict=True,
                )
        except (Refused, Broken, Unreadable) as error:
            raise self._failed(error, bound) from error

    def _failed(self, error: Exception, bound: Bound | None) -> ToolError:
        if isinstance(error, Refused):
            return self._failures.refused(error, bound)
        if isinstance(error, Unreadable):
            self._wire.close()
            return self._failures.unreadable(error)
        return self._failures.broken(Broken(str(error)))


def _zone(name: str) -> tzinfo:
    """The server's time zone. Whatever it is called, an instant in UTC is the same instant."""
    try:
        return ZoneInfo(name) if name else UTC
    except (ZoneInfoNotFoundError, ValueError):
        return UTC
