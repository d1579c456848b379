"""SQL Server 2012 and newer and Azure SQL, over TDS 7.4 by python-tds.

HOST may name an instance (`server\\SALES`, or INSTANCE beside it), whose port the server's browser
service tells. Keys of its own: ENCRYPT and TRUST_SERVER_CERTIFICATE as connection strings spell
them (SSLMODE says the same), APPLICATION_INTENT (`ReadOnly` unless told), APPLICATION_NAME.
"""

from __future__ import annotations

from dbtools.connection import Connection
from dbtools.drivers.mssql.dialling import dial
from dbtools.drivers.mssql.session import SqlServerSession

__all__ = ["connect"]


def connect(connection: Connection, timeout_seconds: float) -> SqlServerSession:
    """Log in and begin the transaction that is always rolled back.

    Raises AUTH_FAILED, CONNECTION_FAILED and BAD_CONFIG.
    """
    return SqlServerSession(dial(connection, timeout_seconds), connection, timeout_seconds)
