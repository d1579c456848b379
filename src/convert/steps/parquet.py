"""Parquet files, through pyarrow: read in batches; written with text columns unless asked."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from convert.steps.grid import Grid, text, unique
from convert.steps.told import Problem, Warnings
from convert.steps.typed import typed

if TYPE_CHECKING:
    import pyarrow

_BATCH: Final = 20_000


def read(path: Path) -> Grid:
    """The table in a Parquet file."""
    import pyarrow
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(path)
        header = list(file.schema_arrow.names)
    except (pyarrow.ArrowInvalid, OSError) as error:
        reason = "truncated" if "magic bytes" in str(error) else "bad_input"
        raise Problem(reason, f"The Parquet file cannot be read: {_line(error)}") from error

    def rows() -> Iterator[list[object]]:
        try:
            for batch in file.iter_batches(_BATCH):
                columns = [column.to_pylist() for column in batch.columns]
                yield from (list(row) for row in zip(*columns, strict=True))
        except (pyarrow.ArrowException, OSError) as error:
            raise Problem("bad_input", f"The Parquet file is damaged: {_line(error)}") from error

    return Grid("", header, rows())


def write(grid: Grid, path: Path, warnings: Warnings, *, convert: bool) -> None:
    """Write a table. convert: a column whose texts are all numbers or dates becomes one."""
    import pyarrow
    from pyarrow import parquet

    names = unique(grid.header, warnings)
    if convert:
        rows = [_padded(row, names) for row in grid.rows]
        columns = [_column([row[place] for row in rows]) for place in range(len(names))]
        parquet.write_table(pyarrow.table(columns, names=names), path)
        return
    schema = pyarrow.schema([(name, pyarrow.string()) for name in names])
    with parquet.ParquetWriter(path, schema) as writer:
        empty = True
        while batch := [_padded(row, names) for row in islice(grid.rows, _BATCH)] or empty:
            rows = batch if isinstance(batch, list) else []
            empty = False
            columns = [[_text(row[place]) for row in rows] for place in range(len(names))]
            arrays = [pyarrow.array(column, pyarrow.string()) for column in columns]
            writer.write_table(pyarrow.table(arrays, schema=schema))


def _text(value: object) -> str | None:
    return None if value is None else text(value)


def _padded(row: list[object], names: list[str]) -> list[object]:
    if len(row) > len(names):
        raise Problem("bad_input", "A row has more fields than the header.", "mend that row")
    return row + [None] * (len(names) - len(row))


def _column(values: list[object]) -> pyarrow.Array:
    import pyarrow

    found = [typed(v) if isinstance(v, str) else v for v in values]
    filled = [v for v in found if v not in ("", None)]
    kinds = {type(v) for v in filled}
    if len(kinds) == 1 and str not in kinds:
        return pyarrow.array([None if v == "" else v for v in found])
    if kinds == {int, float}:
        return pyarrow.array([None if v in ("", None) else float(str(v)) for v in found])
    return pyarrow.array([_text(v) for v in values], pyarrow.string())


def _line(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:200] if str(error).strip() else "no reason given"
