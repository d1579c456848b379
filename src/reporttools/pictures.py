"""Images that a report shows: PNG or JPEG files of the workspace, measured before they are used."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, Final

from reporttools.document import Image
from reporttools.problems import Problem, bad_data
from toolbelt.errors import ToolError
from toolbelt.workspace import Workspace

MAX_BYTES: Final = 20_000_000
MAX_PIXELS: Final = 50_000_000


def load_image(workspace: Workspace, item: Mapping[str, Any], path: str) -> Image:
    """The image that `item["path"]` names. BAD_PATH outside the workspace, BAD_DATA for others."""
    given = item["path"]
    where = path if path == "/logo" else f"{path}/path"
    try:
        content = workspace.read_bytes(given, MAX_BYTES)
    except ToolError as error:
        error.detail.setdefault("path", where)
        raise
    size = pixel_size(content)
    if size is None:
        raise bad_data([Problem(where, f"{given!r} is not a PNG or JPEG image")])
    width, height = size
    if not 0 < width * height <= MAX_PIXELS:
        what = (
            f"{given!r} has {width} x {height} pixels; the limit is {MAX_PIXELS // 10**6} million"
        )
        raise bad_data([Problem(where, what)])
    return Image(
        content,
        width,
        height,
        caption=str(item.get("caption") or ""),
        alt=str(item.get("alt") or item.get("caption") or ""),
        half=item.get("width") == "half",
        name=given,
        path=where,
    )


def pixel_size(content: bytes) -> tuple[int, int] | None:
    """Width and height from the header of a PNG or JPEG, None for anything else."""
    if content[:8] == b"\x89PNG\r\n\x1a\n" and content[12:16] == b"IHDR":
        width, height = struct.unpack(">II", content[16:24])
        return width, height
    if content[:2] != b"\xff\xd8":
        return None
    at = 2
    while at + 9 < len(content):
        if content[at] != 0xFF:
            return None
        marker, length = content[at + 1], int.from_bytes(content[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return width, height
        at += 2 + length if marker != 0xFF else 1
    return None
