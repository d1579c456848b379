"""What is kept of a stream that may be endless."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Captured:
    """Bytes kept of a stream. head: its beginning. tail: its end, where some was left out between.

    seen: bytes that came in all.
    """

    head: bytes
    tail: bytes
    seen: int

    @property
    def truncated(self) -> bool:
        return self.seen > len(self.head) + len(self.tail)

    @property
    def data(self) -> bytes:
        """Head and tail as one, with a line between that says what is missing."""
        if not self.truncated or not self.tail:
            return self.head + self.tail
        missing = self.seen - len(self.head) - len(self.tail)
        return self.head + f"\n[... {missing} bytes left out ...]\n".encode() + self.tail

    def text(self) -> str:
        """The data as text; a character cut in two at an edge is dropped, others are replaced."""
        if not self.truncated:
            return self.data.decode("utf-8", "replace")
        head = _whole_end(self.head)
        return Captured(head, _whole_start(self.tail), self.seen).data.decode("utf-8", "replace")


class Buffer:
    """Gathers a stream up to a size. tail: keep a quarter of it for the stream's end."""

    def __init__(self, size: int, *, tail: bool) -> None:
        self._tail_size = size // 4 if tail else 0
        self._head_size = size - self._tail_size
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_held = 0
        self.seen = 0

    @property
    def full(self) -> bool:
        return self.seen > self._head_size + self._tail_size

    def add(self, data: bytes) -> None:
        self.seen += len(data)
        room = self._head_size - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if not self._tail_size or not data:
            return
        # Whole pieces, the oldest dropped once the others suffice: nothing is copied twice.
        self._tail.append(data)
        self._tail_held += len(data)
        while self._tail_held - len(self._tail[0]) >= self._tail_size:
            self._tail_held -= len(self._tail.popleft())

    def captured(self) -> Captured:
        tail = b"".join(self._tail)[-self._tail_size :] if self._tail_size else b""
        return Captured(bytes(self._head), tail, self.seen)


def _whole_end(data: bytes) -> bytes:
    """Without the beginning of a character whose rest is missing."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[:-back] if back < needed else data
    return data


def _whole_start(data: bytes) -> bytes:
    """Without the rest of a character whose beginning is missing: three bytes at most."""
    skip = 0
    while skip < min(3, len(data)) and data[skip] & 0xC0 == 0x80:
        skip += 1
    return data[skip:]
