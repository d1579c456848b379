"""From cells of JSON to a table: what kind each column is, how its numbers are written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, cast

from reporttools.document import (
    Align,
    Cell,
    Column,
    ColumnKind,
    NumberFormat,
    Row,
    Table,
    Total,
)
from reporttools.figures import column_decimals, magnitude
from reporttools.notices import Notices
from reporttools.rows import Field, number
from reporttools.words import Words
from toolbelt.jsonvalue import SAFE_INTEGER

# Whole numbers under these words are names, not amounts: 2026 and 10023 take no separators.
_NAMES: Final = frozenset(
    "id ids uid key code zip plz postcode postal year yr jahr год année ano año sku ean isbn phone "
    "tel fax no nr num # ref iban account index".split()
)
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+|\d+|#")
# At most 15 digits, which a double keeps exactly.
_CANONICAL: Final = re.compile(r"(?=-?[\d.]{1,16}\Z)-?(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?\Z")


def number_format(spec: Mapping[str, Any]) -> NumberFormat:
    """`format`, `unit` and `decimals` of a report's key figure, chart or column."""
    return NumberFormat(
        kind=spec.get("format") or "number",
        unit=str(spec.get("unit") or ""),
        decimals=spec.get("decimals"),
    )


def names_things(title: str) -> bool:
    """The column's whole numbers are identifiers or years, by its title."""
    words = [word.lower() for word in _WORDS.findall(title)]
    return bool(words) and (words[-1] in _NAMES or (words[0] in _NAMES and len(words) == 1))


def build(
    title: str,
    fields: Sequence[Field],
    rows: Sequence[Row],
    notices: Notices,
    *,
    specs: Sequence[Mapping[str, Any]] = (),
    typed: bool = True,
    path: str = "",
    span: int = 0,
) -> Table:
    """A table whose columns know their kind; cells of declared types become real values.

    Text of a plain decimal is a number only in a column that is declared one, by the engine's type
    or by a number format.

    specs: what the report says about a column (format, unit, decimals, align, width, total).
    typed: False when every cell is text (CSV): columns of plain numbers become numbers.
    """
    columns: list[Column] = []
    made: list[list[Cell]] = []
    for index, field in enumerate(fields):
        spec = specs[index] if index < len(specs) else {}
        declared = field.numeric or bool(spec.get("format") or spec.get("total"))
        cells = _cells([row[index] for row in rows], field, numeric=declared, typed=typed)
        made.append(cells)
        columns.append(_column(field.name, cells, spec))
        _warn_precision(cells, field.name, notices, path)
    data: Sequence[Row] = list(zip(*made, strict=True)) if made else []
    return Table(title, tuple(columns), data, path=path, span=span)


def _cells(cells: Sequence[Cell], field: Field, *, numeric: bool, typed: bool) -> list[Cell]:
    if field.temporal:
        return [moment(cell) for cell in cells]
    if numeric:
        return [exact(cell) for cell in cells]
    if not typed and _all_canonical(cells):
        return [plain_number(cell) for cell in cells]
    return list(cells)


def _all_canonical(cells: Sequence[Cell]) -> bool:
    filled = [cell for cell in cells if cell not in ("", None)]
    return bool(filled) and all(map(is_canonical, filled))


def is_canonical(cell: object) -> bool:
    """Text in the one way a number is written: no leading zero, no plus, 15 digits at most."""
    return isinstance(cell, str) and _CANONICAL.match(cell) is not None


def plain_number(cell: Cell) -> Cell:
    """Canonical text as a number, empty text as nothing."""
    if cell == "" or cell is None:
        return None
    if not isinstance(cell, str) or not _CANONICAL.match(cell):
        return cell
    return Decimal(cell) if "." in cell else int(cell)


def exact(cell: Cell) -> Cell:
    """Text of an exact decimal as that number; anything else as it is."""
    if not isinstance(cell, str):
        return cell
    value = number(cell)
    return cell if value is None else value


def moment(cell: Cell) -> Cell:
    """ISO text as a date or a time without zone; anything else as it is."""
    if not isinstance(cell, str) or len(cell) < 10:
        return cell
    try:
        return date.fromisoformat(cell) if len(cell) == 10 else _naive(cell)
    except ValueError:
        return cell


def _naive(cell: str) -> Cell:
    when = datetime.fromisoformat(cell)
    return when if when.tzinfo is None else cell


def _column(title: str, cells: Sequence[Cell], spec: Mapping[str, Any]) -> Column:
    kind = column_kind(cells)
    how = number_format(spec)
    if kind == "number":
        how = _with_decimals(title, cells, how, said="decimals" in spec or "format" in spec)
    default: Align = "right" if kind == "number" else "center" if kind == "bool" else "left"
    return Column(
        title,
        kind,
        how,
        align=cast("Align", spec.get("align") or default),
        total=cast("Total", spec.get("total") or ""),
        width=spec.get("width"),
    )


def column_kind(cells: Sequence[Cell]) -> ColumnKind:
    """What all filled cells of a column are; text when they differ."""
    kinds = {_kind(cell) for cell in cells if cell is not None and cell != ""}
    return kinds.pop() if len(kinds) == 1 else "text"


def _kind(cell: Cell) -> ColumnKind:
    if isinstance(cell, bool):
        return "bool"
    if isinstance(cell, int | float | Decimal):
        return "number"
    return "date" if isinstance(cell, date) else "text"


def _with_decimals(
    title: str, cells: Sequence[Cell], how: NumberFormat, *, said: bool
) -> NumberFormat:
    values = [c for c in cells if isinstance(c, int | float | Decimal)]
    if how.kind in ("number", "percent") and how.decimals is None:
        how = replace(how, decimals=column_decimals(values))
    elif how.kind == "currency" and how.decimals is None:
        how = replace(how, decimals=0 if how.unit.upper() in ("JPY", "KRW") else 2)
    whole = all(isinstance(value, int) for value in values)
    if whole and not said:
        large = any(magnitude(value) > SAFE_INTEGER for value in values)
        return replace(how, grouped=not (large or names_things(title)))
    return how


def _warn_precision(cells: Sequence[Cell], title: str, notices: Notices, path: str) -> None:
    for index, cell in enumerate(cells):
        if type(cell) is int and abs(cell) > SAFE_INTEGER:
            where = f"{path}/rows/{index}" if path else ""
            notices.add(
                "PRECISION",
                f"Column {title!r} holds whole numbers beyond 2^53; they are kept digit by digit, "
                "as text in XLSX.",
                where,
            )
            return


def totals(table: Table, words: Words) -> list[Cell] | None:
    """The totals row, or None when no column asks for one."""
    if not any(column.total for column in table.columns):
        return None
    made: list[Cell] = []
    for index, column in enumerate(table.columns):
        made.append(_total(column.total, [row[index] for row in table.rows]))
    if made[0] is None and not table.columns[0].total:
        made[0] = words("Total")
    return made


def _total(kind: Total, cells: Sequence[Cell]) -> Cell:
    if not kind:
        return None
    if kind == "count":
        return sum(1 for cell in cells if cell is not None and cell != "")
    values = [
        Decimal(repr(c)) if isinstance(c, float) else c
        for c in cells
        if isinstance(c, int | float | Decimal) and not isinstance(c, bool)
    ]
    if not values:
        return None
    if kind == "min":
        return min(values)
    if kind == "max":
        return max(values)
    total = sum(values, Decimal(0))
    return total if kind == "sum" else total / len(values)
