"""How deep JSON text is nested. Python's own reader stops at a depth that differs by version (1,000
levels up to 3.11, tens of thousands later), and what walks its result stops sooner.
"""

from __future__ import annotations

from typing import Final

MOST: Final = 200
_KEPT: Final = b"[]{}"
_DELETED: Final = bytes(set(range(256)) - set(_KEPT))
_STEPS: Final = bytes.maketrans(_KEPT, bytes((1, 255, 1, 255)))


def too_deep(text: str, most: int = MOST) -> bool:
    """Whether valid JSON text has more than `most` lists and objects inside each other."""
    if text.count("[") + text.count("{") <= most:
        return False
    import re
    from itertools import accumulate

    outside = re.sub(r'"[^"\\]*(?:\\.[^"\\]*)*"', "", text, flags=re.DOTALL)
    steps = outside.encode("ascii", "ignore").translate(_STEPS, _DELETED)
    # One signed byte a bracket: counted without a Python step for each.
    return max(accumulate(memoryview(steps).cast("b")), default=0) > most
