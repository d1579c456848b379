"""Tables: delimiters, exact values, workbooks that come back the same."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convert.steps import read_csv, read_json, read_sheet, sheet_fit, write_text, write_xlsx
from convert.steps.grid import Grid, Number, plain, text, unique
from convert.steps.told import Problem, Warnings
from convert.steps.typed import typed

CELL = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)

DELIMITED = [
    ("a,b\n1,2\n", ","), ("a;b\n1,5;2,5\n", ";"), ("a\tb,c\n1\t2\n", "\t"), ("a|b\n1|2\n", "|"),
    ('"a,b";"c,d"\n"1,2";"3"\n', ";"), ("a;b\n1;x,y,z\n2;p,q\n", ";"), ("one\ntwo\n", None),
    ('"a\n;b",c\n1,2\n', ","), ("", None), ('a,"b;;;;"\n1,";;"\n', ","),
]  # fmt: skip


@pytest.mark.parametrize(("sample", "char"), DELIMITED)
def test_the_delimiter_is_what_splits_evenly(sample: str, char: str | None) -> None:
    assert read_csv.found(sample) == char


@given(
    st.sampled_from(",;\t|"),
    st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=3, max_size=8),
)
def test_a_quoted_table_is_read_as_written(char: str, rows: list[list[str]]) -> None:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=char, quoting=csv.QUOTE_ALL).writerows(rows)
    assert read_csv.found(buffer.getvalue()) == char


def test_uneven_records_are_told(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1\n2,3,4\n\n5,6\n")
    warnings = Warnings()
    grid = read_csv.read(path, "auto", warnings)
    assert list(grid.rows) == [["1", ""], ["2", "3", "4"], ["5", "6"]]
    assert len(warnings.lines) == 2


@settings(max_examples=60)
@given(st.lists(st.lists(CELL, min_size=2, max_size=4), min_size=1, max_size=6))
def test_a_workbook_gives_every_text_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    path = tmp_path_factory.mktemp("x") / "t.xlsx"
    header = ["h0", "h1", "h2", "h3"]
    filled = [["row", *row] for row in rows]
    write_xlsx.write(
        [Grid("S", header, iter([list(r) for r in filled]))], path, Warnings(), convert=False
    )
    (grid,) = read_sheet.read(path, "first", Warnings())
    back = [[text(v) for v in row] for row in grid.rows]
    wide = max(len(header), *(len(row) for row in filled))
    padded = [row + [""] * (wide - len(row)) for row in filled]
    assert [row + [""] * (wide - len(row)) for row in back] == padded


def test_text_is_never_a_formula_or_a_link(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    rows = [["=1+1", "http://x.invalid", "mailto:a@b", "1e5", "00", "TRUE"]]
    write_xlsx.write([Grid("", list("abcdef"), iter(rows))], path, Warnings(), convert=False)
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml")
        assert not [name for name in archive.namelist() if "rels" in name and "sheet" in name]
    assert sheet.count(b't="inlineStr"') == 12
    assert b"<f" not in sheet


def test_what_a_sheet_cannot_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with pytest.raises(Problem, match="32767"):
        write_xlsx.write([Grid("", ["a"], iter([["x" * 40_000]]))], path, Warnings(), convert=False)
    with pytest.raises(Problem, match="columns"):
        write_xlsx.write([Grid("", ["a"] * 20_000, iter([]))], path, Warnings(), convert=False)


def test_rows_beyond_a_sheet_go_on_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_xlsx, "MAX_ROWS", 300)
    path, warnings = tmp_path / "t.xlsx", Warnings()
    rows = iter([[str(n)] for n in range(700)])
    write_xlsx.write([Grid("Data", ["n"], rows)], path, warnings, convert=False)
    sheets = read_sheet.read(path, "all", Warnings())
    assert [sheet.name for sheet in sheets] == ["Data", "Data 2", "Data 3"]
    assert [text(v) for sheet in sheets for (v,) in sheet.rows] == [str(n) for n in range(700)]
    assert len(warnings.lines) == 2


TYPED = [
    ("1", 1), ("-5", -5), ("0", 0), ("1.5", 1.5), ("2026-01-02", date(2026, 1, 2)),
    ("2026-01-02T03:04:05", datetime(2026, 1, 2, 3, 4, 5)),
]  # fmt: skip
UNTYPED = ["00", "01", "+1", "1.50", "1e5", "1.", ".5", "-0", "", " 1", "1 ", "TRUE", "NaN", "inf",
           "1234567890123456", "2026-02-30", "2026-1-2", "١", "1_000", "--1", "-", "0x10",
           "2026-01-02T03:04:05Z", "1800-01-01", "0.1234567890123456789"]  # fmt: skip


@pytest.mark.parametrize(("content", "value"), TYPED)
def test_text_becomes_a_value_that_is_written_the_same(content: str, value: object) -> None:
    assert typed(content) == value
    assert text(typed(content)) == content


@pytest.mark.parametrize("content", UNTYPED)
def test_other_text_stays_text(content: str) -> None:
    assert typed(content) == content


@given(st.text(alphabet="0123456789.-+eE:T ", max_size=20))
def test_a_typed_value_is_always_written_the_same(content: str) -> None:
    assert text(typed(content)) == content


def test_json_keeps_its_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    numbers = ["12345678901234567890", "0.1", "1.10", "1e400", "-0.0", "0.12345678901234567890123"]
    body = ", ".join(f'"k{n}": {number}' for n, number in enumerate(numbers))
    path.write_text("[{" + body + "}]")
    (row,) = read_json.read(path, Warnings()).rows
    assert [text(v) for v in row] == numbers
    assert [plain(v) for v in row] == [
        12345678901234567890, 0.1, 1.1, "1e400", -0.0, "0.12345678901234567890123"
    ]  # fmt: skip


SHAPES = [
    ('[{"a": 1}, {"b": 2}]', ["a", "b"], [["1", ""], ["", "2"]]),
    ('[["x", "y"], [1, 2]]', ["x", "y"], [["1", "2"]]),
    ("[[1, 2], [3]]", ["column_1", "column_2"], [["1", "2"], ["3", ""]]),
    ("[1, null, true]", ["value"], [["1"], [""], ["true"]]),
    ('{"a": 1, "b": [2]}', ["a", "b"], [["1", "[2]"]]),
    ('{"n": 1, "rows": [{"a": 1}]}', ["a"], [["1"]]),
    ('"word"', ["value"], [["word"]]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "header", "rows"), SHAPES)
def test_json_of_any_shape_is_a_table(
    tmp_path: Path, source: str, header: list[str], rows: list[list[str]]
) -> None:
    path = tmp_path / "t.json"
    path.write_text(source)
    grid = read_json.read(path, Warnings())
    assert grid.header == header
    assert [[text(v) for v in row] for row in grid.rows] == rows


def test_characters_that_no_text_holds_are_replaced_and_told(tmp_path: Path) -> None:
    path, warnings = tmp_path / "t.json", Warnings()
    path.write_text('[{"a": "x\\u0000y\\ud800"}]')
    (row,) = read_json.read(path, warnings).rows
    assert row == ["x\ufffdy\ufffd"]
    assert len(warnings.lines) == 1


def test_names_of_columns_are_unique() -> None:
    warnings = Warnings()
    assert unique(["a", "", "a", "a_2", "a"], warnings) == ["a", "column_2", "a_2", "a_2_2", "a_3"]
    assert warnings.lines


@given(st.lists(st.lists(CELL, min_size=2, max_size=2), max_size=5))
def test_json_and_csv_hold_every_text(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    folder = tmp_path_factory.mktemp("x")
    write_text.write_json(
        Grid("", ["a", "b"], iter(list(map(list, rows)))), folder / "j", Warnings(), convert=False
    )
    assert [[r["a"], r["b"]] for r in json.loads((folder / "j").read_text())] == rows
    write_text.write_csv(Grid("", ["a", "b"], iter(list(map(list, rows)))), folder / "c")
    with (folder / "c").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file))[1:] == rows


def test_markdown_cells_are_single_lines(tmp_path: Path) -> None:
    grid = Grid("", ["a|b", "c"], iter([["x\ny", "*no* <b>"], [None, Decimal("1.50")]]))
    write_text.write_markdown([grid], tmp_path / "t.md")
    assert (tmp_path / "t.md").read_text() == (
        "| a\\|b | c |\n|---|---|\n| x<br>y | \\*no\\* &lt;b&gt; |\n|  | 1.50 |\n"
    )


SHEET = (
    '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    '{head}<sheetData><row r="1"><c r="A1"><v>46000.5</v></c></row></sheetData>{tail}</worksheet>'
)
HEADS = ["", "<dimension ref='A1'/>", '<sheetPr/><sheetFormatPr defaultRowHeight="15"/>',
         '<sheetPr><tabColor rgb="FF0000"/></sheetPr>', '<sheetPr><pageSetUpPr fitToPage="0"/></sheetPr>',
         '<cols><col min="1" max="3" width="4" customWidth="1"/></cols>']  # fmt: skip
TAILS = ["", '<pageSetup orientation="landscape" scale="50"/>', "<headerFooter/>",
         '<pageMargins left="1" right="1" top="1" bottom="1" header="1" footer="1"/>']  # fmt: skip


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("tail", TAILS)
def test_a_sheet_is_fitted_whatever_it_says_already(head: str, tail: str) -> None:
    from xml.etree import ElementTree

    source = SHEET.format(head=head, tail=tail).encode()
    fitted = sheet_fit.fitted(source, [(11.5, True)])
    root = ElementTree.fromstring(fitted)  # noqa: S314 (our own)
    names = [child.tag.rpartition("}")[2] for child in root]
    order = ["sheetPr", "dimension", "sheetFormatPr", "cols", "sheetData", "pageMargins", "pageSetup",
             "headerFooter"]  # fmt: skip
    assert names == sorted(names, key=order.index)
    setup = root[names.index("pageSetup")]
    assert setup.attrib["fitToWidth"] == "1"
    assert setup.attrib["fitToHeight"] == "0"
    assert "scale" not in setup.attrib
    (flag,) = [e for e in root.iter() if e.tag.endswith("pageSetUpPr")]
    assert flag.attrib["fitToPage"] == "1"
    assert float(root[names.index("cols")][0].attrib["width"]) >= 11.5


def test_exact_numbers() -> None:
    assert plain(Number("10")) == 10
    assert text(Number("1.10")) == "1.10"
