"""What a file really is, whatever it is called; what may not be opened is refused here.

`inspect` looks at magic numbers, at the entries of ZIP files and at the directory of compound
files. It raises CONVERT_FAILED with one of the reasons `empty`, `too_large`, `wrong_type`,
`password`, `truncated`, `bomb` or `bad_input`. Text is looked at later, while it is decoded.
"""

from __future__ import annotations

import struct
from typing import IO, Final

from convert import archive, ole
from convert.request import failed

TEXT: Final = frozenset(
    "md html csv tsv json jsonl ipynb mmd svg txt rst org tex xml yaml opml textile mediawiki typ"
    .split()
)  # fmt: skip
RASTER: Final = frozenset("png jpg gif webp bmp tiff".split())
ZIPPED: Final = frozenset("docx xlsx xlsb pptx odt ods odp epub".split())
COMPOUND: Final = frozenset("doc xls ppt".split())
_KNOWN: Final = TEXT | RASTER | ZIPPED | COMPOUND | {"pdf", "rtf", "parquet"}
_HEAD: Final = 4096

NAMES: Final = {
    "pdf": "a PDF", "png": "a PNG picture", "jpg": "a JPEG picture", "gif": "a GIF picture",
    "webp": "a WebP picture", "bmp": "a BMP picture", "tiff": "a TIFF picture",
    "docx": "a Word document (docx)", "xlsx": "an Excel workbook (xlsx)",
    "xlsb": "a binary Excel workbook (xlsb)", "pptx": "a PowerPoint deck (pptx)",
    "odt": "an OpenDocument text (odt)", "ods": "an OpenDocument spreadsheet (ods)",
    "odp": "an OpenDocument presentation (odp)", "epub": "an EPUB book", "zip": "a ZIP archive",
    "doc": "an old Word document (doc)", "xls": "an old Excel workbook (xls)",
    "ppt": "an old PowerPoint deck (ppt)", "ole": "a compound file of no kind we know",
    "rtf": "an RTF document", "parquet": "a Parquet file", "gzip": "a gzip archive",
    "7z": "a 7z archive", "rar": "a RAR archive", "elf": "a Linux program",
    "exe": "a Windows program", "sqlite": "an SQLite database", "ps": "a PostScript file",
}  # fmt: skip
_MAGIC: Final = (
    (b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpg"), (b"GIF87a", "gif"),
    (b"GIF89a", "gif"), (b"II*\0", "tiff"), (b"MM\0*", "tiff"), (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"), (ole.MAGIC, "ole"), (b"{\\rtf", "rtf"), (b"PAR1", "parquet"),
    (b"\x1f\x8b\x08", "gzip"), (b"7z\xbc\xaf\x27\x1c", "7z"), (b"Rar!\x1a\x07", "rar"),
    (b"\x7fELF", "elf"), (b"SQLite format 3\0", "sqlite"), (b"%!PS", "ps"),
)  # fmt: skip
_MIMETYPES: Final = {
    b"application/vnd.oasis.opendocument.text": "odt",
    b"application/vnd.oasis.opendocument.spreadsheet": "ods",
    b"application/vnd.oasis.opendocument.presentation": "odp",
    b"application/epub+zip": "epub",
}
_CONTENT_TYPES: Final = (
    (b"wordprocessingml.", "docx"), (b"ms-word.", "docx"),
    (b"excel.sheet.binary.", "xlsb"),
    (b"spreadsheetml.", "xlsx"), (b"ms-excel.", "xlsx"),
    (b"presentationml.", "pptx"), (b"ms-powerpoint.", "pptx"),
)  # fmt: skip


def inspect(file: IO[bytes], size: int, expected: str, shown: str, max_input: int) -> list[str]:
    """Refuse what is not of the format `expected`; warnings for what is merely odd."""
    if size == 0:
        raise failed("empty", f"{shown!r} is empty.")
    if max_input and size > max_input:
        raise failed(
            "too_large", f"{shown!r} has {size} bytes; this conversion takes up to {max_input}."
        )
    if expected not in _KNOWN:
        return []
    file.seek(0)
    head = file.read(_HEAD)
    try:
        actual = _actual(file, size, head)
        _check_entries(file, size, actual)
    except (archive.Refused, ole.Broken) as error:
        raise failed(
            getattr(error, "reason", "truncated"), f"{shown!r} cannot be opened: {error}."
        ) from error
    return _compare(actual, expected, head, shown)


def detect(head: bytes) -> str:
    """The format a file's first bytes show; empty for text and for what we do not know."""
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head[:2] == b"BM" and len(head) > 30 and head[6:10] == b"\0\0\0\0":
        return "bmp"
    if head[:2] == b"MZ" and b"\0" in head[:64]:
        return "exe"
    return ""


def _actual(file: IO[bytes], size: int, head: bytes) -> str:
    kind = detect(head)
    if kind == "zip":
        return zip_kind(file, archive.entries(file, size))
    if kind == "ole":
        compound = ole.Compound(file)
        if compound.encrypted():
            raise archive.Refused("password", "it is protected by a password")
        return compound.kind()
    return kind


def zip_kind(file: IO[bytes], found: list[archive.Entry]) -> str:
    """The kind of document in a ZIP file; `zip` for any other archive."""
    by_name = {entry.name: entry for entry in found}
    if (entry := by_name.get("mimetype")) is not None:
        text = archive.content(file, entry, 200).strip()
        for prefix, kind in _MIMETYPES.items():
            if text == prefix or text == prefix + b"-template":
                return kind
    if (entry := by_name.get("[Content_Types].xml")) is not None:
        return _main_part(archive.content(file, entry, 1 << 20))
    return "zip"


def _main_part(types: bytes) -> str:
    """The kind of an Office file, from the content type of its main part."""
    text = types.replace(b"\0", b"")
    for piece in text.split(b"<Override")[1:]:
        part = piece.split(b">", 1)[0]
        if b".main+xml" in part or b".main" in part:
            for word, kind in _CONTENT_TYPES:
                if word in part:
                    return kind
    for word, kind in _CONTENT_TYPES:
        if word in text:
            return kind
    return "zip"


def _check_entries(file: IO[bytes], size: int, kind: str) -> None:
    if kind not in ZIPPED and kind != "zip":
        return
    found = archive.entries(file, size)
    archive.check(file, found, xml=kind in ZIPPED)
    names = {entry.name for entry in found}
    if kind in ("odt", "ods", "odp"):
        manifest = [entry for entry in found if entry.name == "META-INF/manifest.xml"]
        if any(b"encryption-data" in archive.content(file, one, 1 << 22) for one in manifest):
            raise archive.Refused("password", "it is protected by a password")
    if kind == "pptx" and not any(n.startswith("ppt/slides/slide") for n in names):
        raise archive.Refused("bad_input", "it has no slides")


def _compare(actual: str, expected: str, head: bytes, shown: str) -> list[str]:
    if actual == expected or (not actual and expected in TEXT):
        if expected == "png":
            _check_pixels(head, shown)
        return []
    if actual in RASTER and expected in RASTER:
        return [f"{shown!r} is {NAMES[actual]}, whatever its name says"]
    if actual == "ps" and expected in TEXT:
        return []
    wanted = NAMES.get(expected, f"{expected} text" if expected in TEXT else expected)
    what = NAMES.get(actual) or _unknown(head)
    hint = (
        f"--from {actual}, or rename it" if actual in _KNOWN else "check where the file came from"
    )
    raise failed("wrong_type", f"{shown!r} is {what}, not {wanted}.", hint)


def _unknown(head: bytes) -> str:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:64].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "an HTML page"
    if start.startswith(b"<?xml"):
        return "an XML file"
    return "data of no kind we know" if b"\0" in head or not _printable(head) else "plain text"


def _printable(head: bytes) -> bool:
    odd = sum(byte < 0x20 and byte not in b"\t\r\n\f\x1b" for byte in head)
    return odd * 20 < len(head)


def _check_pixels(head: bytes, shown: str) -> None:
    """Refuse a PNG whose picture would not fit in memory, before a library allocates it."""
    if head[12:16] == b"IHDR" and len(head) >= 24:
        width, height = struct.unpack_from(">II", head, 16)
        if width * height > 400_000_000:
            raise failed("too_large", f"{shown!r} is a picture of {width} x {height} pixels.")
