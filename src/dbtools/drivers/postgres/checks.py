"""Value lists that CHECK constraints declare: `status IN ('new', 'paid')`."""

from __future__ import annotations

from dbtools.drivers.postgres.literals import single_quoted


def allowed_values(column: str, expression: str) -> tuple[str, ...]:
    """The strings of `col = ANY (ARRAY['a'::text, …])` when the check says nothing else; else ().

    So pg_get_expr prints `col IN ('a', …)`, with casts and parentheses around.
    """
    left, operator, right = expression.partition(" = ANY (")
    start = right.find("ARRAY[")
    bare = left.replace("::text", "").strip("()")
    if not operator or start < 0 or right[:start].strip("("):
        return ()
    if bare not in (column, '"' + column.replace('"', '""') + '"'):
        return ()
    return _strings(right, start + len("ARRAY["))


def _strings(expression: str, at: int) -> tuple[str, ...]:
    """The string literals from `at` to the closing bracket, () when there is anything else."""
    values: list[str] = []
    while at < len(expression):
        if expression[at] != "'" or expression.find("'", at + 1) < 0:
            return ()
        value, at = single_quoted(expression, at)
        values.append(value)
        at = _after_cast(expression, at)
        if expression[at : at + 1] == "]":
            return tuple(values) if _only_casts(expression[at + 1 :]) else ()
        if not expression.startswith(", ", at):
            return ()
        at += len(", ")
    return ()


def _after_cast(text: str, at: int) -> int:
    """Behind `::character varying`, if it stands here."""
    while text.startswith("::", at):
        at += 2
        while at < len(text) and (text[at].isalnum() or text[at] in ' _."()'):
            at += 1
    return at


def _only_casts(text: str) -> bool:
    """Whether nothing but closing parentheses and array casts is left."""
    return not text.replace("::text[]", "").strip(")")
