"""Pictures through Pillow: `image INPUT OUTPUT --quality=Q`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from convert.steps import told

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_PIXELS: Final = 100_000_000
_FORMATS: Final = {
    "png": "PNG", "jpg": "JPEG", "webp": "WEBP", "gif": "GIF", "bmp": "BMP", "tiff": "TIFF",
    "pdf": "PDF",
}  # fmt: skip
_ANIMATED: Final = frozenset({"gif", "webp"})


def main() -> NoReturn:
    """Program."""
    told.run(_step)


def _step(arguments: Sequence[str], warnings: told.Warnings) -> None:
    from PIL import Image, ImageFile

    ImageFile.LOAD_TRUNCATED_IMAGES = False
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    source, output = Path(arguments[0]), Path(arguments[1])
    quality = int(arguments[2].removeprefix("--quality="))
    try:
        with Image.open(source) as image:
            if image.width * image.height > MAX_PIXELS:
                raise _huge(f"{image.width} x {image.height} pixels")
            _convert(image, output, quality, warnings)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _huge("more pixels than a picture may have") from error
    except Image.UnidentifiedImageError as error:
        raise told.Problem("bad_input", "The picture's format is not known.") from error
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        cut = "truncated" in str(error) or "cut" in str(error) or isinstance(error, EOFError)
        raise told.Problem(
            "truncated" if cut else "bad_input", f"The picture cannot be read: {error}."
        ) from error


def _huge(what: str) -> told.Problem:
    return told.Problem("too_large", f"The picture has {what}; {MAX_PIXELS} is the limit.")


def _convert(image: Image, output: Path, quality: int, warnings: told.Warnings) -> None:
    kind = output.suffix.removeprefix(".")
    frames = getattr(image, "n_frames", 1)
    options: dict[str, object] = {}
    if kind in ("jpg", "webp"):
        options["quality"] = quality
    if kind in ("png", "jpg"):
        options["optimize"] = True
    if frames > 1 and kind in _ANIMATED:
        image.save(output, _FORMATS[kind], save_all=True, **options)
        return
    if frames > 1 and kind in ("pdf", "tiff"):
        pages = [_upright(_page(image, number), kind) for number in range(frames)]
        pages[0].save(output, _FORMATS[kind], save_all=True, append_images=pages[1:], **options)
        return
    if frames > 1:
        warnings.add(f"only the first of {frames} frames was written")
        image.seek(0)
    picture = _upright(image, kind)
    if kind == "pdf":
        options["resolution"] = _resolution(image)
    elif (profile := image.info.get("icc_profile")) and image.mode not in ("CMYK", "YCCK"):
        options["icc_profile"] = profile
    picture.save(output, _FORMATS[kind], **options)


def _page(image: Image, number: int) -> Image:
    image.seek(number)
    return image.copy()


def _resolution(image: Image) -> float:
    """Dots per inch for a PDF page; 96 where the picture says nothing sensible."""
    found = image.info.get("dpi")
    across = float(found[0]) if isinstance(found, tuple) and found else 0.0
    return across if 30 <= across <= 2400 else 96.0


def _upright(image: Image, kind: str) -> Image:
    """The picture turned as its camera says, in a mode that the format has."""
    from PIL import ImageOps

    image.load()
    turned = ImageOps.exif_transpose(image)
    if turned.mode in ("I", "I;16", "I;16B", "I;16L", "F"):
        turned = turned if kind in ("png", "tiff") and turned.mode != "F" else _eight_bit(turned)
    clear = turned.mode in ("RGBA", "LA", "PA") or "transparency" in turned.info
    if kind in ("jpg", "bmp", "pdf"):
        return _flat(turned) if clear else _plain(turned)
    if kind == "gif":
        return turned
    if turned.mode in ("CMYK", "YCbCr", "LAB", "HSV"):
        return turned.convert("RGB")
    if kind == "webp" and turned.mode not in ("RGB", "RGBA"):
        return turned.convert("RGBA" if clear else "RGB")
    return turned


def _plain(image: Image) -> Image:
    return image if image.mode in ("RGB", "L") else image.convert("RGB")


def _flat(image: Image) -> Image:
    """On white paper: formats without transparency would show what lies beneath it."""
    from PIL import Image as images

    full = image.convert("RGBA")
    paper = images.new("RGBA", full.size, "white")
    paper.alpha_composite(full)
    return paper.convert("RGB")


def _eight_bit(image: Image) -> Image:
    """Grey values of more than 8 bits, scaled: a plain conversion clips nearly all to white."""
    low, high = image.getextrema()
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return image.convert("L")
    top = 65535.0 if image.mode.startswith("I") and high > 255 else max(float(high), 1.0)
    return image.convert("F").point(lambda value: value * (255.0 / top)).convert("L")
