"""What the login could do without the guard, and the statements that make one that cannot."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from dbtools.connection import Connection
from dbtools.drivers.base import Privileges

Ask = Callable[[str], Sequence[Sequence[str]]]

_USER: Final = "sandbox_reader"
_PROFILE: Final = "sandbox_readonly"
# Rights that neither write nor reach files, other servers or other sessions.
_HARMLESS: Final = re.compile(
    r"SELECT|SHOW.*|CHECK|dictGet|TABLE ENGINE|NONE|USAGE|CREATE TEMPORARY TABLE|"
    r"REMOTE READ|displaySecretsInShowAndSelect"
)
_GRANT: Final = re.compile(r"(?s)GRANT (.+?) ON (.+?) TO .*?( WITH GRANT OPTION)?$")


def read(ask: Ask, connection: Connection, *, fixed: bool) -> Privileges:
    """Two round trips; can_write is empty for a login that may only read.

    fixed: the login's own profile is read-only, whatever its grants say.
    """
    [(login,)] = ask("SELECT currentUser()")
    grants = [] if fixed else [row[0] for row in ask("SHOW GRANTS")]
    reasons = [line for grant in grants for line in lines(grant)]
    return Privileges(
        login=login,
        can_write=tuple(dict.fromkeys(reasons)),
        grants=_statements(connection.database or "default") if reasons else (),
    )


def lines(grant: str) -> list[str]:
    """Why one line of SHOW GRANTS lets the login do more than read."""
    match = _GRANT.match(grant)
    if match is None:
        return []
    names = [name.strip() for name in re.sub(r"\s*\(.*?\)", "", match[1]).split(",")]
    rest = [name for name in names if not _HARMLESS.fullmatch(name)]
    told = [f"may {', '.join(rest)} on {match[2]}"] if rest else []
    if match[3]:
        told.append(f"may pass its rights on {match[2]} on (GRANT OPTION)")
    return told


def _statements(database: str) -> tuple[str, ...]:
    name = database.replace("`", "\\`")
    return (
        f"CREATE SETTINGS PROFILE {_PROFILE} SETTINGS readonly = 2;",
        f"CREATE USER {_USER} IDENTIFIED BY '…' SETTINGS PROFILE '{_PROFILE}';",
        f"GRANT SELECT ON `{name}`.* TO {_USER};",
    )
