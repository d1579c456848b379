"""What Excel takes and what it does not: sheet names, long text, exact numbers, old dates."""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from decimal import Decimal
from typing import Final

from reporttools.document import Cell, Column
from reporttools.figures import Marks, excel_code
from reporttools.notices import Notices
from toolbelt.jsonvalue import SAFE_INTEGER

MAX_ROWS: Final = 1_048_576
MAX_COLUMNS: Final = 16_384
MAX_TEXT: Final = 32_767
FONT: Final = "Calibri"
_BAD_NAME: Final = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_ESCAPE: Final = re.compile(r"_x([0-9A-Fa-f]{4}_)")
_FIRST: Final = date(1900, 3, 1)


class Names:
    """Sheet names of one workbook: valid, at most 31 characters, each once."""

    def __init__(self) -> None:
        # Excel keeps "History" for itself.
        self._taken = {"history"}

    def __call__(self, title: str) -> str:
        """The nearest valid name that is still free."""
        name = " ".join(_BAD_NAME.sub(" ", title).split()).strip("'").strip() or "Table"
        base = _utf16_cut(name, 31)
        found, number = base, 2
        while found.lower() in self._taken:
            tail = f" ({number})"
            found = _utf16_cut(name, 31 - len(tail)).rstrip() + tail
            number += 1
        self._taken.add(found.lower())
        return found


def _utf16_cut(text: str, units: int) -> str:
    """As many characters as fit into so many UTF-16 units, in which Excel counts."""
    raw = text.encode("utf-16-le")[: 2 * units]
    return raw.decode("utf-16-le", "ignore").rstrip()


def value(cell: Cell, column: str, notices: Notices, *, escape: bool) -> Cell:
    """A cell as Excel can hold it without loss: text where a number would be rounded.

    escape: text like `_x000D_`, which Excel would read as a character, is protected here.
    """
    if cell is None or isinstance(cell, bool):
        return cell
    if isinstance(cell, str):
        return _text(cell, column, notices, escape=escape)
    if isinstance(cell, int):
        return cell if -SAFE_INTEGER <= cell <= SAFE_INTEGER else str(cell)
    if isinstance(cell, Decimal):
        return _decimal(cell, column, notices)
    if isinstance(cell, date):
        day = cell.date() if isinstance(cell, datetime) else cell
        return cell if day >= _FIRST else cell.isoformat()
    return cell


def _text(text: str, column: str, notices: Notices, *, escape: bool) -> str:
    if escape and "_x" in text:
        text = _ESCAPE.sub(r"_x005F_x\1", text)
    if len(text) <= MAX_TEXT // 2 or len(text.encode("utf-16-le")) // 2 <= MAX_TEXT:
        return text
    notices.add(
        "TEXT_CUT", f"Column {column!r} holds text of more than {MAX_TEXT:,} characters, the most "
        "that a cell can hold; it was cut.",
    )  # fmt: skip
    return _utf16_cut(text, MAX_TEXT - 1) + "…"


def _decimal(cell: Decimal, column: str, notices: Notices) -> Cell:
    digits = len(cell.normalize().as_tuple().digits)
    if digits <= 15:
        return float(cell) if math.isfinite(float(cell)) else f"{cell:E}"
    notices.add(
        "PRECISION", f"Column {column!r} holds numbers of more than 15 digits; they are text in "
        "XLSX, so that no digit is lost.",
    )  # fmt: skip
    return format(cell, "f")


def code(column: Column, where: Marks) -> str:
    """The number format of a column; empty where Excel's own will do."""
    how = column.format
    if column.kind == "date":
        return "yyyy-mm-dd"
    if column.kind != "number":
        return ""
    if how.kind in ("duration", "bytes"):
        return '#,##0" s"' if how.kind == "duration" else '#,##0" B"'
    return excel_code(how, how.decimals if how.decimals is not None else 0, where)
