"""Numbers, lines of text, right-to-left order: the words of a report."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporttools import bidi, textflow
from reporttools.document import PLAIN, NumberFormat
from reporttools.figures import (
    column_decimals,
    compact,
    delta,
    duration_text,
    excel_code,
    excel_unit_code,
    full,
    marks,
    number_text,
    together,
)
from reporttools.fonts import Fonts, prepared

FONTS = Fonts()
EUR = NumberFormat("currency", "EUR")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (-0.0, "0"), (2.4, "2.4"), (69.71, "69.71"), (-41, "-41"), (9999, "9,999"),
        (10_000, "10K"), (18423, "18.4K"), (999_949, "1M"), (1284350.5, "1.28M"),
        (-1234567.8, "-1.23M"), (5.2e9, "5.2B"), (3.1e12, "3.1T"), (1e18, "1e18"),
        (1.5e300, "1.5e300"), (0.00000012, "1.2e-7"), (0.1234, "0.12"), (None, "–"),
        (10**30, "1e30"),
    ],
)  # fmt: skip
def test_compact(value: float | None, text: str) -> None:
    assert compact(value) == text


@pytest.mark.parametrize(
    ("value", "how", "text"),
    [
        (1234.5, EUR, "€1,234.50"),
        (-1234.5, EUR, "-€1,234.50"),
        (1234.5, NumberFormat("currency", "CHF"), "CHF 1,234.50"),
        (1234, NumberFormat("currency", "JPY"), "¥1,234"),
        (2.4, NumberFormat("percent"), "2.4%"),
        (3900, NumberFormat("duration"), "1h 05m"),
        (1_500_000, NumberFormat("bytes"), "1.5 MB"),
        (12, NumberFormat(unit="kg"), "12 kg"),
        (12345678901234567890, NumberFormat(), "12,345,678,901,234,567,890"),
        (Decimal("512000.10"), NumberFormat(), "512,000.10"),
    ],
)
def test_full(value: float | Decimal, how: NumberFormat, text: str) -> None:
    assert full(value, how) == text


@pytest.mark.parametrize(
    ("values", "how", "texts", "code"),
    [
        ([0, 5000, 10_000, 15_000], NumberFormat(), "0 5K 10K 15K", '#,##0,"K";-#,##0,"K";0'),
        ([0, 2500, 5000], NumberFormat(), "0 2,500 5,000", "#,##0"),
        ([0, 5e5, 1e6], NumberFormat(), "0 0.5M 1.0M", '#,##0.0,,"M";-#,##0.0,,"M";0'),
        ([-5e4, 0, 5e4], NumberFormat(), "-50K 0 50K", '#,##0,"K";-#,##0,"K";0'),
        ([0, 0.25, 0.5], NumberFormat(decimals=0), "0.00 0.25 0.50", "General"),
        ([0, 5, 10], EUR, "€0 €5 €10", '"€"#,##0;-"€"#,##0'),
        ([0, 5e4, 1e5], EUR, "€0 €50K €100K", '"€"#,##0,"K";-"€"#,##0,"K";"€"0'),
        ([0, 500, 1000], NumberFormat("percent"), "0% 500% 1,000%", '#,##0"%"'),
        ([0, 3600, 7200], NumberFormat("duration"), "0s 1h 00m 2h 00m", ""),
    ],
)  # fmt: skip
def test_an_axis_has_one_unit(
    values: list[float], how: NumberFormat, texts: str, code: str
) -> None:
    assert " ".join(together(values, how, ticks=True)) == texts
    assert excel_unit_code(values, how, ticks=True) == code


@pytest.mark.parametrize(
    ("values", "how", "texts"),
    [
        ([2191.8, 868.9, 278, 1484.5], NumberFormat(), "2,192 869 278 1,485"),
        ([512_000, 120_350], NumberFormat(), "512K 120K"),
        ([999_999, 400_000], NumberFormat(), "1.0M 0.4M"),
        ([1_284_350, 5000], NumberFormat(), "1,284,350 5,000"),
        ([51_200, -12_000, 900], EUR, "€51,200 -€12,000 €900"),
        ([5e9, 3], NumberFormat(), "5B 3"),
        ([4.25, 3.1, -2], NumberFormat(), "4.25 3.10 -2.00"),
        ([5, 3, 0], NumberFormat(), "5 3 0"),
        ([69.71, 0.004], NumberFormat(), "69.71 0.004"),
        ([1234.5, 99], EUR, "€1,235 €99"),
        ([1234.5, 99], NumberFormat("currency", "EUR", 2), "€1,234.50 €99.00"),
        ([0, 0], NumberFormat(), "0 0"),
        ([10**30, 1], NumberFormat(), "1e30 1"),
    ],
)  # fmt: skip
def test_bars_of_one_size_have_one_unit(values: list[float], how: NumberFormat, texts: str) -> None:
    assert " ".join(together(values, how, ticks=False)) == texts


@given(st.lists(st.floats(-1e16, 1e16), min_size=1), st.sampled_from([PLAIN, EUR]), st.booleans())
def test_numbers_together_keep_their_sign(
    values: list[float], how: NumberFormat, ticks: bool
) -> None:
    texts = together(values, how, ticks=ticks)
    assert len(texts) == len(values)
    for value, text in zip(values, texts, strict=True):
        assert not (text.startswith("-") and value >= 0)
        assert text.startswith("-") or value > -0.5 or not any(c in "123456789" for c in text)


@pytest.mark.parametrize(
    ("locale", "text", "code"),
    [
        ("en", "-€1,234.50", '"€"#,##0.00;-"€"#,##0.00'),
        ("nl", "-€1.234,50", '"€"#,##0.00;-"€"#,##0.00'),
        ("de", "-1.234,50\u00a0€", '#,##0.00"\u00a0€"'),
        ("ru", "-1 234,50\u00a0€", '#,##0.00"\u00a0€"'),
    ],
)  # fmt: skip
def test_money_stands_where_it_is_the_custom(locale: str, text: str, code: str) -> None:
    assert full(-1234.5, EUR, marks(locale)) == text
    assert excel_code(EUR, 2, marks(locale)) == code


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (45, "45s"), (59.9, "1m 00s"), (200, "3m 20s"), (3900, "1h 05m"),
     (-3900, "-1h 05m"), (200_000, "2d 8h"), (0.35, "0.35s")],
)  # fmt: skip
def test_duration(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("change", "text"),
    [(12.4, "+12.4%"), (-3.2, "-3.2%"), (0, "0%"), (0.001, "0%"), (None, "–"), (1e6, "+1M%")],
)
def test_delta(change: float | None, text: str) -> None:
    assert delta(change) == text


@pytest.mark.parametrize(
    ("values", "decimals"),
    [([1, 2], 0), ([10.5, -3], 1), ([65531.34, 2.0], 2), ([0.12345678], 5), ([1e20], 0),
     ([Decimal("1.10")], 2), ([], 0)],
)  # fmt: skip
def test_one_count_of_decimals_a_column(values: list[float], decimals: int) -> None:
    assert column_decimals(values) == decimals


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("en", "1,234.5"),
        ("de", "1.234,5"),
        ("de-CH", "1’234.5"),
        ("ru", "1 234,5"),
        ("xx", "1,234.5"),
    ],
)
def test_locales(locale: str, text: str) -> None:
    assert number_text(1234.5, 1, marks(locale)) == text


def test_excel_codes() -> None:
    assert excel_code(EUR, 2) == '"€"#,##0.00;-"€"#,##0.00'
    assert excel_code(NumberFormat("percent"), 1) == '#,##0.0"%"'


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_sign_is_never_lost(value: float) -> None:
    text = compact(value)
    assert text.startswith("-") == (value < 0 and any(c in "123456789" for c in text))


@given(st.text(max_size=200), st.floats(20, 300))
def test_wrapped_lines_fit(text: str, width: float) -> None:
    for line in textflow.wrap(FONTS, text, width, 8.0):
        single = len(textflow.clusters(line)) <= 1
        assert single or FONTS.width(line, 8.0) <= width + 0.01


@given(st.text(alphabet="abc -/ünï中文", max_size=120), st.floats(20, 300))
def test_wrapping_loses_no_letter(text: str, width: float) -> None:
    kept = "".join("".join(textflow.wrap(FONTS, text, width, 8.0)).split())
    assert kept == "".join(prepared(text).split())


@given(st.text(max_size=100), st.floats(5, 200))
def test_ellipsis_fits(text: str, width: float) -> None:
    assert FONTS.width(textflow.ellipsize(FONTS, text, width, 8.0), 8.0) <= width + 0.01


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("abc", "abc"),
        ("שלום (abc) 12%", "12% (abc) םולש"),
        ("abc (שלום) def", "abc (םולש) def"),
        ("מחיר 5.20 ₪", "₪ 5.20 ריחמ"),
        ("a (b) ג", "a (b) ג"),
    ],
)
def test_right_to_left(text: str, shown: str) -> None:
    """As it stands on the line, letter by letter; brackets of a reversed run are mirrored."""
    mirror = str.maketrans("()", ")(")
    runs = bidi.visual_runs(text)
    assert "".join(t[::-1].translate(mirror) if rtl else t for t, rtl in runs) == shown


@given(st.text(alphabet="אבגabc 123().,-مرح", max_size=30))
def test_no_letter_is_lost_in_reordering(text: str) -> None:
    assert sorted("".join(t for t, _ in bidi.visual_runs(text))) == sorted(text)


def test_marks_without_a_picture_are_dropped() -> None:
    assert prepared("Happy 👍🏽") == "Happy 👍"
    assert prepared("a\u200bb\u202ec\ufeff") == "abc"
    assert prepared("a\nb\tc") == "a b c"


def test_every_script_has_a_font() -> None:
    for text in (
        "−▲▼≥→",
        "Привет",
        "東京서울",
        "مرحبا",
        "שלום",
        "हिन्दी",
        "ภาษาไทย",
        "🚀",
        "ქართული",
    ):
        assert all(FONTS.has(char) for char in text), text
