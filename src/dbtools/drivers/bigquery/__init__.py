"""BigQuery over its REST API, by google-cloud-bigquery.

Keys of its own: PROJECT (who pays; a connection string has it as host: `bigquery://project/dataset`),
CREDENTIALS (a key file's path or its JSON; without it Application Default Credentials),
MAX_BYTES_BILLED, LOCATION, ENDPOINT. NAME (DB when numbered) is the dataset that unqualified names
are in. BIGQUERY_EMULATOR_HOST is honoured as Google's own client does.
"""

from __future__ import annotations

from importlib.util import find_spec

from dbtools.connection import Connection
from dbtools.drivers.bigquery import dialling
from dbtools.drivers.bigquery.session import BigQuerySession

__all__ = ["connect"]

# The library is imported where it is used; that it is missing must show when we are.
if find_spec("google") is None or find_spec("google.cloud.bigquery") is None:
    raise ModuleNotFoundError("No module named google.cloud.bigquery", name="google.cloud.bigquery")


def connect(connection: Connection, timeout_seconds: float) -> BigQuerySession:
    """A session whose credentials, project and dataset one cheap request has proven.

    Raises AUTH_FAILED, CONNECTION_FAILED and BAD_CONFIG.
    """
    config = dialling.read(connection)
    return BigQuerySession(dialling.dial(config, connection), config, connection, timeout_seconds)
