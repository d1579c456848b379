"""What a call would import first, imported once: the commands and the configured engines."""

from __future__ import annotations

import gc
import sys
from importlib import import_module

from dbtools.broker.operator import Operator
from dbtools.engines import ENGINES
from toolbelt.errors import ToolError

_ALWAYS = (
    "dbtools.query_cli", "dbtools.schema_cli", "dbtools.query", "dbtools.describe",
    "dbtools.delivery", "dbtools.parameters", "dbtools.request", "dbtools.schema_request",
    "dbtools.mending", "dbtools.showing", "dbtools.find", "dbtools.broker.child",
    "dbtools.broker.remote", "toolbelt.publish", "toolbelt.workspace",
)  # fmt: skip


def preload(operator: Operator) -> list[str]:
    """Import what calls will need, so that a fork finds it in memory; the engines that are ready.

    Engines whose databases are files run at the client and are left out.
    """
    for name in _ALWAYS:
        import_module(name)
    ready = []
    for engine in operator.engines():
        if not ENGINES[engine].files and _load(engine):
            ready.append(engine)
    gc.collect()
    # What is there now is never garbage: a child that counts references must not copy it all.
    gc.freeze()
    return ready


def _load(engine: str) -> bool:
    from dbtools.drivers import load
    from dbtools.guard import check

    try:
        load(engine)
    except ToolError as error:
        # MISSING_DEP: every call will say so; the operator should hear it now.
        sys.stderr.write(f"broker: {error.message} {error.hint}\n")
        return False
    dialect = ENGINES[engine].dialect
    if dialect != "mongodb":
        check("SELECT 1", dialect)
    return True
