"""The client's own time limit, for a server that does not keep its own."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Protocol

# The server stops first and tells why; this much later the client stops waiting for it.
_GRACE_SECONDS = 0.4


# How long a server may take to hear that its statement is to end.
_STOP_SECONDS = 0.1


class DeadlineReached(Exception):
    """The client's time limit passed while a statement ran."""


class Deadline:
    """Raises DeadlineReached in the main thread once `seconds` and a grace have passed."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> Deadline:
        self._before = signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, self._seconds + _GRACE_SECONDS)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)

    @staticmethod
    def _ring(_signum: int, _frame: FrameType | None) -> None:
        raise DeadlineReached


class Stoppable(Protocol):
    """What can ask its server to end a statement."""

    def cancel(self) -> None:
        """Ask; never raises."""


def stop(session: Stoppable) -> None:
    """End what runs on the server too; a silent server does not hold us."""
    try:
        with Deadline(_STOP_SECONDS):
            session.cancel()
    except DeadlineReached:
        return
