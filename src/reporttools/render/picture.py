"""Pictures of a report are decoded once before anything is drawn: a broken file is told at once."""

from __future__ import annotations

from io import BytesIO

from reporttools.document import Document, Image
from reporttools.problems import Problem, bad_data


def verify(document: Document) -> None:
    """BAD_DATA for a picture whose content cannot be decoded."""
    images = [block for block in document.blocks if isinstance(block, Image)]
    if document.logo is not None:
        images.append(document.logo)
    for image in images:
        _decode(image)


def _decode(image: Image) -> None:
    from PIL import Image as Picture

    try:
        with Picture.open(BytesIO(image.content)) as picture:
            picture.load()
    except (OSError, SyntaxError, ValueError, Picture.DecompressionBombError) as error:
        what = f"{image.name!r} cannot be decoded: {str(error).rstrip('.')}"
        raise bad_data([Problem(image.path, what)]) from error
