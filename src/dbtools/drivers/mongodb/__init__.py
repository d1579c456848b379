"""MongoDB: one read command on a client of its own; there is no read-only mode to lean on."""

from __future__ import annotations

from dbtools.connection import Connection
from dbtools.drivers.mongodb.session import MongoSession


def connect(connection: Connection, timeout_seconds: float) -> MongoSession:
    """Log in and reach a server, or fail within the connect timeout."""
    return MongoSession(connection, timeout_seconds)
