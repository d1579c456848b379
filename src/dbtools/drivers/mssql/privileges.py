"""What the login could do without the guard, and the statements that make one that cannot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from dbtools.connection import Connection
from dbtools.drivers.base import Privileges
from dbtools.result import Row

_USER: Final = "sandbox_reader"
_BATCH: Final = """
SELECT SUSER_SNAME(), DB_NAME();
SELECT name FROM (VALUES ('sysadmin'), ('securityadmin'), ('serveradmin'), ('dbcreator'),
  ('bulkadmin')) AS r(name) WHERE IS_SRVROLEMEMBER(name) = 1;
SELECT name FROM (VALUES ('db_owner'), ('db_datawriter'), ('db_ddladmin'), ('db_securityadmin'))
  AS r(name) WHERE IS_ROLEMEMBER(name) = 1;
SELECT DISTINCT permission_name FROM sys.fn_my_permissions(NULL, 'DATABASE')
WHERE permission_name IN ('INSERT', 'UPDATE', 'DELETE', 'EXECUTE', 'ALTER', 'CONTROL',
  'CREATE TABLE', 'CREATE PROCEDURE', 'ALTER ANY SCHEMA')
ORDER BY permission_name
"""


def read(ask: Callable[[str], Sequence[Sequence[Row]]], connection: Connection) -> Privileges:
    """One round trip; can_write is empty for a login that may only read."""
    who, server_roles, roles, rights = ask(_BATCH)
    login, database = str(who[0][0]), str(who[0][1])
    reasons = [f"is a member of the server role {row[0]}" for row in server_roles]
    reasons += [f"is a member of {row[0]} in {database}" for row in roles]
    reasons += [f"may {row[0]} in {database}" for row in rights]
    return Privileges(login, tuple(reasons), _statements(database) if reasons else ())


def _statements(database: str) -> tuple[str, ...]:
    name = database.replace("]", "]]")
    return (
        f"CREATE LOGIN {_USER} WITH PASSWORD = '…';",
        f"USE [{name}]; CREATE USER {_USER} FOR LOGIN {_USER};",
        f"ALTER ROLE db_datareader ADD MEMBER {_USER};",
        f"GRANT SHOWPLAN, VIEW DEFINITION TO {_USER};",
    )
