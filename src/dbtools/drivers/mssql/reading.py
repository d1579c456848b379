"""python-tds' reader, kept from waiting for ever, guessing code pages and losing its way."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from pytds import tds_base
from pytds.collate import Collation, lcid2charset
from pytds.tds_reader import _TdsReader

from dbtools.drivers import network

# The bit of a collation that says so; the library does not know it.
_UTF8: Final = 0x4000000


class Garbled(tds_base.Error):  # type: ignore[misc]
    """What arrived is no TDS, or ends before its time."""


class Reader(_TdsReader):  # type: ignore[misc]
    """Never reads behind the end of an answer: the library's own would wait there for ever."""

    def recv(self, size: int) -> Any:
        while self._pos >= self._size:
            if self.stream_finished():
                raise Garbled("the answer ends in the middle of a value")
            self._read_packet()
        return super().recv(size)

    def read_fast(self, size: int) -> tuple[Any, int]:
        data, at = super().read_fast(size)
        missing = size - (self._pos - at) if data else size
        if missing <= 0:
            return data, at
        # The rest of the buffer is what an earlier packet left there.
        whole = bytes(data[at : self._pos])
        while len(whole) < size:
            whole += self.recv(size - len(whole))
        return whole, 0

    def get_collation(self) -> Any:
        raw = tds_base.readall(self, Collation.wire_size)
        made = _Collation.unpack(raw)
        made.utf8 = bool(int.from_bytes(raw[:4], "little") & _UTF8)
        return made


class _Collation(Collation):  # type: ignore[misc]
    """A collation's code page, also of `_UTF8` ones and of sort orders the library lacks."""

    utf8 = False

    def get_codec(self) -> codecs.CodecInfo:
        if self.utf8:
            return codecs.lookup("utf-8")
        try:
            return codecs.lookup(self.get_charset())
        except Exception as error:
            if type(error) is not Exception:
                raise
            # The library's own word for an unknown sort order: the language has a code page too.
            return codecs.lookup(lcid2charset(self.lcid))


@contextmanager
def reading() -> Iterator[None]:
    """Garbled, where the library stumbles over what it reads."""
    try:
        yield
    except UnicodeDecodeError:
        raise
    except network.GARBLED as error:
        raise Garbled(network.unreadable(error)) from error
