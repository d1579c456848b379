"""Connection options of MongoDB, from DB_* keys or a connection string."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pymongo import MongoClient
from pymongo.database import Database
from pymongo.monitoring import CommandListener

from dbtools.connection import Connection
from dbtools.drivers import network, tls
from toolbelt import settings
from toolbelt.errors import ToolError

APP_NAME = "sandbox-toolbelt"
_NO_HEARTBEAT_MS = 86_400_000
_PREFERENCES = ("primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest")
_SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")


def client(connection: Connection, listener: CommandListener | None = None) -> MongoClient[Any]:
    """A client with one pooled connection, no retries and no background surprises.

    Raises CONNECTION_FAILED and BAD_CONFIG, and what the client library raises.
    """
    milliseconds = connection.limits.connect_timeout_ms
    url = connection.url.reveal() if connection.url is not None else None
    return MongoClient(
        url if url is not None else connection.host,
        None if url is not None else connection.port,
        appname=APP_NAME,
        connectTimeoutMS=milliseconds,
        serverSelectionTimeoutMS=milliseconds,
        maxPoolSize=2,
        retryReads=False,
        # A busy server that is late to answer a heartbeat would have our statement cut off.
        serverMonitoringMode="poll",
        heartbeatFrequencyMS=_NO_HEARTBEAT_MS,
        event_listeners=[] if listener is None else [listener],
        datetime_conversion="DATETIME_AUTO",
        tz_aware=True,
        uuidRepresentation="standard",
        **_options(connection, from_url=url is not None),
    )


def reach(connection: Connection, client: MongoClient[Any]) -> None:
    """CONNECTION_FAILED at once where one server is meant and there is none.

    The library looks for it until its time is up, in case it should come back.
    """
    seeds = client.topology_description.server_descriptions()
    srv = connection.url is not None and connection.url.reveal().startswith("mongodb+srv:")
    if len(seeds) != 1 or srv:
        return
    host, port = next(iter(seeds))
    if port is None:
        return  # a socket's path
    try:
        network.dial(host, port, connection.limits.connect_timeout_ms / 1000).close()
    except OSError as error:
        raise network.unreachable("MongoDB", f"{host}:{port}", error, connection) from error


def _options(connection: Connection, *, from_url: bool) -> dict[str, Any]:
    options: Mapping[str, str] = connection.options
    made: dict[str, Any] = {}
    if connection.user:
        made["username"] = connection.user
    if connection.password is not None:
        made["password"] = connection.password.reveal()
    if not from_url:
        named = {
            "authSource": options.get("auth_source"),
            "authMechanism": options.get("auth_mechanism"),
            "replicaSet": options.get("replica_set"),
        }
        made |= {key: value for key, value in named.items() if value}
        # One address without a replica set means that server, whatever set it belongs to.
        if not made.get("replicaSet") and "," not in connection.host:
            made["directConnection"] = True
    preference = options.get("read_preference")
    if preference:
        made["readPreference"] = settings.one_of(
            preference, f"{connection.source}READ_PREFERENCE", _PREFERENCES
        )
    return made | _tls(connection)


def _tls(connection: Connection) -> dict[str, Any]:
    options = connection.options
    mode = options.get("sslmode", "")
    if mode:
        settings.one_of(mode, f"{connection.source}SSLMODE", _SSL_MODES)
    given = tls.readable(connection)
    files = {
        "tlsCAFile": "" if given["ssl_ca"] == "system" else given["ssl_ca"],
        "tlsCertificateKeyFile": given["ssl_key"] or given["ssl_cert"],
    }
    made: dict[str, Any] = {key: value for key, value in files.items() if value}
    if not mode and not made:
        return {}
    if mode in ("disable", "allow", "prefer"):
        # There is no upgrade in the protocol: TLS is on or off.
        if mode != "disable" and made:
            return {**made, "tls": True}
        return {"tls": False} if mode == "disable" else {}
    made["tls"] = True
    if mode == "require" and not files["tlsCAFile"]:
        made["tlsAllowInvalidCertificates"] = True
    if mode == "verify-ca":
        made["tlsAllowInvalidHostnames"] = True
    return made


def database(connection: Connection, given: MongoClient[Any]) -> Database[Any]:
    """The connection's database, which decodes bytes that are no UTF-8 for BsonEncoder to tell."""
    options = given.codec_options.with_options(unicode_decode_error_handler="surrogateescape")
    return given.get_database(_name(connection, given), codec_options=options)


def _name(connection: Connection, given: MongoClient[Any]) -> str:
    """The database's name, from DB_* or the connection string; BAD_CONFIG when neither says."""
    name = connection.database
    if not name and connection.url is not None:
        from pymongo.errors import ConfigurationError

        try:
            name = given.get_default_database().name
        except ConfigurationError:
            name = ""
    if not name:
        key = "NAME" if connection.source == "DB_" else "DB"
        raise ToolError(
            "BAD_CONFIG", f"{connection.source}{key}, the database's name, is missing.",
            hint=f"export {connection.source}{key}=…",
        )  # fmt: skip
    return name
