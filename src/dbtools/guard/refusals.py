"""What a refusal says: one human line, and the honest way to do it."""

from __future__ import annotations

from dbtools.guard.model import Refused, Verdict

# reason (its first words) -> (message, hint)
_TEXTS: dict[str, tuple[str, str]] = {
    "more than one statement": (
        "the text holds more than one statement",
        "send one statement at a time, without a `;` between",
    ),
    "executable comment": (
        "/*! ... */ runs as code on MySQL and MariaDB",
        "write the code without the comment signs",
    ),
    "assignment": ("it assigns a session variable", "use a window function or a subquery"),
    "variable assignment": (
        "it assigns a variable",
        "to compare, put the column first: column = @x; to label, use AS",
    ),
    "unterminated quote": (
        "a quote is not closed",
        "double a quote inside a string: 'it''s'; check the sql for a missing one",
    ),
    "unterminated dollar quote": ("a dollar quote is not closed", "close it with the same tag"),
    "unterminated comment": ("a comment is not closed", "close it with */"),
    "comment inside a comment": (
        "a comment inside a comment reads differently on different versions",
        "leave the inner comment out",
    ),
    "carriage return inside a comment": (
        "a carriage return inside a comment may end it",
        "end lines with \\n or \\r\\n",
    ),
    "reads differently without its comments": (
        "without its comments the text reads differently",
        "put spaces where the comments stand, or leave them out",
    ),
    "two strings side by side": (
        "two strings stand side by side",
        "join them with ||",
    ),
    "number runs into a word": ("a number runs into a word", "put a space between them"),
    "letter outside ASCII must be quoted": (
        "a name with letters outside ASCII is not quoted",
        "put backticks round it",
    ),
    "escape inside a quoted name": ("a quoted name holds an escape", "write the name plainly"),
    "variable with a suffix": (
        "a variable with a (suffix) is one token to SQLite",
        "write a cast as CAST(x AS TEXT), not x::text; before a bracket put a space",
    ),
    "two dots": ("two dots stand side by side", "put a space round numbers"),
    "nesting too deep": ("brackets are nested more than 200 levels deep", "use WITH to flatten it"),
    "unbalanced": ("the brackets do not match", "every bracket needs its other half"),
    "four-part name": (
        "a four-part name reaches a linked server",
        "only this server's databases can be read: database.schema.table",
    ),
    "file name as a table": (
        "a string as a table name reads a file",
        'to name a table use double quotes or backticks: "table"',
    ),
    "chained call of a dotted name": (
        "a dotted function in brackets cannot be checked",
        "call it plainly: name(argument)",
    ),
    "pipe operator": ("this pipe operator is not a read", ""),
    "table function": (
        "this table function is not on the list of harmless ones",
        "read a table or a view",
    ),
    "setting": (
        "this setting may not be changed here",
        "settings that tune a read are allowed: max_threads, join_algorithm, output_format_*",
    ),
    "depends on sql_mode": (
        "its meaning depends on the sql_mode",
        "double a quote inside a string: 'it''s'",
    ),
    "EXPLAIN options": (
        "EXPLAIN's options cannot be read",
        "EXPLAIN (ANALYZE, BUFFERS) SELECT ...",
    ),
    "SHOW": ("this form of SHOW is not on the list", "SELECT from the catalog instead"),
    "escape": ("this brace escape is not on the list", "{d '2026-01-31'}, {ts ...}, {fn now()}"),
    "character": (
        "this character means nothing here",
        "type it again: it may be an invisible or typographic one; inside a string it is fine",
    ),
    "unread": (
        "the statement cannot be read with certainty",
        "quote names that are also statement words",
    ),
}
SEED_FORM = "Blocked: {} queries are not allowed. Only SELECT/WITH...SELECT/EXPLAIN permitted."
_ALTERNATIVES = {
    "INTO": "SELECT without INTO; db-query -o FILE keeps the rows",
    "USE": "name the database before the table: database.table",
    "COPY": "db-query --format csv -o FILE writes the rows of a SELECT",
    "SET": "limits and time-outs are options of db-query: --limit, --timeout",
    "CALL": "read the tables the procedure reads",
    "EXEC": "read the tables the procedure reads",
    "EXECUTE": "send the statement itself",
    "SHOW": "db-schema lists the tables; db-schema --table NAME shows one",
    "DESCRIBE": "db-schema --table NAME shows a table's columns, keys and indexes",
    "DESC": "db-schema --table NAME shows a table's columns, keys and indexes",
}
# Words that start a read, for a misspelt one.
_STARTS = ("SELECT", "WITH", "EXPLAIN", "VALUES")
_CLIENT_COMMAND = "commands of a database shell mean nothing here; db-schema lists the tables"
_READ_ONLY = "connections are read-only here; SELECT the rows instead"


def refusal(error: Refused, kind: str, reading: str = "tokens") -> Verdict:
    """The verdict for a refusal; `kind` is the statement's kind where the refusal names none."""
    message, hint = error.message, error.hint
    refused_kind = error.kind
    if refused_kind:
        message = message or SEED_FORM.format(refused_kind)
        hint = hint or _ALTERNATIVES.get(refused_kind) or _misspelt(refused_kind) or _READ_ONLY
        if error.reason.startswith("word "):
            hint = hint if refused_kind in _ALTERNATIVES else _quote_it(error.shown)
    elif error.code == "BLOCKED":
        found = _text(error.reason)
        message = f"Blocked: {message or found[0]}."
        shell = error.start == 0 and error.shown in (".", "\\")
        hint = hint or (_CLIENT_COMMAND if shell else found[1])
    if error.shown and not refused_kind and error.start >= 0 and error.shown not in message:
        message = f"{message[:-1]} ({error.shown})."
    return Verdict(
        allowed=False,
        kind=refused_kind or kind,
        reading=reading,
        reason=error.reason,
        message=message,
        token=error.shown,
        position=error.start + 1,
        hint=hint,
        code=error.code,
    )


def _misspelt(kind: str) -> str:
    """`did you mean SELECT?` for SELEC, SLECT, SELECTT."""
    for start in _STARTS:
        letters = sorted(kind) == sorted(start) or kind.startswith(start) or start.startswith(kind)
        if letters and 2 < len(kind) <= len(start) + 1 and kind != start:
            return f"did you mean {start}?"
        if kind[:1] == start[:1] and 0 < len(start) - len(kind) < 2 and set(kind) <= set(start):
            return f"did you mean {start}?"
    return ""


def _quote_it(token: str) -> str:
    return f"{_READ_ONLY}; if {token} is a name, quote it"


def _text(reason: str) -> tuple[str, str]:
    for start, text in _TEXTS.items():
        if reason.startswith(start):
            return text
    return reason, ""
