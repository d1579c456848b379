"""CSV: one file a table, in the dialect that spreadsheets read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import IO, Final

from reporttools.document import Cell, Chart, Document, Kpis, Table
from reporttools.render.settings import Settings

# A spreadsheet would run what begins like this (CWE-1236).
_STARTERS: Final = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
CHUNK: Final = 5000


def parts(document: Document) -> list[tuple[str, Sequence[str], Iterable[Sequence[Cell]]]]:
    """Title, column names and rows of everything in the report that is a table of values."""
    found: list[tuple[str, Sequence[str], Iterable[Sequence[Cell]]]] = []
    for block in document.blocks:
        if isinstance(block, Kpis):
            rows = [
                (k.metric, k.value, k.change, k.format.unit or k.format.kind) for k in block.items
            ]
            found.append(
                (block.title or "Key figures", ("metric", "value", "change", "unit"), rows)
            )
        elif isinstance(block, Chart):
            found.append((block.title or "Chart", *chart_rows(block)))
        elif isinstance(block, Table):
            names = [column.title for column in block.columns]
            found.append((block.title or "Table", names, block.rows))
    return found


def chart_rows(chart: Chart) -> tuple[Sequence[str], list[Sequence[Cell]]]:
    """A chart's data as a table: a column a series, or the points of clouds."""
    if chart.kind == "scatter":
        rows: list[Sequence[Cell]] = [
            (cloud.name, p.x, p.y, p.size, p.label) for cloud in chart.clouds for p in cloud.points
        ]
        return ("series", "x", "y", "size", "label"), rows
    names = [s.name if len(chart.series) > 1 else "value" for s in chart.series]
    values = [s.values for s in chart.series]
    lines: list[Sequence[Cell]] = [
        (label, *(v[i] for v in values)) for i, label in enumerate(chart.labels)
    ]
    return ("label", *names), lines


def write(
    names: Sequence[str], rows: Iterable[Sequence[Cell]], file: IO[bytes], settings: Settings
) -> int:
    """Write one table; the number of its rows."""
    text = io.TextIOWrapper(
        file, encoding="utf-8-sig" if settings.bom else "utf-8", errors="replace", newline="",
        write_through=False,
    )  # fmt: skip
    writer = csv.writer(text, lineterminator="\r\n")
    convert = _guarded if settings.guard else _plain
    guard = Guard()
    writer.writerow([convert(name, guard) for name in names])
    count = 0
    for row in rows:
        writer.writerow([convert(cell, guard) for cell in row])
        count += 1
        if count % CHUNK == 0:
            settings.progress("writing rows", count)
    text.flush()
    text.detach()
    if guard.count:
        settings.notices.add(
            "FORMULA_GUARDED",
            f"{guard.count} cells that a spreadsheet would run as a formula begin with an "
            f"apostrophe now, the first is {guard.first!r}; --no-guard leaves them as they are.",
        )
    return count


class Guard:
    """Counts cells that were made harmless."""

    def __init__(self) -> None:
        self.count = 0
        self.first = ""


def _plain(cell: Cell, _guard: Guard) -> object:
    if isinstance(cell, str) or cell is None:
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, Decimal):
        return format(cell, "f")
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    return cell.isoformat() if isinstance(cell, date) else cell


def _guarded(cell: Cell, guard: Guard) -> object:
    if not isinstance(cell, str) or not cell.startswith(_STARTERS) or _is_number(cell):
        return _plain(cell, guard)
    guard.count += 1
    guard.first = guard.first or cell[:40]
    return "'" + cell


def _is_number(text: str) -> bool:
    """Signed plain numbers are data, not formulas."""
    digits = text[1:].replace(",", "").replace(" ", "").replace(".", "", 1).rstrip("%")
    return text[0] in "+-" and digits.isascii() and digits.isdigit()
