"""What calamine leaves out of an xlsx sheet: error cells, and formulas without a saved result."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from xml.parsers import expat

_RELATION: Final = "id"
_CHUNK: Final = 1 << 18


@dataclass(slots=True)
class Special:
    """Of one sheet. errors: (row, column), from 0, to its text such as `#DIV/0!`."""

    errors: dict[tuple[int, int], str] = field(default_factory=dict)
    uncomputed: int = 0


def look(path: Path, names: list[str]) -> dict[str, Special]:
    """The special cells of each sheet, by the sheet's name."""
    found = {}
    with zipfile.ZipFile(path) as archive:
        known = _parts(archive)
        for name in names:
            part = known.get(name)
            if part is not None and part in archive.NameToInfo and _worth(archive, part):
                found[name] = _scan(archive, part)
    return found


def parts(path: Path) -> dict[str, str]:
    """Sheet name -> the part of the workbook that holds it."""
    with zipfile.ZipFile(path) as archive:
        return _parts(archive)


def _worth(archive: zipfile.ZipFile, part: str) -> bool:
    """Whether a sheet has errors or formulas at all: most have none, and reading is slow."""
    before = b""
    with archive.open(part) as file:
        while chunk := file.read(_CHUNK):
            piece = before + chunk
            if b't="e"' in piece or b"<f" in piece or b":f" in piece:
                return True
            before = piece[-8:]
    return False


def _parts(archive: zipfile.ZipFile) -> dict[str, str]:
    """Sheet name -> the part that holds it."""
    targets: dict[str, str] = {}
    sheets: list[tuple[str, str]] = []

    def relation(tag: str, attributes: dict[str, str]) -> None:
        if _local(tag) == "Relationship":
            targets[attributes.get("Id", "")] = attributes.get("Target", "")

    def sheet(tag: str, attributes: dict[str, str]) -> None:
        if _local(tag) == "sheet":
            ids = [v for k, v in attributes.items() if _local(k) == _RELATION]
            sheets.append((attributes.get("name", ""), ids[-1] if ids else ""))

    _parse(archive, "xl/_rels/workbook.xml.rels", relation)
    _parse(archive, "xl/workbook.xml", sheet)
    return {name: _absolute(targets.get(key, "")) for name, key in sheets}


def _absolute(target: str) -> str:
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _parse(archive: zipfile.ZipFile, part: str, start: object) -> None:
    if part not in archive.NameToInfo:
        return
    parser = expat.ParserCreate()
    parser.StartElementHandler = start  # type: ignore[assignment]
    parser.Parse(archive.read(part), True)


def _scan(archive: zipfile.ZipFile, part: str) -> Special:
    found = Special()
    cells = _Cells(found)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = cells.start
    parser.EndElementHandler = cells.end
    parser.CharacterDataHandler = cells.text
    with archive.open(part) as file:
        while chunk := file.read(_CHUNK):
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    return found


class _Cells:
    """Follows the cells of a sheet as expat reports them."""

    def __init__(self, found: Special) -> None:
        self.found = found
        self.row = self.column = -1
        self.kind = ""
        self.formula = self.value = self.inside = False
        self.content: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = _local(tag)
        if name == "row":
            number = attributes.get("r", "")
            self.row = int(number) - 1 if number.isdecimal() else self.row + 1
            self.column = -1
        elif name == "c":
            column = _column(attributes.get("r", ""))
            self.column = self.column + 1 if column is None else column
            self.kind = attributes.get("t", "")
            self.formula = self.value = False
            self.content = []
        elif name == "f":
            self.formula = True
        elif name == "v":
            self.value = self.inside = True

    def end(self, tag: str) -> None:
        name = _local(tag)
        if name == "v":
            self.inside = False
        elif name == "c":
            text = "".join(self.content)
            if self.kind == "e":
                self.found.errors[self.row, self.column] = text or "#ERROR"
            elif self.formula and not text:
                self.found.uncomputed += self.kind != "str"

    def text(self, data: str) -> None:
        if self.inside:
            self.content.append(data)


def _column(reference: str) -> int | None:
    """`BC12` -> 54, counted from 0; None where there is no reference."""
    number = 0
    for char in reference:
        if not "A" <= char <= "Z":
            break
        number = number * 26 + ord(char) - 64
    return number - 1 if number else None
