"""A small binary Excel workbook (xlsb), written from the published record layout ([MS-XLSB]).

No library we could install writes the format, so the sample that ships comes from here:
`PYTHONPATH=tests python -m xlsb OUTPUT`.
"""

from __future__ import annotations

import io
import struct
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

Value = str | float | bool | None
_MAIN = "http://schemas.openxmlformats.org"
_OFFICE = f"{_MAIN}/officeDocument/2006/relationships"
_BINARY = "application/vnd.ms-excel"
_ROW, _REAL, _BOOL, _TEXT, _ERROR = 0, 5, 4, 6, 3
_DIVISION_BY_ZERO = 0x07


def workbook(sheets: Sequence[tuple[str, Sequence[Sequence[Value]]]]) -> bytes:
    """A workbook with sheets of rows; the text `#DIV/0!` becomes an error cell."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _parts(sheets).items():
            info = zipfile.ZipInfo(name, (2026, 1, 2, 3, 4, 6))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return buffer.getvalue()


def _parts(sheets: Sequence[tuple[str, Sequence[Sequence[Value]]]]) -> dict[str, str | bytes]:
    places = [f"worksheets/sheet{n}.bin" for n in range(1, len(sheets) + 1)]
    types = "".join(
        f'<Override PartName="/xl/{place}" ContentType="{_BINARY}.worksheet"/>' for place in places
    )
    links = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/worksheet" Target="{place}"/>'
        for n, place in enumerate(places, 1)
    )
    return {
        "[Content_Types].xml": f'<Types xmlns="{_MAIN}/package/2006/content-types">'
        '<Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/xl/workbook.bin" '
        f'ContentType="{_BINARY}.sheet.binary.macroEnabled.main"/>{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_MAIN}/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.bin"/>'
        "</Relationships>",
        "xl/_rels/workbook.bin.rels": f'<Relationships xmlns="{_MAIN}/package/2006/relationships">'
        f"{links}</Relationships>",
        "xl/workbook.bin": _book([name for name, _ in sheets]),
        **{f"xl/{place}": _sheet(rows) for place, (_, rows) in zip(places, sheets, strict=True)},
    }


def _book(names: Sequence[str]) -> bytes:
    listed = b"".join(
        _record(156, struct.pack("<II", 0, n) + _wide(f"rId{n}") + _wide(name))
        for n, name in enumerate(names, 1)
    )
    return _record(131) + _record(143) + listed + _record(144) + _record(132)


def _sheet(rows: Sequence[Sequence[Value]]) -> bytes:
    width = max((len(row) for row in rows), default=1)
    out = _record(129) + _record(148, struct.pack("<IIII", 0, max(len(rows) - 1, 0), 0, width - 1))
    out += _record(145)
    for number, row in enumerate(rows):
        # Row, style, height in twentieths of a point, flags, one span of columns.
        out += _record(_ROW, struct.pack("<IIHHBIII", number, 0, 300, 0, 0, 1, 0, width - 1))
        out += b"".join(_cell(column, value) for column, value in enumerate(row))
    return out + _record(146) + _record(130)


def _cell(column: int, value: Value) -> bytes:
    head = struct.pack("<II", column, 0)
    if value is None:
        return b""
    if isinstance(value, bool):
        return _record(_BOOL, head + bytes([value]))
    if isinstance(value, str):
        if value == "#DIV/0!":
            return _record(_ERROR, head + bytes([_DIVISION_BY_ZERO]))
        return _record(_TEXT, head + _wide(value))
    return _record(_REAL, head + struct.pack("<d", value))


def _wide(text: str) -> bytes:
    raw = text.encode("utf-16-le")
    return struct.pack("<I", len(raw) // 2) + raw


def _record(kind: int, content: bytes = b"") -> bytes:
    """A record: its kind and its size in groups of seven bits, then its content."""
    return _sevens(kind) + _sevens(len(content)) + content


def _sevens(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


SAMPLE = [("Sheet1", [["id", "name"], [1.0, "Ann"], [2.0, "Bob, Ü"]])]

if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(workbook(SAMPLE))
