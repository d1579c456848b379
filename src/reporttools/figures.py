"""Numbers as people read them: separators, units, 1.28M, 1h 05m, and Excel's codes for the same.

The minus sign is the ASCII one everywhere: every font has it, and a copied cell stays a number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from reporttools.document import PLAIN, NumberFormat
from reporttools.words import ENGLISH, Words, words

Number = int | float | Decimal
NO_VALUE: Final = "–"
# Symbols only where one is unmistakable; any other currency is shown by its code.
SYMBOLS: Final = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "INR": "₹", "RUB": "₽"}
_WHOLE_CURRENCIES: Final = frozenset({"JPY", "KRW", "VND", "CLP", "ISK"})
_STEPS: Final = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K"))
_BYTES: Final = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_NARROW_SPACE: Final = " "


@dataclass(frozen=True, slots=True)
class Marks:
    """The separators of a locale. words: of its language, for `K`, `h` and their like. money_after:
    a currency follows its number."""

    group: str = ","
    point: str = "."
    words: Words = ENGLISH
    money_after: bool = False


_EN: Final = Marks()
# Money before the number only where that is the custom.
_LOCALES: Final = {
    **dict.fromkeys(("nl", "tr", "id", "de-at"), Marks(".", ",")),
    **dict.fromkeys("de it es pt da el ro hr sl".split(), Marks(".", ",", money_after=True)),
    **dict.fromkeys(
        "fr ru uk pl cs sk sv nb no fi bg hu lt lv".split(),
        Marks(_NARROW_SPACE, ",", money_after=True),
    ),
    "de-ch": Marks("’", "."),
}


def marks(locale: str) -> Marks:
    """Separators for `de`, `de-CH`, `fr_FR`, ...; English ones for any other."""
    tag = locale.replace("_", "-").lower()
    found = _LOCALES.get(tag) or _LOCALES.get(tag.split("-")[0]) or _EN
    said = words(locale)
    return found if said is ENGLISH else replace(found, words=said)


def magnitude(value: Number) -> float:
    """The size of a number as a float, infinity for integers beyond it."""
    try:
        return abs(float(value))
    except OverflowError:
        return math.inf


def number_text(value: Number, decimals: int, where: Marks = _EN, *, grouped: bool = True) -> str:
    """Fixed decimals with separators: `-1,234.50`; never `-0.00`."""
    # A float format would round a long integer.
    exact = Decimal(value) if isinstance(value, int) else value
    text = format(exact, f",.{decimals}f" if grouped else f".{decimals}f")
    if text.startswith("-") and not any(c in "123456789" for c in text):
        text = text[1:]
    if where is _EN:
        return text
    return text.translate({ord(","): where.group, ord("."): where.point})


def significant_decimals(value: Number, limit: int = 10) -> int:
    """How many decimals a number is written with, trailing zeros of a Decimal counted."""
    if isinstance(value, int):
        return 0
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        return min(limit, max(0, -exponent)) if isinstance(exponent, int) else 0
    if value == int(value) if math.isfinite(value) else True:
        return 0
    text = format(value, f".{limit}f").rstrip("0")
    return len(text) - text.index(".") - 1


def column_decimals(values: Iterable[Number]) -> int:
    """The one number of decimals a column is shown with: what its values have, within reason."""
    most, largest = 0, 0.0
    for value in values:
        size = magnitude(value)
        largest = max(largest, size)
        if most < 10:
            most = max(most, significant_decimals(value))
    if not most or not math.isfinite(largest):
        return 0
    whole = len(str(int(largest))) if largest >= 1 else 0
    small = 0 if largest >= 1 or largest == 0 else int(-math.log10(largest))
    return min(most, max(2, 5 - whole + small))


def duration_text(seconds: Number, where: Marks = _EN) -> str:
    """`1h 05m`, `2d 3h`, `3m 20s`, `45s`, `0.35s`."""
    size = magnitude(seconds)
    sign = "-" if seconds < 0 else ""
    d, h, m, s = map(where.words, "dhms")
    if size < 60:
        short = f"{size:.2f}".rstrip("0").rstrip(".") if size < 10 else f"{size:.0f}"
        short = short.replace(".", where.point)
        return f"{sign}1{m} 00{s}" if short == "60" else f"{sign}{short}{s}"
    minutes, rest = divmod(round(size), 60)
    if minutes < 60:
        return f"{sign}{minutes}{m} {rest:02d}{s}"
    hours, minute = divmod(round(size / 60), 60)
    if hours < 48:
        return f"{sign}{hours}{h} {minute:02d}{m}"
    days, hour = divmod(round(size / 3600), 24)
    return f"{sign}{number_text(days, 0, where)}{d} {hour}{h}"


def _wrap(text: str, how: NumberFormat, where: Marks) -> str:
    """A finished number with its sign, currency and unit in the right places."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    if how.kind == "percent":
        return f"{sign}{digits}%"
    if how.kind == "currency":
        unit = how.unit.upper()
        symbol = SYMBOLS.get(unit) or (how.unit if len(how.unit) == 1 else "")
        if where.money_after:
            return f"{text}\u00a0{symbol or how.unit}" if how.unit else text
        if symbol:
            return f"{sign}{symbol}{digits}"
        return f"{sign}{how.unit} {digits}" if how.unit else text
    if how.unit == "%":
        return f"{text}%"
    return f"{text} {how.unit}" if how.unit else text


def _default_decimals(value: Number, how: NumberFormat) -> int:
    if how.decimals is not None:
        return how.decimals
    if how.kind == "currency":
        return 0 if how.unit.upper() in _WHOLE_CURRENCIES else 2
    return column_decimals([value])


def full(value: Number | None, how: NumberFormat = PLAIN, where: Marks = _EN) -> str:
    """A number with all its digits, as a table shows it."""
    if value is None:
        return NO_VALUE
    if how.kind == "duration":
        return duration_text(value, where)
    if how.kind == "bytes":
        return _scaled(value, _BYTES, " ", where, unit=" B", how=how)
    extreme = 0 < magnitude(value) < 1e-6 or magnitude(value) >= 1e16
    if extreme and how.decimals is None and isinstance(value, float):
        return _wrap(_scientific(value, where), how, where)
    decimals = _default_decimals(value, how)
    return _wrap(number_text(value, decimals, where, grouped=how.grouped), how, where)


def compact(value: Number | None, how: NumberFormat = PLAIN, where: Marks = _EN) -> str:
    """A number short enough for a card, an axis or a bar: `1.28M`, `18.4K`, `69.71`."""
    if value is None:
        return NO_VALUE
    if how.kind in ("duration", "bytes"):
        return full(value, how, where)
    size = magnitude(value)
    if how.decimals is not None and size < 1e9:
        return full(value, how, where)
    if size >= 1e15 or 0 < size < 1e-6:
        return _wrap(_scientific(value, where), how, where)
    if size >= (99_999.5 if how.kind == "currency" else 9_999.5):
        return _wrap(_scaled(value, _STEPS, "", where, unit="", how=PLAIN), how, where)
    if how.kind == "currency":
        return full(value, how, where)
    most = 2 if size >= 0.01 else 6
    return _wrap(number_text(value, min(most, column_decimals([value])), where), how, where)


def _scientific(value: Number, where: Marks) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "-∞" if value < 0 else "∞"
    value = Decimal(value) if isinstance(value, int) else value
    mantissa, _, exponent = f"{value:.2e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".").replace(".", where.point)
    return f"{mantissa}e{int(exponent)}"


def _scaled(
    value: Number,
    steps: tuple[tuple[float, str], ...],
    gap: str,
    where: Marks,
    *,
    unit: str,
    how: NumberFormat,
) -> str:
    """Three significant digits and the step's letter: 999,950 is 1M, not 1,000K."""
    number = float(value)
    rounded = float(f"{number:.3g}") if abs(number) < 1e15 else number
    for size, letter in steps:
        if abs(rounded) >= size:
            scaled = rounded / size
            decimals = max(0, 3 - len(str(int(abs(scaled)))))
            if how.decimals is None:
                decimals = min(decimals, significant_decimals(float(f"{scaled:.{decimals}f}")))
            else:
                decimals = how.decimals
            return f"{number_text(scaled, decimals, where)}{gap}{where.words(letter)}"
    return f"{number_text(number, column_decimals([value]), where)}{unit}"


@dataclass(frozen=True, slots=True)
class Unit:
    """What numbers that are compared are all written in. size: what one of it is worth; letter:
    `K`, `M`, ... or none; decimals: as many for each."""

    size: float
    letter: str
    decimals: int


def unit_of(values: Sequence[Number], how: NumberFormat = PLAIN, *, ticks: bool) -> Unit | None:
    """The unit of an axis (ticks: shown exactly) or of labels beside each other (to three digits).

    None when they are too far apart, or too large or small, to be read in one.
    """
    sizes = [magnitude(value) for value in values if value]
    largest, least = max(sizes, default=0.0), min(sizes, default=0.0)
    if how.kind == "duration" or largest >= 1e15 or 0 < least < 1e-6:
        return None
    from_size = 1e3 if how.kind == "bytes" else 9_999.5
    steps = _BYTES if how.kind == "bytes" else _STEPS
    shown = float(f"{largest:.3g}")
    letter_of = ((size, letter) for size, letter in steps if shown >= max(size, from_size))
    size, letter = next(letter_of, (1.0, "B" if how.kind == "bytes" else ""))
    if how.decimals is not None and size == 1.0 and not ticks:
        return Unit(size, letter, how.decimals)
    scaled = [float(f"{float(value) / size:.12g}") for value in values]
    most = 6 if ticks else max(0, 3 - len(str(int(float(f"{largest / size:.3g}")))))
    if not ticks and 0 < round(least / size, most) * 10**most < 10 <= largest / least:
        return None
    if not ticks and round(least / size, most) == 0 < least:
        return None
    if not ticks:
        scaled = [float(f"{value:.{most}f}") for value in scaled]
    return Unit(size, letter, min(most, max(map(significant_decimals, scaled), default=0)))


def together(
    values: Sequence[Number], how: NumberFormat = PLAIN, where: Marks = _EN, *, ticks: bool
) -> list[str]:
    """Numbers as one axis or one set of bars writes them: one unit and one number of decimals."""
    unit = unit_of(values, how, ticks=ticks)
    if unit is None:
        largest = max(map(magnitude, values), default=0.0)
        if not ticks and how.kind in ("number", "currency", "percent") and 1e3 <= largest < 1e7:
            # Too far apart for one unit: all in full.
            how = how if how.decimals is not None else replace(how, decimals=0)
            return [full(value, how, where) for value in values]
        return [compact(value, how, where) for value in values]
    gap = " " if how.kind == "bytes" else ""
    texts = []
    for value in values:
        # As Excel rounds: halves away from zero.
        scaled = Decimal(repr(value) if isinstance(value, float) else value) / Decimal(unit.size)
        exact = scaled.quantize(Decimal(1).scaleb(-unit.decimals), ROUND_HALF_UP)
        text = number_text(exact, unit.decimals, where)
        if value or how.kind == "bytes":
            text += f"{gap}{where.words(unit.letter)}"
        elif unit.size > 1.0:
            text = "0"
        texts.append(text if how.kind == "bytes" else _wrap(text, how, where))
    return texts


def excel_unit_code(
    values: Sequence[Number], how: NumberFormat, where: Marks = _EN, *, ticks: bool
) -> str:
    """The same as a number format, empty when there is none.

    The ticks are chosen by the program that draws the chart: they get decimals where it needs them.
    """
    unit = unit_of(values, how, ticks=False)
    if unit is None or how.kind == "bytes":
        return ""
    largest = max(map(magnitude, values), default=0.0) / unit.size
    decimals = unit.decimals
    if ticks:
        if unit.size == 1.0 and how.kind == "number" and how.unit in ("", "%"):
            return _quoted("General" if largest < 1000 else "#,##0", how, where)
        decimals = 0 if largest >= 10 else 1 if unit.size > 1 else 2
    body = f"#,##0{'.' * bool(decimals)}{'0' * decimals}"
    if unit.size == 1.0:
        return _quoted(body, how, where)
    body += "," * round(math.log10(unit.size) / 3)
    return _quoted(f'{body}"{where.words(unit.letter)}"', how, where, zero="0")


def delta(change: Number | None, where: Marks = _EN) -> str:
    """A change in percent with its sign: `+12.4%`, `-3%`, `0%`."""
    if change is None:
        return NO_VALUE
    size = magnitude(change)
    if size >= 9_999.5:
        return f"{'+' if change > 0 else '-'}{compact(size, PLAIN, where)}%"
    decimals = min(1 if size >= 10 else 2, significant_decimals(change))
    text = number_text(size, decimals, where)
    if not any(c in "123456789" for c in text):
        return "0%"
    return f"{'+' if change > 0 else '-'}{text}%"


def excel_code(how: NumberFormat, decimals: int, where: Marks = _EN) -> str:
    """The number format code that Excel and PowerPoint understand for the same look."""
    places = "." + "0" * decimals if decimals else ""
    body = ("#,##0" if how.grouped else "0") + places
    return _quoted(body, how, where)


def _quoted(body: str, how: NumberFormat, where: Marks, zero: str = "") -> str:
    """A number format with the currency or unit round the digits."""
    before, after = "", ""
    if how.kind == "percent" or (how.kind == "number" and how.unit == "%"):
        after = '"%"'
    elif how.kind == "currency" and how.unit:
        symbol = (SYMBOLS.get(how.unit.upper()) or how.unit).replace('"', "")
        if where.money_after:
            after = f'"\u00a0{symbol}"'
        else:
            before = f'"{symbol}"' if len(symbol) == 1 else f'"{symbol} "'
    elif how.unit and how.kind == "number":
        after = '" ' + how.unit.replace('"', "") + '"'
    parts = [f"{before}{body}{after}"]
    if before or zero:
        parts.append(f"-{before}{body}{after}")
    if zero:
        parts.append(f"{before}{zero}{after}")
    return ";".join(parts)
