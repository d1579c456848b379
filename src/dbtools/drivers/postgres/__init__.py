"""PostgreSQL 12 and newer, by psycopg 3."""

from __future__ import annotations

from dbtools.connection import Connection

try:
    from dbtools.drivers.postgres.dialling import dial
    from dbtools.drivers.postgres.session import PostgresSession
except ImportError as error:
    if isinstance(error, ModuleNotFoundError):
        raise
    # psycopg alone: neither its compiled part nor a libpq of the system.
    raise ModuleNotFoundError(str(error), name="psycopg_binary") from error

__all__ = ["connect"]


def connect(connection: Connection, timeout_seconds: float) -> PostgresSession:
    """Open a read-only session whose statements the server ends after timeout_seconds.

    Raises CONNECTION_FAILED, AUTH_FAILED and BAD_CONFIG.
    """
    return PostgresSession(dial(connection, timeout_seconds))
