"""chart and table: from query results, NDJSON and CSV, as they come out of a pipe."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from commands import run

from reportkit import Made, command, opens, pdf_text

QUERY = {
    "ok": True,
    "rows": [
        {"region": "EU", "month": "2026-09-01", "revenue": "512000.10", "orders": 910},
        {"region": "US", "month": "2026-09-01", "revenue": "431000.00", "orders": 700},
        {"region": "EU", "month": "2026-10-01", "revenue": "530000.55", "orders": 930},
    ],
    "rowCount": 3,
    "executionTimeMs": 12,
    "columns": [
        {"name": "region", "type": "text"}, {"name": "month", "type": "date"},
        {"name": "revenue", "type": "numeric"}, {"name": "orders", "type": "int4"},
    ],
    "truncated": False,
    "connection": "shop",
}  # fmt: skip


def chart(folder: Path, data: Any, *arguments: str) -> Made:
    text = data if isinstance(data, str) else json.dumps(data)
    return command(folder, "chart", *arguments, stdin=text)


def svg(folder: Path, data: Any, *arguments: str) -> str:
    return chart(folder, data, *arguments, "--format", "svg").one("svg").read_text()


def test_decimal_strings_are_numbers_for_y(tmp_path: Path) -> None:
    text = svg(
        tmp_path, QUERY, "--type", "bar", "--x", "month", "--y", "revenue", "--series", "region"
    )
    for part in ("512K", "431K", "530K", "Sep 2026", "Oct 2026", "EU", "US"):
        assert part in text
    assert "Revenue by month and region" in text


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
@pytest.mark.parametrize("kind", ["bar", "barh", "line", "area", "scatter", "pie", "donut"])
def test_every_kind_in_every_format(kind: str, form: str, tmp_path: Path) -> None:
    x = "orders" if kind == "scatter" else "region"
    made = chart(tmp_path, QUERY, "--type", kind, "--x", x, "--y", "revenue", "--agg", "sum",
                 "--format", form, "-o", f"c.{form}")  # fmt: skip
    opens(made.one(form), form)


@pytest.mark.parametrize(
    ("agg", "shown"),
    [("sum", "6"), ("avg", "3"), ("min", "1"), ("max", "5"), ("count", "2"), ("median", "3")],
)
def test_aggregates(agg: str, shown: str, tmp_path: Path) -> None:
    rows = {"rows": [{"g": "a", "v": 1}, {"g": "a", "v": 5}]}
    text = svg(tmp_path, rows, "--type", "barh", "--x", "g", "--y", "v", "--agg", agg)
    assert f">{shown}<" in text


def test_sums_are_told_when_nobody_asked(tmp_path: Path) -> None:
    rows = {"rows": [{"g": "a", "v": 1}, {"g": "a", "v": 5}]}
    made = chart(tmp_path, rows, "--type", "bar", "--x", "g", "--y", "v")
    assert made.codes == ["AGGREGATED"]
    assert "'a'" in made.body["warnings"][0]["message"]


def test_rows_are_counted_without_y(tmp_path: Path) -> None:
    text = svg(tmp_path, QUERY, "--type", "barh", "--x", "region", "--agg", "count")
    assert ">2<" in text


@pytest.mark.parametrize(
    "data",
    [
        '[{"a":"x","b":2},{"a":"y","b":3}]',
        '{"a":"x","b":2}\n{"a":"y","b":3}\n',
        '{"headers":["a","b"],"rows":[["x",2],["y",3]]}',
        '{"ok":true,"rows":[["x",2],["y",3]],"columns":[{"name":"a","type":"t"},{"name":"b","type":"i"}]}',
        "a,b\nx,2\ny,3\n",
        "a\tb\nx\t2\ny\t3\n",
        "\ufeffa;b\nx;2\ny;3\n",
        '"a","b"\n"x","2"\n"y","3"\n',
    ],
)
def test_shapes_of_rows(data: str, tmp_path: Path) -> None:
    text = svg(tmp_path, data, "--type", "barh", "--x", "a", "--y", "b")
    for part in (">x<", ">y<", ">2<", ">3<"):
        assert part in text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--x", "mont", "--y", "revenue"), "did you mean 'month'?"),
        (("--x", "month", "--y", "region"), "/rows/0/region"),
        (("--x", "month"), "--y COLUMN"),
        (("--x", "month", "--y", "orders", "--size", "9x9"), "960x540"),
        (("--x", "month", "--y", "orders", "--theme", "pink"), "navy"),
    ],
)
def test_bad_questions(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    answer = chart(tmp_path, QUERY, "--type", "bar", *arguments).answer
    assert answer.code == 2
    assert says in json.dumps(answer.error)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ('{"rows": 3}', "array expected"),
        ('{"rows": [1]}', "/rows/0"),
        ('{"nothing": 1}', "/rows"),
        ('{"headers": ["a", "b"], "rows": [[1]]}', "/rows/0"),
        ("a,b\n1\n", "1 fields"),
        ('a,b\n"1,2\n', "not valid CSV"),
        ('{"a":1}\n[2]\n', "document 2"),
        ('{"a":1}\n{"a":}\n', "line 2"),
        ("{'a': 1}", "double quotes"),
    ],
)
def test_broken_rows(data: str, says: str, tmp_path: Path) -> None:
    answer = command(tmp_path, "table", "--format", "csv", stdin=data).answer
    assert answer.code == 2
    assert answer.error["code"] == "BAD_DATA"
    assert says in json.dumps(answer.error)
    assert not list(tmp_path.rglob("*.csv"))


def test_no_rows_is_no_failure(tmp_path: Path) -> None:
    empty = QUERY | {"rows": []}
    assert "No data" in svg(tmp_path, empty, "--type", "bar", "--x", "month", "--y", "revenue")
    made = command(tmp_path, "table", "--format", "csv", stdin=json.dumps(empty))
    assert made.one("csv").read_text("utf-8-sig").strip() == "region,month,revenue,orders"
    for form in ("xlsx", "pdf"):
        opens(command(tmp_path, "table", "--format", form, stdin=json.dumps(empty)).one(form), form)


def test_tables_keep_types(tmp_path: Path) -> None:
    made = command(tmp_path, "table", "--format", "xlsx", stdin=json.dumps(QUERY))
    sheet = openpyxl.load_workbook(made.one("xlsx")).active
    assert sheet.title == "Table"
    assert [cell.value for cell in sheet[2]][2:] == [512000.1, 910]
    assert sheet["B2"].is_date
    assert sheet["C2"].number_format == "#,##0.00"
    text = pdf_text(
        command(tmp_path, "table", "--format", "pdf", stdin=json.dumps(QUERY)).one("pdf")
    )
    assert "512,000.10" in text


def test_csv_text_stays_text_unless_all_are_numbers(tmp_path: Path) -> None:
    data = "code,amount,mixed,huge\n007,1.50,1,12345678901234567890\n010,-2,x,1\n"
    made = command(tmp_path, "table", "--format", "xlsx", stdin=data)
    rows = list(openpyxl.load_workbook(made.one("xlsx")).active.iter_rows(values_only=True))
    assert rows[1:] == [("007", 1.5, "1", "12345678901234567890"), ("010", -2, "x", "1")]


def test_late_keys_of_ndjson_get_a_column(tmp_path: Path) -> None:
    lines = [json.dumps({"a": i}) for i in range(3000)] + ['{"b": {"$oid": "x"}, "a": [1]}']
    made = command(tmp_path, "table", "--format", "csv", "--no-bom", stdin="\n".join(lines))
    rows = list(csv.reader(made.one("csv").read_text().splitlines()))
    assert rows[0] == ["a", "b"]
    assert rows[1] == ["0", ""]
    assert rows[-1] == ["[1]", "x"]
    assert made.body["files"][0]["rows"] == 3001


def test_many_rows_are_streamed(tmp_path: Path) -> None:
    data = "id,name,sum\n" + "".join(f"{i},Customer {i},{i}.5\n" for i in range(60_000))
    made = command(tmp_path, "table", "--format", "xlsx", stdin=data)
    book = openpyxl.load_workbook(made.one("xlsx"), read_only=True)
    rows = book.active.iter_rows(values_only=True)
    assert next(rows) == ("id", "name", "sum")
    assert next(rows) == (0, "Customer 0", 0.5)
    assert sum(1 for _ in rows) == 59_999
    assert made.body["files"][0]["rows"] == 60_000


def test_a_pipe_from_db_query(tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "s.db") as base:
        base.executescript(
            "create table t(day date, kind text, amount numeric(10,2));"
            "insert into t values ('2026-10-01','a',1.5),('2026-10-02','b',-2),('2026-10-03','a',4)"
        )
    env = {"DB_TYPE": "sqlite", "DB_NAME": str(tmp_path / "s.db")}
    asked = run("db-query", "--query", "select * from t", env=env)
    assert asked.code == 0, asked.stdout
    text = svg(tmp_path, asked.stdout, "--type", "line", "--x", "day", "--y", "amount")
    assert "2 Oct" in text
    made = command(tmp_path, "generate", "--template", "data-summary", stdin=asked.stdout)
    found = pdf_text(made.one("pdf"))
    for part in ("day", "kind", "amount", "-2", "2026-10-03"):
        assert part in found
    failed = run("db-query", "--query", "delete from t", env=env)
    passed = command(tmp_path, "generate", "--template", "data-summary", stdin=failed.stdout).answer
    assert passed.code == failed.code
    assert passed.error["code"] == failed.error["code"] == "BLOCKED"


def test_a_cut_result_says_so(tmp_path: Path) -> None:
    cut = QUERY | {"truncated": True}
    made = command(tmp_path, "generate", "--template", "data-summary", stdin=json.dumps(cut))
    assert "TRUNCATED" in made.codes
    assert "cut by a limit" in pdf_text(made.one("pdf"))
    assert (
        "TRUNCATED" in chart(tmp_path, cut, "--type", "bar", "--x", "month", "--y", "orders").codes
    )
