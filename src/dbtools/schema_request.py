"""What was asked of `db-schema`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

DEFAULT_TOKENS: Final = 8000


@dataclass(frozen=True, slots=True)
class SchemaRequest:
    """What the command line asked for.

    tables: names or globs, empty for all. searches: phrasings of one question. detail: 'names',
    'dense', 'full' or '' to choose by size. max_tokens: None for the default, 0 for no cap.
    after: the last table already seen. depth: how many references a diagram goes. samples: rows
    of each table. domain: the path of a domain file, None for the configured one.
    """

    connection: str | None = None
    tables: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    timeout_seconds: float | None = None
    pretty: bool = False
    detail: str = ""
    format: str = "json"
    max_tokens: int | None = None
    after: str = ""
    depth: int = 1
    samples: int = 0
    values: bool = False
    domain: str | None = None
    check_domain: bool = False
    refresh: bool = False
    workspace: str | None = None

    @property
    def cap(self) -> int:
        """Tokens an answer may have, 0 for any: who asks for all details gets them all."""
        if self.max_tokens is not None:
            return self.max_tokens
        return 0 if self.detail == "full" else DEFAULT_TOKENS
