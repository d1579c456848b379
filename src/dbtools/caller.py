"""Where a call's files are opened and its engine runs: here, unless a broker answers for a client.

A broker runs calls under a user of its own, which has the secrets; files are the client's. So all
that `db-query` and `db-schema` open by a name the caller gave goes through `current()`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    from toolbelt.workspace import Input


class Target(Protocol):
    """An output file being written: `file` takes the bytes, `path` is where it will appear."""

    @property
    def file(self) -> BinaryIO: ...
    @property
    def path(self) -> Path: ...


class Caller(Protocol):
    """What a call needs of the process that its user started."""

    def begin(self, connection: str | None) -> None:
        """A call for this connection begins; does not return where it must run elsewhere."""

    def rows_only(self) -> None:
        """From now on stdout takes rows only: whoever reports a failure must do it on stderr."""

    def input(self, path: str, workspace: str | None) -> Input:
        """An existing file beneath the workspace; BAD_PATH as `Workspace.resolve_input`."""

    def output(
        self, path: str, workspace: str | None, *, force: bool
    ) -> AbstractContextManager[Target]:
        """A new file beneath the workspace; BAD_PATH as `Workspace.output`."""


class Here:
    """The ordinary case: the caller is this very process."""

    def begin(self, connection: str | None) -> None:
        return

    def rows_only(self) -> None:
        return

    def input(self, path: str, workspace: str | None) -> Input:
        from toolbelt.workspace import Workspace

        return Workspace.find(workspace).resolve_input(path)

    def output(
        self, path: str, workspace: str | None, *, force: bool
    ) -> AbstractContextManager[Target]:
        from toolbelt.workspace import Workspace

        return Workspace.find(workspace).output(path, force=force)


_current: Caller = Here()


def current() -> Caller:
    """The caller this process works for."""
    return _current


def become(caller: Caller) -> None:
    """Work for this caller from now on (a broker's process, once)."""
    global _current
    _current = caller
