"""A named database: what the `DB_*` variables say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolbelt.settings import Secret


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one connection. Durations in milliseconds, sizes in bytes; None is no ceiling."""

    row_limit: int = 1000
    max_rows: int | None = None
    max_bytes: int = 5_000_000
    query_timeout_ms: int = 30_000
    connect_timeout_ms: int = 10_000


@dataclass(frozen=True, slots=True)
class Connection:
    """One connection; `engine` is the canonical type name, `database` a path on SQLite.

    options: per-engine keys in lower case (sslmode, ssl_ca, ...), strings as configured.
    source: the variable prefix it came from (`DB_`, `DB_2_`, `DATABASE_URL`), for messages.
    """

    name: str
    engine: str
    host: str = ""
    port: int | None = None
    database: str = ""
    user: str = ""
    password: Secret | None = None
    url: Secret | None = None
    schema: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = Limits()
    source: str = "DB_"
