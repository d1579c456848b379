"""PostgreSQL 12 and newer, by psycopg 3."""

from __future__ import annotations

from dbtools.connection import Connection
from dbtools.drivers.postgres.dialling import dial
from dbtools.drivers.postgres.session import PostgresSession

__all__ = ["connect"]


def connect(connection: Connection, timeout_seconds: float) -> PostgresSession:
    """Open a read-only session whose statements the server ends after timeout_seconds.

    Raises CONNECTION_FAILED, AUTH_FAILED and BAD_CONFIG.
    """
    return PostgresSession(dial(connection, timeout_seconds))
