"""What the login could do without the guard, and the statements that make one that cannot."""

from __future__ import annotations

import re
from typing import Final

from dbtools.drivers.base import Privileges
from dbtools.drivers.mysql.wire import Wire

_USER: Final = "sandbox_reader"
# Rights that neither write nor reach files, other sessions or the server's settings.
_HARMLESS: Final = frozenset((
    "USAGE", "SELECT", "SHOW VIEW", "SHOW DATABASES", "PROCESS", "REFERENCES", "EXECUTE",
    "REPLICATION CLIENT", "BINLOG MONITOR", "SLAVE MONITOR", "SHOW_ROUTINE", "SHOW CREATE ROUTINE",
    "MAX_QUERIES_PER_HOUR",
))  # fmt: skip
_LINES: Final = {
    "ALL PRIVILEGES": "has ALL PRIVILEGES on {where}",
    "ALL": "has ALL PRIVILEGES on {where}",
    "FILE": "may read and write files of the server (FILE)",
    "SUPER": "may change the server's settings and end sessions (SUPER)",
    "PROXY": "may act as another user (PROXY on {where})",
}
_GRANT: Final = re.compile(r"(?s)GRANT (.+?) ON (.+?) TO .*?( WITH GRANT OPTION)?$")


def read(wire: Wire, schema: str) -> Privileges:
    """Two round trips; can_write is empty for a login that may only read."""
    [(login,)] = wire.rows("SELECT CURRENT_USER()")
    reasons = [line for (grant, *_) in wire.rows("SHOW GRANTS") for line in lines(grant or "")]
    return Privileges(
        login=login or "",
        can_write=tuple(dict.fromkeys(reasons)),
        grants=_statements(schema) if reasons else (),
    )


def lines(grant: str) -> list[str]:
    """Why one line of SHOW GRANTS lets the login write; its end may hold a password's hash."""
    match = _GRANT.match(grant)
    if match is None:
        return []
    where, names = match[2], _names(match[1])
    told = [_LINES[name].format(where=where) for name in names if name in _LINES]
    rest = [name for name in names if name not in _LINES and name not in _HARMLESS]
    if rest:
        told.append(f"may {', '.join(rest)} on {where}")
    if match[3]:
        told.append(f"may pass its rights on {where} on (GRANT OPTION)")
    return told


def _names(text: str) -> list[str]:
    """The rights of a line, without the columns that some are limited to."""
    return [name.strip() for name in re.sub(r"\s*\(.*?\)", "", text).split(",")]


def _statements(schema: str) -> tuple[str, ...]:
    where = f"`{schema.replace('`', '``')}`.*" if schema else "*.*"
    return (
        f"CREATE USER '{_USER}'@'%' IDENTIFIED BY '…';",
        f"GRANT SELECT, SHOW VIEW ON {where} TO '{_USER}'@'%';",
    )
