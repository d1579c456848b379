"""What declarations say in text: labels of ENUM and SET types, value lists of CHECK clauses."""

from __future__ import annotations

from typing import Final

_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "Z": "\x1a", "b": "\b"}


def labels(column_type: str) -> tuple[str, ...]:
    """The labels of `enum('a','b')` and `set('a','b')`; () of any other type."""
    head, bracket, rest = column_type.partition("(")
    if not bracket or head.lower() not in ("enum", "set"):
        return ()
    # In a type a quote is doubled, and a backslash is itself.
    found = _list(rest, backslash=False)
    return found[0] if found else ()


def json_column(clause: str) -> str:
    """The column that `json_valid(`col`)`, and nothing else, is said of; MariaDB's JSON."""
    inner = clause.strip()
    if not inner.lower().startswith("json_valid(") or not inner.endswith(")"):
        return ""
    name, end = _name(inner, len("json_valid("))
    return name if inner[end:] == ")" else ""


def value_list(clause: str) -> tuple[str, tuple[str, ...]]:
    """(column, its values) of `` `col` in ('a','b') ``, and ("", ()) of any other clause."""
    # MySQL shows a clause in brackets, its strings as `_utf8mb4\\'a\\'`.
    text = clause.strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    if "_utf8mb4\\'" in text:
        text = text.replace("\\'", "'").replace("\\\\", "\\")
    name, at = _name(text, 0)
    if not name or not text[at:].lower().startswith(" in ("):
        return "", ()
    found = _list(text[at + len(" in (") :], backslash=True)
    if found is None or found[1].strip():
        return "", ()
    return name, found[0]


def _name(text: str, at: int) -> tuple[str, int]:
    """A name in backticks and where it ends; ('', at) when there is none."""
    if text[at : at + 1] != "`":
        return "", at
    end = text.find("`", at + 1)
    while end >= 0 and text[end + 1 : end + 2] == "`":
        end = text.find("`", end + 2)
    return ("", at) if end < 0 else (text[at + 1 : end].replace("``", "`"), end + 1)


def _list(text: str, *, backslash: bool) -> tuple[tuple[str, ...], str] | None:
    """The strings of `'a','b')` and what stands behind the bracket; None when it is no such."""
    values: list[str] = []
    at = 0
    while True:
        if text.startswith("_utf8mb4'", at):
            at += len("_utf8mb4")
        if text[at : at + 1] != "'":
            return None
        value, at = _string(text, at + 1, backslash=backslash)
        values.append(value)
        if text[at : at + 1] == ")":
            return tuple(values), text[at + 1 :]
        if text[at : at + 1] != ",":
            return None
        at += 1


def _string(text: str, at: int, *, backslash: bool) -> tuple[str, int]:
    """A string's value, and the place behind its closing quote; `at` is behind the opening one."""
    made: list[str] = []
    while at < len(text):
        character = text[at]
        if character == "\\" and backslash:
            following = text[at + 1 : at + 2]
            made.append(_ESCAPES.get(following, following))
            at += 2
        elif character != "'":
            made.append(character)
            at += 1
        elif text[at + 1 : at + 2] == "'":
            made.append("'")
            at += 2
        else:
            return "".join(made), at + 1
    return "".join(made), at
