"""A MongoDB session: one guarded command, its cursor, and a way to stop it on the server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from bson import json_util
from pymongo import MongoClient
from pymongo.monitoring import (
    CommandFailedEvent,
    CommandListener,
    CommandStartedEvent,
    CommandSucceededEvent,
)

from dbtools.connection import Connection
from dbtools.drivers.base import CatalogRequest, Execution, Privileges
from dbtools.drivers.mongodb import dialling
from dbtools.drivers.mongodb.errors import ERRORS, READING, malformed, map_error
from dbtools.drivers.mongodb.values import BsonEncoder, extended, type_name
from dbtools.result import Column, ResultSet, Row
from toolbelt.errors import ToolError

if TYPE_CHECKING:
    from dbtools.catalog import Catalog

# Looked at for the names and types of the fields.
_SAMPLE = 1000
_BATCH = 500
_CURSOR_COMMANDS = frozenset(("find", "aggregate", "listcollections", "listindexes"))
_CANCEL_MILLISECONDS = 1000


class _Watch(CommandListener):  # type: ignore[misc]  # mypy reads pymongo as Any
    """Remembers on which server connection our command runs, so that it can be ended there."""

    def __init__(self) -> None:
        self.connection_ids: set[int] = set()

    def started(self, event: CommandStartedEvent) -> None:
        if event.server_connection_id is not None:
            self.connection_ids.add(event.server_connection_id)

    def succeeded(self, event: CommandSucceededEvent) -> None:
        return

    def failed(self, event: CommandFailedEvent) -> None:
        return


class MongoSession:
    """A client logged in to one database."""

    def __init__(self, connection: Connection, timeout_seconds: float) -> None:
        self._connection = connection
        self._timeout = timeout_seconds
        self._watch = _Watch()
        client: MongoClient[Any] | None = None
        try:
            client = dialling.client(connection, self._watch)
            dialling.reach(connection, client)
            self.database = dialling.database(connection, client)
            # Reaches a server and, when there is a user, logs in.
            about = self.database.command(
                "buildInfo", read_preference=self.database.read_preference
            )
            self.version = str(about.get("version", ""))
        except (*READING, OSError, ToolError) as error:
            if client is not None:
                client.close()
            if isinstance(error, ToolError):
                raise
            raise map_error(error, connection, timeout_seconds, dialling=True) from error
        self.client = client
        # Shown by the server beside the running command, and found again by cancel().
        self._comment = f"{dialling.APP_NAME} {id(self):x}"

    def execute(self, execution: Execution) -> ResultSet:
        """Run the guarded command; documents arrive a batch at a time."""
        command = self._command(execution.document or {})
        encoder = BsonEncoder(numbers_as_number=execution.numbers_as_number)
        ready = extended if execution.extended_json else encoder
        try:
            documents = self._documents(command)
            first = list(islice(documents, _SAMPLE))
        except READING as error:
            raise self.error(error) from error
        exhausted = len(first) < _SAMPLE
        return ResultSet(
            columns=_columns(first),
            rows=_rows(chain(first, documents)),
            converters=[ready],
            documents=True,
            all_fields_known=exhausted,
            warnings=encoder.warnings,
        )

    def _command(self, document: Mapping[str, object]) -> dict[str, Any]:
        # Extended JSON ({"$oid": …}, {"$date": …}) becomes BSON here and nowhere before.
        try:
            command: dict[str, Any] = json_util.loads(
                json.dumps(document), json_options=json_util.RELAXED_JSON_OPTIONS
            )
        except READING as error:
            raise malformed(error, self._connection) from error
        name = next(iter(command))
        if name in ("find", "aggregate", "count", "distinct"):
            command["comment"] = self._comment
        if name == "find":
            command.setdefault("batchSize", _BATCH)
        if name == "aggregate":
            command.setdefault("cursor", {"batchSize": _BATCH})
        return command

    def _documents(self, command: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
        name = next(iter(command))
        # Commands take neither from the database: the primary would be asked, and dates be cut.
        as_told: dict[str, Any] = {
            "read_preference": self.database.read_preference,
            "codec_options": self.database.codec_options,
        }
        if name.lower() in _CURSOR_COMMANDS:
            # The command's own batch size is the first batch's only: others would be 16 MB each.
            cursor = self.database.cursor_command(command, **as_told).batch_size(_BATCH)
            return self._guarded(cursor)
        answer: Mapping[str, Any] = self.database.command(command, **as_told)
        return iter(_plain_answer(name, answer))

    def _guarded(self, cursor: Any) -> Iterator[Mapping[str, Any]]:
        try:
            yield from cursor
        except READING as error:
            raise self.error(error) from error

    def error(self, error: Exception) -> ToolError:
        """What went wrong while something ran, as ours."""
        return map_error(error, self._connection, self._timeout)

    def catalog(self, request: CatalogRequest) -> Catalog:
        """Collections and views with the fields that a bounded sample shows."""
        from dbtools.drivers.mongodb.sampling import read_catalog

        try:
            return read_catalog(self.database, request, self.version)
        except ERRORS as error:
            raise self.error(error) from error

    def privileges(self) -> Privileges:
        """What the login's roles let it write."""
        from dbtools.drivers.mongodb.privileges import read_privileges

        try:
            return read_privileges(self.database, self._connection)
        except ERRORS as error:
            raise self.error(error) from error

    def cancel(self) -> None:
        """Kill our command on the server, found by its comment or its connection."""
        try:
            with dialling.client(self._connection) as other:
                running = other.admin.command("currentOp", maxTimeMS=_CANCEL_MILLISECONDS)
                for operation in running.get("inprog", []):
                    if self._is_ours(operation):
                        other.admin.command("killOp", op=operation["opid"])
        except READING:
            # maxTimeMS ends it all the same; a login may lack the right to look.
            return

    def _is_ours(self, operation: Mapping[str, Any]) -> bool:
        command = operation.get("command") or {}
        if command.get("comment") == self._comment:
            return True
        reads = any(
            name in command for name in ("aggregate", "find", "count", "distinct", "getMore")
        )
        return reads and operation.get("connectionId") in self._watch.connection_ids

    def close(self) -> None:
        """Say goodbye, whatever the server answers to that."""
        with suppress(*READING):
            self.client.close()


def _rows(documents: Iterator[Mapping[str, Any]]) -> Iterator[Row]:
    return ((document,) for document in documents)


def _columns(sample: Sequence[Mapping[str, Any]]) -> list[Column]:
    """Top-level fields in the order they appear, each with the BSON types it was seen with."""
    kinds: dict[str, dict[str, None]] = {}
    for document in sample:
        for name, value in document.items():
            kinds.setdefault(name, {})[type_name(value)] = None
    return [Column(name, "|".join(seen)) for name, seen in kinds.items()]


def _plain_answer(name: str, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of a command that has no cursor."""
    if name == "count":
        return [{"n": answer["n"]}]
    if name == "distinct":
        return [{"value": value} for value in answer["values"]]
    hidden = ("ok", "$clusterTime", "operationTime")
    return [{key: value for key, value in answer.items() if key not in hidden}]
