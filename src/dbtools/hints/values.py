"""Values that do not fit: types, dates, labels of an enum, a zero to divide by."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from dbtools.guard.anatomy import Token
from dbtools.hints.failure import Advice, Failure
from dbtools.hints.rewriting import rewritten
from dbtools.hints.syntax import operators
from toolbelt.errors import nearest

_DAY_FIRST: Final = re.compile(r"'(\d{1,2})([./-])(\d{1,2})\2(\d{4})'")
_CASTS: Final = {
    "postgresql": "x::integer, x::text, x::date",
    "clickhouse": "toInt64(x), toString(x), toDate(x)",
}
_SHOWN: Final = 12
_COMPARES: Final = ("=", "<", ">", "<=", ">=", "<>", "!=", "==")


def types_in_use(failure: Failure) -> dict[str, object]:
    """The types of the columns that the statement names."""
    named = {t.name for t in failure.anatomy.tokens if t.kind in "WQU"}
    found = {
        f"{failure.naming.of(table)}.{column.name}": column.type
        for table in failure.sources()
        for column in table.columns
        if column.name.lower() in named
    }
    return {"columnTypes": dict(list(found.items())[:_SHOWN])} if found else {}


def types(failure: Failure, _name: str) -> Advice:
    """Two sides of different types, or a text that is no value of a type."""
    label = _label(failure)
    if label is not None:
        return label
    other = operators(failure) or _foreign_type(failure) or _quoted_number(failure)
    if other is not None:
        return other
    cast = _CASTS.get(failure.engine, "CAST(x AS …)")
    hint = f"give both sides one type, by a cast ({cast}) or by the literal: 42 or '42'"
    return Advice(hint, types_in_use(failure))


def _foreign_type(failure: Failure) -> Advice | None:
    """`CAST(x AS string)`, where the type has another name."""
    said = failure.error.message
    if "data type family" not in said and not ('type "' in said and "does not exist" in said):
        return None
    text = rewritten(failure)
    hint = "this type belongs to another dialect of SQL; the same in this one: see suggestedSql"
    return Advice(hint, {"suggestedSql": text}) if text else None


def _quoted_number(failure: Failure) -> Advice | None:
    """`sku = 7` where sku is a text."""
    for before, token in pairwise(failure.anatomy.tokens):
        if token.kind != "N" or before.text not in _COMPARES:
            continue
        text = failure.replaced(token, f"'{token.text}'")
        if failure.runs(text):
            hint = f"the other side is a text: write '{token.text}'"
            return Advice(hint, {"suggestedSql": text, **types_in_use(failure)}, token.start)
    return None


def _label(failure: Failure) -> Advice | None:
    """A text that is none of a column's declared values."""
    texts = [t for t in failure.anatomy.tokens if t.kind == "S" and t.text.startswith("'")]
    named = {t.name for t in failure.anatomy.tokens if t.kind in "WQU"}
    for table in failure.sources():
        for column in table.columns:
            if not column.values or column.name.lower() not in named:
                continue
            for token in texts:
                advice = _other_label(failure, token, column.name, column.values)
                if advice is not None:
                    return advice
    return None


def _other_label(
    failure: Failure, token: Token, column: str, labels: tuple[str, ...]
) -> Advice | None:
    value = token.text[1:-1].replace("''", "'")
    if value in labels or f'"{value}"' not in failure.error.message:
        return None
    close = nearest(value, list(labels), 1)
    detail: dict[str, object] = {"identifier": value, "values": list(labels)}
    if close:
        text = failure.replaced(token, "'" + close[0].replace("'", "''") + "'")
        if failure.runs(text):
            detail["suggestedSql"] = text
    return Advice(f"{column} is one of: {', '.join(labels)}", detail, token.start)


def date(failure: Failure, _name: str) -> Advice:
    """A text that is no date: the form that every engine reads, and a range that loses nothing."""
    hint = (
        "write dates as 'YYYY-MM-DD' and a span half-open: "
        "col >= '2024-05-01' AND col < '2024-06-01'"
    )
    detail = types_in_use(failure)
    for token in failure.anatomy.tokens:
        written = _iso(token.text) if token.kind == "S" else ""
        if written:
            text = failure.replaced(token, written)
            if failure.runs(text):
                detail["suggestedSql"] = text
            return Advice(hint, detail, token.start)
    return Advice(hint, detail)


def _iso(text: str) -> str:
    """A date with the year last as an ISO one, where only one reading is possible; else ''."""
    match = _DAY_FIRST.fullmatch(text)
    if match is None:
        return ""
    first, separator, second, year = int(match[1]), match[2], int(match[3]), match[4]
    day, month = (first, second) if separator == "." or first > 12 else (second, first)
    ambiguous = separator != "." and first <= 12 and second <= 12 and first != second
    if ambiguous or not 1 <= month <= 12 or not 1 <= day <= 31:
        return ""
    return f"'{year}-{month:02d}-{day:02d}'"


def without_zero(failure: Failure) -> str:
    """The statement with every plain divisor inside NULLIF(…, 0); '' where that does not run."""
    tokens = failure.anatomy.tokens
    text = failure.statement
    for at in range(len(tokens) - 2, -1, -1):
        if tokens[at].text != "/" or tokens[at + 1].kind not in "WQ":
            continue
        last = at + 1
        while last + 2 < len(tokens) and tokens[last + 1].text == ".":
            last += 2
        if last + 1 < len(tokens) and tokens[last + 1].text == "(":
            continue
        start, end = tokens[at + 1].start, tokens[last].end
        text = f"{text[:start]}NULLIF({text[start:end]}, 0){text[end:]}"
    return text if text != failure.statement and failure.runs(text) else ""
