"""What the guard allows is SQL to the real engine too: it runs, or an object it names is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit import session

from dbtools.drivers.base import Execution
from dbtools.guard import check, segments
from dbtools.guard.tables_sqlite import TABLES
from servers import Server
from toolbelt.errors import ToolError

FOLDER = Path(__file__).parents[1] / "cases" / "guard"
# undefined table, column, function, schema, type, parameter, collation and the like
_MISSING_PG = ("42P01", "42703", "42883", "3F000", "42704", "42P02", "0A000", "42P18", "22P02")
# The same on SQLite; and what this build or version of it does not have.
_MISSING_SQLITE = (
    "no such", "unable to use function", "binding parameter", "vtable constructor failed",
    'unrecognized token: "1_', "no query solution",
)  # fmt: skip


def cases(dialect: str) -> Iterator[dict[str, str]]:
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if case["dialect"] != dialect or case["verdict"] != "allow":
                continue
            # A `:name` is bound by db-query; here the text goes as it stands.
            if all(isinstance(s, str) for s in segments(case["query"], dialect)):
                yield case


def outcome(server: Server, text: str, dialect: str) -> ToolError | None:
    verdict = check(text, dialect)
    assert verdict.allowed, verdict
    with session(server, timeout=20) as opened:
        try:
            list(opened.execute(Execution([verdict.statement], kind=verdict.kind)).rows)
        except ToolError as error:
            return error
    return None


@pytest.mark.parametrize("case", list(cases("postgres")), ids=lambda c: c["id"])
def test_an_allowed_statement_runs_on_postgresql(postgres: Server, case: dict[str, str]) -> None:
    error = outcome(postgres, case["query"], "postgres")
    if error is not None:
        assert error.detail.get("sqlstate") in _MISSING_PG, error.message


@pytest.mark.parametrize("case", list(cases("sqlite")), ids=lambda c: c["id"])
def test_an_allowed_statement_runs_on_sqlite(sqlite: Server, case: dict[str, str]) -> None:
    error = outcome(sqlite, case["query"], "sqlite")
    if error is not None:
        assert any(word in error.message for word in _MISSING_SQLITE), error.message


def test_the_authorizer_knows_every_pragma_that_the_guard_allows() -> None:
    from dbtools.drivers import sqlite as driver

    assert TABLES.pragma_get | TABLES.pragma_read <= driver._PRAGMAS
    assert TABLES.pragma_read <= driver._PRAGMAS_WITH_ARGUMENT
