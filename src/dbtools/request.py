"""What was asked of `db-query`, and the approved plan for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dbtools.connection import Connection
from dbtools.drivers.base import Execution
from dbtools.guard import Verdict


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """What the command line asked for. timeout_seconds, limit and max_bytes: None is 'default'."""

    statement: str
    connection: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    limit: int | None = None
    timeout_seconds: float | None = None
    max_bytes: int | None = None
    format: str = "json"
    output: str | None = None
    force: bool = False
    workspace: str | None = None
    pretty: bool = False
    arrays: bool = False
    check: str = ""
    explain: bool = False
    numbers_as_number: bool = False
    extended_json: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """An approved statement with its limits, ready to be sent.

    cap: the most rows that will be given back, None for all. capped_by: the option or variable
    that set it. warnings: what was lowered on the way.
    """

    connection: Connection
    verdict: Verdict
    execution: Execution
    statement: str
    cap: int | None
    capped_by: str
    timeout_seconds: float
    warnings: tuple[str, ...] = ()
