"""What we tell libpq: where to go, how to prove it, and the settings a session starts with."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from dbtools.connection import Connection
from toolbelt.errors import ToolError
from toolbelt.settings import one_of

APPLICATION: Final = "sandbox-toolbelt"
_SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
# A path below a file cannot exist: libpq then reads no password file and no key from ~/.postgresql.
_NOWHERE = os.devnull + "/none"
_FILES = {"ssl_ca": "sslrootcert", "ssl_cert": "sslcert", "ssl_key": "sslkey"}
# libpq parameters that may be given as DB_<KEY> or behind the `?` of a connection string.
_PASSED_ON = (
    "hostaddr", "channel_binding", "gssencmode", "krbsrvname", "keepalives", "keepalives_idle",
    "keepalives_interval", "keepalives_count", "tcp_user_timeout", "require_auth", "sslcrl",
    "sslnegotiation", "sslpassword", "sslsni", "ssl_min_protocol_version",
    "ssl_max_protocol_version", "target_session_attrs", "load_balance_hosts",
)  # fmt: skip
# What a connection string calls the keys that messages name.
_URL_WORDS = {
    "HOST": "host", "PORT": "port", "USER": "user", "PASS": "the password", "NAME": "database",
    "SSLMODE": "sslmode", "SSL_CA": "sslrootcert", "SSL_CERT": "sslcert", "SSL_KEY": "sslkey",
}  # fmt: skip
_LOCK_WAIT_MS: Final = 10_000
_IDLE_MS: Final = 60_000


def parameters(connection: Connection) -> dict[str, str]:
    """libpq's connection parameters, all that the environment could otherwise fill in included."""
    hosts, ports = _hosts(connection)
    if not connection.user and not hosts.startswith("/"):
        # libpq would take the name of the system's user, which nobody configured.
        raise ToolError(
            "BAD_CONFIG", named("{USER} is missing", connection) + ".",
            hint=named("set {USER}", connection),
        )  # fmt: skip
    made = {
        "host": hosts,
        "port": ports,
        "dbname": database(connection),
        "user": connection.user,
        "password": connection.password.reveal() if connection.password else "",
        "passfile": _NOWHERE,
        # psycopg counts whole seconds, and a fraction of one would mean "for ever".
        "connect_timeout": str(max(1, -(-connection.limits.connect_timeout_ms // 1000))),
        "application_name": APPLICATION,
        "client_encoding": "UTF8",
        "gssencmode": "disable",
    }
    made |= {k: connection.options[k] for k in _PASSED_ON if connection.options.get(k)}
    made |= _tls(connection)
    return {key: value for key, value in made.items() if value}


def database(connection: Connection) -> str:
    """The database's name; that of the user where none is configured, as everywhere else."""
    return connection.database or connection.user


def _hosts(connection: Connection) -> tuple[str, str]:
    """A host and its port, or libpq's two comma-separated lists for `h1:5432,h2:5433`."""
    port = str(connection.port or 5432)
    if "," not in connection.host:
        return connection.host, port
    pairs = [
        (host, own) if own.isdigit() else (entry, port)
        for entry in connection.host.split(",")
        for host, _, own in [entry.rpartition(":")]
    ]
    return ",".join(host for host, _ in pairs), ",".join(own for _, own in pairs)


def _tls(connection: Connection) -> dict[str, str]:
    options = connection.options
    mode = options.get("sslmode", "").lower()
    if not mode and options.get("ssl", "").lower() in ("1", "true", "on", "require"):
        mode = "require"
    if mode:
        one_of(mode, named("{SSLMODE}", connection), _SSL_MODES)
    made = dict.fromkeys(_FILES.values(), _NOWHERE)
    for key, name in _FILES.items():
        path = options.get(key, "")
        if path and path != "system" and not os.access(path, os.R_OK):
            raise ToolError(
                "BAD_CONFIG",
                f"{named(f'{{{key.upper()}}}', connection)} names {path!r}, which cannot be read.",
                hint="check the path and its permissions",
            )  # fmt: skip
        made[name] = path or made[name]
    if mode == "verify-full" and not options.get("ssl_ca"):
        made["sslrootcert"] = "system"
    if mode == "verify-ca" and not options.get("ssl_ca"):
        raise ToolError(
            "BAD_CONFIG", named("{SSLMODE} is verify-ca without {SSL_CA}", connection) + ".",
            hint=named("set {SSL_CA}=/path/to/ca.pem, or {SSLMODE}=verify-full", connection),
        )  # fmt: skip
    return {"sslmode": mode, **made}


def pins(connection: Connection, timeout_seconds: float) -> dict[str, str]:
    """The settings of a session: read-only, its timeouts, and how text is read and written.

    The guard reads string literals by the standard's rule, and values are read by these styles;
    whatever the role or the database sets otherwise must not change that.
    """
    milliseconds = max(1, round(timeout_seconds * 1000))
    made = {
        "default_transaction_read_only": "on",
        "statement_timeout": str(milliseconds),
        "lock_timeout": str(min(milliseconds, _LOCK_WAIT_MS)),
        "idle_in_transaction_session_timeout": str(milliseconds + _IDLE_MS),
        "standard_conforming_strings": "on",
        "backslash_quote": "safe_encoding",
        "DateStyle": "ISO",
        "IntervalStyle": "iso_8601",
        "extra_float_digits": "3",
        "bytea_output": "hex",
        "xmlbinary": "base64",
        "array_nulls": "on",
        "quote_all_identifiers": "off",
    }
    if connection.schema:
        names = (name.strip() for name in connection.schema.split(","))
        made["search_path"] = ", ".join(quote_identifier(name) for name in names if name)
    return made


def startup_options(wanted: Mapping[str, str], given: str = "") -> str:
    """The `options` parameter: what the connection string gives first, so that ours wins."""
    ours = (f"-c {key}={_escape(value)}" for key, value in wanted.items())
    return " ".join((given, *ours)).strip()


def local_statement(wanted: Mapping[str, str]) -> str:
    """One SELECT that sets the same until the end of the transaction."""
    calls = (
        f"pg_catalog.set_config({quote_literal(key)}, {quote_literal(value)}, true)"
        for key, value in wanted.items()
        # The transaction itself is READ ONLY, and this one would only bind the next.
        if key != "default_transaction_read_only"
    )
    return "SELECT " + ", ".join(calls)


def named(text: str, connection: Connection) -> str:
    """A text with keys like {HOST} as this connection spells them: `DB_2_HOST`, or `host`."""
    source = connection.source
    if connection.url:
        variable = source if source == "DATABASE_URL" else source + "CONNECTION_STRING"
        worded = text.format(**_URL_WORDS)
        return f"{worded} (in {variable})" if worded != text else text
    keys = {key: source + key for key in _URL_WORDS}
    if source != "DB_":
        keys["NAME"] = source + "DB"
    return text.format(**keys)


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace(" ", "\\ ")


def quote_identifier(name: str) -> str:
    """A name as SQL writes it, always in quotes."""
    return '"' + name.replace('"', '""') + '"'


def quote_literal(text: str) -> str:
    """A string literal, right whether or not backslashes are special."""
    quoted = text.replace("'", "''")
    return " E'" + quoted.replace("\\", "\\\\") + "'" if "\\" in quoted else f"'{quoted}'"


@contextmanager
def no_environment() -> Iterator[None]:
    """Hide libpq's PG* variables: a connection is what DB_* says and nothing else."""
    hidden = {key: os.environ.pop(key) for key in list(os.environ) if key.startswith("PG")}
    try:
        yield
    finally:
        os.environ.update(hidden)
