"""What the operator configured: taken out of the environment, and the memory it came in wiped."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass

from dbtools import connection as connections
from dbtools.broker import wire
from dbtools.connection import Connection
from toolbelt import settings
from toolbelt.errors import ToolError

SECRET_KEYS = ("PASS", "CONNECTION_STRING")
_LIMITS = ("ROW_LIMIT", "MAX_ROWS", "MAX_BYTES", "QUERY_TIMEOUT", "CONNECT_TIMEOUT")


@dataclass(frozen=True, slots=True)
class Operator:
    """The operator's variables, secrets resolved from their files. env: DB_* and DATABASE_URL."""

    env: Mapping[str, str]

    def secrets(self) -> Iterator[settings.Secret]:
        """Every secret text there is."""
        for key, value in self.env.items():
            if value and (
                key == "DATABASE_URL" or key.endswith(tuple(f"_{k}" for k in SECRET_KEYS))
            ):
                yield settings.Secret(value)
        for found in self.connections():
            if found.password is not None:
                yield found.password

    def connections(self) -> list[Connection]:
        """Every connection that is configured well."""
        found = []
        for listed in connections.list_all(self.env):
            try:
                found.append(connections.find(str(listed["name"]), self.env))
            except ToolError:
                # A half-configured or ambiguous one is told to whoever asks for it.
                continue
        return found

    def engines(self) -> list[str]:
        """The engines of them, each once."""
        return list(dict.fromkeys(connection.engine for connection in self.connections()))

    def is_foreign(self, told: Mapping[str, str], name: str | None) -> bool:
        """Whether a client that told these variables means a connection of its own.

        It has one if a variable that defines connections differs from ours; the name decides when
        both sides have some.
        """
        own = {k: v for k, v in told.items() if k not in wire.PASSED and self._differs(k, v)}
        mine = {_group(key) for key in own if _marks(key)}
        if not mine:
            return False
        ours = {c.name.lower() for c in self.connections() if _group(c.source) not in mine}
        return name is None or name.lower() not in ours

    def _differs(self, key: str, value: str) -> bool:
        if key == "DATABASE_URL":
            return not self.env.get(key) and "DB_TYPE" not in self.env
        return self.env.get(key) != value

    def variables(self, connection: Connection) -> Iterator[str]:
        """`NAME=VALUE` of all that makes up a connection whose database is a file; no password.

        Of other connections nothing; of the plain form only what holds for all.
        """
        plain = {f"DB_{key}" for key in (*_LIMITS, "DOMAIN_FILE")}
        for key, value in self.env.items():
            if connection.source == "DATABASE_URL":
                mine = key == "DATABASE_URL"
            else:
                mine = key != "DATABASE_URL" and _group(key) == connection.source
            if key in plain or (mine and key != f"{connection.source}PASS"):
                yield f"{key}={value}"


def _group(key: str) -> str:
    """`DB_2_` of DB_2_HOST; `DB_` of the plain form, DATABASE_URL among it."""
    parts = key.split("_")
    return f"DB_{parts[1]}_" if parts[0] == "DB" and parts[1:2] and parts[1].isdigit() else "DB_"


def _marks(key: str) -> bool:
    return key == "DATABASE_URL" or key.rpartition("_")[2] in ("TYPE", "HOST", "NAME", "DB")


def take(env: MutableMapping[str, str]) -> Operator:
    """Take DB_* and DATABASE_URL out of an environment; secrets in files are read.

    Raises BAD_CONFIG for a secret file that cannot be read or is given twice.
    """
    taken = {k: env.pop(k) for k in list(env) if _is_ours(k)}
    for key in [k for k in taken if k.endswith(tuple(f"_{k}_FILE" for k in SECRET_KEYS))]:
        plain = key.removesuffix("_FILE")
        found = settings.secret(taken, plain)
        del taken[key]
        if found is not None:
            taken[plain] = found.reveal()
    return Operator(taken)


def take_from_process() -> Operator:
    """The same for this process, whose own first memory of the values is overwritten.

    /proc/PID/environ shows that memory to whoever may look at the process.
    """
    env = dict(os.environ)
    _wipe_environment()
    for key in list(os.environ):
        if _is_ours(key):
            del os.environ[key]
    return take(env)


def _is_ours(key: str) -> bool:
    return key.startswith("DB_") or key == "DATABASE_URL"


def _wipe_environment() -> None:
    import ctypes

    block = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "environ")
    pointers = ctypes.cast(block, ctypes.POINTER(ctypes.c_void_p))
    at = 0
    while address := pointers[at]:
        entry = ctypes.string_at(address)
        start = entry.find(b"=") + 1
        if start and _is_ours(os.fsdecode(entry[: start - 1])):
            ctypes.memset(address + start, ord("*"), len(entry) - start)
        at += 1
