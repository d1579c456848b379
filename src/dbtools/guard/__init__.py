"""The read-only guard: one verdict for one statement, before anything is sent.

Order: size -> lexical gate -> first word -> strict token reading -> (only on doubt) the tree.
What may run is the caller's own text, with its comments blanked; it is never regenerated.
"""

from __future__ import annotations

from dbtools.guard.commands import Head, head
from dbtools.guard.lexer import Tokens, scan
from dbtools.guard.limit import APPENDS, ROW_QUERIES, row_limit
from dbtools.guard.model import Refused, Tables, Verdict, load
from dbtools.guard.refusals import refusal
from dbtools.guard.size import MAX_BYTES, check_size
from dbtools.guard.sql import Reading

__all__ = ["MAX_BYTES", "Verdict", "append_limit", "check", "segments", "tables"]


def check(statement: str, dialect: str) -> Verdict:
    """The verdict on one statement. Never raises on any text.

    dialect: postgres, mysql, sqlite, clickhouse, bigquery or tsql (KeyError for another).
    `:name` placeholders count as values.
    """
    rules = load(dialect)
    found = Head("", 0)
    try:
        check_size(statement)
        tokens = scan(statement, dialect, rules.hints_blanked)
        if not tokens.keys:
            raise Refused("empty", message="The query is empty.", hint=_EMPTY, code="USAGE")
        found = head(tokens, rules)
        reading = Reading(tokens, rules, max(found.body, 0)).run()
        if dialect == "mysql" and "\\" in statement:
            _check_other_mode(statement, rules, reading)
        if reading.doubts:
            _ask_tree(tokens, rules, reading, found)
    except Refused as error:
        return refusal(error, found.kind)
    return _allowed(reading, found)


_EMPTY = "give one SELECT, WITH ... SELECT or EXPLAIN statement"


def _check_other_mode(statement: str, rules: Tables, reading: Reading) -> None:
    """With backslashes, the text must be harmless as NO_BACKSLASH_ESCAPES reads it, too."""
    try:
        other = scan(statement, "mysql", rules.hints_blanked, "mysql/no-backslash")
    except Refused:
        return  # a server in that mode refuses it as well
    try:
        doubts = Reading(other, rules, reading.body).run().doubts
    except Refused as error:
        raise Refused("depends on sql_mode", error.start, shown=error.shown) from error
    if [d.what for d in doubts] != [d.what for d in reading.doubts]:
        raise Refused("depends on sql_mode", other.starts[doubts[0].at] if doubts else -1)


def _ask_tree(tokens: Tokens, rules: Tables, reading: Reading, found: Head) -> None:
    """The tree reads what would be sent; a refusal names the place in the caller's text."""
    from dbtools.guard.tree import check_tree

    sent = tokens
    if tokens.clean != tokens.text:
        sent = scan(tokens.clean, rules.dialect, rules.hints_blanked)
    start = sent.starts[found.body] if found.body > 0 else 0
    places = [place - start for place in sent.starts]
    check_tree(sent.text[start:], places, rules, reading.doubts, tokens.starts)


def _allowed(reading: Reading, found: Head) -> Verdict:
    limit = row_limit(reading.tokens, reading.dialect, reading.body, reading.clauses)
    rows = found.kind in ROW_QUERIES
    return Verdict(
        allowed=True,
        statement=reading.tokens.clean,
        kind=found.kind,
        reading="tree" if reading.doubts else "tokens",
        limited=limit.limited and rows,
        can_limit=limit.open and rows and reading.dialect in APPENDS,
    )


def append_limit(verdict: Verdict, rows: int) -> str:
    """The statement with `LIMIT rows` on a line of its own, where its root has no limit yet."""
    if not verdict.can_limit:
        return verdict.statement
    return f"{verdict.statement}\nLIMIT {rows:d}"


def tables(statement: str, dialect: str) -> list[str]:
    """The tables a statement reads; empty where the guard cannot read it."""
    from dbtools.guard.names import tables_read

    rules = load(dialect)
    try:
        check_size(statement)
        tokens = scan(statement, dialect, rules.hints_blanked)
        reading = Reading(tokens, rules).run()
    except Refused:
        return []
    return tables_read(reading)


def segments(statement: str, dialect: str) -> list[str | tuple[str]]:
    """The gated text cut at its `:name` placeholders: text as str, a placeholder as (name,).

    A statement the gate refuses comes back uncut.
    """
    from dbtools.guard.placeholders import cut_at_placeholders

    rules = load(dialect)
    try:
        check_size(statement)
        tokens = scan(statement, dialect, rules.hints_blanked)
        if tokens.clean != statement:
            tokens = scan(tokens.clean, dialect, rules.hints_blanked)
    except Refused:
        return [statement]
    return cut_at_placeholders(tokens)
