"""ClickHouse 22 and newer over HTTP, its Native format decoded by clickhouse-connect.

PORT is the HTTP one: 8123, or 8443 with TLS, which SSLMODE (or `?secure=true` in a connection
string) asks for. Without SSLMODE the port decides: 8443 and 443 mean verify-full. Keys of its
own: COMPRESS (`false` turns LZ4 off for servers elsewhere).
"""

from __future__ import annotations

from dbtools.connection import Connection
from dbtools.drivers.clickhouse.session import ClickHouseSession
from dbtools.drivers.clickhouse.wire import Wire

__all__ = ["connect"]


def connect(connection: Connection, timeout_seconds: float) -> ClickHouseSession:
    """Open a connection for read-only statements that the server ends after timeout_seconds.

    HTTP has no login of its own: a wrong password or database shows with the first statement.
    Raises CONNECTION_FAILED and BAD_CONFIG.
    """
    return ClickHouseSession(Wire(connection), connection, timeout_seconds)
