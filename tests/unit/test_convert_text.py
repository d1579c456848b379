"""Decoding: marks, declarations, guesses; what a style sheet and a page refer to."""

from __future__ import annotations

import codecs
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convert import css
from convert.guess import guess
from convert.steps.notebook import plain
from convert.steps.refs import references
from convert.text import Decoded, NotText, codec, copy_utf8

TEXTS = {
    "cp1251": "Привет, мир! Отчёт за третий квартал: выручка выросла.",
    "koi8-r": "Привет, мир! Отчёт за третий квартал: выручка выросла.",
    "cp866": "Привет, мир! Отчёт за третий квартал.",
    "iso8859-5": "Привет, мир! Отчёт за третий квартал.",
    "cp1253": "Καλημέρα κόσμε, η αναφορά του τρίτου τριμήνου.",
    "cp1252": "Müller – Größe, déjà vu, señor, l’été, città è più.",
    "cp1250": "Zażółć gęślą jaźń, Łódź, Kraków, śnieg.",
    "cp1254": "İstanbul'da güneşli bir gün, şehir çok güzel, ığdır.",
    "cp1255": "שלום עולם, דוח רבעוני.",
    "cp1256": "مرحبا بالعالم، تقرير ربع سنوي.",
    "cp932": "こんにちは、世界。売上は増加しました。髙橋。",
    "euc-jp": "こんにちは、世界。売上は増加しました。",
    "gb18030": "季度报告：收入增长。我们在这里。",
    "cp949": "분기 보고서: 매출이 증가했습니다. 안녕하세요.",
    "big5hkscs": "季度報告：收入增長。我們在這裡。",
}


def read(raw: bytes, **how: str) -> tuple[str, Decoded]:
    target = io.BytesIO()
    decoded = copy_utf8(io.BytesIO(raw), target, **how)
    return target.getvalue().decode(), decoded


@pytest.mark.parametrize("encoding", TEXTS)
def test_a_guess_is_right_for_plain_text(encoding: str) -> None:
    assert guess(TEXTS[encoding].encode(encoding)) == encoding
    rows = "".join(f"{n},{word}\n" for n, word in enumerate(TEXTS[encoding].split()))
    assert guess(f"id,word\n{rows}".encode(encoding)) == encoding


@pytest.mark.parametrize("encoding", TEXTS)
def test_a_guess_is_told(encoding: str) -> None:
    text, decoded = read(TEXTS[encoding].encode(encoding))
    assert text == TEXTS[encoding]
    assert "guess" in decoded.warning
    assert read(TEXTS[encoding].encode(encoding), declared=encoding)[1].warning == ""
    assert read(TEXTS[encoding].encode(encoding), encoding=encoding)[0] == TEXTS[encoding]


@given(st.text(st.characters(exclude_characters="\0\ufeff", exclude_categories=["Cs"])))
def test_every_unicode_form_is_read(text: str) -> None:
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):  # fmt: skip
        assert read(mark + text.encode(name))[0] == text
    assert read(text.encode())[0] == text


def test_a_wrong_declaration_does_no_harm() -> None:
    assert read("Grüße".encode(), declared="shift_jis")[0] == "Grüße"
    assert read("Grüße".encode(), declared="no-such-thing")[0] == "Grüße"
    assert read(b"plain", declared="utf-16")[0] == "plain"


def test_a_few_bad_bytes_are_replaced_and_told() -> None:
    raw = ("Grüße aus Köln, überall schöne Wörter. " * 3).encode() + b"\xff"
    text, decoded = read(raw)
    assert text.endswith("\ufffd")
    assert decoded.warning.startswith("1 bytes")


@pytest.mark.parametrize("raw", [b"a\0b", b"\0" * 50, bytes(range(256)) * 9])
def test_bytes_that_are_no_text(raw: bytes) -> None:
    with pytest.raises(NotText):
        read(raw)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    try:
        text, _ = read(raw)
    except NotText:
        return
    assert "\0" not in text


LABELS = [("latin1", "cp1252"), ("Shift_JIS", "cp932"), ("gb2312", "gb18030"), ("UTF8", "utf-8"),
          ("windows-1251", "cp1251"), ("'iso-8859-7'", "iso8859-7"), ("rot13", None), ("zip", None),
          ("klingon", None), ("", None)]  # fmt: skip


@pytest.mark.parametrize(("label", "name"), LABELS)
def test_labels_mean_what_files_mean_by_them(label: str, name: str | None) -> None:
    assert codec(label) == name


SHEETS = [
    ('@import "a.css"; b{background:url(c.png)}', ["a.css", "c.png"]),
    ("@import url('d.css') print;", ["d.css"]),
    ("/* url(no.png) */ a{content:'url(no.png)'} b{x:URL( e.png )}", ["e.png"]),
    ('a{src:url("f\\".woff2")}', ['f".woff2']),
    ("url(", []), ("@import", []), ("'never closed", []), ("url(x", ["x"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), SHEETS)
def test_references_of_a_style_sheet(text: str, found: list[str]) -> None:
    assert list(css.references(text)) == found


@given(st.text(alphabet="url(@import'\")\\/* \n;a"))
def test_a_style_sheet_is_read_to_its_end(text: str) -> None:
    assert len(list(css.references(text))) <= len(text)


def test_references_of_a_page() -> None:
    page = (
        '<link rel=stylesheet href=a.css><link rel=canonical href=no><img src="b.png" srcset="c.png 2x,'
        'd.png 3x"><a href=no>x</a><svg><image xlink:href="e.png"/></svg><style>@import "f.css"</style>'
        '<p style="background:url(g.png)"><video poster=h.jpg src=i.mp4></video>'
        "<script src=j.js>url(no)</script>"
    )
    assert list(references(page)) == [f"{c}.{e}" for c, e in zip(
        "abcdefghij", ("css", "png", "png", "png", "png", "css", "png", "jpg", "mp4", "js"), strict=True
    )]  # fmt: skip


def test_terminal_control_is_no_text() -> None:
    assert plain("\x1b[31;1mred\x1b[0m\r\n\x1b]x") == "red\nx"
