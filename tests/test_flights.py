"""Twenty questions over 336,776 real flights: the same answers from every engine."""

from __future__ import annotations

import json
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import flights_oracle
from cli.commands import run
from servers import Server

with (Path(__file__).parent / "cases" / "flights.toml").open("rb") as _file:
    CASES: list[dict[str, Any]] = tomllib.load(_file)["case"]

# A wire server written in Python takes its time over 336,776 documents.
PATIENT = {"DB_QUERY_TIMEOUT": "120000"}


def exact(value: object) -> object:
    """Numbers by value, however they are written; everything else as it is."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return value
    return Decimal(str(value)).normalize()


def like(got: object, wanted: object) -> object:
    """A number that came as text, where a number is wanted, as a number."""
    if isinstance(exact(wanted), Decimal) and isinstance(got, str):
        return Decimal(got).normalize()
    return exact(got)


def wanted_rows(case: dict[str, Any], engine: str = "any") -> list[list[object]]:
    answers = case["answer"]
    rows: list[list[object]] = json.loads(answers.get(engine, answers["any"]))
    return [[exact(value) for value in row] for row in rows]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_expected_answer_is_what_pandas_finds(case: dict[str, Any]) -> None:
    rows = getattr(flights_oracle, case["id"])()
    assert [[exact(value) for value in row] for row in rows] == wanted_rows(case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_db_query_gives_the_expected_answer(flights_engine: Server, case: dict[str, Any]) -> None:
    spelling = case["sql"]
    statement = spelling.get(flights_engine.engine, spelling.get("any"))
    bound = {k: v for k, v in case.get("params", {}).items() if f":{k}" in statement}
    parameters = ["--params", json.dumps(bound)] if bound else []
    answer = run("db-query", "--query", statement, *parameters, env=flights_engine.env() | PATIENT)
    assert answer.code == 0, answer.stdout + answer.stderr
    wanted = wanted_rows(case, flights_engine.engine)
    rows = [list(row.values()) for row in answer.json()["rows"]]
    assert len(rows) == len(wanted)
    assert [
        [like(got, want) for got, want in zip(row, line, strict=True)]
        for row, line in zip(rows, wanted, strict=True)
    ] == wanted
