"""What files really are: magic, archives, compound files, page counts, drawings, versions."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hostile
from convert import archive, ole, pdf, sniff, verify
from convert.steps import svg
from convert.steps.told import Problem
from convert.tools import find, install_hint, named, search_path
from convert.versions import satisfies
from toolbelt.data import recipes
from toolbelt.errors import ToolError

SAMPLES = recipes() / "conversions" / "samples"
CASES = Path(__file__).parents[1] / "cases" / "convert"


def inspect(raw: bytes, expected: str) -> list[str]:
    return sniff.inspect(io.BytesIO(raw), len(raw), expected, "file", 1 << 20)


@pytest.mark.parametrize("path", [p for p in sorted(SAMPLES.iterdir()) if p.suffix != ".gz"],
                         ids=lambda path: path.name)  # fmt: skip
def test_a_sample_is_what_its_name_says(path: Path) -> None:
    kind = path.suffix.removeprefix(".")
    assert inspect(path.read_bytes(), kind) == []
    if kind not in sniff.TEXT:
        for other in ("docx", "pdf", "md", "parquet"):
            if other != kind:
                with pytest.raises(ToolError) as error:
                    inspect(path.read_bytes(), other)
                assert error.value.detail["reason"] == "wrong_type"


@pytest.mark.parametrize("path", sorted((CASES / "locked").iterdir()), ids=lambda path: path.name)
def test_a_password_is_seen(path: Path) -> None:
    with pytest.raises(ToolError) as error:
        inspect(path.read_bytes(), path.suffix.removeprefix("."))
    assert error.value.detail["reason"] == "password"


def test_a_picture_by_another_name_is_only_told() -> None:
    (line,) = inspect((SAMPLES / "sample.jpg").read_bytes(), "png")
    assert "JPEG" in line


@given(st.binary(max_size=400))
def test_rubbish_is_refused_or_let_through_but_never_a_bug(tail: bytes) -> None:
    for magic in (b"", b"PK\x03\x04", b"PK\x05\x06", ole.MAGIC, b"%PDF-1.7", b"RIFFxxxxWEBP"):
        for expected in ("docx", "doc", "pdf", "png", "md", "csv"):
            try:
                inspect(magic + tail + b"x", expected)
            except ToolError as error:
                assert error.code == "CONVERT_FAILED"


@given(st.binary(max_size=300), st.integers(0, 2000))
def test_a_damaged_archive_is_refused_or_read(noise: bytes, place: int) -> None:
    raw = bytearray((SAMPLES / "sample.docx").read_bytes())
    raw[place : place + len(noise)] = noise
    for end in (len(raw), len(raw) // 2):
        data = bytes(raw[:end])
        try:
            archive.check(io.BytesIO(data), archive.entries(io.BytesIO(data), end), xml=True)
        except archive.Refused as refused:
            assert refused.reason in ("truncated", "bomb", "bad_input", "password")


def test_large_archives_are_read_too() -> None:
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file, file.open("a.xml", "w", force_zip64=True) as part:
        part.write(b"<a/>")
    raw = buffer.getvalue()
    (entry,) = archive.entries(io.BytesIO(raw), len(raw))
    assert (entry.name, entry.size) == ("a.xml", 4)
    archive.check(io.BytesIO(raw), [entry], xml=True)


def test_names_that_lead_out_of_an_archive() -> None:
    raw = hostile.archive({"../../x": "1"})
    with pytest.raises(archive.Refused):
        archive.check(io.BytesIO(raw), archive.entries(io.BytesIO(raw), len(raw)), xml=False)


PDFS = [(SAMPLES / "sample.pdf", 1), (CASES / "in" / "report.pdf", 2), (CASES / "in" / "scan.pdf", 1),
        (CASES / "in" / "enc.pdf", 2)]  # fmt: skip


@pytest.mark.parametrize(("path", "count"), PDFS, ids=lambda value: getattr(value, "name", ""))
def test_pages_are_counted(path: Path, count: int) -> None:
    assert pdf.pages(path.read_bytes()) == count


@given(st.binary(max_size=60), st.integers(0, 7000))
def test_a_damaged_pdf_is_never_a_bug(noise: bytes, place: int) -> None:
    raw = bytearray((SAMPLES / "sample.pdf").read_bytes())
    raw[place : place + len(noise)] = noise
    try:
        pdf.pages(bytes(raw))
    except pdf.Broken:
        return


def test_an_output_is_looked_at(tmp_path: Path) -> None:
    def reason(content: bytes, kind: str, limit: int = 0) -> object:
        path = tmp_path / "out"
        path.write_bytes(content)
        with path.open("rb") as file:
            try:
                verify.check(file, kind, limit, "it")
            except ToolError as error:
                return error.detail["reason"]
        return None

    for sample in SAMPLES.iterdir():
        if sample.suffix.removeprefix(".") in ("gz", "doc", "ppt", "xls", "rtf", "mmd", "ipynb"):
            continue
        assert reason(sample.read_bytes(), sample.suffix.removeprefix(".")) is None, sample.name
    assert reason(b"", "pdf") == "empty_output"
    assert reason(b"xx", "pdf") == "wrong_output"
    assert reason(b"x" * 99, "other", limit=10) == "too_large"
    assert reason((SAMPLES / "sample.png").read_bytes()[:-20], "png") == "wrong_output"
    assert reason((SAMPLES / "sample.docx").read_bytes(), "xlsx") == "wrong_output"
    assert reason(b" \n\x0c", "txt") == "empty_output"
    assert reason(b"\xff", "txt") == "wrong_output"
    assert reason(b'[{"a": 1}', "json") == "wrong_output"
    assert reason(b"PAR1....", "parquet") == "wrong_output"
    assert reason(b"<html>", "svg") == "wrong_output"


LENGTHS = [("10", 10), ("10px", 10), ("72pt", 96), ("1in", 96), ("2.54cm", 96), ("25.4mm", 96),
           ("100%", 0), ("", 0), ("-5", 0), ("nan", 0), ("1e99", 0), ("auto", 0)]  # fmt: skip


@pytest.mark.parametrize(("text", "pixels"), LENGTHS)
def test_lengths_of_drawings(text: str, pixels: float) -> None:
    assert svg.length(text) == pytest.approx(pixels)


@given(st.text(alphabet="<>svg/ \"'=&;!ENTITY[]", max_size=60))
def test_a_drawing_is_read_or_refused(text: str) -> None:
    try:
        svg.look(f"<svg>{text}</svg>")
    except Problem as problem:
        assert problem.reason in ("bad_input", "truncated")


VERSIONS = [((3, 9), ">=3.1.2", True), ((3, 1), ">=3.1.2", False), ((2, 17, 1, 1), ">=3.1", False),
            ((3, 2), ">=3.1,<4", True), ((4, 0), ">=3.1,<4", False), ((), ">=1", False),
            ((1,), "=1", False)]  # fmt: skip


@pytest.mark.parametrize(("found", "rule", "kept"), VERSIONS)
def test_versions(found: tuple[int, ...], rule: str, kept: bool) -> None:
    assert satisfies(found, rule) is kept


def test_needs_are_looked_for_in_known_places(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "only-here"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    path = search_path(())
    assert find("only-here", path) is None
    assert find("only-here", search_path((str(tmp_path),))) == str(fake)
    assert find("no-such|sh", path) in ("/usr/bin/sh", "/bin/sh")
    assert find(str(fake), path) == str(fake)
    assert find("py:json", path) == "py:json"
    assert find("py:no_such_module", path) is None
    assert find("file:/etc/hostname-not", path) is None
    assert find("odd:x", path) is None
    assert named("py:typst") == "the Python package 'typst'"
    assert "convert" in install_hint("py:typst")
