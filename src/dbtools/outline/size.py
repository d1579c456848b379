"""How large an answer is for the model that reads it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

# What stands around the tables in an answer: connection, totals, hint, next command.
ENVELOPE: Final = 250


def tokens(text: str) -> int:
    """An over-estimate of a text's tokens: UTF-8 bytes / 3, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


def how_many_fit(texts: Iterable[str], cap: int) -> int:
    """How many of the texts, from the first, fit `cap` tokens; 1 at least. cap 0: all."""
    texts = list(texts)
    left = (cap - ENVELOPE) * 3
    for count, text in enumerate(texts):
        left -= len(text.encode("utf-8", "surrogatepass")) + 2
        if cap and left < 0:
            return max(count, 1)
    return len(texts)
