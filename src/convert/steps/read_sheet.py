"""Workbooks (xlsx, xlsb, xls, ods): values, not formulas; nothing lost without a word."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from convert.steps import sheet_errors, sheet_xml
from convert.steps.grid import Grid, text
from convert.steps.told import Problem, Warnings

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

_ALL: Final = "all"


def read(path: Path, which: str, warnings: Warnings) -> list[Grid]:
    """The tables of a workbook. which: `first` (visible sheet), `all`, or a sheet's number."""
    book = _open(path)
    visible = _visible(book, warnings)
    names = _chosen(book, visible, which, warnings)
    special = sheet_xml.look(path, book.sheet_names) if path.suffix == ".xlsx" else {}
    errors = sheet_errors.look(path)
    grids = []
    for name in names:
        found = special.get(name) or sheet_xml.Special(errors.get(name, {}))
        if found.uncomputed:
            warnings.add(
                f"sheet {name!r}: {found.uncomputed} formulas have no saved result; they are empty"
            )
        grids.append(_grid(book.get_sheet_by_name(name), found.errors))
    return grids


def _open(path: Path) -> CalamineWorkbook:
    import python_calamine as calamine

    try:
        return calamine.CalamineWorkbook.from_path(str(path))
    except calamine.PasswordError as error:
        raise Problem("password", "The workbook is protected by a password.") from error
    except calamine.CalamineError as error:
        raise Problem("bad_input", f"The workbook cannot be read: {error}.") from error


def _visible(book: CalamineWorkbook, warnings: Warnings) -> list[str]:
    import python_calamine as calamine

    shown: list[str] = []
    hidden: list[str] = []
    for sheet in book.sheets_metadata:
        if sheet.typ == calamine.SheetTypeEnum.WorkSheet:
            visible = sheet.visible == calamine.SheetVisibleEnum.Visible
            (shown if visible else hidden).append(sheet.name)
    if hidden:
        warnings.add(f"hidden sheets left out: {', '.join(repr(name) for name in hidden)}")
    return shown


def _chosen(
    book: CalamineWorkbook, visible: list[str], which: str, warnings: Warnings
) -> list[str]:
    if which.isdecimal() and which != "0":
        names = book.sheet_names
        if int(which) > len(names):
            raise Problem("bad_input", f"There is no sheet {which}; there are {len(names)}.")
        return [names[int(which) - 1]]
    if not visible:
        raise Problem("empty", "The workbook has no visible sheet.")
    if which == _ALL:
        return visible
    filled = [name for name in visible if book.get_sheet_by_name(name).height]
    first = filled[0] if filled else visible[0]
    rest = [name for name in filled if name != first]
    if rest:
        names = ", ".join(repr(name) for name in rest)
        warnings.add(f"only sheet {first!r} was written; not: {names} (--preset all writes each)")
    return [first]


def _grid(sheet: CalamineSheet, errors: dict[tuple[int, int], str]) -> Grid:
    rows = _rows(sheet, errors)
    header = next(rows, None)
    if header is None:
        raise Problem("empty", f"Sheet {sheet.name!r} is empty.")
    return Grid(sheet.name, [text(value) for value in header], rows)


def _rows(sheet: CalamineSheet, errors: dict[tuple[int, int], str]) -> Iterator[list[object]]:
    """The rows from the first filled one, with the errors that the reader leaves blank."""
    if sheet.start is None:
        return
    top, left = sheet.start
    for number, values in enumerate(sheet.iter_rows()):
        if number < top:
            continue
        row = [_value(value) for value in values]
        for place in range(len(row)) if errors else ():
            if row[place] in ("", None) and (number, place + left) in errors:
                row[place] = errors[number, place + left]
        yield row


def _value(value: object) -> object:
    """Whole days as dates; a time of day that is a date's remainder stays one."""
    if isinstance(value, datetime) and value.microsecond >= 999_500:
        from datetime import timedelta

        value = (value + timedelta(milliseconds=1)).replace(microsecond=0)
    return value
