"""An xlsx workbook made ready for paper: sheets as wide as the page, numbers as wide as they are.

Only the few attributes that matter are spliced into each sheet's XML; everything else stays byte
for byte as it was.
"""

from __future__ import annotations

import shutil
import zipfile
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final
from xml.parsers import expat

from convert.steps import sheet_xml
from convert.steps.grid import text
from convert.steps.told import Warnings

_MAX_WIDTH: Final = 60.0
_MAX_SHEET: Final = 64 << 20
_LANDSCAPE_FROM: Final = 90.0
# The children of a sheet that may stand before and after the ones we add, in their fixed order.
_BEFORE_COLS: Final = ("sheetPr", "dimension", "sheetViews", "sheetFormatPr")
_AFTER_SETUP: Final = frozenset(
    "headerFooter rowBreaks colBreaks customProperties cellWatches ignoredErrors smartTags drawing"
    " legacyDrawing legacyDrawingHF drawingHF picture oleObjects controls webPublishItems"
    " tableParts extLst".split()
)


def fit(path: Path, warnings: Warnings) -> None:
    """Change a workbook in place; sheets that cannot be read well are left as they are."""
    import python_calamine as calamine

    try:
        book = calamine.CalamineWorkbook.from_path(str(path))
    except calamine.CalamineError:
        return
    parts = sheet_xml.parts(path)
    target = path.with_name(f"{path.name}.fitted")
    by_part = {part: name for name, part in parts.items()}
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w") as made:
        for info in source.infolist():
            content = source.read(info)
            name = by_part.get(info.filename)
            if name is not None and name in book.sheet_names and len(content) <= _MAX_SHEET:
                sheet = book.get_sheet_by_name(name)
                content = fitted(content, _widths(list(sheet.iter_rows())))
            made.writestr(info, content, zipfile.ZIP_DEFLATED, 1)
    hidden = [
        s.name for s in book.sheets_metadata if s.visible != calamine.SheetVisibleEnum.Visible
    ]
    if hidden:
        warnings.add(f"hidden sheets left out: {', '.join(repr(name) for name in hidden)}")
    shutil.move(target, path)


def _widths(rows: list[list[object]]) -> list[tuple[float, bool]]:
    """Characters a column needs, and whether a number or date is what needs them."""
    widths: list[tuple[float, bool]] = []
    for row in rows[:5000]:
        for place, value in enumerate(row):
            if place == len(widths):
                widths.append((0.0, False))
            need, firm = _need(value)
            before, was_firm = widths[place]
            widths[place] = (max(before, need), was_firm or (firm and need > 0))
    return widths


def _need(value: object) -> tuple[float, bool]:
    if value in ("", None):
        return 0.0, False
    if isinstance(value, datetime):
        return (19.5, True) if value.time() != datetime.min.time() else (11.5, True)
    if isinstance(value, date | timedelta):
        return 11.5, True
    if isinstance(value, int | float) and not isinstance(value, bool):
        # Room for separators, a sign and a currency that the format may add.
        return min(len(text(value)), 15) * 1.15 + 2.5, True
    lines = text(value).split("\n")
    return min(max(len(line) for line in lines) + 1.5, 40.0), False


@dataclass(slots=True)
class _Place:
    """Where things stand in a sheet's XML, in bytes; -1 for what is not there."""

    children: list[tuple[str, int, int]] = field(default_factory=list)
    columns: list[dict[str, str]] = field(default_factory=list)
    setup: dict[str, str] = field(default_factory=dict)
    inside: int = -1
    end: int = -1


def fitted(content: bytes, widths: list[tuple[float, bool]]) -> bytes:
    """The sheet's XML with widths, orientation and one page across."""
    try:
        place = _locate(content)
    except expat.ExpatError:
        return content
    if place.inside < 0 or place.end < 0:
        return content
    prefix = _prefix(content, place)
    columns = _columns(place.columns, widths)
    total = sum(float(c["width"]) for c in columns for _ in range(_span(c)))
    landscape = total > _LANDSCAPE_FROM
    pieces: dict[str, str] = {}
    if columns:
        pieces["cols"] = "".join(_element(f"{prefix}col", c, closed=True) for c in columns)
    out = _replace(content, place, prefix, pieces.get("cols", ""))
    return _set_page(out, prefix, landscape=landscape)


def _locate(content: bytes) -> _Place:
    place, depth = _Place(), 0
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        local = tag.rpartition(":")[2]
        if depth == 1:
            place.inside = content.index(b">", parser.CurrentByteIndex) + 1
        elif depth == 2:
            place.children.append((local, parser.CurrentByteIndex, -1))
        if local == "col" and depth == 3:
            place.columns.append(dict(attributes))
        elif local == "pageSetup" and depth == 2:
            place.setup = dict(attributes)

    def end(tag: str) -> None:
        nonlocal depth
        if depth == 1:
            place.end = parser.CurrentByteIndex
        elif depth == 2:
            name, begun, _ = place.children[-1]
            place.children[-1] = (name, begun, _after(content, parser.CurrentByteIndex, tag))
        depth -= 1

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.Parse(content, True)
    return place


def _after(content: bytes, at: int, tag: str) -> int:
    """The byte after an element, from where its end is reported: at its end tag, or after it when
    it is empty.
    """
    return content.index(b">", at) + 1 if content.startswith(b"</" + tag.encode(), at) else at


def _prefix(content: bytes, place: _Place) -> str:
    """The namespace prefix the sheet uses, with its colon; mostly none."""
    if not place.children:
        return ""
    _, begun, _ = place.children[0]
    name = content[begun + 1 : begun + 80].split(b" ")[0].split(b">")[0].split(b"/")[0]
    head, colon, _ = name.rpartition(b":")
    return (head + colon).decode()


def _span(column: dict[str, str]) -> int:
    return min(int(column["max"]) - int(column["min"]) + 1, 200)


def _columns(
    present: list[dict[str, str]], widths: list[tuple[float, bool]]
) -> list[dict[str, str]]:
    """The column list: what the author set, widened where a number would show as ###."""
    by_number: dict[int, dict[str, str]] = {}
    for column in present:
        first, last = int(column.get("min", "0")), int(column.get("max", "0"))
        for number in range(first, min(last, first + 1000) + 1):
            by_number[number] = column
    out = []
    for number, (need, firm) in enumerate(widths, 1):
        known = by_number.pop(number, {})
        if known.get("hidden") in ("1", "true"):
            out.append(known | {"min": str(number), "max": str(number), "width": "0"})
            continue
        width = float(known.get("width", "0") or 0) or 9.0
        own = known.get("customWidth") in ("1", "true")
        if firm or not own:
            width = max(width, min(need, _MAX_WIDTH))
        out.append(
            known
            | {"min": str(number), "max": str(number), "width": f"{width:.2f}", "customWidth": "1"}
        )
    rest = {id(c): c for n, c in by_number.items() if n > len(widths)}
    for column in rest.values():
        first = max(int(column["min"]), len(widths) + 1)
        out.append({"width": "9", **column, "min": str(first)})
    return out


def _element(name: str, attributes: dict[str, str], *, closed: bool) -> str:
    from xml.sax.saxutils import quoteattr

    body = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
    return f"<{name}{body}{'/' if closed else ''}>"


def _replace(content: bytes, place: _Place, prefix: str, columns: str) -> bytes:
    """The XML with its column list put in or replaced."""
    if not columns:
        return content
    element = f"<{prefix}cols>{columns}</{prefix}cols>".encode()
    for name, begun, end in place.children:
        if name == "cols":
            return content[:begun] + element + content[end:]
    at = place.inside
    for name, _begun, end in place.children:
        if name in _BEFORE_COLS:
            at = end
    return content[:at] + element + content[at:]


def _set_page(content: bytes, prefix: str, *, landscape: bool) -> bytes:
    """One page across, as many down as it takes."""
    place = _locate(content)
    setup = {
        k: v for k, v in place.setup.items() if k not in ("scale", "fitToWidth", "fitToHeight")
    }
    if landscape or "orientation" not in setup:
        setup["orientation"] = "landscape" if landscape else "portrait"
    setup |= {"fitToWidth": "1", "fitToHeight": "0"}
    # A printer's own settings lie in another part, which we do not need.
    setup = {k: v for k, v in setup.items() if ":" not in k}
    element = _element(f"{prefix}pageSetup", setup, closed=True).encode()
    at, until = place.end, place.end
    for name, begun, end in place.children:
        if name == "pageSetup":
            at, until = begun, end
            break
        if name in _AFTER_SETUP:
            at = until = begun
            break
    content = content[:at] + element + content[until:]
    flag = f'<{prefix}pageSetUpPr fitToPage="1"/>'.encode()
    first = place.children[0] if place.children else ("", place.inside, place.inside)
    if first[0] != "sheetPr":
        whole = f"<{prefix}sheetPr>".encode() + flag + f"</{prefix}sheetPr>".encode()
        return content[: place.inside] + whole + content[place.inside :]
    return _flag_properties(content, first, prefix, flag)


def _flag_properties(
    content: bytes, properties: tuple[str, int, int], prefix: str, flag: bytes
) -> bytes:
    """`fitToPage` in a sheetPr element that is there already."""
    _, begun, end = properties
    text_ = content[begun:end]
    if b"pageSetUpPr" in text_:
        start = text_.index(b"pageSetUpPr") - 1 - len(prefix.encode())
        stop = text_.index(b">", start) + 1
        new = text_[:start] + flag + text_[stop:]
    elif text_.endswith(b"/>"):
        new = text_[:-2] + b">" + flag + f"</{prefix}sheetPr>".encode()
    else:
        close = text_.rindex(b"</")
        new = text_[:close] + flag + text_[close:]
    return content[:begun] + new + content[end:]
