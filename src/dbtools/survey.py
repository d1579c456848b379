"""What is known of a database's structure: from the cache while that is fresh, else read anew."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from dbtools.catalog import Catalog, Table
from dbtools.connection import Connection
from dbtools.engines import ENGINES
from dbtools.search import store
from dbtools.search.cache import CacheFile
from dbtools.search.model import Key
from dbtools.search.store import Listing, Stored
from toolbelt import __version__

if TYPE_CHECKING:
    from dbtools.drivers.base import Session
    from dbtools.search.index import Index

TTL_SECONDS: Final = 300
# Options that may hold a secret take no part in a cache file's name.
_SECRET_WORDS: Final = ("pass", "secret", "token", "key", "cred")
_SQLITE_MAGIC: Final = b"SQLite format 3\x00"


class Survey:
    """The structure of one connection's database, within the schemas asked for."""

    def __init__(
        self,
        connection: Connection,
        schemas: tuple[str, ...] = (),
        seconds: float = 30.0,
        *,
        refresh: bool = False,
    ) -> None:
        self._connection = connection
        self._schemas = schemas
        self._seconds = seconds
        self._for = _identity(connection, schemas)
        # A short name will do: the file says itself what it is for.
        self._key = f"{connection.engine}-{crc32(self._for.encode()):08x}"
        self._file = CacheFile.named(f"{self._key}.catalog")
        self._stamp = _stamp(connection)
        self._stored: Stored | None = None if refresh else self._cached()
        self.read_now = False

    def listing(self) -> Listing:
        """All tables by name."""
        return self._whole().listing

    def catalog(self) -> Catalog:
        """All tables in full."""
        return self._whole().catalog()

    def tables(self, wanted: set[Key]) -> list[Table]:
        """Some tables in full."""
        return self._whole().tables(wanted)

    def kept(self) -> Catalog | None:
        """All tables in full, if an earlier call left them and they are fresh."""
        return None if self._stored is None else self._stored.catalog()

    def glance(self, names: tuple[str, ...]) -> Catalog:
        """What costs nothing: all names, and the columns of the tables named. It is not kept."""
        return self._read(names, free=True)

    def again(self) -> bool:
        """Forget what came from the cache; False when it was read just now anyway."""
        if self.read_now:
            return False
        self._stored = None
        return True

    def live(self, wanted: set[Key]) -> list[Table]:
        """Some tables in full as they are at this moment; one that is gone is left out."""
        if self.read_now or self._stamp:
            return self.tables(wanted)
        names = tuple(sorted({name for _, name in wanted}))
        return [t for t in self._read(names).tables if (t.schema, t.name) in wanted]

    def index(self) -> Index:
        """The search index of the whole catalog, built when there is none for this structure."""
        from dbtools.search import index
        from dbtools.search.words import stemmer

        structure = self.listing().structure
        words = index.fingerprint()
        file = CacheFile.named(f"{self._key}.index")
        mark = [__version__, self._for, structure, stemmer()[0], words]
        found = index.loads(file.read(), mark)
        if found is None:
            found = index.build(self.catalog().tables)
            file.write(index.dumps(found, mark))
        return found

    def mark(self) -> str:
        """What vectors of this catalog were made from: another mark, other vectors."""
        from dbtools.search import index

        return json.dumps([__version__, self._for, self.listing().structure, index.fingerprint()])

    def vectors_file(self) -> CacheFile:
        """Where the sentence vectors of this connection's names are kept."""
        return CacheFile.named(f"{self._key}.vectors")

    def _whole(self) -> Stored:
        if self._stored is None:
            catalog = self._read(())
            self.read_now = True
            data = store.dump(catalog, self._head())
            self._file.write(data)
            self._stored = store.load(data, store.head_of(data))
        return self._stored

    def _head(self) -> dict[str, Any]:
        return {"tool": __version__, "made": time.time(), "stamp": self._stamp, "for": self._for}

    def _cached(self) -> Stored | None:
        data = self._file.read()
        if data is None:
            return None
        try:
            head = store.head_of(data)
            age = time.time() - float(head["made"])
            expected = {**self._head(), "made": head["made"]}
            if any(head[key] != value for key, value in expected.items()):
                return None
            return store.load(data, head) if 0 <= age < TTL_SECONDS else None
        except (ValueError, KeyError, TypeError):
            return None

    def _read(self, names: tuple[str, ...], *, free: bool = False) -> Catalog:
        from dbtools.deadline import Deadline, DeadlineReached, stop
        from dbtools.drivers.base import CatalogRequest, timeout_error

        request = CatalogRequest(self._schemas, names, timeout_seconds=self._seconds, free=free)
        session: Session | None = None
        try:
            with Deadline(self._seconds):
                session = self.session()
                return session.catalog(request)
        except DeadlineReached:
            if session is not None:
                stop(session)
            raise timeout_error(self._seconds) from None
        finally:
            if session is not None:
                session.close()

    def session(self) -> Session:
        """A new session; the caller closes it."""
        from dbtools.drivers import load

        return load(self._connection.engine).connect(self._connection, self._seconds)


def _identity(connection: Connection, schemas: tuple[str, ...]) -> str:
    """All that decides what the login sees; no secret goes in."""
    options: Mapping[str, str] = {
        k: v for k, v in connection.options.items() if not any(s in k for s in _SECRET_WORDS)
    }
    c = connection
    parts = [
        c.name,
        c.engine,
        c.host,
        c.port,
        c.database,
        c.user,
        c.schema,
        sorted(options.items()),
    ]
    return json.dumps([*parts, sorted(schemas)], ensure_ascii=True)


def _stamp(connection: Connection) -> str:
    """For a database in a file: what changes when its structure does. '' for a server."""
    if not ENGINES[connection.engine].files:
        return ""
    path = Path(connection.database)
    try:
        about = path.stat()
        with path.open("rb") as file:
            head = file.read(100)
        wal = Path(f"{path}-wal")
        log = wal.stat() if wal.exists() else None
    except OSError:
        return "unreadable"
    parts: list[object] = [about.st_dev, about.st_ino]
    if head.startswith(_SQLITE_MAGIC):
        # The schema cookie; without a write-ahead log it tells every change of structure.
        parts.append(head[40:44].hex())
    else:
        parts += [about.st_mtime_ns, about.st_size]
    if log is not None:
        parts += [log.st_mtime_ns, log.st_size]
    return "-".join(map(str, parts))
