"""Mistakes that an engine answers without an error, told as warnings. No catalog is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from dbtools.result import ResultSet, Row

if TYPE_CHECKING:
    from dbtools.guard.anatomy import Anatomy, Token

_DATE_CALLS: Final = ("strftime", "date", "datetime", "time", "julianday")
_TEXT_CALLS: Final = frozenset(
    "strftime date time datetime substr substring lower upper trim ltrim rtrim replace printf "
    "format hex quote char".split()
)
_TEXT_TYPES: Final = ("varchar", "char", "text", "tinytext", "mediumtext", "longtext", "enum")
_COMPARES: Final = frozenset("<>=!")
_ARITHMETIC: Final = frozenset("+-*/%|")


def watch(result: ResultSet, statement: str, dialect: str) -> None:
    """Fill result.warnings, some of them only as its rows are read."""
    lowered = statement.lower()
    if dialect == "mysql":
        _mysql(result, statement)
        return
    quotes = '"' in statement and result.columns_read is not None
    dates = any(f"{call}(" in lowered for call in _DATE_CALLS)
    texts = dates or any(f"{call}(" in lowered for call in _TEXT_CALLS)
    if not (quotes or texts):
        return
    from dbtools.guard.anatomy import dissect

    anatomy = dissect(statement, dialect)
    if anatomy is None:
        return
    if quotes:
        _literals_in_double_quotes(result, anatomy)
    if texts:
        for message in _texts_and_numbers(anatomy.tokens):
            result.warnings[message] = None
    if dates and "'unixepoch'" not in lowered and "'auto'" not in lowered:
        _watch_for_null(result, _date_columns(anatomy.tokens, len(result.columns)))


def _literals_in_double_quotes(result: ResultSet, anatomy: Anatomy) -> None:
    """SQLite takes a double-quoted name that it does not know for a text."""
    tokens, read = anatomy.tokens, result.columns_read or set()
    made = {
        b.name for a, b in pairwise(tokens) if a.name == "as" or (a.text == ")" and b.kind == "Q")
    }
    sources = {part for s in anatomy.sources for part in (s.alias.lower(), s.table.lower())}
    names = made | sources | set(anatomy.ctes) | set(read) | {"rowid", "oid", "_rowid_"}
    for at, token in enumerate(tokens):
        if token.kind != "Q" or not token.text.startswith('"') or token.name in names:
            continue
        before = tokens[at - 1].text if at else ""
        after = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if (
            before in (".", ")")
            or after in (".", "(")
            or before.lower() in ("as", "collate", "with")
        ):
            continue
        text = token.text[1:-1]
        message = (
            f"{token.text} names no column, so SQLite took it for the text '{text}'; "
            f"write '{text}' if that is meant, else correct the name"
        )
        result.warnings[message] = None


def _texts_and_numbers(tokens: Sequence[Token]) -> Iterator[str]:
    """`strftime('%Y', d) = 2024`: on SQLite a text never equals a number."""
    for at, token in enumerate(tokens):
        is_call = token.kind == "W" and at + 1 < len(tokens) and tokens[at + 1].text == "("
        if not is_call or token.name not in _TEXT_CALLS:
            continue
        behind = _closing(tokens, at + 1) + 1
        number = _number_after(tokens, behind) or _number_before(tokens, at, behind)
        if number:
            yield (
                f"{token.text}() gives text, and on SQLite no text equals or orders like the "
                f"number {number}: compare with '{number}', or CAST the call AS INTEGER"
            )


def _number_after(tokens: Sequence[Token], at: int) -> str:
    start = at
    while at < len(tokens) and tokens[at].text in _COMPARES:
        at += 1
    if at == start and at < len(tokens) and tokens[at].name in ("in", "between"):
        at += 2 if tokens[at].name == "in" else 1
    return tokens[at].text if start < at < len(tokens) and tokens[at].kind == "N" else ""


def _number_before(tokens: Sequence[Token], at: int, behind: int) -> str:
    if behind < len(tokens) and tokens[behind].text in _ARITHMETIC:
        return ""
    start = at
    while at and tokens[at - 1].text in _COMPARES:
        at -= 1
    found = at < start and at and tokens[at - 1].kind == "N"
    return tokens[at - 1].text if found else ""


def _closing(tokens: Sequence[Token], at: int) -> int:
    depth = 0
    for i in range(at, len(tokens)):
        depth += (tokens[i].text == "(") - (tokens[i].text == ")")
        if depth == 0:
            return i
    return len(tokens) - 1


def _date_columns(tokens: Sequence[Token], count: int) -> list[int]:
    """Which result columns are made by a date function, as far as the text tells."""
    start = next((i for i, t in enumerate(tokens) if t.name == "select"), -1)
    items: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[start + 1 :]:
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0 and token.kind == "W" and token.name == "from":
            break
        if depth == 0 and token.text == ",":
            items.append([])
        else:
            items[-1].append(token)
    stars = [n for n, item in enumerate(items) if item and item[-1].text == "*"]
    if len(items) != count and not stars:
        return []
    found = []
    for number, item in enumerate(items):
        if not any(t.name in _DATE_CALLS and t.kind == "W" for t in item):
            continue
        behind_star = any(s < number for s in stars)
        at = count - len(items) + number if behind_star else number
        if 0 <= at < count and not (behind_star and any(s > number for s in stars)):
            found.append(at)
    return found


def _watch_for_null(result: ResultSet, columns: list[int]) -> None:
    """Say so once all rows are read and a date is NULL in every one."""
    if not columns:
        return
    rows = result.rows

    def watched() -> Iterator[Row]:
        empty, count = set(columns), 0
        for row in rows:
            count += 1
            if empty:
                empty = {c for c in empty if row[c] is None}
            yield row
        for column in sorted(empty) if count else ():
            name = result.columns[column].name
            result.warnings[
                f"{name} is NULL in every row: seconds since 1970 need strftime(…, 'unixepoch')"
            ] = None

    result.rows = watched()


def _mysql(result: ResultSet, statement: str) -> None:
    """`sku = 7` on a text column: MySQL turns every value into a number."""
    texts = {
        c.name.lower() for c in result.columns if c.type.lower().partition("(")[0] in _TEXT_TYPES
    }
    if not texts or "where" not in statement.lower():
        return
    from dbtools.guard.anatomy import dissect

    anatomy = dissect(statement, "mysql")
    for at, token in enumerate(anatomy.tokens if anatomy else ()):
        if token.kind not in "WQ" or token.name not in texts or anatomy is None:
            continue
        number = _number_after(anatomy.tokens, at + 1)
        if number:
            result.warnings[
                f"{token.text} is text: MySQL makes a number of every value to compare it with "
                f"{number} (what is no number counts as 0) and uses no index; write '{number}'"
            ] = None
