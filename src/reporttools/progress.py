"""A word on stderr for whoever waits: only on a terminal, only after a second."""

from __future__ import annotations

import sys
import time
from typing import Final

AFTER: Final = 1.0
EVERY: Final = 0.2


class Progress:
    """Tells what is being done; the line is wiped at the end."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._last = self._start + AFTER - EVERY
        self._shown = False
        self._on = sys.stderr is not None and sys.stderr.isatty()

    def __call__(self, what: str, done: int = 0, of: int = 0) -> None:
        """Say it, if it is time again. done, of: how far, when that is known."""
        if not self._on:
            return
        now = time.monotonic()
        if now - self._last < EVERY:
            return
        self._last = now
        self._shown = True
        share = f" {done:,} of {of:,}" if of else f" {done:,}" if done else ""
        sys.stderr.write(f"\r\x1b[Kreport-run: {what}{share}")
        sys.stderr.flush()

    def close(self) -> None:
        """Wipe the line."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
