"""ZIP containers (docx, xlsx, pptx, odt, epub, ...): what they are, and whether they are bombs.

The directory is read by our own few lines, so that its size is known before anything is allocated;
every entry is then inflated once, in pieces and up to a limit, because headers lie.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final

MAX_ENTRIES: Final = 10_000
MAX_TOTAL: Final = 512 << 20
MAX_RATIO: Final = 200
RATIO_FROM: Final = 1 << 20
_CHUNK: Final = 1 << 18
_END, _END64, _LOCATOR64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_ENTRY, _LOCAL = b"PK\x01\x02", b"PK\x03\x04"
_ENCRYPTED: Final = 0x1
_DOCTYPES: Final = tuple(
    word.encode(code) for word in ("<!ENTITY",) for code in ("ascii", "utf-16-le", "utf-16-be")
)


class Refused(ValueError):
    """The container may not be opened. reason: of the error a caller sees."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Entry:
    """One file in the container, as its directory describes it."""

    name: str
    method: int
    flags: int
    packed: int
    size: int
    offset: int


def entries(file: IO[bytes], length: int) -> list[Entry]:
    """The directory of a ZIP file of `length` bytes."""
    count, size, offset = _directory(file, length)
    if count > MAX_ENTRIES:
        raise Refused("bomb", f"it holds {count} entries; {MAX_ENTRIES} is the limit")
    if size > 256 * MAX_ENTRIES or offset + size > length:
        raise Refused("truncated", "its directory is damaged or cut off")
    file.seek(offset)
    found = list(_entries(file.read(size)))
    if len(found) != count:
        raise Refused("truncated", "its directory is damaged or cut off")
    if sum(entry.packed for entry in found) > length:
        raise Refused("bomb", "its entries overlap")
    return found


def _directory(file: IO[bytes], length: int) -> tuple[int, int, int]:
    """Number of entries, size and place of the directory."""
    start = max(length - 65557, 0)
    file.seek(start)
    tail = file.read()
    place = tail.rfind(_END)
    if place < 0 or len(tail) - place < 22:
        raise Refused("truncated", "it is cut off: the end of its directory is missing")
    count, size, offset = struct.unpack_from("<HII", tail, place + 10)
    if 0xFFFF in (count,) or 0xFFFFFFFF in (size, offset):
        locator = tail.rfind(_LOCATOR64, 0, place)
        if locator >= 0:
            (where,) = struct.unpack_from("<Q", tail, locator + 8)
            file.seek(min(where, length))
            record = file.read(56)
            if len(record) == 56 and record.startswith(_END64):
                count, size, offset = struct.unpack_from("<QQQ", record, 32)
    return count, size, offset


def _entries(data: bytes) -> Iterator[Entry]:
    place = 0
    while data.startswith(_ENTRY, place) and place + 46 <= len(data):
        flags, method = struct.unpack_from("<HH", data, place + 8)
        packed, size, name_length, extra_length, comment = struct.unpack_from(
            "<IIHHH", data, place + 20
        )
        (offset,) = struct.unpack_from("<I", data, place + 42)
        raw = data[place + 46 : place + 46 + name_length]
        extra = data[place + 46 + name_length : place + 46 + name_length + extra_length]
        size, packed, offset = _large(extra, size, packed, offset)
        name = raw.decode("utf-8" if flags & 0x800 else "cp437", "replace")
        yield Entry(name, method, flags, packed, size, offset)
        place += 46 + name_length + extra_length + comment


def _large(extra: bytes, size: int, packed: int, offset: int) -> tuple[int, int, int]:
    """The three numbers, read from the 64-bit field where the plain one is full."""
    place = 0
    while place + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, place)
        if kind == 1:
            numbers = iter(struct.unpack_from(f"<{length // 8}Q", extra, place + 4))
            size = next(numbers, size) if size == 0xFFFFFFFF else size
            packed = next(numbers, packed) if packed == 0xFFFFFFFF else packed
            offset = next(numbers, offset) if offset == 0xFFFFFFFF else offset
            break
        place += 4 + length
    return size, packed, offset


def check(file: IO[bytes], found: list[Entry], *, xml: bool) -> None:
    """Refuse bombs, names that lead outside, and (xml) documents that define entities."""
    total = sum(entry.size for entry in found)
    if total > MAX_TOTAL:
        raise Refused(
            "bomb", f"it would unpack to {total >> 20} MB; {MAX_TOTAL >> 20} MB is the limit"
        )
    for entry in found:
        if entry.name.startswith(("/", "\\")) or ".." in entry.name.replace("\\", "/").split("/"):
            raise Refused("bad_input", f"its entry {entry.name!r} leads out of it")
        if entry.size > RATIO_FROM and entry.size > MAX_RATIO * max(entry.packed, 1):
            raise Refused("bomb", f"its entry {entry.name!r} is packed more than {MAX_RATIO}:1")
    left = MAX_TOTAL
    for entry in found:
        entities = xml and entry.name.lower().endswith((".xml", ".rels", ".xhtml", ".opf", ".ncx"))
        left -= _inflate(file, entry, left, entities=entities)


def _inflate(file: IO[bytes], entry: Entry, limit: int, *, entities: bool) -> int:
    """Unpack an entry without keeping it; its true size."""
    count, before = 0, b""
    for piece in pieces(file, entry):
        count += len(piece)
        if count > limit or count > entry.size:
            raise Refused("bomb", f"its entry {entry.name!r} is larger than it says")
        if entities and any(word in before + piece for word in _DOCTYPES):
            raise Refused("bad_input", f"its part {entry.name!r} defines XML entities")
        before = piece[-16:]
    return count


def pieces(file: IO[bytes], entry: Entry) -> Iterator[bytes]:
    """An entry's content in pieces; nothing for methods other than stored and deflated."""
    if entry.flags & _ENCRYPTED:
        raise Refused("password", "its entries are encrypted")
    file.seek(entry.offset)
    head = file.read(30)
    if len(head) < 30 or not head.startswith(_LOCAL):
        raise Refused("truncated", f"its entry {entry.name!r} is damaged or cut off")
    name_length, extra_length = struct.unpack_from("<HH", head, 26)
    file.seek(entry.offset + 30 + name_length + extra_length)
    if entry.method not in (0, 8):
        return
    inflate = zlib.decompressobj(-15) if entry.method == 8 else None
    left = entry.packed
    while left:
        raw = file.read(min(left, _CHUNK))
        if not raw:
            raise Refused("truncated", f"its entry {entry.name!r} is cut off")
        left -= len(raw)
        if inflate is None:
            yield raw
            continue
        try:
            while raw:
                yield inflate.decompress(raw, _CHUNK)
                raw = inflate.unconsumed_tail
        except zlib.error as error:
            raise Refused("truncated", f"its entry {entry.name!r} is damaged: {error}") from error


def content(file: IO[bytes], entry: Entry, limit: int) -> bytes:
    """The first bytes of an entry, up to a limit."""
    found = bytearray()
    for piece in pieces(file, entry):
        found += piece
        if len(found) >= limit:
            break
    return bytes(found[:limit])
