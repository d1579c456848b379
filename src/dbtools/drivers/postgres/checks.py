"""Value lists that CHECK constraints declare: `status IN ('new', 'paid')`."""

from __future__ import annotations

from dbtools.drivers.postgres.literals import single_quoted


def allowed_values(expression: str) -> tuple[str, ...]:
    """The strings of `col = ANY (ARRAY['a'::text, …])`, the only thing the check says; else ().

    pg_get_expr prints IN with strings as = ANY (ARRAY[…]), with casts and parentheses around.
    """
    start = expression.find("ARRAY[")
    before = expression[:start]
    if start < 0 or not before.rstrip("(").rstrip().endswith("= ANY") or before.count("=") > 1:
        return ()
    values: list[str] = []
    at = start + len("ARRAY[")
    while at < len(expression):
        if expression[at] != "'":
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
    return not text.replace("::text[]", "").replace("::character varying[]", "").strip(")( ")
