"""Connection strings: one text into the parts a connection has.

Three forms are read: URLs of every engine, libpq's `host=… dbname=…` and ADO's `Server=…;…`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Parts:
    """What a connection string says; empty where it says nothing. options: lower-case keys."""

    scheme: str = ""
    host: str = ""
    port: int | None = None
    user: str = ""
    password: str | None = None
    database: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


_URL = re.compile(r"(?s)([A-Za-z][A-Za-z0-9+.-]*)://(.*)")
# SQL Server's words for what DB_* calls host, database, user, password and the TLS choices.
_ADO_WORDS = {
    "server": "host", "data source": "host", "address": "host", "addr": "host",
    "database": "database", "initial catalog": "database",
    "user id": "user", "uid": "user", "user": "user", "password": "password", "pwd": "password",
}  # fmt: skip
_LIBPQ_WORDS = {"host": "host", "hostaddr": "host", "dbname": "database", "user": "user"}
_OPTION_WORDS = {
    "sslrootcert": "ssl_ca", "sslcert": "ssl_cert", "sslkey": "ssl_key", "tlscafile": "ssl_ca",
    "tlscertificatekeyfile": "ssl_key", "ssl-ca": "ssl_ca", "ssl-cert": "ssl_cert",
    "ssl-key": "ssl_key", "ssl-mode": "sslmode", "ssl_mode": "sslmode", "currentschema": "schema",
}  # fmt: skip


def parse(text: str) -> Parts | None:
    """The parts of a connection string, or None when it has none of the three forms."""
    # Half of what a connection without a URL would load.

    text = text.strip()
    url = _URL.fullmatch(text)
    if url:
        return _from_url(url[1].lower(), url[2])
    if ";" in text and "=" in text:
        return _from_words(_ado_pairs(text), _ADO_WORDS, "mssql")
    if re.match(r"\w+\s*=", text):
        return _from_words(_libpq_pairs(text), _LIBPQ_WORDS, "postgresql")
    return None


def _from_url(scheme: str, rest: str) -> Parts:
    # Half of what a connection without a URL would load.
    from urllib.parse import parse_qsl, unquote

    rest, _, fragment = rest.partition("#") if "@" not in rest.partition("#")[2] else (rest, "", "")
    userinfo, hostpart = _split_userinfo(rest)
    hostpart, _, query = hostpart.partition("?")
    authority, slash, path = hostpart.partition("/")
    user, colon, password = userinfo.partition(":")
    options = {_option(k): v for k, v in parse_qsl(query, keep_blank_values=True)}
    base = scheme.partition("+")[0]
    host, port = _host_port(unquote(authority))
    if base.startswith(("sqlite", "duckdb")):
        return Parts(base, database=_file_path(authority, slash + unquote(path)), options=options)
    del fragment
    return Parts(
        scheme if base == "mongodb" else base,
        options.pop("host", "") or host,
        port,
        unquote(user),
        unquote(password) if colon else None,
        unquote(path),
        options,
    )


def _split_userinfo(rest: str) -> tuple[str, str]:
    """Cut at the `@` before the host. A password typed raw may hold `@`, `/`, `?` or `#`."""
    head = re.split(r"[/?]", rest, maxsplit=1)[0]
    if "@" in head:
        cut = head.rindex("@")
    else:
        before_query = rest.rpartition("?")[0] if "@" not in rest.rpartition("?")[2] else rest
        colon = 0 < rest.find(":") < (rest.find("/") if "/" in rest else len(rest))
        cut = before_query.rfind("@") if colon else -1
    return ("", rest) if cut < 0 else (rest[:cut], rest[cut + 1 :])


def _host_port(authority: str) -> tuple[str, int | None]:
    """`host:5432`, `[::1]:5432`, a socket folder, or a list of hosts kept whole."""
    if "," in authority:
        return authority, None
    bracketed = re.fullmatch(r"\[([^\]]*)\](?::(\d+))?", authority)
    if bracketed:
        return bracketed[1], int(bracketed[2]) if bracketed[2] else None
    host, colon, port = authority.rpartition(":")
    if colon and port.isdigit():
        return host, int(port)
    return authority, None


def _file_path(authority: str, path: str) -> str:
    """`sqlite:///x.db` is read as /x.db when that file exists, else relative as SQLAlchemy does."""
    if authority:
        return authority + path
    if path.startswith("//") or Path(path).exists():
        return path[1:] if path.startswith("//") else path
    return path[1:]


def _option(key: str) -> str:
    lowered = key.lower()
    return _OPTION_WORDS.get(lowered, lowered)


def _ado_pairs(text: str) -> dict[str, str]:
    pair = re.compile(
        r"""\s*([^=;]+?)\s*=\s*("(?:[^"]|"")*"|'(?:[^']|'')*'|\{[^}]*\}|[^;]*)\s*;?"""
    )
    return {m[1].lower(): _unquote_value(m[2]) for m in pair.finditer(text)}


def _libpq_pairs(text: str) -> dict[str, str]:
    pair = re.compile(r"\s*(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s\\]|\\.)*)")
    found = {}
    for match in pair.finditer(text):
        value = match[2][1:-1] if match[2].startswith("'") else match[2]
        found[match[1].lower()] = re.sub(r"\\(.)", r"\1", value)
    return found


def _unquote_value(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] + value[-1] in ('""', "''", "{}"):
        return value[1:-1].replace(value[0] * 2, value[0])
    return value


def _from_words(pairs: dict[str, str], words: Mapping[str, str], scheme: str) -> Parts:
    known = {words[k]: v for k, v in pairs.items() if k in words}
    options = {_option(k): v for k, v in pairs.items() if k not in words}
    host, port = known.get("host", ""), options.pop("port", "")
    if scheme == "mssql":
        host = re.sub(r"^(?:tcp|np|lpc):", "", host, flags=re.IGNORECASE)
        host, comma, after = host.partition(",")
        port = after.strip() if comma else port
    return Parts(
        scheme,
        host.strip(),
        int(port) if port.isdigit() else None,
        known.get("user", ""),
        known.get("password", options.pop("password", None)),
        known.get("database", ""),
        options,
    )
