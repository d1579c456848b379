"""Functions by name: the deny list in every position, the allow list in FROM position."""

from __future__ import annotations

from dbtools.guard.lexer import Tokens
from dbtools.guard.model import Cause, Refused, Tables


def refused_call(reason: str, start: int, name: str, cause: Cause) -> Refused:
    """The refusal of a function, with the reason its group in the tables gives."""
    return Refused(
        reason,
        start,
        shown=name,
        message=f"the function {name} {cause.why}",
        hint=cause.hint,
    )


def denied_name(names: tuple[str, ...], tables: Tables) -> str:
    """The one among a call's spellings that is denied, "" for none."""
    for name in names:
        if tables.denied.has(name) and tables.call_allowed.isdisjoint(names):
            return name
    return ""


def check_call(tokens: Tokens, tables: Tables, at: int, full: str, in_from: bool) -> None:
    """Refuse a call of the dotted name `full`, whose last part is token `at`, if it may not be."""
    if "." not in full and not in_from and not tables.denied.has(full):
        return
    parts = full.split(".")
    # BigQuery's SAFE.f() is f(); a quoted name may hold the whole path.
    names = (parts[-1], ".".join([p for p in parts if p != "safe"][-2:]))
    denied = denied_name(names, tables)
    if denied:
        raise refused_call(f"function {full}", tokens.starts[at], full, tables.cause(denied))
    if not in_from or tables.from_allowed is None:
        return
    listed = tokens.exact(at).rpartition(".")[2] in tables.from_allowed
    listed = listed or names[1] in tables.call_allowed
    if not listed and not _is_users(tokens, tables, at, parts):
        raise Refused(f"table function {full}", tokens.starts[at], shown=full)


def check_lambda(tokens: Tokens, tables: Tables, at: int) -> None:
    """ClickHouse's arrayMap(f, array) calls f, named by token `at`, in brackets or not."""
    brackets = 0
    while tokens.key(at) == "(":
        at, brackets = at + 1, brackets + 1
    if tokens.kind(at) not in ("W", "Q") or not tables.denies(tokens.name(at)):
        return
    after = tokens.key(at + 1)
    if brackets and ")" in tokens.keys[at:]:
        close = tokens.keys.index(")", at)
        if tokens.key(close + 1) == "->":  # (file, n) -> ...: a parameter of that name
            return
    if after in (",", "as") or (brackets and after == ")"):
        name = tokens.name(at)
        raise refused_call(f"function {name}", tokens.starts[at], name, tables.cause(name))


def _is_users(tokens: Tokens, tables: Tables, at: int, parts: list[str]) -> bool:
    """Is it a function of the user's own, which is a stored SELECT?"""
    if tables.dialect == "clickhouse":  # a parameterised view: db.view(...) or view(x = 1)
        return len(parts) > 1 or tokens.key(at + 3) == "="
    if not tables.user_functions:
        return False
    if len(parts) > 1:
        return parts[-2] != "sys"
    return bool(tables.system.exact or tables.system.prefixes) and not tables.system.has(parts[0])


def check_notation(tokens: Tokens, tables: Tables, at: int) -> None:
    """PostgreSQL's functional notation: `x.f`, token `at`, calls f."""
    if tokens.kind(at) not in ("W", "Q", "U") or tokens.key(at + 1) == "(":
        return
    name = tokens.name(at)
    if not tables.denies(name):
        return
    # A plain word that calls only for one type: a column of that name is harmless elsewhere.
    if name in tables.notation and tables.notation[name] not in tokens.keys:
        return
    cause = tables.cause(name)
    raise Refused(
        f"function notation .{name}",
        tokens.starts[at],
        shown=name,
        message=f".{name} calls the function {name}, which {cause.why}",
        hint=cause.hint,
    )
