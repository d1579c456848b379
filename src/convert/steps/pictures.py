"""The pictures a document refers to: which are there, and made fit for where they go."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from convert.steps import told

_MAX_PIXELS: Final = 100_000_000
_VECTOR: Final = frozenset({"svg", "pdf"})


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture file of the job. kind: its format by content."""

    path: Path
    kind: str


def found() -> dict[str, Picture]:
    """The pictures there are, by the reference the document uses."""
    have: dict[str, Picture] = {}
    folder = told.scratch()
    resources = folder / "resources.json"
    if resources.is_file():
        for reference, entry in json.loads(resources.read_text(encoding="utf-8")).items():
            if "path" in entry:
                have[reference] = Picture(Path(entry["path"]), entry["kind"])
    inline = folder / "inline.json"
    if inline.is_file():
        for entry in json.loads(inline.read_text(encoding="utf-8") or "[]"):
            path = entry["reference"]
            have[path] = Picture(Path(path), entry["kind"])
    return have


def fit(picture: Picture, allowed: frozenset[str]) -> Picture | None:
    """The picture itself, or a PNG of it where its format may not be used; None when damaged."""
    if picture.kind in allowed and picture.kind in _VECTOR:
        return picture if picture.kind == "pdf" or _well_formed(picture.path) else None
    if picture.kind == "svg":
        return _drawn(picture)
    if picture.kind == "pdf":
        return None
    return _reread(picture, keep=picture.kind in allowed)


def too_large(picture: Picture) -> bool:
    """Whether a picture has more pixels than may be unpacked, by what its head says."""
    if picture.kind in _VECTOR:
        return False
    with picture.path.open("rb") as file:
        head = file.read(24)
    if head[12:16] == b"IHDR":
        sides: tuple[int, int] = struct.unpack_from(">II", head, 16)
        return sides[0] * sides[1] > _MAX_PIXELS
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None
    try:
        with Image.open(picture.path) as image:
            return bool(image.width * image.height > _MAX_PIXELS)
    except (OSError, ValueError, SyntaxError):
        # Damaged, which is found out, and said, when it is read.
        return False


def _well_formed(path: Path) -> bool:
    from convert.steps.svg import look

    try:
        look(path.read_text(encoding="utf-8"))
    except (told.Problem, UnicodeDecodeError):
        return False
    return True


def _drawn(picture: Picture) -> Picture | None:
    """A PNG of an SVG picture."""
    from convert.steps.svg import draw

    target = picture.path.with_name(f"{picture.path.name}.png")
    try:
        target.write_bytes(draw(picture.path.read_text(encoding="utf-8"), zoom=2))
    except (told.Problem, UnicodeDecodeError):
        return None
    return Picture(target, "png")


def _reread(picture: Picture, *, keep: bool) -> Picture | None:
    """The picture when it can be decoded whole; a PNG of it unless it may be kept as it is."""
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = _MAX_PIXELS // 2
    try:
        with Image.open(picture.path) as image:
            if image.width * image.height > _MAX_PIXELS:
                return None
            image.load()
            if keep:
                return picture
            target = picture.path.with_name(f"{picture.path.name}.png")
            image.convert("RGBA").save(target)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    return Picture(target, "png")
