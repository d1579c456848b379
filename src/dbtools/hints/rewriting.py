"""The statement in the dialect of the engine it was sent to, where it was written in another."""

from __future__ import annotations

from typing import Final

from dbtools.hints.failure import Failure

# Each try plans a statement on the server.
_MOST_TRIES: Final = 5


def rewritten(failure: Failure) -> str:
    """The first rewrite that the engine would run, wrong names in it mended; '' for none."""
    from dbtools.guard.transpile import rewrites

    second = ""
    for tried, text in enumerate(rewrites(failure.statement, failure.dialect)):
        if tried == _MOST_TRIES:
            break
        error = failure.plans(text)
        if error is None:
            return text
        second = second or failure.again(text, error)
    return second
