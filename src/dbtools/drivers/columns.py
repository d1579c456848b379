"""Whole columns of raw cells made JSON-ready in C loops; a Python step a cell only where needed."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

from toolbelt.jsonvalue import SAFE_INTEGER

Cells = Sequence[Any]
# Turns a column's raw cells, NULLs as None among them, into JSON-ready ones.
Change = Callable[[Cells], Cells]


def shortest(number: float) -> float:
    """The shortest decimal that is this finite 32-bit number."""
    wanted = struct.pack("<f", number)
    for digits in range(6, 9):
        made = float(f"{number:.{digits}g}")
        if struct.pack("<f", made) == wanted:
            return made
    return float(f"{number:.9g}")


def each(change: Callable[[Any], object]) -> Change:
    """The column converter that changes one cell after the other."""

    def convert(cells: Cells) -> Cells:
        return [None if cell is None else change(cell) for cell in cells]

    return convert


def pure(change: Callable[[Any], object]) -> Change:
    """The same for a function that refuses None with a TypeError and has no other effect."""
    slowly = each(change)

    def convert(cells: Cells) -> Cells:
        try:
            return list(map(change, cells))
        except TypeError:
            return slowly(cells)

    return convert


def texts(odd: Callable[[bytes], object]) -> Change:
    """Bytes that are UTF-8, decoded all at once; odd: takes the cells that may not be."""
    slowly = each(odd)

    def convert(cells: Cells) -> Cells:
        try:
            joined = b"\0".join(cells)
            if joined.count(b"\0") == len(cells) - 1:
                return joined.decode().split("\0")
        except (TypeError, UnicodeDecodeError):
            # NULLs, or not UTF-8.
            return slowly(cells)
        return slowly(cells)

    return convert


def integers(cells: Cells) -> Cells:
    """Integers as they are while JSON holds them exactly, as text where it would not."""
    known = [cell for cell in cells if cell is not None]
    if not known or (max(known) <= SAFE_INTEGER and min(known) >= -SAFE_INTEGER):
        return cells
    return [
        cell if cell is None or -SAFE_INTEGER <= cell <= SAFE_INTEGER else str(cell)
        for cell in cells
    ]


def floats(odd: Callable[[float], object]) -> Change:
    """Finite numbers as they are; odd: takes the others."""

    def convert(cells: Cells) -> Cells:
        if None not in cells and all(map(isfinite, cells)):
            return cells
        return [cell if cell is None or isfinite(cell) else odd(cell) for cell in cells]

    return convert
