"""What the login could do without the guard, and the statements that make one that cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from dbtools.drivers.base import Privileges
from dbtools.drivers.postgres.settings import quote_identifier
from dbtools.drivers.postgres.wire import Wire

_ROLE: Final = "sandbox_reader"
_LINES = {
    "superuser": "is a superuser: it may do anything, on the server's files too",
    "createrole": "may create roles and grant itself theirs",
    "createdb": "may create databases",
    "replication": "may start replication",
    "member": "is a member of {example}",
    "owns": "owns {count} (e.g. {example}) and may change or drop them",
    "create in schema": "may create tables and functions in schema {example}",
    "create schema": "may create schemas in this database",
}


def read(wire: Wire) -> Privileges:
    """One round trip; can_write is empty for a login that may only read."""
    rows = wire.query(Path(__file__).with_name("privileges.sql").read_text(encoding="utf-8"))
    me = next(row for row in rows if row[0] == "me")
    schemas = sorted(row[2] or "" for row in rows if row[0] == "schema")
    reasons = [row for row in rows if row[0] not in ("me", "schema")]
    return Privileges(
        login=me[2] or "",
        can_write=tuple(_line(row[0] or "", row[1] or "0", row[2] or "") for row in reasons),
        grants=tuple(_grants(me[3] or "", schemas)) if reasons else (),
    )


def _line(kind: str, count: str, example: str) -> str:
    counted = "1 table" if count == "1" else f"{count} tables"
    pattern = _LINES.get(kind, "may {kind} in {count} (e.g. {example})")
    return pattern.format(kind=kind, count=counted, example=example)


def _grants(database: str, schemas: list[str]) -> list[str]:
    lines = [
        f"CREATE ROLE {_ROLE} LOGIN PASSWORD '…';",
        f"ALTER ROLE {_ROLE} SET default_transaction_read_only = on;",
        f"GRANT CONNECT ON DATABASE {quote_identifier(database)} TO {_ROLE};",
    ]
    for schema in map(quote_identifier, schemas):
        lines += [
            f"GRANT USAGE ON SCHEMA {schema} TO {_ROLE};",
            f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {_ROLE};",
            f"ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT SELECT ON TABLES TO {_ROLE};",
        ]
    return lines
