"""Real database servers for the tests: one class an engine, started on a free loopback port.

    engine = PostgreSQL()
    server = engine.start()      # raises EngineError with an install hint, never skips
    server.env()                 # the DB_* variables of the least-privilege reader
    engine.stop()

No pytest in here: bench/ and a developer's shell use the same classes.
"""

from __future__ import annotations

from servers.base import Engine, EngineError, Login, Server
from servers.bigquery import BigQuery
from servers.clickhouse import ClickHouse
from servers.duckdb import DuckDB
from servers.mariadb import MariaDB
from servers.mongodb import MongoDB
from servers.postgres import PostgreSQL
from servers.sqlite import SQLite
from servers.tds import FakeSqlServer

__all__ = [
    "BigQuery",
    "ClickHouse",
    "DuckDB",
    "Engine",
    "EngineError",
    "FakeSqlServer",
    "Login",
    "MariaDB",
    "MongoDB",
    "PostgreSQL",
    "SQLite",
    "Server",
]
