"""A report's own words in its language: every file of words is whole, every format speaks it."""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reportkit import generate, monthly, office_pdf, pdf_text, sheet_rows, slide_texts
from reporttools import profile
from reporttools.compose import compose
from reporttools.figures import marks, together
from reporttools.notices import Notices
from reporttools.render import csvfile
from reporttools.templates import find
from reporttools.words import ENGLISH, words
from toolbelt.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "recipes" / "reports" / "words").glob("*.toml"))
# Words that are the same in a language need no entry there.
SAME = {"Jan", "Feb", "Apr", "Jun", "Jul", "Aug", "Sep", "Nov", "kB", "MB", "GB", "TB", "PB"}
_SAID = re.compile(r'(?:words|said)\(\s*"([^"\n]+)"')


def said_by_the_code() -> Iterator[str]:
    """Every literal that is looked up, and the titles of the templates."""
    for path in (ROOT / "src" / "reporttools").rglob("*.py"):
        yield from _SAID.findall(path.read_text(encoding="utf-8"))
    for path in (ROOT / "recipes" / "reports").glob("*.toml"):
        template = tomllib.loads(path.read_text(encoding="utf-8"))
        yield from (b["title"] for b in template["block"] if "title" in b)
        if "default-title" in template:
            yield template["default-title"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_language_has_all_words(path: Path) -> None:
    table = words(path.stem).table
    every = set().union(*(words(p.stem).table for p in FILES)) | set(said_by_the_code())
    missing = {text for text in every if text not in table and text not in SAME}
    assert not missing - {"{month} {year}"}
    for text, said in table.items():
        names = [{f[1] for f in string.Formatter().parse(t) if f[1]} for t in (text, said)]
        assert names[0] == names[1], text
        assert said.strip()


@pytest.mark.parametrize("tag", ["", "en", "xx", "../../etc", "ру", "en-US", "zh_Hans"])
def test_a_language_without_words_speaks_english(tag: str) -> None:
    assert words(tag) is ENGLISH


def test_numbers_in_russian() -> None:
    assert together([5000, 10_000], where=marks("ru"), ticks=True) == ["5 тыс.", "10 тыс."]
    assert together([1.5e6, 2e6], where=marks("ru_RU"), ticks=False) == ["1,5 млн", "2,0 млн"]


def russian(**more: Any) -> dict[str, Any]:
    rows = [[f"Товар {n}", n * 1000.5] for n in range(1, 15)]
    return monthly(
        title="Отчёт за октябрь", lang="ru", notes="- Всё хорошо",
        summary=[{"metric": "Выручка", "value": 1284350.5, "change": 12.4}],
        charts=[
            {"type": "line", "title": "По дням", "data": [
                {"label": f"2026-10-{d:02}", "value": 40_000 + 997 * d} for d in range(1, 11)]},
            {"type": "pie", "title": "Доли", "limit": 3, "data": [
                {"label": f"Город {n}", "value": 10 - n} for n in range(6)]},
            {"type": "bar", "title": "Пусто", "data": []},
        ],
        tables=[{"title": "Товары", "headers": ["Товар", "Сумма"], "rows": rows,
                 "columns": [{}, {"total": "sum"}]}], **more)  # fmt: skip


def test_a_report_speaks_russian(tmp_path: Path) -> None:
    made = generate(tmp_path, russian(), ("pdf", "pptx", "xlsx", "svg"))
    text = pdf_text(made.one("pdf"))
    for said in ("Ключевые показатели", "Примечания", "Страница 1 из", "к прошлому периоду", "окт",
                 "млн", "тыс.", "Прочее (3)", "всего", "Нет данных", "Итого", "Строк: 14"):  # fmt: skip
        assert said in text, said
    slides = slide_texts(made.one("pptx"))
    for said in ("Ключевые показатели", "Примечания", "Прочее (3)", "Нет данных", "Итого"):
        assert said in slides, said
    assert sheet_rows(made.one("xlsx"), "Сводка")[3][:3] == ["Показатель", "Значение", "Изменение"]
    assert sheet_rows(made.one("xlsx"), "Диаграммы")[1][:2] == ["Подпись", "Значение"]
    for told in (text, slides, made.one("svg").read_text(encoding="utf-8")):
        for word in (
            "Key",
            "Notes",
            "Page",
            "previous",
            "Oct",
            "Other",
            "No data",
            "Total",
            "rows",
        ):
            assert word not in told, word


def test_an_option_goes_before_the_data(tmp_path: Path) -> None:
    made = generate(tmp_path, monthly(lang="ru"), ("pdf",), "monthly", "--lang", "de")
    assert "Kennzahlen" in pdf_text(made.one("pdf"))


def test_a_profile_speaks_russian(tmp_path: Path) -> None:
    workspace = Workspace.at(tmp_path)
    rows = [
        {"n": n, "s": "аб"[n % 2], "m": n if n % 2 else "x", "b": True}
        for n in range(30_000, 30_020)
    ]
    made = compose(find("data-summary", workspace, None), rows, workspace, Notices(), "ru")
    told = " ".join(str(cell) for _, names, lines in csvfile.parts(made)
                    for row in [names, *lines] for cell in row)  # fmt: skip
    for said in ("Столбец", "Чаще всего", "число", "текст", "разное: ", "да/нет", "Повторы строк"):
        assert said in told, said
    assert "mixed" not in told
    assert profile.SAMPLE == 20


def test_office_prints_months_of_the_language(tmp_path: Path) -> None:
    made = generate(tmp_path, russian(), ("xlsx",))
    assert "окт" in pdf_text(office_pdf(made.one("xlsx"), tmp_path / "office"))
