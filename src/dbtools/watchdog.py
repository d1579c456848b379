"""The last resort against an engine inside this process that holds it past limit and signals."""

from __future__ import annotations

import _thread
import os
import select
import signal
import time
from typing import Final

from dbtools.drivers.base import timeout_error
from toolbelt import cli
from toolbelt.errors import ToolError

# Limits and signals have this long to be noticed in the ordinary way.
_GRACE_SECONDS: Final = 2.0
_STOPS: Final = {signal.SIGINT: "an interrupt", signal.SIGTERM: "SIGTERM"}


class Watchdog:
    """Answers TIMEOUT or CANCELLED and ends the process if the block outlasts its time.

    SQLite looks at its limit between two steps, and one built-in on a long string is one step, in
    which no Python handler of a signal runs either. A thread still can: it waits for the pipe into
    which the interpreter writes each signal as it comes.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._decided = _thread.allocate_lock()

    def __enter__(self) -> Watchdog:
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        _thread.start_new_thread(self._watch, ())
        return self

    def __exit__(self, *_: object) -> None:
        # Held for ever once the other thread has begun to answer, which ends the process.
        self._decided.acquire()
        signal.set_wakeup_fd(self._before)
        os.write(self._write, b"\0")

    def _watch(self) -> None:
        error = self._verdict()
        if error is not None and self._decided.acquire(blocking=False):
            cli.leave_at_once(error)
        os.close(self._read)
        os.close(self._write)

    def _verdict(self) -> ToolError | None:
        """What the process must be ended with, None once the block is left."""
        end = time.monotonic() + self._seconds + _GRACE_SECONDS
        error = timeout_error(self._seconds)
        while select.select([self._read], [], [], max(0.0, end - time.monotonic()))[0]:
            signals = os.read(self._read, 64)
            if 0 in signals:
                return None
            for number in signals:
                if number in _STOPS:
                    error = ToolError("CANCELLED", f"Stopped by {_STOPS[signal.Signals(number)]}.")
                    end = min(end, time.monotonic() + _GRACE_SECONDS)
        return error
