"""The first gate: text beyond 2 MB is refused before anything reads it."""

from __future__ import annotations

from dbtools.guard.model import Refused

MAX_BYTES = 2_000_000  # of UTF-8


def check_size(text: str) -> None:
    """Refuse a text longer than MAX_BYTES."""
    size = len(text)
    if size > MAX_BYTES // 4:
        size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise Refused(
            "statement too long",
            message=f"The statement is {size:,} bytes long; the limit is {MAX_BYTES:,}.",
            hint="put the values into a parameter or a table instead of the text",
            code="STATEMENT_TOO_LONG",
        )
