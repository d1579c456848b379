"""What a call would import first, imported once: the commands and the configured engines."""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from pkgutil import iter_modules

from dbtools.broker.operator import Operator
from dbtools.engines import ENGINES
from toolbelt.errors import ToolError

_ALWAYS = (
    "dbtools.query_cli", "dbtools.schema_cli", "dbtools.query", "dbtools.describe",
    "dbtools.delivery", "dbtools.parameters", "dbtools.request", "dbtools.schema_request",
    "dbtools.mending", "dbtools.showing", "dbtools.find", "dbtools.quiet", "dbtools.documents",
    "dbtools.guard.placeholders", "dbtools.search.lexicon_tables", "dbtools.search.twin_tables",
    "dbtools.broker.child", "dbtools.broker.remote", "toolbelt.publish", "toolbelt.workspace",
    "difflib", "hashlib", "encodings.idna",
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


def rehearse(engines: list[str]) -> None:
    """What every call does first, done ahead: the process comes to own the memory it writes to."""
    from dbtools import query_cli, schema_cli
    from dbtools.guard import check

    query_cli.command.make_context("db-query", ["-q", "SELECT 1"])
    schema_cli.command.make_context("db-schema", [])
    for dialect in {ENGINES[engine].dialect for engine in engines} - {"mongodb"}:
        check("SELECT a FROM t", dialect)


def _load(engine: str) -> bool:
    """One engine's guard and driver; what a driver imports only to connect stays its own affair.

    (BigQuery's client alone would weigh more than all the rest.)
    """
    from dbtools.drivers import load

    try:
        driver = load(engine)
    except ToolError as error:
        # MISSING_DEP: every call will say so; the operator should hear it now.
        sys.stderr.write(f"broker: {error.message} {error.hint}\n")
        return False
    name = ENGINES[engine].module
    for part in iter_modules(getattr(driver, "__path__", [])):
        import_module(f"{name}.{part.name}")
    _load_guard(ENGINES[engine].dialect)
    return True


def _load_guard(dialect: str) -> None:
    from dbtools.guard import check, tables

    if dialect == "mongodb":
        import_module("dbtools.guard.mongo")
        import_module("dbtools.guard.mongosh")
        import_module("dbtools.guard.tables_mongodb")
        return
    check("SELECT a FROM t", dialect)
    tables("SELECT a FROM t", dialect)
