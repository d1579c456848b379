"""What a MongoDB login could do without the guard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dbtools.connection import Connection
from dbtools.drivers.base import Privileges

_WRITES = frozenset(
    "insert update remove createCollection dropCollection createIndex dropIndex dropDatabase "
    "collMod renameCollectionSameDB anyAction convertToCapped bypassDocumentValidation".split()
)


def read_privileges(database: Any, connection: Connection) -> Privileges:
    """Roles by name, and the collections on which a write action is granted."""
    status = database.client.admin.command("connectionStatus", showPrivileges=True)
    info = status.get("authInfo", {})
    users = [f"{u['user']}@{u['db']}" for u in info.get("authenticatedUsers", [])]
    reasons = [
        f"role {role['role']} on {role['db']}"
        for role in info.get("authenticatedUserRoles", [])
        if role["role"] not in ("read", "readAnyDatabase")
    ]
    if not users:
        reasons.append("the server asks for no login at all")
    elif not reasons:
        reasons = sorted(
            {r for p in info.get("authenticatedUserPrivileges", []) for r in _write(p)}
        )
    grants = (
        f'db.getSiblingDB("admin").createUser({{user: "reader", pwd: passwordPrompt(), '
        f'roles: [{{role: "read", db: "{database.name}"}}]}})',
    )
    login = users[0] if users else connection.user or "(none)"
    return Privileges(login, tuple(reasons), grants if reasons else ())


def _write(privilege: Mapping[str, Any]) -> list[str]:
    actions = sorted(_WRITES.intersection(privilege.get("actions", [])))
    resource = privilege.get("resource", {})
    where = ".".join(x for x in (resource.get("db"), resource.get("collection")) if x) or "cluster"
    return [f"may {', '.join(actions)} on {where}"] if actions else []
