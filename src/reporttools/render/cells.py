"""Table cells as text: the same words in PDF, slides and pictures."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from reporttools.document import Cell, Column
from reporttools.figures import Marks, full, magnitude, number_text


def cell_text(cell: Cell, column: Column, marks: Marks) -> str:
    """A cell as a reader sees it; numbers of a column all have its decimals."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return marks.words("yes" if cell else "no")
    if isinstance(cell, int | float | Decimal):
        how = column.format
        plain = how.kind == "number" and not how.unit and column.kind == "number"
        if plain and how.decimals is not None and magnitude(cell) < 1e15:
            return number_text(cell, how.decimals, marks, grouped=how.grouped)
        return full(cell, how, marks)
    return when_text(cell)


def when_text(moment: date) -> str:
    """A day as `2026-10-01`, a time as `2026-10-01 13:00`, seconds only when there are some."""
    if not isinstance(moment, datetime):
        return moment.isoformat()
    if moment.second or moment.microsecond:
        return moment.isoformat(sep=" ", timespec="auto" if moment.microsecond else "seconds")
    if moment.hour or moment.minute:
        return moment.isoformat(sep=" ", timespec="minutes")
    return moment.date().isoformat()
