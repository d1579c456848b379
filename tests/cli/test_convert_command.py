"""The command itself: options, list, show, doctor, batch, pipes, several at once."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cli.commands import BIN, clean_environment
from convert.builtin_lines import LINES
from converting import Shop, left_behind, pages, pdf_text, shop

KEYS = {"ok", "format", "output_path", "from", "bytes", "durationMs", "confinement"}


@pytest.fixture
def ws(tmp_path: Path) -> Shop:
    return shop(tmp_path)


def test_the_envelope_has_the_promised_keys(ws: Shop) -> None:
    body = ws.convert("txt", "report.md").json()
    assert set(body) == KEYS
    assert list(body)[:3] == ["ok", "format", "output_path"]
    assert body["bytes"] == (ws.root / "report.txt").stat().st_size
    assert set(body["confinement"]) == {"landlock", "network", "rlimits"}
    refused = ws.convert("xyz", "report.md").json()
    assert set(refused) == {"ok", "format", "error"}
    assert refused["format"] == "xyz"


def test_options_may_name_what_places_mean(ws: Shop) -> None:
    named = ["--format", "txt", "--input", "report.md", "--output", "a.txt"]
    assert ws.convert(*named).json()["output_path"] == "a.txt"
    assert ws.convert("TXT", "./img/../report.md", "-o", "b.txt").json()["output_path"] == "b.txt"
    assert ws.convert("--force", "-o", "b.txt", ".txt", str(ws.root / "report.md")).code == 0
    assert ws.convert("txt", "-o.md", "-o", "c.txt").json()["output_path"] == "c.txt"
    assert ws.convert("txt", "--", "-o.md").json()["output_path"] == "-o.txt"


@pytest.mark.parametrize(
    ("words", "code", "exit_code"),
    [((), "USAGE", 2), (("pdf",), "USAGE", 2), (("pdf", "a", "b"), "USAGE", 2),
     (("pdf", "report.md", "--nonsense"), "USAGE", 2),
     (("pdf", "report.md", "--timeout", "0"), "USAGE", 2),
     (("pdf", "report.md", "--opt", "margin"), "USAGE", 2),
     (("pdf", "report.md", "--opt", "margin=lots"), "USAGE", 2),
     (("pdf", "report.md", "--opt", "size=99pt"), "USAGE", 2),
     (("pdf", "report.md", "--opt", "colour=red"), "USAGE", 2),
     (("pdf", "report.md", "--workspace", "/nonexistent"), "USAGE", 2),
     (("html", "report.md", "--preset", "a4"), "UNKNOWN_PRESET", 2),
     (("pdf", "report.md", "--preset", "a5"), "UNKNOWN_PRESET", 2),
     (("pdf", "img/chart"), "BAD_PATH", 1), (("pdf", "raport.md"), "BAD_PATH", 1),
     (("txt", "report.md", "-o", "rows.json"), "BAD_PATH", 1),
     (("txt", "report.md", "-o", "report.md", "--force"), "BAD_PATH", 1),
     (("txt", "-"), "USAGE", 2), (("txt", "-", "--from", "md"), "USAGE", 2)],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)  # fmt: skip
def test_a_malformed_call_says_what_to_type(
    ws: Shop, words: tuple[str, ...], code: str, exit_code: int
) -> None:
    before = set(ws.root.rglob("*"))
    answer = ws.convert(*words)
    assert answer.code == exit_code
    assert answer.error["code"] == code
    assert answer.error["message"]
    assert answer.stderr.count("\n") == 1
    assert set(ws.root.rglob("*")) == before


def test_a_mistyped_name_gets_a_hint(ws: Shop) -> None:
    assert "report.md" in ws.convert("pdf", "raport.md").error["hint"]
    assert ws.convert("report.md", "pdf").error["hint"] == "file-convert pdf report.md"
    assert "did you mean html" in ws.convert("htlm", "report.md").error["hint"]


def test_the_format_of_the_input_may_be_said(ws: Shop) -> None:
    ws.write("notes", "# Notes\n\nwords\n")
    assert ws.convert("txt", "notes").error["code"] == "UNKNOWN_FORMAT"
    assert ws.convert("txt", "notes", "--from", "markdown").json()["output_path"] == "notes.txt"


def test_presets_and_options_change_the_page(ws: Shop) -> None:
    deck = ws.made("pdf", "report.md", "--preset", "slides", "-o", "deck2.pdf")
    wide = ws.made("pdf", "report.md", "--preset", "a4-landscape", "-o", "wide.pdf")
    toc = ws.made("pdf", "report.md", "--opt", "toc=true", "--opt", "margin=3cm", "-o", "toc.pdf")
    assert pages(deck) > 5
    assert pages(wide) >= 2
    assert "Contents" in pdf_text(toc)


def test_folders_are_made_on_request(ws: Shop) -> None:
    assert ws.convert("txt", "report.md", "-o", "a/b/c.txt").error["code"] == "BAD_PATH"
    answer = ws.convert("txt", "report.md", "-o", "a/b/c.txt", "--mkdirs")
    assert answer.json()["output_path"] == "a/b/c.txt"
    assert ws.convert("txt", "report.md", "-o", "a/b/").json()["output_path"] == "a/b/report.txt"
    assert ws.convert("txt", "report.md", "-o", "img").json()["output_path"] == "img/report.txt"


def test_bytes_through_pipes(ws: Shop) -> None:
    def pipe(*arguments: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [str(BIN / "file-convert"), *arguments], input=data, capture_output=True, check=False,
            cwd=ws.root, env=clean_environment(),
        )  # fmt: skip

    done = pipe("pdf", "-", "--from", "md", "-o", "-", data=b"# Piped\n")
    assert done.returncode == 0
    assert done.stdout.startswith(b"%PDF-")
    assert json.loads(done.stderr)["output_path"] == "-"
    done = pipe("txt", "-", "--from", "md", "-o", "piped.txt", data=b"# Piped\n")
    assert json.loads(done.stdout)["output_path"] == "piped.txt"
    done = pipe("json", "us.csv", "-o", "-", data=b"")
    assert len(json.loads(done.stdout)) == 3
    done = pipe("pdf", "-", "--from", "docx", "-o", "-", data=b"rubbish")
    assert done.returncode == 4
    assert done.stdout == b""
    assert json.loads(done.stderr.splitlines()[0])["error"]["reason"] == "wrong_type"


def test_list_says_what_can_be_done(ws: Shop) -> None:
    body = ws.convert("list").json()
    rows = {(row["from"], row["to"]): row for row in body["recipes"]}
    assert len(rows) > 100
    assert {row["status"] for row in rows.values()} <= {"available", "degraded"}
    assert rows["md", "pdf"]["presets"] == ["a4", "letter", "a4-landscape", "slides"]
    assert rows["csv", "pdf"]["via"] == ["xlsx"]
    only = ws.convert("list", "--from", "markdown").json()["recipes"]
    assert {row["from"] for row in only} == {"md"}
    assert ws.convert("list", "--to", "xyz").error["code"] == "UNKNOWN_FORMAT"


def manifest(tmp_path: Path, *rows: str) -> str:
    path = tmp_path / "m.toml"
    path.write_text("".join(f"[[recipe]]\n{row}\n" for row in rows))
    return str(path)


GOOD = 'from="md"\nto="a"\nargv=["/bin/cp","{input}","{output}"]\nout_ext="a"'
MISSING = 'from="md"\nto="b"\nargv=["/bin/true"]\nneeds=["typst-of-old"]\nout_ext="b"'
ABSENT = 'from="md"\nto="c"\nargv=["{script}/gone.sh"]\nout_ext="c"'
WORSE = 'from="md"\nto="d"\nargv=["/bin/true"]\nwants=["font:klingon"]\nout_ext="d"'
OLD = GOOD.replace('"a"', '"e"') + '\nneeds=["python3"]\nneeds_version={python3=">=99"}'
LIAR = 'from="md"\nto="pdf"\nargv=["/bin/cp","{input}","{output}"]\nout_ext="pdf"'
SILENT = 'from="md"\nto="g"\nargv=["/bin/true"]\nout_ext="g"'


def test_list_and_doctor_name_what_is_missing(ws: Shop, tmp_path: Path) -> None:
    own = manifest(tmp_path, GOOD, MISSING, ABSENT, WORSE, OLD)
    rows = {r["to"]: r for r in ws.convert("list", "--recipes", own).json()["recipes"]}
    assert [rows[k]["status"] for k in "abcd"] == [
        "available", "unavailable", "unavailable", "degraded"
    ]  # fmt: skip
    assert "'typst-of-old'" in rows["b"]["reason"]
    answer = ws.convert("doctor", "--recipes", own)
    assert answer.code == 5
    assert answer.json()["bad"] == 4
    assert "file-convert: recipe md->b UNAVAILABLE - 'typst-of-old' not found" in answer.stderr
    assert "file-convert: recipe md->d DEGRADED - a font for klingon not found" in answer.stderr
    assert ">=99 is needed" in answer.stderr
    assert answer.stderr.count("\n") == 4


def test_a_converter_is_not_believed(ws: Shop, tmp_path: Path) -> None:
    own = manifest(tmp_path, GOOD, LIAR, SILENT)
    answer = ws.convert("doctor", "--deep", "--recipes", own)
    assert answer.code == 5
    assert answer.json()["bad"] == 2
    assert ws.convert("pdf", "report.md", "--recipes", own).error["reason"] == "wrong_output"
    assert ws.convert("g", "report.md", "--recipes", own).error["reason"] == "empty_output"
    assert ws.convert("a", "report.md", "--recipes", own).code == 0
    assert not (ws.root / "report.pdf").exists()


def test_required_confinement_is_a_need(ws: Shop, tmp_path: Path) -> None:
    own = manifest(tmp_path, GOOD + '\nconfine="required"')
    answer = ws.convert("a", "report.md", "--recipes", own)
    assert answer.json()["confinement"]["landlock"] > 0
    off = ws.convert("a", "report.md", "--recipes", own, "--force", TOOLBELT_CONFINE="off")
    assert off.json()["confinement"]["landlock"] > 0, "the row's own word is stronger"
    loose = manifest(tmp_path, GOOD)
    off = ws.convert("a", "report.md", "--recipes", loose, "--force", TOOLBELT_CONFINE="off")
    assert off.json()["confinement"]["landlock"] == 0


def test_show_runs_nothing(ws: Shop) -> None:
    body = ws.convert("show", "md", "pdf", "--preset", "letter").json()
    assert "paper=us-letter" in body["argv"]
    assert body["prepare"][0].endswith("/pandoc")
    assert ws.convert("show", "md", "xyz").error["code"] == "UNKNOWN_FORMAT"


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_batch_reports_each_file(ws: Shop) -> None:
    ws.write("docs/a.md", "# A\n")
    ws.write("docs/b.md", "# B\n")
    ws.write("docs/c.md", "---\nx: [\n---\n")
    answer = ws.convert("batch", "html", "docs/*.md", "--out-dir", "out", "-j", "3")
    assert answer.code == 4
    *each, last = lines(answer.stdout)
    assert {e["input"]: e["ok"] for e in each} == {
        "docs/a.md": True, "docs/b.md": True, "docs/c.md": False
    }  # fmt: skip
    assert last["ok"] is False
    summary = last["summary"]
    assert isinstance(summary, dict)
    assert (summary["total"], summary["converted"], summary["failed"]) == (3, 2, 1)
    assert sorted(p.name for p in (ws.root / "out").iterdir()) == ["a.html", "b.html"]
    assert answer.stderr.count("[") == 3


def test_batch_refuses_collisions_before_it_starts(ws: Shop) -> None:
    ws.write("one/a.md", "# A\n")
    ws.write("two/a.md", "# A\n")
    answer = ws.convert("batch", "html", "one/a.md", "two/a.md", "--out-dir", "out")
    assert answer.error["reason"] == "collision"
    assert not list((ws.root / "out").iterdir())
    assert ws.convert("batch", "html", "no*.md", "--out-dir", "out").error["code"] == "BAD_PATH"
    assert (
        ws.convert("batch", "xyz", "one/a.md", "--out-dir", "out").error["code"] == "UNKNOWN_FORMAT"
    )
    assert (
        ws.convert("batch", "html", "one/a.md", "--out-dir", "../out").error["code"] == "BAD_PATH"
    )
    assert ws.convert("batch", "html", "one/a.md", "--out-dir", "ldir").error["code"] == "BAD_PATH"


def test_batch_reads_names_from_a_list_and_stops_on_demand(ws: Shop) -> None:
    ws.write("names.txt", "us.csv\nmissing.csv\nna.csv\n")
    answer = ws.convert(
        "batch", "json", "--from-file", "names.txt", "--out-dir", "out", "--stop", "--force"
    )
    *each, last = lines(answer.stdout)
    assert [e["ok"] for e in each] == [True, False]
    assert last["summary"]["skipped"] == 1  # type: ignore[index]
    assert answer.code == 1


def test_a_path_out_of_the_workspace_fails_its_own_line(ws: Shop) -> None:
    answer = ws.convert("batch", "html", "ln-out.md", "report.md", "--out-dir", "out")
    *each, _last = lines(answer.stdout)
    assert {e["input"]: e["ok"] for e in each} == {"ln-out.md": False, "report.md": True}


FIVE = [("pdf", "deck.pptx"), ("pdf", "doc.docx"), ("pdf", "book.xlsx"), ("pdf", "page.html"),
        ("pdf", "report.md")]  # fmt: skip


def test_five_at_once(ws: Shop) -> None:
    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(lambda job: ws.convert(*job), FIVE))
    assert [answer.code for answer in answers] == [0] * 5, [a.stdout for a in answers]
    for (_, name), answer in zip(FIVE, answers, strict=True):
        assert pages(ws.root / answer.json()["output_path"]) >= 1, name
    assert left_behind() == []


def test_many_at_once_by_batch(ws: Shop) -> None:
    answer = ws.convert(
        "batch", "pdf", "deck.pptx", "doc.docx", "book.xlsx", "page.html", "report.md",
        "--out-dir", "out", "-j", "5",
    )  # fmt: skip
    assert answer.code == 0, answer.stdout
    assert len(list((ws.root / "out").iterdir())) == 5


@pytest.mark.parametrize("source", sorted({line[0] for line in LINES}))
def test_every_row_converts_its_sample(ws: Shop, source: str) -> None:
    answer = ws.convert("doctor", "--deep", "--from", source)
    assert answer.code == 0, answer.stderr
    body = answer.json()
    assert body["bad"] == 0
    assert all(row["tried"] for row in body["recipes"])


def test_values_come_back_byte_for_byte(ws: Shop) -> None:
    text = (
        'id,zip,note,formula\n1,00123,"a ""quoted"", cell",=1+1\n2,, lead and trail ,+49 30\n'
        '3,1e5,"two\nlines",@cmd\n4,TRUE,_x000D_,-5\n5,2026-01-02,é 世界 🚀,12345678901234567890\n'
    )
    ws.write("back/t.csv", text)
    ws.made("xlsx", "back/t.csv")
    again = ws.made("csv", "back/t.xlsx", "-o", "back/again.csv")
    assert again.read_text(encoding="utf-8") == text
    ws.made("parquet", "back/t.csv")
    again = ws.made("csv", "back/t.parquet", "-o", "back/more.csv")
    assert again.read_text(encoding="utf-8") == text


def test_typed_values_are_those_that_stay_the_same(ws: Shop) -> None:
    made = ws.made("json", "us.csv", "--preset", "typed")
    rows = json.loads(made.read_text(encoding="utf-8"))
    assert rows[0] == {
        "id": 1, "zip": "00123", "name": "Ann, B", "when": "2026-01-02",
        "big": "12345678901234567890",
    }  # fmt: skip


def test_every_sheet_on_request(ws: Shop) -> None:
    answer = ws.convert("csv", "book.xlsx", "--preset", "all")
    assert answer.json()["outputs"] == ["book.csv", "book-Über.csv"]
    only = ws.made("csv", "book.xlsx", "--opt", "sheet=3", "-o", "third.csv")
    assert only.read_text() == "secret,1\n"
    assert (
        ws.convert("csv", "book.xlsx", "--opt", "sheet=9", "--force").error["reason"] == "bad_input"
    )


def test_pages_of_a_pdf(ws: Shop) -> None:
    answer = ws.convert("png", "printed.pdf", "-o", "p.png")
    assert answer.json()["outputs"] == ["p.png", "p-2.png"]
    assert (
        ws.convert("jpg", "printed.pdf", "--opt", "pages=2").json()["output_path"] == "printed.jpg"
    )
    assert ws.convert("png", "printed.pdf", "--opt", "pages=9").error["reason"] == "bad_input"
    # One of the names is taken: then none of them appears.
    ws.write("q-2.png", "taken")
    assert ws.convert("png", "printed.pdf", "-o", "q.png").error["reason"] == "exists"
    assert not (ws.root / "q.png").exists()
