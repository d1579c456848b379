"""Answers that must come at once import nothing that draws."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.commands import clean_environment, run
from reportkit import command, generate, monthly

HEAVY = (
    "matplotlib", "reportlab", "pptx", "openpyxl", "pandas", "numpy", "rustpy_xlsxwriter", "PIL",
    "lxml", "uharfbuzz",
)  # fmt: skip
PROBE = """
import json, sys
sys.argv = ["report-run", *json.loads(sys.argv[1])]
from reporttools.cli import main
try:
    main()
finally:
    print("\\n#" + json.dumps([name for name in %r if name in sys.modules]))
"""


@pytest.mark.parametrize(
    ("arguments", "data"),
    [
        (["--help"], ""),
        (["generate", "--help"], ""),
        (["--version"], ""),
        (["execute-code", "--help"], ""),
        (["execute-code", "--language", "python", "--code", "-"], "print(1)"),
        (["generate"], ""),
        (["list-templates"], ""),
        (["generate", "--template", "nonsense"], ""),
        (["generate", "--template", "monthly", "--format", "docx"], "{}"),
        (["generate", "--template", "monthly"], '{"title": 3}'),
        (["validate", "--template", "monthly"], json.dumps(monthly())),
        (["chart", "--type", "bar", "--x", "a", "--y", "b"], '{"rows":[{"a":1,"c":2}]}'),
    ],
)
def test_no_renderer_is_imported(arguments: list[str], data: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE % (HEAVY,), json.dumps(arguments)], input=data, check=False,
        capture_output=True, text=True, cwd=tmp_path, env=clean_environment(), timeout=60,
    )  # fmt: skip
    assert json.loads(done.stdout.rpartition("\n#")[2]) == []


def test_csv_needs_no_library(tmp_path: Path) -> None:
    arguments = ["generate", "--template", "monthly", "--format", "csv", "--workspace", "."]
    done = subprocess.run(
        [sys.executable, "-c", PROBE % (HEAVY,), json.dumps(arguments)],
        input=json.dumps(monthly()), check=True, capture_output=True, text=True, cwd=tmp_path,
        env=clean_environment(), timeout=60,
    )  # fmt: skip
    assert json.loads(done.stdout.rpartition("\n#")[2]) == []


def test_templates_are_listed_with_their_schemas(tmp_path: Path) -> None:
    body = command(tmp_path, "list-templates").body
    assert [t["name"] for t in body["templates"]] == ["dashboard", "data-summary", "monthly"]
    assert body["templates"][2]["required"] == ["title", "period", "summary", "charts", "tables"]
    one = command(tmp_path, "list-templates", "--schema", "monthly").body
    assert one["schema"] == body["templates"][2]["schema"]


def test_usage_errors_answer_in_json(tmp_path: Path) -> None:
    answer = run("report-run", "generate", cwd=tmp_path)
    assert answer.code == 2
    assert answer.error["code"] == "USAGE"


def test_an_unknown_template_is_told_the_nearest(tmp_path: Path) -> None:
    answer = generate(tmp_path, {}, template="montly").answer
    assert answer.code == 2
    assert answer.error["code"] == "UNKNOWN_TEMPLATE"
    assert "did you mean 'monthly'?" in answer.error["hint"]


def test_an_unknown_format_is_told_the_nearest(tmp_path: Path) -> None:
    answer = generate(tmp_path, monthly(), ["xlxs"]).answer
    assert answer.error["code"] == "UNKNOWN_FORMAT"
    assert "'xlsx'" in answer.error["hint"]


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    data = monthly(
        summary=[
            {"metric": "A", "value": "1", "change": 1},
            {"metrik": "B", "value": 1, "change": 0},
        ],
        charts=[{"type": "bars", "title": "x", "data": []}],
        tables=[{"title": "t", "headers": ["a", "b"], "rows": [[1], [1, 2], [1, 2, 3]]}],
    )
    del data["title"]
    error = generate(tmp_path, data).answer.error
    paths = {problem["path"]: problem for problem in error["problems"]}
    assert set(paths) == {
        "/title", "/summary/0/value", "/summary/1/metric", "/charts/0/type", "/tables/0/rows/0",
        "/tables/0/rows/2",
    }  # fmt: skip
    assert "metrik" in paths["/summary/1/metric"]["hint"]
    assert "'bar'" in paths["/charts/0/type"]["hint"]
    assert error["problemCount"] == 6


def test_at_most_twenty_problems_are_listed(tmp_path: Path) -> None:
    rows = [[1, 2, 3]] * 100
    data = monthly(tables=[{"title": "t", "headers": ["a"], "rows": rows}])
    error = generate(tmp_path, data).answer.error
    assert len(error["problems"]) == 20
    assert error["problemCount"] == 100


def test_a_failure_piped_in_is_passed_on(tmp_path: Path) -> None:
    failure = {
        "ok": False,
        "error": {"code": "BLOCKED", "message": "DELETE is not allowed.", "hint": "use SELECT"},
    }
    for arguments in (
        ("generate", "--template", "data-summary"),
        ("chart", "--type", "bar", "--x", "a", "--y", "b"),
        ("table",),
        ("validate", "--template", "monthly"),
    ):
        answer = command(tmp_path, *arguments, stdin=json.dumps(failure)).answer
        assert answer.code == 1
        assert answer.error["code"] == "BLOCKED"
        assert answer.error["message"] == "DELETE is not allowed."
        assert answer.error["hint"] == "use SELECT"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"title": NaN}', "/title: NaN"),
        ('{"a": 1,\n"a": 2}', "'a' is given twice (line 2)"),
        ('{"title": 1e999}', "too large"),
        ('{"title": }', "line 1, column 11"),
        ("", "expecting value"),
        ('{"x": ' + "9" * 5000 + "}", "5000 digits"),
        ("[" * 200_000, "nested too deeply"),
    ],
)
def test_json_that_is_none(text: str, says: str, tmp_path: Path) -> None:
    answer = generate(tmp_path, text).answer
    assert answer.code == 2
    assert answer.error["code"] == "BAD_DATA"
    assert says in answer.error["message"]


def test_an_output_is_not_replaced_unasked(tmp_path: Path) -> None:
    assert generate(tmp_path, monthly(), ["csv"], "monthly", "--output", "a.csv").answer.code == 0
    again = generate(tmp_path, monthly(), ["csv"], "monthly", "--output", "a.csv").answer
    assert again.code == 1
    assert again.error["code"] == "BAD_PATH"
    forced = generate(tmp_path, monthly(), ["csv"], "monthly", "--output", "a.csv", "--force")
    assert forced.answer.code == 0


def test_names_of_our_own_do_not_collide(tmp_path: Path) -> None:
    first = generate(tmp_path, monthly(), ["csv"]).files("csv")
    second = generate(tmp_path, monthly(), ["csv"]).files("csv")
    assert not set(first) & set(second)
    assert all(path.parent == tmp_path / "output" for path in first + second)


@pytest.mark.parametrize("output", ["../out.pdf", "/tmp/elsewhere/out.pdf"])
def test_output_stays_beneath_the_workspace(output: str, tmp_path: Path) -> None:
    answer = generate(tmp_path, monthly(), ["pdf"], "monthly", "--output", output).answer
    assert answer.error["code"] == "BAD_PATH"


@pytest.mark.parametrize(
    ("formats", "output", "hint"),
    [
        (["pdf"], "a.xlsx", "--output a.pdf, or --format xlsx"),
        (["pdf"], "a.docx", "--output a.pdf"),
        (["pdf", "csv"], "out/a.pdf", "--output out: a folder for all of them"),
    ],
)
def test_the_ending_must_fit_the_format(
    formats: list[str], output: str, hint: str, tmp_path: Path
) -> None:
    answer = generate(tmp_path, monthly(), formats, "monthly", "--output", output).answer
    assert (answer.error["code"], answer.error["hint"]) == ("USAGE", hint)


def test_unknown_keys_are_warned_about(tmp_path: Path) -> None:
    data = monthly(summary=[{"metric": "A", "value": 1, "change": 1, "goodwhen": "down"}])
    warning = generate(tmp_path, data, ["csv"]).body["warnings"][0]
    assert warning["code"] == "UNKNOWN_KEY"
    assert warning["path"] == "/summary/0/goodwhen"
    assert "'goodWhen'" in warning["message"]
