"""The protocol a driver fills. One driver is one module; see docs/new-engine.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from dbtools.connection import Connection
from dbtools.result import ResultSet
from toolbelt.errors import ToolError

if TYPE_CHECKING:
    from dbtools.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A bound parameter's place in a statement."""

    name: str


@dataclass(frozen=True, slots=True)
class Execution:
    """One approved statement on its way to an engine.

    segments: the guarded text, cut at its placeholders (a single string when it has none).
    parameters: name -> JSON-typed value. fetch_rows: the most rows that will be read, None for
    all; a driver whose engine has a cap of its own passes it on. kind: the guard's statement
    kind. timeout_seconds: the server-side limit (the caller also holds a client deadline).
    document: MongoDB's parsed command instead of text. want_csv: the writer would use native_csv.
    explain: the plan is asked for, on an engine whose language has no word for it.
    """

    segments: Sequence[str | Placeholder]
    parameters: Mapping[str, object] = field(default_factory=dict)
    fetch_rows: int | None = None
    kind: str = "SELECT"
    timeout_seconds: float = 30.0
    document: Mapping[str, object] | None = None
    want_csv: bool = False
    extended_json: bool = False
    numbers_as_number: bool = False
    explain: bool = False

    def text(self) -> str:
        """The statement with its placeholders spelled `:name`."""
        return "".join(s if isinstance(s, str) else f":{s.name}" for s in self.segments)


@dataclass(frozen=True, slots=True)
class CatalogRequest:
    """schemas: only these (empty: all but the engine's own). tables: exact names or none.

    detail: 'names' needs no columns where that is cheaper. sample_documents: MongoDB's bound.
    free: ask nothing that is billed: all names, and columns of the tables named only.
    """

    schemas: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    detail: str = "full"
    sample_documents: int = 100
    timeout_seconds: float = 30.0
    free: bool = False


@dataclass(frozen=True, slots=True)
class Privileges:
    """What `--check=live` says of the login: why it can write, and how to make one that cannot."""

    login: str
    can_write: tuple[str, ...] = ()
    grants: tuple[str, ...] = ()


class Session(Protocol):
    """An open, read-only connection to one engine; used for one request, then closed."""

    def execute(self, execution: Execution) -> ResultSet:
        """Run the statement. Client-library errors leave through map_error as ToolError."""

    def catalog(self, request: CatalogRequest) -> Catalog:
        """Read what the login may see in a constant number of round trips."""

    def privileges(self) -> Privileges:
        """What the login could do without the guard."""

    def cancel(self) -> None:
        """Stop the statement on the server too. Called from another thread; never raises."""

    def close(self) -> None:
        """Roll back and disconnect. Never raises."""


class Driver(Protocol):
    """What a driver module exports."""

    def connect(self, connection: Connection, timeout_seconds: float) -> Session:
        """Open a session whose statements the server ends after timeout_seconds."""


def timeout_error(seconds: float, detail: Mapping[str, object] | None = None) -> ToolError:
    """The one wording of a statement stopped by its time limit, in any engine."""
    return ToolError(
        "TIMEOUT", f"The query ran longer than {seconds:g} s and was stopped.",
        hint="narrow it (WHERE, fewer joins, an aggregate) or raise --timeout",
        detail={"timeoutSeconds": seconds, **(detail or {})},
    )  # fmt: skip
