"""What is in a compound file (the container of .doc, .xls, .ppt and of encrypted Office files)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final

MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAX_SECTORS: Final = 1 << 20
_END: Final = 0xFFFFFFFA  # this and above are marks, not sectors
_MINI: Final = 4096
_SMALL: Final = 64
_MAX_TABLES: Final = 256
_FILEPASS: Final = 0x2F


class Broken(ValueError):
    """The container's own structure does not hold."""


@dataclass(frozen=True, slots=True)
class Stream:
    """name: in its folder. start: first sector. size: bytes."""

    name: str
    start: int
    size: int


class Compound:
    """The directory of a compound file; reads no more than it needs."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        head = self._at(0, 512)
        if len(head) < 512 or not head.startswith(MAGIC):
            raise Broken("its header is cut off")
        (shift,) = struct.unpack_from("<H", head, 30)
        if shift not in (9, 12):
            raise Broken("its header is damaged")
        self.sector = 1 << shift
        self.fat_sectors = [n for n in struct.unpack_from("<109I", head, 76) if n < _END]
        first, _, _, self.first_mini, _, further = struct.unpack_from("<6I", head, 48)
        self._more_sectors(further)
        self.streams = {stream.name: stream for stream in self._directory(first)}

    def kind(self) -> str:
        """`doc`, `xls`, `ppt`, `encrypted` (an Office Open XML file with a password) or `ole`."""
        if "EncryptedPackage" in self.streams:
            return "encrypted"
        for name, kind in (
            ("WordDocument", "doc"), ("Workbook", "xls"), ("Book", "xls"),
            ("PowerPoint Document", "ppt"),
        ):  # fmt: skip
            if name in self.streams:
                return kind
        return "ole"

    def encrypted(self) -> bool:
        """Whether the document inside asks for a password."""
        kind = self.kind()
        if kind == "encrypted":
            return True
        if kind == "doc":
            head = self._start("WordDocument", 16)
            return len(head) >= 12 and bool(struct.unpack_from("<H", head, 10)[0] & 0x0100)
        if kind == "xls":
            return self._has_filepass()
        return "EncryptedSummary" in self.streams

    def _has_filepass(self) -> bool:
        """A FILEPASS record stands right after the workbook's first records."""
        name = "Workbook" if "Workbook" in self.streams else "Book"
        data, place = self._start(name, 1024), 0
        while place + 4 <= len(data):
            record, length = struct.unpack_from("<HH", data, place)
            if record == _FILEPASS:
                return True
            place += 4 + length
        return False

    def content(self, name: str) -> bytes:
        """A whole stream; Broken when it is cut off."""
        stream = self.streams[name]
        if stream.size >= _MINI:
            data = self._join(stream.start, stream.size)
        else:
            root = self.streams["Root Entry"]
            small, table = self._join(root.start, root.size), self._join(self.first_mini, None)
            data, number, left = b"", stream.start, len(table) // 4
            while number < _END and left and len(data) < stream.size:
                data += small[number * _SMALL : (number + 1) * _SMALL]
                (number,) = struct.unpack_from("<I", table, number * 4)
                left -= 1
        if len(data) < stream.size:
            raise Broken("it is cut off")
        return data[: stream.size]

    def _join(self, first: int, size: int | None) -> bytes:
        """The sectors of a chain, as many as hold `size` bytes; None for all."""
        pieces, length = [], 0
        for number in self._chain(first):
            if size is not None and length >= size:
                break
            pieces.append(self._at((number + 1) * self.sector, self.sector))
            length += self.sector
        return b"".join(pieces)

    def _more_sectors(self, number: int) -> None:
        """What the header has no room for: where the allocation table of a large file lies."""
        seen: set[int] = set()
        while number < _END and number not in seen and len(seen) < _MAX_TABLES:
            seen.add(number)
            data = self._at((number + 1) * self.sector, self.sector)
            if len(data) < self.sector:
                return
            *sectors, number = struct.unpack(f"<{self.sector // 4}I", data)
            self.fat_sectors += [n for n in sectors if n < _END]

    def _start(self, name: str, count: int) -> bytes:
        stream = self.streams[name]
        if stream.size < _MINI:
            return b""
        return self._at((stream.start + 1) * self.sector, min(count, self.sector))

    def _directory(self, first: int) -> Iterator[Stream]:
        for number in self._chain(first):
            data = self._at((number + 1) * self.sector, self.sector)
            for place in range(0, len(data) - 127, 128):
                length, kind = struct.unpack_from("<HB", data, place + 64)
                if kind in (1, 2, 5) and 2 <= length <= 64:
                    raw = data[place : place + length - 2]
                    start, size = struct.unpack_from("<II", data, place + 116)
                    yield Stream(raw.decode("utf-16-le", "replace"), start, size)

    def _chain(self, number: int) -> Iterator[int]:
        seen: set[int] = set()
        while number < _END:
            if number in seen or len(seen) > _MAX_SECTORS:
                raise Broken("its directory goes round in circles")
            seen.add(number)
            yield number
            number = self._next(number)

    def _next(self, number: int) -> int:
        which, place = divmod(number, self.sector // 4)
        if which >= len(self.fat_sectors):
            raise Broken("it is cut off")
        entry = self._at((self.fat_sectors[which] + 1) * self.sector + place * 4, 4)
        if len(entry) < 4:
            raise Broken("it is cut off")
        return int(struct.unpack("<I", entry)[0])

    def _at(self, place: int, count: int) -> bytes:
        self.file.seek(place)
        return self.file.read(count)
