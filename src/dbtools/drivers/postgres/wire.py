"""One connection on libpq's own calls: few round trips, one statement at a time, always cut short.

The statement goes by the extended protocol (the server takes no second one behind a `;`) inside
BEGIN READ ONLY, after a query that takes the snapshot: from then on no SET TRANSACTION can make
the transaction writable.
"""

from __future__ import annotations

import select
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any, Final

import psycopg
from psycopg.pq import ConnStatus, ExecStatus, TransactionStatus

from dbtools.drivers.postgres.errors import Failures, Locate
from toolbelt.errors import ToolError

_TICK_MS: Final = 100
# How long a server that was told to cancel may take before we leave without its answer.
_GRACE_SECONDS: Final = 2.0
_FAILED = (ExecStatus.FATAL_ERROR, ExecStatus.BAD_RESPONSE)
_ROWS = (ExecStatus.TUPLES_OK, ExecStatus.SINGLE_TUPLE, ExecStatus.TUPLES_CHUNK)
_COPIES = (ExecStatus.COPY_OUT, ExecStatus.COPY_IN, ExecStatus.COPY_BOTH)

Result = Any  # psycopg.pq.abc.PGresult; psycopg is read by this package's modules only
Parameters = Sequence[bytes | None]


class Wire:
    """Sends statements and waits for their results; `round_trips` counts the waits.

    prelude: a SELECT that runs right after BEGIN READ ONLY and takes the snapshot.
    """

    def __init__(self, raw: psycopg.Connection[Any], failures: Failures, prelude: str) -> None:
        self.raw = raw
        self.failures = failures
        self.round_trips = 0
        self._pg = raw.pgconn
        self._prelude = prelude.encode()
        self._poll = select.poll()
        self._give_up_at: float | None = None
        self._cancelled = False

    # -- statements ---------------------------------------------------------------------------

    def describe(self, statement: bytes, types: Sequence[int]) -> Result:
        """Begin, take the snapshot, parse the statement and learn its columns: one round trip.

        The first failed result is returned instead when something failed.
        """

        def send() -> None:
            self._pg.send_prepare(b"", statement, types)
            self._pg.send_describe_prepared(b"")

        return self._last(self._in_transaction(send))

    def query(self, statement: str, values: Parameters = ()) -> list[list[str | None]]:
        """All rows of a query of ours, as text; opens the transaction when there is none yet."""

        def send() -> None:
            self._pg.send_query_params(statement.encode(), list(values))

        if self._pg.transaction_status == TransactionStatus.IDLE:
            result = self._last(self._in_transaction(send))
        else:
            result = self._last(self._together(send))
        if result.status in _FAILED:
            raise self.failures.of_result(result)
        return [
            [_text(result.get_value(row, column)) for column in range(result.nfields)]
            for row in range(result.ntuples)
        ]

    def run(
        self,
        statement: bytes,
        types: Sequence[int],
        values: Parameters,
        rows_at_once: int,
        locate: Locate,
    ) -> Iterator[Result]:
        """Execute a described statement; results of at most rows_at_once rows as they come.

        It is parsed anew: a named one could meet its namesake behind a pooler, and the unnamed
        one lives only until the next query.
        """
        self._refuse_if_cancelled()
        self._pg.send_query_params(statement, list(values), types)
        if psycopg.capabilities.has_stream_chunked():
            self._pg.set_chunked_rows_mode(rows_at_once)
        else:
            self._pg.set_single_row_mode()
        self._flush()
        while (result := self._next()) is not None:
            if result.status in _FAILED:
                raise self._drained(self.failures.of_result(result, locate))
            if result.status in _COPIES:
                raise ToolError("BLOCKED", "COPY cannot run here: only statements with a result.")
            if result.status in _ROWS:
                yield result

    def copy_out(self, statement: bytes, locate: Locate) -> Iterator[memoryview]:
        """The data of `COPY … TO STDOUT`, one row a piece."""
        self._refuse_if_cancelled()
        self._pg.send_query_params(statement, None)
        self._flush()
        result = self._next()
        if result is None or result.status != ExecStatus.COPY_OUT:
            raise self._drained(self.failures.of_result(result, locate))
        yield from self._copied()
        while (result := self._next()) is not None:
            if result.status in _FAILED:
                raise self._drained(self.failures.of_result(result, locate))

    def rollback(self) -> None:
        """End the transaction, so that another attempt can begin."""
        self._last(self._together(lambda: self._pg.send_query_params(b"ROLLBACK", None)))

    # -- ending -------------------------------------------------------------------------------

    def cancel(self) -> None:
        """Ask the server to stop the running statement. Safe from another thread."""
        self._cancelled = True
        self._give_up_at = self._give_up_at or monotonic() + _GRACE_SECONDS
        # When even that fails, the wait for the result ends by _give_up_at all the same.
        with suppress(psycopg.Error, OSError):
            self.raw.cancel_safe(timeout=_GRACE_SECONDS)

    def stop(self) -> None:
        """Cancel what runs and read what is left of it."""
        if self._pg.transaction_status == TransactionStatus.ACTIVE and not self._cancelled:
            self.cancel()
            with suppress(psycopg.Error, ToolError):
                self._drain()

    def close(self) -> None:
        """Stop, roll back, disconnect; a connection that cannot answer is only dropped."""
        self.stop()
        waiting = (TransactionStatus.INTRANS, TransactionStatus.INERROR)
        if self._pg.transaction_status in waiting:
            self._give_up_at = monotonic() + _GRACE_SECONDS
            # Disconnecting rolls back as well.
            with suppress(psycopg.Error, ToolError):
                self.rollback()
        self.raw.close()

    # -- waiting ------------------------------------------------------------------------------

    def _in_transaction(self, send: Callable[[], None]) -> list[Result]:
        def begin_first() -> None:
            self._pg.send_query_params(b"BEGIN READ ONLY", None)
            self._pg.send_query_params(self._prelude, None)
            send()

        return self._together(begin_first)

    def _refuse_if_cancelled(self) -> None:
        # The cancel came between two statements, where it met nothing to stop.
        if self._cancelled:
            raise self.failures.timeout()

    def _together(self, send: Callable[[], None]) -> list[Result]:
        """Send several messages in one round trip; their results, up to the first failure."""
        pg = self._pg
        pg.enter_pipeline_mode()
        try:
            send()
            pg.pipeline_sync()
            self._flush()
            results: list[Result] = []
            while True:
                result = self._next()
                if result is not None and result.status == ExecStatus.PIPELINE_SYNC:
                    break
                if result is not None:
                    results.append(result)
                elif pg.status == ConnStatus.BAD:
                    # The mark of the end will never come.
                    return self._before_it_broke(results)
        except psycopg.Error as error:
            raise self.failures.lost(error) from error
        pg.exit_pipeline_mode()
        return results

    def _before_it_broke(self, results: list[Result]) -> list[Result]:
        """Those results, where the server said why; else the error that the connection is lost."""
        if any(result.status in _FAILED for result in results):
            return results
        raise self.failures.lost_because(self._pg.error_message.decode("utf-8", "backslashreplace"))

    def _last(self, results: list[Result]) -> Result:
        return next((r for r in results if r.status in _FAILED), results[-1])

    def _flush(self) -> None:
        self.round_trips += 1
        try:
            while self._pg.flush():
                self._wait_once(select.POLLIN | select.POLLOUT)
        except psycopg.Error as error:
            raise self.failures.lost(error) from error

    def _next(self) -> Result | None:
        while self._pg.is_busy():
            self._wait_once()
        return self._pg.get_result()

    def _wait_once(self, events: int = select.POLLIN) -> None:
        """One look at the socket. Returns often, so that signals and the deadline are heard."""
        self._poll.register(self._pg.socket, events)
        self._poll.poll(_TICK_MS)
        try:
            self._pg.consume_input()
        except psycopg.Error as error:
            raise self.failures.lost(error) from error
        if self._give_up_at is not None and monotonic() > self._give_up_at:
            self._pg.finish()
            raise self.failures.timeout()

    def _drained(self, error: ToolError) -> ToolError:
        # When the connection breaks as well, the first error still says why.
        with suppress(ToolError):
            self._drain()
        return error

    def _drain(self) -> None:
        while (result := self._next()) is not None:
            if result.status == ExecStatus.COPY_OUT:
                for _ in self._copied():
                    pass
            elif result.status == ExecStatus.COPY_IN:
                self._pg.put_copy_end(b"refused")

    def _copied(self) -> Iterator[memoryview]:
        read, wait = self._pg.get_copy_data, self._wait_once
        while True:
            length, data = read(1)
            if length > 0:
                yield data
            elif length == 0:
                wait()
            else:
                return


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode("utf-8", "backslashreplace")
