"""MySQL 5.7 and newer, MariaDB 10.2 and newer, by PyMySQL.

Keys of their own beside the common ones: TIME_ZONE, the session's (`+00:00`, or a zone the server
knows). Without it the server's stays in force: NOW() and the like then mean what they mean to
everyone else there. A TIMESTAMP carries its offset where the session's zone has a fixed one.
"""

from __future__ import annotations

from dbtools.connection import Connection
from dbtools.drivers.mysql.dialing import dial
from dbtools.drivers.mysql.session import MySQLSession

__all__ = ["connect"]


def connect(connection: Connection, timeout_seconds: float) -> MySQLSession:
    """Open a read-only session whose statements the server ends after timeout_seconds.

    Raises CONNECTION_FAILED, AUTH_FAILED, BAD_CONFIG and MISSING_DEP.
    """
    return MySQLSession(dial(connection), connection, timeout_seconds)
