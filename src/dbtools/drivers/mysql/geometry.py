"""Geometry as the server stores it (SRID and WKB) into extended WKT: `SRID=4326;POINT(1 2)`."""

from __future__ import annotations

import struct
from typing import Final

_NAMES: Final = {
    1: "POINT", 2: "LINESTRING", 3: "POLYGON", 4: "MULTIPOINT", 5: "MULTILINESTRING",
    6: "MULTIPOLYGON", 7: "GEOMETRYCOLLECTION",
}  # fmt: skip


def text(raw: bytes) -> str | None:
    """WKT of a stored geometry, `SRID=n;` before it unless n is 0; None when it is none."""
    try:
        (srid,) = struct.unpack_from("<I", raw)
        body, end = _geometry(raw, 4)
    except (struct.error, KeyError, IndexError, RecursionError):
        return None
    if end != len(raw):
        return None
    return f"SRID={srid};{body}" if srid else body


def _geometry(raw: bytes, at: int) -> tuple[str, int]:
    order = "<" if raw[at] else ">"
    (kind,) = struct.unpack_from(order + "I", raw, at + 1)
    body, end = _body(raw, at + 5, order, kind)
    return f"{_NAMES[kind]}{body}", end


def _body(raw: bytes, at: int, order: str, kind: int) -> tuple[str, int]:
    """The brackets of a geometry and where it ends."""
    if kind == 1:
        return f"({_pair(raw, at, order)})", at + 16
    (count,) = struct.unpack_from(order + "I", raw, at)
    at += 4
    if kind == 2:
        return _line(raw, at, order, count)
    parts: list[str] = []
    for _ in range(count):
        if kind == 3:
            (points,) = struct.unpack_from(order + "I", raw, at)
            part, at = _line(raw, at + 4, order, points)
        else:
            part, at = _geometry(raw, at)
            if kind != 7:
                part = part[part.index("(") :]
                part = part[1:-1] if kind == 4 else part
        parts.append(part)
    return (f"({','.join(parts)})" if parts else " EMPTY"), at


def _line(raw: bytes, at: int, order: str, count: int) -> tuple[str, int]:
    end = at + 16 * count
    if end > len(raw):
        raise IndexError(end)
    pairs = (_pair(raw, place, order) for place in range(at, end, 16))
    return f"({','.join(pairs)})", end


def _pair(raw: bytes, at: int, order: str) -> str:
    x, y = struct.unpack_from(order + "2d", raw, at)
    return f"{_number(x)} {_number(y)}"


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")
