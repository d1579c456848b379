"""What layout needs to know of a TrueType or OpenType file: which characters, how wide.

Read from the tables head, hhea, hmtx, cmap and name; outlines are left to the renderers.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from pathlib import Path
from struct import error as struct_error
from struct import unpack_from
from typing import Final

_COLLECTION: Final = b"ttcf"


@dataclass(slots=True, eq=False)
class Face:
    """One font of a file. glyphs: character code to glyph number. advances: in units, by glyph
    number (the last one repeats). outlines: True for TrueType outlines, False for CFF ones.
    """

    path: Path
    index: int
    family: str
    units: int
    ascent: float
    descent: float
    glyphs: dict[int, int]
    advances: array[int]
    outlines: bool

    def advance(self, code: int) -> float:
        """The width of a character in ems."""
        glyph = self.glyphs.get(code, 0)
        return self.advances[min(glyph, len(self.advances) - 1)] / self.units


def read(path: Path, index: int = 0) -> Face | None:
    """The face, or None when the file is no usable font."""
    try:
        data = path.read_bytes()
        return _read(data, path, index)
    except (OSError, struct_error, IndexError, ValueError):
        return None


def _read(data: bytes, path: Path, index: int) -> Face | None:
    start = 0
    if data[:4] == _COLLECTION:
        start = unpack_from(">I", data, 12 + 4 * index)[0]
    tables = _directory(data, start)
    if not {b"head", b"hhea", b"hmtx", b"cmap"} <= tables.keys():
        return None
    if not {b"glyf", b"CFF ", b"CFF2"} & tables.keys():
        # Nothing but bitmaps, as fonts of coloured emoji have.
        return None
    units = unpack_from(">H", data, tables[b"head"][0] + 18)[0]
    hhea = tables[b"hhea"][0]
    ascent, descent = unpack_from(">hh", data, hhea + 4)
    count = unpack_from(">H", data, hhea + 34)[0]
    return Face(
        path=path,
        index=index,
        family=_family(data, tables.get(b"name")),
        units=units,
        ascent=ascent / units,
        descent=-descent / units,
        glyphs=_cmap(data, tables[b"cmap"][0]),
        advances=array("H", unpack_from(f">{count * 2}H", data, tables[b"hmtx"][0])[::2]),
        outlines=b"glyf" in tables,
    )


def _directory(data: bytes, start: int) -> dict[bytes, tuple[int, int]]:
    count = unpack_from(">H", data, start + 4)[0]
    found = {}
    for entry in range(count):
        tag, _, offset, length = unpack_from(">4sIII", data, start + 12 + 16 * entry)
        found[tag] = (offset, length)
    return found


def _family(data: bytes, place: tuple[int, int] | None) -> str:
    """The family name by which renderers ask for the font."""
    if place is None:
        return ""
    at = place[0]
    count, strings = unpack_from(">HH", data, at + 2)
    best = ""
    for entry in range(count):
        platform, _, language, name, length, offset = unpack_from(">6H", data, at + 6 + 12 * entry)
        if name == 1 and platform == 3 and (language == 0x409 or not best):
            raw = data[at + strings + offset : at + strings + offset + length]
            best = raw.decode("utf-16-be", "replace")
    return best


def _cmap(data: bytes, at: int) -> dict[int, int]:
    """The richest Unicode map of the font."""
    count = unpack_from(">H", data, at + 2)[0]
    best, rank = 0, 0
    for entry in range(count):
        platform, encoding, offset = unpack_from(">HHI", data, at + 4 + 8 * entry)
        form = unpack_from(">H", data, at + offset)[0]
        unicode = platform == 0 or (platform == 3 and encoding in (1, 10))
        value = {12: 2, 4: 1}.get(form, 0) if unicode else 0
        if value > rank:
            best, rank = at + offset, value
    if rank == 2:
        return _groups(data, best)
    return _segments(data, best) if rank == 1 else {}


def _groups(data: bytes, at: int) -> dict[int, int]:
    count = unpack_from(">I", data, at + 12)[0]
    glyphs: dict[int, int] = {}
    for group in range(count):
        first, last, glyph = unpack_from(">III", data, at + 16 + 12 * group)
        if last - first > 0x10FFFF:
            raise ValueError("broken cmap")
        glyphs.update(zip(range(first, last + 1), range(glyph, glyph + last - first + 1)))  # noqa: B905
    return glyphs


def _segments(data: bytes, at: int) -> dict[int, int]:
    segments = unpack_from(">H", data, at + 6)[0] // 2
    ends = unpack_from(f">{segments}H", data, at + 14)
    starts = unpack_from(f">{segments}H", data, at + 16 + 2 * segments)
    deltas = unpack_from(f">{segments}H", data, at + 16 + 4 * segments)
    base = at + 16 + 6 * segments
    ranges = unpack_from(f">{segments}H", data, base)
    glyphs: dict[int, int] = {}
    for place, (first, last, delta, offset) in enumerate(
        zip(starts, ends, deltas, ranges, strict=True)
    ):
        for code in range(first, last + 1):
            glyph = code
            if offset:
                where = base + 2 * place + offset + 2 * (code - first)
                glyph = unpack_from(">H", data, where)[0]
            if glyph or not offset:
                glyphs[code] = (glyph + delta) & 0xFFFF
    return {code: glyph for code, glyph in glyphs.items() if glyph and code != 0xFFFF}
