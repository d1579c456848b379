"""A named database: what the `DB_*` variables say of it, read anew at every call."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from dbtools import dsn
from dbtools.engines import BY_ALIAS, ENGINES
from toolbelt import settings
from toolbelt.errors import ToolError, nearest
from toolbelt.settings import Secret


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one connection. Durations in milliseconds, sizes in bytes; None is no ceiling."""

    row_limit: int = 1000
    max_rows: int | None = None
    max_bytes: int = 5_000_000
    query_timeout_ms: int = 30_000
    connect_timeout_ms: int = 10_000


@dataclass(frozen=True, slots=True)
class Connection:
    """One connection; `engine` is the canonical type name, `database` a path on SQLite.

    options: per-engine keys in lower case (sslmode, ssl_ca, ...), strings as configured.
    source: the variable prefix it came from (`DB_`, `DB_2_`, `DATABASE_URL`), for messages.
    """

    name: str
    engine: str
    host: str = ""
    port: int | None = None
    database: str = ""
    user: str = ""
    password: Secret | None = None
    url: Secret | None = None
    schema: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = Limits()
    source: str = "DB_"

    def redact(self, text: str) -> str:
        """Text without this connection's password and connection string."""
        return settings.redact(text, self.url, self.password)

    def summary(self) -> dict[str, object]:
        """What may be told of it: name, type, database; never a host's secrets."""
        return {"name": self.name, "type": self.engine, "database": self.database}


@dataclass(frozen=True, slots=True)
class _Group:
    """The variables of one connection: prefix, its name, KEY -> text without the prefix."""

    prefix: str
    name: str
    keys: Mapping[str, str]


_NUMBERED = re.compile(r"DB_([1-9][0-9]*)_([A-Z][A-Z0-9_]*)")
_PLAIN_MARKS = ("TYPE", "HOST", "NAME", "CONNECTION_STRING", "CONNECTION_STRING_FILE")
_LIMIT_KEYS = ("ROW_LIMIT", "MAX_ROWS", "MAX_BYTES", "QUERY_TIMEOUT", "CONNECT_TIMEOUT")
_SECRET_KEYS = ("PASS", "PASS_FILE", "CONNECTION_STRING", "CONNECTION_STRING_FILE")
_OWN_KEYS = frozenset(("TYPE", "HOST", "PORT", "NAME", "DB", "USER", "SCHEMA")).union(
    _LIMIT_KEYS, _SECRET_KEYS
)
_HOW = (
    "export DB_TYPE=postgresql DB_HOST=… DB_NAME=… DB_USER=… DB_PASS=… (or DB_1_TYPE, DB_1_NAME, …)"
)


def find(name: str | None, env: Mapping[str, str] | None = None) -> Connection:
    """The connection called `name`, or the only one there is.

    Raises UNKNOWN_CONNECTION (wrong, ambiguous or none at all) and BAD_CONFIG (half configured).
    """
    env = os.environ if env is None else env
    groups = _groups(env)
    return _build(_pick(name, groups), env)


def list_all(env: Mapping[str, str] | None = None) -> list[dict[str, object]]:
    """Every configured connection's summary; a half-configured one with its `problem`."""
    env = os.environ if env is None else env
    listed: list[dict[str, object]] = []
    for group in _groups(env):
        try:
            listed.append(_build(group, env).summary())
        except ToolError as error:
            listed.append({"name": group.name, "problem": error.message, "hint": error.hint})
    return listed


def _groups(env: Mapping[str, str]) -> list[_Group]:
    numbered: dict[int, dict[str, str]] = {}
    plain: dict[str, str] = {}
    for variable, value in env.items():
        match = _NUMBERED.fullmatch(variable)
        if match:
            numbered.setdefault(int(match[1]), {})[match[2]] = value
        elif variable.startswith("DB_"):
            plain[variable[3:]] = value
    found = [
        _Group(f"DB_{n}_", keys.get("NAME") or f"db_{n}", keys)
        for n, keys in sorted(numbered.items())
        if any(keys.get(k) for k in (*_PLAIN_MARKS, "DB"))
    ]
    if any(plain.get(k) for k in _PLAIN_MARKS):
        found.append(_Group("DB_", "default", plain))
    elif env.get("DATABASE_URL"):
        found.append(_Group("DATABASE_URL", "default", {}))
    return found


def _pick(name: str | None, groups: list[_Group]) -> _Group:
    names = [g.name for g in groups]
    if not groups:
        raise ToolError("UNKNOWN_CONNECTION", "No database connection is configured.", hint=_HOW)
    if name is None:
        if len(groups) == 1:
            return groups[0]
        raise ToolError(
            "UNKNOWN_CONNECTION", f"There are {len(groups)} connections: name one.",
            hint=f"--connection {names[0]} (known: {', '.join(names)})",
            detail={"connections": names},
        )  # fmt: skip
    matches = [g for g in groups if g.name == name]
    matches = matches or [g for g in groups if g.name.lower() == name.lower()]
    if len(matches) == 1:
        return matches[0]
    if matches:
        prefixes = ", ".join(f"{g.prefix}NAME" for g in matches)
        raise ToolError(
            "UNKNOWN_CONNECTION", f"{len(matches)} connections are called {name!r} ({prefixes}).",
            hint="give each a name of its own", detail={"connections": names},
        )  # fmt: skip
    close = nearest(name, names, 1)
    first = f"did you mean {close[0]}? " if close else ""
    raise ToolError(
        "UNKNOWN_CONNECTION", f"No connection is called {name!r}.",
        hint=f"{first}known: {', '.join(names)}", detail={"connections": names},
    )  # fmt: skip


def _build(group: _Group, env: Mapping[str, str]) -> Connection:
    keys, prefix = group.keys, group.prefix
    url, password = _secrets(group, env)
    parts = _parts(group, url)
    engine = _engine(group, parts)
    database, name = _database(group, engine, parts)
    options = {k.lower(): v for k, v in keys.items() if k not in _OWN_KEYS and v}
    if password is None and parts.password is not None:
        password = Secret(parts.password)
    connection = Connection(
        name=name,
        engine=engine,
        host=parts.host or keys.get("HOST", ""),
        port=parts.port or _port(group, env),
        database=database,
        user=parts.user or keys.get("USER", ""),
        password=password,
        url=url,
        schema=keys.get("SCHEMA", "") or parts.options.get("schema", ""),
        options={**options, **parts.options},
        limits=_limits(group, env),
        source=prefix,
    )
    _require(connection, group)
    if "@" in connection.host[1:] and not connection.host.startswith("/"):
        # What stands before the @ may be a password, so the value is not repeated.
        raise ToolError(
            "BAD_CONFIG", f"{_variable(group, 'HOST')} holds more than a host name.",
            hint=f"user and password have variables of their own; a whole URL goes into "
            f"{_variable(group, 'CONNECTION_STRING')}",
        )  # fmt: skip
    return connection


def _secrets(group: _Group, env: Mapping[str, str]) -> tuple[Secret | None, Secret | None]:
    """(connection string, password) from their variables or files."""
    if not group.keys:
        return Secret(env["DATABASE_URL"]), None
    prefix = group.prefix
    return settings.secret(env, f"{prefix}CONNECTION_STRING"), settings.secret(env, f"{prefix}PASS")


def _parts(group: _Group, url: Secret | None) -> dsn.Parts:
    if url is None:
        return dsn.Parts()
    parts = dsn.parse(url.reveal())
    if parts is None:
        raise ToolError(
            "BAD_CONFIG", f"{_variable(group, 'CONNECTION_STRING')} is not a connection string.",
            hint="postgresql://user:password@host:5432/database",
        )  # fmt: skip
    return parts


def _variable(group: _Group, key: str) -> str:
    return group.prefix if group.prefix == "DATABASE_URL" else group.prefix + key


def _engine(group: _Group, parts: dsn.Parts) -> str:
    given = (group.keys.get("TYPE") or parts.scheme.partition("+")[0]).strip().lower()
    known = ", ".join(ENGINES)
    if not given:
        raise ToolError(
            "BAD_CONFIG", f"{group.prefix}TYPE is missing.",
            hint=f"export {group.prefix}TYPE=… (one of: {known})",
        )  # fmt: skip
    if given not in BY_ALIAS:
        raise ToolError(
            "BAD_CONFIG", f"{_variable(group, 'TYPE')} is {given!r}, which is no database type.",
            hint=f"one of: {known}",
        )  # fmt: skip
    return BY_ALIAS[given]


def _database(group: _Group, engine: str, parts: dsn.Parts) -> tuple[str, str]:
    """(database, connection name). NAME is the database in the plain form only."""
    keys = group.keys
    if group.prefix == "DB_":
        return parts.database or keys.get("NAME") or keys.get("DB", ""), group.name
    database = parts.database or keys.get("DB", "")
    if not database and ENGINES[engine].files and "/" in group.name:
        return group.name, os.path.basename(group.name).rpartition(".")[0] or group.name  # noqa: PTH119
    return database, group.name


def _port(group: _Group, env: Mapping[str, str]) -> int | None:
    port = settings.integer(env, _variable(group, "PORT"), minimum=1) if group.keys else None
    if port is not None and port > 65535:
        raise ToolError("BAD_CONFIG", f"{group.prefix}PORT is {port}, above 65535.")
    return port


def _limits(group: _Group, env: Mapping[str, str]) -> Limits:
    # A numbered connection without a limit of its own takes the plain one.
    found = {k: group.prefix + k if group.keys.get(k) else "DB_" + k for k in _LIMIT_KEYS}
    if group.prefix == "DATABASE_URL":
        found = {k: "DB_" + k for k in _LIMIT_KEYS}
    numbers = {k: settings.integer(env, variable, minimum=1) for k, variable in found.items()}
    default = Limits()
    return Limits(
        row_limit=numbers["ROW_LIMIT"] or default.row_limit,
        max_rows=numbers["MAX_ROWS"],
        max_bytes=numbers["MAX_BYTES"] or default.max_bytes,
        query_timeout_ms=numbers["QUERY_TIMEOUT"] or default.query_timeout_ms,
        connect_timeout_ms=numbers["CONNECT_TIMEOUT"] or default.connect_timeout_ms,
    )


def _require(connection: Connection, group: _Group) -> None:
    """BAD_CONFIG that names the missing key of a half-configured connection."""
    spec = ENGINES[connection.engine]
    have = {
        "HOST": bool(connection.host),
        "NAME": bool(connection.database),
        "USER": bool(connection.user),
        **{k.upper(): True for k in connection.options},
    }
    for need in spec.needs:
        if not any(have.get(key) for key in need.split("|")):
            key = need.split("|")[0]
            if key == "NAME" and group.prefix != "DB_":
                key = "DB"
            raise ToolError(
                "BAD_CONFIG", f"{_variable(group, key)} is missing for connection {group.name!r}.",
                hint=f"export {group.prefix}{key}=…",
            )  # fmt: skip
