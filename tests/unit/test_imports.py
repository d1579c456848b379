"""What a command loads before it has work to do, and which engine's client it loads then."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from dbtools.engines import ENGINES

HEAVY = (
    "sqlglot psycopg pymysql pymongo clickhouse_connect google pytds duckdb pandas numpy matplotlib "
    "reportlab pptx openpyxl asyncio logging importlib.metadata tomllib ssl ctypes PIL typst"
).split()
COMMANDS = {
    "db-query": "dbtools.query_cli",
    "db-schema": "dbtools.schema_cli",
    "report-run": "reporttools.cli",
    "file-convert": "convert.cli",
    "safe-shell": "safeshell.cli",
}
CALLS = [["--help"], ["--version"], ["--no-such-option"]]
PROGRAM = """
import sys
before = set(sys.modules)
sys.argv = [{command!r}, *{arguments!r}]
from {module} import main
try:
    main()
except SystemExit:
    pass
print("LOADED", *sorted(set(sys.modules) - before))
"""


def loaded(command: str, arguments: list[str], env: dict[str, str] | None = None) -> set[str]:
    program = PROGRAM.format(command=command, arguments=arguments, module=COMMANDS[command])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PATH": os.environ["PATH"], **(env or {})},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(done.stdout.rpartition("LOADED")[2].split())


@pytest.mark.parametrize("arguments", CALLS, ids=lambda a: a[0])
@pytest.mark.parametrize("command", COMMANDS)
def test_help_version_and_usage_errors_load_nothing_heavy(
    command: str, arguments: list[str]
) -> None:
    assert not loaded(command, arguments) & set(HEAVY)


def test_a_refused_and_an_unconfigured_query_load_no_driver_and_no_parser() -> None:
    env = {"DB_TYPE": "pg", "DB_HOST": "127.0.0.1", "DB_NAME": "d"}
    for given in (env, {}):
        assert not loaded("db-query", ["-q", "DROP TABLE t"], given) & set(HEAVY)


def test_a_plain_select_needs_no_parser() -> None:
    env = {"DB_TYPE": "sqlite", "DB_NAME": os.devnull}
    names = loaded("db-query", ["-q", "SELECT a, count(*) FROM t GROUP BY a"], env)
    assert "dbtools.guard" in names and not names & {"sqlglot", "psycopg", "pymysql"}


def test_names_and_search_load_no_parser_and_no_arrays(tmp_path: Path) -> None:
    path = tmp_path / "it.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE orders (id INTEGER)")
    db.close()
    env = {"DB_TYPE": "sqlite", "DB_NAME": str(path), "XDG_CACHE_HOME": str(tmp_path)}
    unwanted = {"sqlglot", "numpy", "pandas", "psycopg", "tomllib"}
    for arguments in (["--detail", "names"], ["--search", "заказы orders"]):
        loaded("db-schema", arguments, env)
        warm = loaded("db-schema", arguments, env)
        assert not warm & (unwanted | {"dbtools.drivers.sqlite"})


WITHOUT = """
import sys
from dbtools.drivers import load
from toolbelt.errors import ToolError

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {clients}:
            raise ModuleNotFoundError(f"No module named {{name}}", name=name)

sys.meta_path.insert(0, Nothing())
try:
    load({engine!r})
except ToolError as error:
    print(error.code, error.hint)
"""


@pytest.mark.parametrize(
    ("engine", "extra"),
    [(name, engine.extra) for name, engine in ENGINES.items() if engine.extra],
)
def test_a_missing_client_library_names_its_extra(engine: str, extra: str) -> None:
    clients = {
        "psycopg",
        "pymysql",
        "pymongo",
        "bson",
        "clickhouse_connect",
        "google",
        "pytds",
        "duckdb",
    }
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(engine=engine, clients=clients)],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert done.stdout == f"MISSING_DEP pip install 'sandbox-toolbelt[{extra}]'\n"
