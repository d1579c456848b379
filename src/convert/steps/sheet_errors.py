"""Error cells (`#DIV/0!`) of xls, xlsb and ods, which calamine leaves blank.

`look` gives sheet name -> {(row, column), from 0: text}.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from xml.parsers import expat

from convert import ole

Errors = dict[tuple[int, int], str]
CODES: Final = {
    0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!",
    0x2A: "#N/A", 0x2B: "#GETTING_DATA",
}  # fmt: skip
_UNKNOWN: Final = "#ERROR"
_CHUNK: Final = 1 << 18


def look(path: Path) -> dict[str, Errors]:
    """The error cells of a workbook; none for a file that is damaged: its reader says so."""
    reader = {".ods": _ods, ".xls": _xls, ".xlsb": _xlsb}.get(path.suffix)
    if reader is None:
        return {}
    try:
        return reader(path)
    except (ole.Broken, struct.error, expat.ExpatError, zipfile.BadZipFile, KeyError):
        return {}


# --- OpenDocument -----------------------------------------------------------------------------


class _Cells:
    """Follows the cells of an OpenDocument spreadsheet as expat reports them."""

    def __init__(self) -> None:
        self.found: dict[str, Errors] = {}
        self.sheet: Errors = {}
        self.row = self.column = 0
        self.rows = self.columns = 1
        self.text: list[str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """A table, a row or a cell begins."""
        if tag == "table:table":
            self.sheet = self.found.setdefault(attributes.get("table:name", ""), {})
            self.row = 0
        elif tag == "table:table-row":
            self.rows = _count(attributes.get("table:number-rows-repeated"))
            self.column = 0
        elif tag in ("table:table-cell", "table:covered-table-cell"):
            self.columns = _count(attributes.get("table:number-columns-repeated"))
            if attributes.get("calcext:value-type") == "error":
                self.text = []

    def end(self, tag: str) -> None:
        """It ends; an error is noted."""
        if tag == "table:table-row":
            self.row += self.rows
        elif tag in ("table:table-cell", "table:covered-table-cell"):
            if self.text is not None:
                self.sheet[self.row, self.column] = "".join(self.text).strip() or _UNKNOWN
                self.text = None
            self.column += self.columns

    def data(self, text: str) -> None:
        """What a cell shows."""
        if self.text is not None:
            self.text.append(text)


def _count(text: str | None) -> int:
    return int(text) if text and text.isdecimal() else 1


def _ods(path: Path) -> dict[str, Errors]:
    cells = _Cells()
    parser = expat.ParserCreate()
    parser.StartElementHandler = cells.start
    parser.EndElementHandler = cells.end
    parser.CharacterDataHandler = cells.data
    with zipfile.ZipFile(path) as archive, archive.open("content.xml") as file:
        while chunk := file.read(_CHUNK):
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    return cells.found


# --- The binary formats: a stream of records ----------------------------------------------------

_EOF, _BOF, _SHEET, _FORMULA, _BOOLERR = 0x0A, 0x809, 0x85, 0x06, 0x205


def _xls(path: Path) -> dict[str, Errors]:
    with path.open("rb") as file:
        book = ole.Compound(file)
        data = book.content("Workbook" if "Workbook" in book.streams else "Book")
    found = {}
    for kind, body in _records(data, 0):
        if kind == _SHEET and len(body) > 8 and body[5] == 0:
            (place,) = struct.unpack_from("<I", body)
            wide = body[7] & 1
            raw = body[8 : 8 + body[6] * (1 + wide)]
            name = raw.decode("utf-16-le" if wide else "latin-1")
            found[name] = dict(_xls_errors(data, place))
    return found


def _xls_errors(data: bytes, place: int) -> Iterator[tuple[tuple[int, int], str]]:
    for kind, body in _records(data, place):
        if kind == _BOOLERR and len(body) >= 8 and body[7] == 1:
            yield struct.unpack_from("<HH", body), CODES.get(body[6], _UNKNOWN)
        elif kind == _FORMULA and body[12:14] == b"\xff\xff" and body[6] == 2:
            yield struct.unpack_from("<HH", body), CODES.get(body[8], _UNKNOWN)


def _records(data: bytes, place: int) -> Iterator[tuple[int, bytes]]:
    """The records of one part (the workbook's own, a sheet's), without those of charts in it."""
    depth = 0
    while place + 4 <= len(data):
        kind, length = struct.unpack_from("<HH", data, place)
        depth += (kind == _BOF) - (kind == _EOF)
        if depth == 1:
            yield kind, data[place + 4 : place + 4 + length]
        if depth <= 0:
            return
        place += 4 + length


_ROW, _CELL_ERROR, _FORMULA_ERROR, _BUNDLE = 0, 3, 11, 156


def _xlsb(path: Path) -> dict[str, Errors]:
    found = {}
    with zipfile.ZipFile(path) as archive:
        targets = _targets(archive.read("xl/_rels/workbook.bin.rels"))
        for kind, body in _bin_records(archive.read("xl/workbook.bin")):
            if kind == _BUNDLE:
                relation, place = _wide(body, 8)
                name, _ = _wide(body, place)
                part = targets[relation]
                part = part.lstrip("/") if part.startswith("/") else f"xl/{part}"
                found[name] = dict(_xlsb_errors(archive.read(part)))
    return found


def _targets(relations: bytes) -> dict[str, str]:
    found: dict[str, str] = {}

    def start(_tag: str, attributes: dict[str, str]) -> None:
        found[attributes.get("Id", "")] = attributes.get("Target", "")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.Parse(relations, True)
    return found


def _xlsb_errors(data: bytes) -> Iterator[tuple[tuple[int, int], str]]:
    row = 0
    for kind, body in _bin_records(data):
        if kind == _ROW:
            (row,) = struct.unpack_from("<I", body)
        elif kind in (_CELL_ERROR, _FORMULA_ERROR):
            (column,) = struct.unpack_from("<I", body)
            yield (row, column), CODES.get(body[8], _UNKNOWN)


def _bin_records(data: bytes) -> Iterator[tuple[int, bytes]]:
    place = 0
    while place < len(data):
        kind, place = _sevens(data, place, 2)
        length, place = _sevens(data, place, 4)
        yield kind, data[place : place + length]
        place += length


def _sevens(data: bytes, place: int, most: int) -> tuple[int, int]:
    """A number in groups of seven bits, the lowest first, and the place after it."""
    number = 0
    for group in range(most):
        (byte,) = struct.unpack_from("<B", data, place + group)
        number |= (byte & 0x7F) << (7 * group)
        if byte < 0x80:
            return number, place + group + 1
    return number, place + most


def _wide(data: bytes, place: int) -> tuple[str, int]:
    """A counted UTF-16 string and the place after it."""
    (length,) = struct.unpack_from("<I", data, place)
    end = place + 4 + 2 * length
    return data[place + 4 : end].decode("utf-16-le", "replace"), end
