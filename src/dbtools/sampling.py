"""A look at data for `db-schema`: a few rows of a table, the values of columns that have few."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from dbtools.catalog import Table, TableColumn
from dbtools.deadline import Deadline, DeadlineReached, stop
from dbtools.drivers.base import Execution, Session, timeout_error
from dbtools.engines import ENGINES
from dbtools.guard import check
from dbtools.scene import Scene
from dbtools.spelling import Naming
from toolbelt.errors import ToolError

MOST_TABLES: Final = 20
MOST_ROWS: Final = 20
_MOST_VALUES: Final = 12
_ROWS_LOOKED_AT: Final = 20_000
_MOST_COLUMNS: Final = 40
_CELL: Final = 80
_LONGEST_VALUE: Final = 40
_FEW_VALUED: Final = ("text", "varchar", "char", "bool", "enum", "string", "nvarchar", "nchar",
                      "int", "smallint", "tinyint", "integer", "lowcardinality", "fixedstring",
                      "bpchar", "bit", "name")  # fmt: skip

Rows = list[dict[str, object]]


class Look:
    """One session for all the looks of a call, within its time limit."""

    def __init__(self, scene: Scene, tables: Sequence[Table]) -> None:
        if len(tables) > MOST_TABLES:
            raise ToolError(
                "USAGE", f"--samples and --values look at {MOST_TABLES} tables at most, not "
                f"{len(tables)}.", hint="name the tables: --table NAME",
            )  # fmt: skip
        self._scene = scene
        self._engine = scene.connection.engine
        self._naming: Naming = scene.naming
        limit = scene.connection.limits.query_timeout_ms / 1000
        asked = scene.request.timeout_seconds
        self._seconds = limit if asked is None else min(limit, asked)
        self._until = time.monotonic() + self._seconds

    def rows(self, table: Table, count: int) -> Rows:
        """The first rows of a table, long cells cut."""
        most = self._scene.connection.limits.max_rows
        count = count if most is None else min(count, most)
        if self._engine == "mongodb":
            return self._documents(table, count)
        names = [c.name for c in table.columns]
        chosen = [self._naming.column(n) for n in names] if names else ["*"]
        found = self._ask(_select(chosen, self._source(table), count, self._engine), count)
        return [dict(zip(names, row, strict=False)) if names else {} for row in found]

    def with_values(self, table: Table) -> Table:
        """The table, its columns of few values with those values."""
        if self._engine == "mongodb":
            return table
        unique = {i.columns[0] for i in table.indexes if i.unique and len(i.columns) == 1}
        referring = {c for k in table.foreign_keys for c in k.columns}
        columns = []
        for number, column in enumerate(table.columns):
            plain = column.name not in unique | referring and not column.primary_key
            if plain and number < _MOST_COLUMNS and _may_have_few(column):
                columns.append(replace(column, values=self._values(table, column)))
            else:
                columns.append(column)
        return replace(table, columns=tuple(columns))

    def _values(self, table: Table, column: TableColumn) -> tuple[str, ...]:
        name = self._naming.column(column.name)
        part = _select([name], self._source(table), _ROWS_LOOKED_AT, self._engine)
        text = _select(
            [f"DISTINCT {name}"], f"({part}) AS looked_at", _MOST_VALUES + 2, self._engine
        )
        found = [row[0] for row in self._ask(text, _MOST_VALUES + 2) if row[0] is not None]
        shown = sorted({str(value) for value in found})
        long = any(len(value) > _LONGEST_VALUE for value in shown)
        return () if long or len(found) > _MOST_VALUES else tuple(shown)

    def _source(self, table: Table) -> str:
        """What to read of: of a row of daily tables the last, for all of them would cost."""
        name = str(table.extra.get("lastShard", table.name))
        return self._naming.table(table.schema, name)

    def _documents(self, table: Table, count: int) -> Rows:
        command: dict[str, object] = {"find": table.name, "limit": count}
        execution = Execution([], document=command, fetch_rows=count, kind="FIND")
        found = self._run(execution)
        return [
            {str(k): _cut(v) for k, v in row[0].items()}
            for row in found
            if row and isinstance(row[0], dict)
        ]

    def _ask(self, statement: str, count: int) -> list[list[object]]:
        verdict = check(statement, ENGINES[self._engine].dialect)
        if not verdict.allowed:
            raise ToolError(verdict.code, verdict.message, hint=verdict.hint)
        return self._run(Execution([verdict.statement], fetch_rows=count))

    def _run(self, execution: Execution) -> list[list[object]]:
        left = self._until - time.monotonic()
        if left <= 0:
            raise timeout_error(self._seconds)
        session: Session = self._scene.survey.session()
        try:
            with Deadline(left):
                result = session.execute(replace(execution, timeout_seconds=left))
                converters = result.converters
                return [
                    [
                        _cut(c if f is None or c is None else f(c))
                        for c, f in zip(row, converters, strict=False)
                    ]
                    for row in result.rows
                ]
        except DeadlineReached:
            stop(session)
            raise timeout_error(self._seconds) from None
        finally:
            session.close()


def _may_have_few(column: TableColumn) -> bool:
    if column.values:
        return False
    kind = column.type.lower().removeprefix("nullable(").removeprefix("lowcardinality(")
    return kind.startswith(_FEW_VALUED) and "[" not in kind


def _select(columns: Sequence[str], source: str, count: int, engine: str) -> str:
    listed = ", ".join(columns)
    if engine == "mssql":
        distinct = "DISTINCT " if listed.startswith("DISTINCT ") else ""
        listed = f"{distinct}TOP {count:d} {listed.removeprefix(distinct)}"
        return f"SELECT {listed} FROM {source}"  # noqa: S608 - quoted names of the catalog
    return f"SELECT {listed} FROM {source} LIMIT {count:d}"  # noqa: S608 - quoted names of the catalog


def _cut(value: object) -> object:
    """A cell as it may be shown: long text cut, a long list or document as its JSON cut."""
    if isinstance(value, (dict, list)):
        import json

        text = json.dumps(value, ensure_ascii=False, default=str)
        return value if len(text) <= _CELL else text[: _CELL - 1] + "…"
    if isinstance(value, str) and len(value) > _CELL:
        return value[: _CELL - 1] + "…"
    return value


def looked(scene: Scene, tables: Sequence[Table]) -> Iterator[tuple[Table, Rows]]:
    """Each table, its values filled in and its sample rows beside it, as far as was asked for."""
    request = scene.request
    if not (request.samples or request.values):
        yield from ((table, []) for table in tables)
        return
    look = Look(scene, tables)
    for table in tables:
        told = look.with_values(table) if request.values else table
        yield told, look.rows(table, request.samples) if request.samples else []
