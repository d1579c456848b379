"""Pictures of a workbook, below each other on a sheet of their own."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from reporttools.document import Image

if TYPE_CHECKING:
    from reporttools.render.sheet import Workbook

WIDE: Final = 720.0  # pixels, about a printed page
TALL: Final = 900.0
ROW: Final = 20.0  # pixels of a row of 15 points


def write(sheet: Any, images: Sequence[Image], made: Workbook) -> None:
    """Each under its caption, none larger than a page."""
    from openpyxl.drawing.image import Image as Picture

    row = 1
    for image in images:
        caption = image.caption or image.alt
        if caption:
            made.put(sheet, row, 1, caption, bold=True, size=12, color=made.theme.band)
            row += 1
        picture = Picture(BytesIO(image.content))
        share = min(1.0, WIDE / image.width, TALL / image.height)
        picture.width, picture.height = image.width * share, image.height * share
        sheet.add_image(picture, f"A{row}")
        row += int(picture.height / ROW) + 3
