"""Is the output what it should be? A converter's exit code 0 proves nothing."""

from __future__ import annotations

import codecs
import os
import stat
import struct
from collections.abc import Callable
from typing import IO, Final

from convert import archive, pdf, sniff
from convert.request import failed
from toolbelt.errors import ToolError

_MAX_PDF: Final = 512 << 20


class Wrong(ValueError):
    """The output is not what it should be; the message says why."""


def check(file: IO[bytes], kind: str, limit: int, what: str) -> int:
    """The size of an output that is right; CONVERT_FAILED for one that is not.

    kind: the format it must have; formats we do not know must only not be empty.
    """
    info = os.fstat(file.fileno())
    if not stat.S_ISREG(info.st_mode):
        raise failed("wrong_output", f"{what} gave something that is not a regular file.")
    if info.st_size == 0:
        raise failed("empty_output", f"{what} gave an empty file.")
    if limit and info.st_size > limit:
        raise failed("too_large", f"{what} gave {info.st_size} bytes; {limit} is the limit.")
    rule = _RULES.get(kind)
    try:
        if rule is not None:
            file.seek(0)
            rule(file, kind, info.st_size)
    except (Wrong, archive.Refused, pdf.Broken) as error:
        raise failed("wrong_output", f"{what} gave a file that is not right: {error}.") from error
    return info.st_size


def nothing(what: str, tail: str = "") -> ToolError:
    """CONVERT_FAILED for a program that ended well and wrote nothing."""
    detail = {"stderrTail": tail} if tail else {}
    return failed(
        "empty_output", f"{what} ended without an error and without an output.",
        "the input is probably damaged, or of another kind than its name says", detail,
    )  # fmt: skip


def _pdf(file: IO[bytes], _kind: str, size: int) -> None:
    if size > _MAX_PDF:
        raise Wrong("it is too large to be looked at")
    if pdf.pages(file.read()) < 1:
        raise Wrong("it has no pages")


def _picture(file: IO[bytes], kind: str, _size: int) -> None:
    head = file.read(64)
    actual = sniff.detect(head)
    if actual != kind:
        raise Wrong(f"it is not {sniff.NAMES[kind]}")
    if kind == "png":
        width, height = struct.unpack_from(">II", head, 16) if len(head) >= 24 else (0, 0)
        if not width or not height:
            raise Wrong("it has no pixels")
        file.seek(-12, os.SEEK_END)
        if b"IEND" not in file.read():
            raise Wrong("it is cut off")


def _zip(file: IO[bytes], kind: str, size: int) -> None:
    actual = sniff.detect(file.read(64))
    found = archive.entries(file, size) if actual == "zip" else []
    if not found or sniff.zip_kind(file, found) != kind:
        raise Wrong(f"it is not {sniff.NAMES[kind]}")


def _text(file: IO[bytes], kind: str, _size: int) -> None:
    decoder, seen = codecs.getincrementaldecoder("utf-8")(), False
    while chunk := file.read(1 << 20):
        try:
            text = decoder.decode(chunk)
        except UnicodeDecodeError as error:
            raise Wrong("it is not UTF-8 text") from error
        if "\0" in text:
            raise Wrong("it holds NUL characters")
        seen = seen or bool(text.strip("\ufeff\f \t\r\n"))
    if decoder.getstate()[0]:
        raise Wrong("it is cut off inside a character")
    if not seen and kind not in ("csv", "tsv"):
        raise failed("empty_output", "The result holds no text at all.")


def _svg(file: IO[bytes], kind: str, size: int) -> None:
    head = file.read(4096)
    if b"<svg" not in head:
        raise Wrong("it is not an SVG picture")
    file.seek(0)
    _text(file, kind, size)


def _json(file: IO[bytes], kind: str, size: int) -> None:
    first = file.read(64).lstrip()[:1]
    file.seek(-min(size, 64), os.SEEK_END)
    last = file.read().rstrip()[-1:]
    if first + last not in (b"[]", b"{}"):
        raise Wrong("it is not a JSON document")
    file.seek(0)
    _text(file, kind, size)


def _parquet(file: IO[bytes], _kind: str, _size: int) -> None:
    head = file.read(4)
    file.seek(-4, os.SEEK_END)
    if head != b"PAR1" or file.read() != b"PAR1":
        raise Wrong("it is not a Parquet file")


_RULES: Final[dict[str, Callable[[IO[bytes], str, int], None]]] = {
    "pdf": _pdf, "svg": _svg, "json": _json, "parquet": _parquet,
    **dict.fromkeys(("png", "jpg", "gif", "webp", "bmp", "tiff"), _picture),
    **dict.fromkeys(("docx", "xlsx", "pptx", "odt", "ods", "odp", "epub"), _zip),
    **dict.fromkeys(("html", "md", "txt", "csv", "tsv", "jsonl", "rst"), _text),
}  # fmt: skip
