"""How many pages a PDF has, read from its own page tree: no library, bounded work.

Enough of the format to follow startxref, cross-reference tables and streams, object streams and
the catalog. Used on what a converter wrote, because exit code 0 proves nothing.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Final

_SPACE: Final = b"\0\t\n\f\r "
_DELIMITERS: Final = b"()<>[]{}/%"
_MAX_DEPTH: Final = 40
_MAX_STREAM: Final = 64 << 20


class Broken(ValueError):
    """The file cannot be read as a PDF; the message says where it fails."""


@dataclass(frozen=True, slots=True)
class Ref:
    """An indirect reference: object number."""

    number: int


class Name(str):
    """A name object, without its slash."""

    __slots__ = ()


class Parser:
    """Objects at a place in a buffer."""

    def __init__(self, data: bytes, place: int = 0) -> None:
        self.data = data
        self.place = place

    def skip(self) -> None:
        data, place = self.data, self.place
        while place < len(data):
            if data[place] in _SPACE:
                place += 1
            elif data[place] == 0x25:
                while place < len(data) and data[place] not in b"\r\n":
                    place += 1
            else:
                break
        self.place = place

    def word(self) -> bytes:
        """The next run of regular characters; empty at a delimiter or the end."""
        self.skip()
        start = self.place
        while self.place < len(self.data):
            byte = self.data[self.place]
            if byte in _SPACE or byte in _DELIMITERS:
                break
            self.place += 1
        return self.data[start : self.place]

    def integer(self) -> int:
        word = self.word()
        if not word.isdigit() or len(word) > 12:
            raise Broken(f"a number was expected at {self.place}")
        return int(word)

    def value(self, depth: int = 0) -> object:
        if depth > _MAX_DEPTH:
            raise Broken("objects are nested too deep")
        self.skip()
        two = self.data[self.place : self.place + 2]
        if two == b"<<":
            return self._dictionary(depth)
        first = two[:1]
        if first == b"[":
            return self._array(depth)
        if first == b"/":
            self.place += 1
            return Name(self.word().decode("latin-1"))
        if first == b"(":
            return self._string()
        if first == b"<":
            return self._hex()
        return self._number_or_word()

    def _dictionary(self, depth: int) -> dict[str, object]:
        self.place += 2
        found: dict[str, object] = {}
        while True:
            self.skip()
            if self.data[self.place : self.place + 2] == b">>":
                self.place += 2
                return found
            key = self.value(depth + 1)
            if not isinstance(key, Name):
                raise Broken(f"a name was expected at {self.place}")
            found[str(key)] = self.value(depth + 1)

    def _array(self, depth: int) -> list[object]:
        self.place += 1
        found: list[object] = []
        while True:
            self.skip()
            if self.data[self.place : self.place + 1] == b"]":
                self.place += 1
                return found
            found.append(self.value(depth + 1))

    def _string(self) -> bytes:
        start, depth = self.place, 0
        while self.place < len(self.data):
            byte = self.data[self.place]
            self.place += 1
            if byte == 0x5C:
                self.place += 1
            elif byte == 0x28:
                depth += 1
            elif byte == 0x29:
                depth -= 1
                if depth == 0:
                    return self.data[start + 1 : self.place - 1]
        raise Broken("a string is not closed")

    def _hex(self) -> bytes:
        end = self.data.find(b">", self.place)
        if end < 0:
            raise Broken("a string is not closed")
        text, self.place = self.data[self.place + 1 : end], end + 1
        return text

    def _number_or_word(self) -> object:
        word = self.word()
        if not word:
            raise Broken(f"an object was expected at {self.place}")
        if not word.isdigit():
            return word
        after = self.place
        generation, keyword = self.word(), self.word()
        if generation.isdigit() and keyword == b"R":
            return Ref(int(word[:12]))
        self.place = after
        return int(word[:12])


@dataclass(slots=True)
class Document:
    """A PDF's cross-reference: object number -> place in the file, or (object stream, index)."""

    data: bytes
    places: dict[int, int | tuple[int, int]] = field(default_factory=dict)
    trailer: dict[str, object] = field(default_factory=dict)
    opened: dict[int, tuple[bytes, list[tuple[int, int]]]] = field(default_factory=dict)

    def read(self) -> None:
        """Read every cross-reference section, newest first."""
        start = self.data.rfind(b"startxref")
        if not self.data.startswith(b"%PDF-") and b"%PDF-" not in self.data[:1024]:
            raise Broken("it does not begin with %PDF-")
        if start < 0:
            raise Broken("it has no startxref: it is cut off")
        todo, seen = [Parser(self.data, start + 9).integer()], set[int]()
        while todo:
            place = todo.pop(0)
            if place in seen or place >= len(self.data):
                continue
            seen.add(place)
            trailer = self._section(place)
            for key, value in trailer.items():
                self.trailer.setdefault(key, value)
            todo += [v for k in ("XRefStm", "Prev") if isinstance(v := trailer.get(k), int)]

    def _section(self, place: int) -> dict[str, object]:
        parser = Parser(self.data, place)
        word = parser.word()
        if word == b"xref":
            return self._table(parser)
        parser.word(), parser.word()
        trailer = parser.value()
        if not isinstance(trailer, dict):
            raise Broken("its cross-reference is damaged")
        self._stream_section(trailer, self._stream(parser, trailer))
        return trailer

    def _table(self, parser: Parser) -> dict[str, object]:
        while (word := parser.word()) != b"trailer":
            if not word.isdigit():
                raise Broken("its cross-reference table is damaged")
            first, count = int(word[:12]), parser.integer()
            for number in range(first, first + min(count, len(self.data) // 18 + 1)):
                place, _generation, kind = parser.integer(), parser.integer(), parser.word()
                if kind == b"n":
                    self.places.setdefault(number, place)
        trailer = parser.value()
        if not isinstance(trailer, dict):
            raise Broken("its trailer is damaged")
        return trailer

    def _stream_section(self, trailer: dict[str, object], data: bytes) -> None:
        widths, size = trailer.get("W"), trailer.get("Size")
        if not isinstance(widths, list) or len(widths) != 3 or not isinstance(size, int):
            raise Broken("its cross-reference stream is damaged")
        a, b, c = (w if isinstance(w, int) and 0 <= w <= 8 else 0 for w in widths)
        index = trailer.get("Index")
        ranges = index if isinstance(index, list) else [0, size]
        place, step = 0, a + b + c
        for first, count in zip(ranges[::2], ranges[1::2], strict=False):
            if not isinstance(first, int) or not isinstance(count, int) or not step:
                raise Broken("its cross-reference stream is damaged")
            for number in range(first, first + min(count, len(data) // step)):
                row = data[place : place + step]
                place += step
                kind = int.from_bytes(row[:a], "big") if a else 1
                where, more = int.from_bytes(row[a : a + b], "big"), row[a + b :]
                if kind == 1:
                    self.places.setdefault(number, where)
                elif kind == 2:
                    self.places.setdefault(number, (where, int.from_bytes(more, "big")))

    def _stream(self, parser: Parser, info: dict[str, object]) -> bytes:
        if parser.word() != b"stream":
            raise Broken("a stream was expected")
        start = parser.place + (2 if self.data[parser.place : parser.place + 2] == b"\r\n" else 1)
        length = self.resolve(info.get("Length"))
        if not isinstance(length, int) or start + length > len(self.data):
            raise Broken("a stream is cut off")
        raw = self.data[start : start + length]
        filters = info.get("Filter")
        names = filters if isinstance(filters, list) else [filters] if filters else []
        for name in names:
            if name != "FlateDecode":
                raise Broken(f"a stream is packed with {name}")
            try:
                raw = zlib.decompressobj().decompress(raw, _MAX_STREAM)
            except zlib.error as error:
                raise Broken(f"a stream is damaged: {error}") from error
        return _unpredict(raw, info.get("DecodeParms"))

    def resolve(self, value: object, depth: int = 0) -> object:
        """What a reference stands for; other values themselves."""
        while isinstance(value, Ref):
            depth += 1
            if depth > _MAX_DEPTH:
                raise Broken("references go round in circles")
            place = self.places.get(value.number)
            if place is None:
                return None
            value = self._packed(*place) if isinstance(place, tuple) else self._at(place)
        return value

    def _at(self, place: int) -> object:
        parser = Parser(self.data, place)
        parser.integer(), parser.integer()
        if parser.word() != b"obj":
            raise Broken(f"an object was expected at {place}")
        return parser.value()

    def _packed(self, stream: int, index: int) -> object:
        if stream not in self.opened:
            place = self.places.get(stream)
            if not isinstance(place, int):
                raise Broken("an object stream is missing")
            parser = Parser(self.data, place)
            parser.integer(), parser.integer(), parser.word()
            info = parser.value()
            if not isinstance(info, dict):
                raise Broken("an object stream is damaged")
            self.opened[stream] = _contents(self._stream(parser, info), info)
        content, places = self.opened[stream]
        if index >= len(places):
            raise Broken("an object stream is too short")
        return Parser(content, places[index][1]).value()


def _contents(raw: bytes, info: dict[str, object]) -> tuple[bytes, list[tuple[int, int]]]:
    count, first = info.get("N"), info.get("First")
    if not isinstance(count, int) or not isinstance(first, int):
        raise Broken("an object stream is damaged")
    parser = Parser(raw)
    pairs = [(parser.integer(), parser.integer() + first) for _ in range(min(count, len(raw)))]
    return raw, pairs


def _unpredict(raw: bytes, parameters: object) -> bytes:
    """Undo the PNG predictors that cross-reference streams are packed with."""
    one = parameters[0] if isinstance(parameters, list) and parameters else parameters
    if not isinstance(one, dict) or not isinstance(p := one.get("Predictor"), int) or p < 10:
        return raw
    columns = one.get("Columns")
    width = columns if isinstance(columns, int) and 0 < columns < 4096 else 1
    out, before = bytearray(), bytearray(width)
    for place in range(0, len(raw) - width, width + 1):
        kind, row = raw[place], bytearray(raw[place + 1 : place + 1 + width])
        if kind == 2:
            row = bytearray((x + up) & 255 for x, up in zip(row, before, strict=True))
        elif kind == 1:
            for column in range(1, width):
                row[column] = (row[column] + row[column - 1]) & 255
        elif kind != 0:
            raise Broken("a stream is packed in an unusual way")
        out += row
        before = row
    return bytes(out)


def pages(data: bytes) -> int:
    """The number of pages; Broken when the file cannot be read."""
    document = Document(data)
    document.read()
    root = document.resolve(document.trailer.get("Root"))
    tree = document.resolve(root.get("Pages")) if isinstance(root, dict) else None
    count = document.resolve(tree.get("Count")) if isinstance(tree, dict) else None
    if not isinstance(count, int):
        raise Broken("it has no page tree")
    return count
