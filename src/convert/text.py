"""Text in, UTF-8 out: byte order mark, declaration, UTF-8, then a guess that says it is one.

Converters read UTF-8 only, or guess without a word; so every text is decoded before they see it.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import IO, Final

CHUNK: Final = 1 << 20
# What a label means in practice: the superset that files labelled so really use.
_LABELS: Final = {
    "ascii": "cp1252", "us-ascii": "cp1252", "latin1": "cp1252", "latin-1": "cp1252",
    "iso-8859-1": "cp1252", "iso8859-1": "cp1252", "iso_8859-1": "cp1252", "l1": "cp1252",
    "iso-8859-9": "cp1254", "latin5": "cp1254", "iso-8859-11": "cp874", "tis-620": "cp874",
    "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932",
    "windows-31j": "cp932", "ms_kanji": "cp932", "gb2312": "gb18030", "gbk": "gb18030",
    "gb_2312-80": "gb18030", "x-gbk": "gb18030", "euc-kr": "cp949", "ks_c_5601-1987": "cp949",
    "big5": "big5hkscs", "big5-hkscs": "big5hkscs", "utf8": "utf-8", "unicode": "utf-16",
    "x-mac-roman": "mac-roman", "macintosh": "mac-roman", "x-mac-cyrillic": "mac-cyrillic",
    "x-user-defined": "cp1252", "ansi": "cp1252",
}  # fmt: skip
# Encodings whose bytes are all ASCII: only the declaration tells them.
_SEVEN_BITS: Final = frozenset({"iso2022_jp", "iso2022_kr", "hz"})
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"), (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip


# Python's own inventions and those that write ASCII otherwise: no file is in them, readers of files
# refuse them, and to decode some takes for ever.
_NONE_OF_FILES: Final = frozenset(
    "idna punycode unicode-escape raw-unicode-escape undefined mbcs oem utf-7".split()
)


class NotText(ValueError):
    """The bytes are no text in any encoding we know; the message says why."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """How a text was read. encoding: Python's name. warning: what the reader should know."""

    encoding: str
    warning: str = ""


def codec(label: str) -> str | None:
    """Python's codec for an encoding's label, as files use it; None for an unknown one."""
    name = label.strip().strip("\"'").lower()
    name = _LABELS.get(name, name)
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    # Only encodings of text; `rot13`, `zip` and the like are codecs too.
    text = (
        getattr(found, "_is_text_encoding", True)
        and found.name.replace("_", "-") not in _NONE_OF_FILES
    )
    return found.name if text else None


def mark(head: bytes) -> tuple[str, int] | None:
    """Encoding and length of a byte order mark at the start; None without one."""
    for prefix, name in _MARKS:
        if head.startswith(prefix):
            return name, len(prefix)
    return None


def copy_utf8(
    source: IO[bytes], target: IO[bytes], *, encoding: str = "", declared: str = ""
) -> Decoded:
    """Copy a text as UTF-8 without a mark; NotText when it cannot be one.

    encoding: the caller's word, final. declared: the document's own word, used when it fits.
    """
    start = target.tell()
    source.seek(0)
    head = source.read(4)
    found = mark(head)
    if encoding:
        return _transcode(source, target, encoding, "")
    if found and found[0] != "utf-8":
        return _transcode(source, target, found[0], "", skip=found[1])
    own = codec(declared) if declared and not found else None
    if own in _SEVEN_BITS:
        return _transcode(source, target, own, "")
    # Bytes that are UTF-8 by chance are rarer than pages that say something else by mistake.
    if _copy_plain(source, target, skip=found[1] if found else 0):
        return Decoded("utf-8")
    _rewind(target, start)
    if own and not own.startswith("utf-"):
        try:
            return _transcode(source, target, own, "")
        except NotText:
            _rewind(target, start)
    return _guessed(source, target)


def _rewind(target: IO[bytes], start: int) -> None:
    target.seek(start)
    target.truncate()


def _copy_plain(source: IO[bytes], target: IO[bytes], *, skip: int) -> bool:
    """Copy while it is UTF-8 without NUL; False as soon as it is not."""
    source.seek(skip)
    decoder = codecs.getincrementaldecoder("utf-8")()
    while chunk := source.read(CHUNK):
        if b"\0" in chunk:
            return False
        if not chunk.isascii() or decoder.getstate()[0]:
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError:
                return False
        target.write(chunk)
    return not decoder.getstate()[0]


def _transcode(
    source: IO[bytes], target: IO[bytes], encoding: str, warning: str, *, skip: int = 0
) -> Decoded:
    source.seek(skip)
    decoder = codecs.getincrementaldecoder(encoding)()
    first, final = True, False
    while not final:
        chunk = source.read(CHUNK)
        final = not chunk
        try:
            text = decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            raise NotText(f"it is not {encoding} text: {error.reason}") from error
        if "\0" in text:
            raise NotText("it holds NUL characters")
        target.write(text.removeprefix("\ufeff").encode() if first else text.encode())
        first = False
    return Decoded(encoding, warning)


def _guessed(source: IO[bytes], target: IO[bytes]) -> Decoded:
    source.seek(0)
    raw = source.read()
    if b"\0" in raw:
        name = _utf16(raw)
        if name is None:
            raise NotText("it holds NUL bytes")
        note = f"the text has no byte order mark; it was read as {name}"
        return _transcode(source, target, name, note)
    nearly = _nearly_utf8(raw)
    if nearly is not None:
        text, bad = nearly
        target.write(text.encode())
        note = f"{bad} bytes are not UTF-8; each was replaced by U+FFFD"
        return Decoded("utf-8", note)
    from convert.guess import guess

    name = guess(raw)
    note = f"the text is not UTF-8; it was read as {name}, a guess (--opt encoding=NAME settles it)"
    return _transcode(source, target, name, note)


def _nearly_utf8(raw: bytes) -> tuple[str, int] | None:
    """The text with its few bad bytes replaced, when nearly all that is not ASCII is UTF-8."""
    text = raw.decode("utf-8", "replace").removeprefix("\ufeff")
    bad = text.count("\ufffd") - raw.count("\ufffd".encode())
    good = sum(1 for char in text if char > "\x7f") - bad
    return (text, bad) if good > 10 * bad else None


def _utf16(raw: bytes) -> str | None:
    """Which UTF-16 a text without a mark is: most of its NULs stand on one side."""
    sample = raw[:4096]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    many = len(sample) // 8
    if odd > many and odd > 8 * even:
        return "utf-16-le"
    return "utf-16-be" if even > many and even > 8 * odd else None
