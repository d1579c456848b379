"""Wrong names: of columns, of tables, of tables that are not in FROM."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from dbtools.catalog import Table
from dbtools.guard.anatomy import Token
from dbtools.hints import candidates, functions, joins
from dbtools.hints.candidates import Candidate
from dbtools.hints.failure import Advice, Failure
from dbtools.hints.rewriting import rewritten
from dbtools.outline.dense import Knowledge, dense_columns
from dbtools.outline.joins import graph

# Words that are no columns when a function's arguments begin with them.
_UNITS_AND_TYPES: Final = frozenset(
    "year quarter month week day hour minute second yyyy yy mm dd hh mi ss dayofyear varchar "
    "nvarchar char text int integer bigint decimal numeric float date datetime".split()
)
_CLEAR_LEAD: Final = 0.02
_COLUMNS_SHOWN: Final = 40
_TABLES_SHOWN: Final = 4
_NAMES_SHOWN: Final = 30
_BEFORE_A_VALUE: Final = frozenset(
    "= <> != < > <= >= == like ilike in ( , between and then else".split()
)


def column(failure: Failure, name: str) -> Advice:
    """A column that is not there."""
    qualifier, plain = joins.parts(name)
    if qualifier and not failure.anatomy.alias_of(qualifier):
        return joins.missing_from(failure, qualifier)
    token = next(iter(failure.tokens_named(plain, qualifier)), failure.token_at())
    if not qualifier and _qualifies(failure, token):
        return joins.missing_from(failure, plain)
    everywhere = failure.sources()
    inside = failure.sources_around(token) or everywhere
    if qualifier:
        own = failure.table(failure.anatomy.alias_of(qualifier))
        inside = [own] if own else inside
    outside = [*(t for t in everywhere if t not in inside), *joins.near(failure, inside)]
    found = candidates.columns(plain, inside, outside, failure.known.index())
    special = (
        _literal(failure, token, found)
        or joins.using(failure, token)
        or _unit_or_type(failure, token)
        or _out_of_reach(failure, token, plain)
    )
    if special is not None:
        return special
    detail: dict[str, object] = {"identifier": plain}
    if found:
        detail["candidates"] = [_json(c, failure, inside) for c in found]
    detail |= available_columns(failure, inside or failure.sources())
    detail |= _corrected(failure, token, found)
    hint = _alias_hint(failure, plain) or _column_hint(failure, found, inside)
    return Advice(hint, detail, token.start if token else None)


def _qualifies(failure: Failure, token: Token | None) -> bool:
    """BigQuery calls `c` of `c.email` an unknown name where FROM has no `c`."""
    if token is None or not failure.anatomy.before(token, "."):
        return False
    return not failure.anatomy.alias_of(token.name)


def _literal(failure: Failure, token: Token | None, found: Sequence[Candidate]) -> Advice | None:
    """`status = "paid"`: text in the quotes of names."""
    if token is None or token.kind != "Q" or not token.text.startswith('"'):
        return None
    at = failure.anatomy.tokens.index(token)
    before = failure.anatomy.tokens[at - 1].name if at else ""
    if before not in _BEFORE_A_VALUE or (found and found[0].score > 0.8):
        return None
    text = "'" + token.text[1:-1].replace('""', '"').replace("'", "''") + "'"
    fixed = failure.replaced(token, text)
    detail: dict[str, object] = {"identifier": token.text[1:-1]}
    if failure.runs(fixed):
        detail["suggestedSql"] = fixed
    return Advice(
        f"double quotes are for names; text takes single ones: {text}", detail, token.start
    )


def _unit_or_type(failure: Failure, token: Token | None) -> Advice | None:
    """`DATEADD(day, …)`: no column is meant, but another dialect's word for a unit or a type."""
    if token is None or token.name not in _UNITS_AND_TYPES or not failure.anatomy.opens_call(token):
        return None
    text = rewritten(failure)
    call = failure.anatomy.tokens[failure.anatomy.tokens.index(token) - 2].text
    hint = f"{call}({token.text}, …) belongs to another dialect of SQL"
    if not text:
        return Advice(f"{hint}; {functions.instead(failure.engine, call)}".rstrip("; "), {}, None)
    return Advice(f"{hint}: see suggestedSql", {"suggestedSql": text}, token.start)


def _out_of_reach(failure: Failure, token: Token | None, plain: str) -> Advice | None:
    """A column of a table that only a subquery or CTE reads, asked for outside of it."""
    if token is None or failure.sources_around(token):
        return None
    owners = [t for t in failure.sources() if any(c.name == plain for c in t.columns)]
    if not owners:
        return None
    hint = (
        f"{plain} is a column of {failure.naming.of(owners[0])}, but the subquery or CTE in FROM "
        "does not pass it on: add it to the SELECT list there"
    )
    return Advice(hint, {"identifier": plain}, token.start)


def _alias_hint(failure: Failure, plain: str) -> str:
    """A name made by AS in SELECT is not known yet in WHERE and HAVING."""
    tokens = failure.anatomy.tokens
    made = any(
        b.kind in "WQ" and b.name == plain.lower() and a.name == "as" for a, b in pairwise(tokens)
    )
    if not made:
        return ""
    return (
        f"{plain} is made by AS in SELECT, and cannot be used here: repeat its expression, or "
        "select from a subquery that makes it"
    )


def _column_hint(failure: Failure, found: Sequence[Candidate], inside: Sequence[Table]) -> str:
    here = [c for c in found if not c.elsewhere]
    if found and found[0].elsewhere:
        best = found[0]
        assert best.column is not None  # noqa: S101 - a candidate for a column
        way = joins.join(failure, inside, best.table)
        where = failure.naming.of(best.table)
        on = f": JOIN {where} ON {way}" if way else ""
        return f"{failure.naming.column(best.column.name)} is a column of {where}{on}"
    if here:
        return (
            f"did you mean {_or(failure.naming.column(c.column.name) for c in here if c.column)}?"
        )
    names = ", ".join(failure.naming.of(t) for t in inside)
    return f"choose from availableColumns of {names}" if names else "db-schema --detail names"


def _or(names: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(names))


def _json(candidate: Candidate, failure: Failure, inside: Sequence[Table]) -> dict[str, object]:
    naming = failure.naming
    body: dict[str, object] = {"table": naming.key(candidate.table.schema, candidate.table.name)}
    spelled = naming.of(candidate.table)
    if candidate.column is not None:
        body |= {"column": candidate.column.name, "type": candidate.column.type}
        spelled = naming.column(candidate.column.name)
    if spelled != (candidate.column.name if candidate.column else body["table"]):
        body["sqlName"] = spelled
    body["score"] = round(candidate.score, 2)
    if candidate.elsewhere and (way := joins.join(failure, inside, candidate.table)):
        body["join"] = way
    return body


def _corrected(
    failure: Failure, token: Token | None, found: Sequence[Candidate]
) -> dict[str, object]:
    """`suggestedSql` where one candidate is clearly meant and the engine would run it."""
    if token is None or not found or found[0].elsewhere or found[0].score < candidates.SURE:
        return {}
    if len(found) > 1 and found[0].score - found[1].score < _CLEAR_LEAD:
        return {}
    best = found[0]
    if best.column is not None:
        text = failure.replaced(token, failure.naming.column(best.column.name))
    else:
        text = _with_table(failure, token, best.table)
    text = failure.mended(text)
    return {"suggestedSql": text} if text else {}


def _with_table(failure: Failure, token: Token, table: Table) -> str:
    """The statement with a table's dotted name written anew, wherever it stands."""
    tokens = failure.anatomy.tokens
    at = tokens.index(token)
    first = at
    while first >= 2 and tokens[first - 1].text == "." and tokens[first - 2].kind in "WQU":
        first -= 2
    start, end = tokens[first].start, token.end
    return failure.statement[:start] + failure.naming.of(table) + failure.statement[end:]


def available_columns(failure: Failure, tables: Sequence[Table]) -> dict[str, object]:
    """The columns of the tables in FROM."""
    if not tables:
        return {}
    everything = graph(failure.catalog.tables)
    shown: dict[str, object] = {}
    for table in tables[:_TABLES_SHOWN]:
        lines = dense_columns(table, failure.naming, everything, Knowledge())
        more = [f"… {len(lines) - _COLUMNS_SHOWN} more"] if len(lines) > _COLUMNS_SHOWN else []
        shown[failure.naming.key(table.schema, table.name)] = lines[:_COLUMNS_SHOWN] + more
    return {"availableColumns": shown}


def table(failure: Failure, name: str) -> Advice:
    """A table that is not there, or that the login may not read: nothing tells the two apart."""
    full = _full_name(failure, name)
    plain = full.rpartition(".")[2]
    token = next(iter(failure.tokens_named(plain)), failure.token_at())
    found = candidates.tables(full, failure.catalog.tables, failure.known.index())
    detail: dict[str, object] = {"identifier": full}
    if found:
        detail["candidates"] = [_json(c, failure, ()) for c in found]
        detail |= _corrected(failure, token, found)
        key = failure.naming.key(found[0].table.schema, found[0].table.name)
        detail["next"] = f"db-schema --table {key}"
        hint = f"did you mean {_or(failure.naming.of(c.table) for c in found)}?"
    else:
        detail["next"] = "db-schema --detail names"
        hint = f'read the names (see next), or: db-schema --search "{plain}"'
    names = [failure.naming.key(t.schema, t.name) for t in failure.catalog.tables]
    if len(names) <= _NAMES_SHOWN:
        detail["availableTables"] = names
    message = f"There is no table {full!r} that this login may read."
    return Advice(hint, detail, token.start if token else None, message, hides=True)


def _full_name(failure: Failure, name: str) -> str:
    """The dotted name as the statement has it; engines print the last part, or the schema only."""
    wanted = [p.strip('"`[]').lower() for p in name.split(".")]
    for source in failure.anatomy.sources:
        own = source.table.lower().split(".")
        if (
            own[-len(wanted) :] == wanted
            or wanted[-len(own) :] == own
            or own[: len(wanted)] == wanted
        ):
            return source.table
    return name.strip('"`[]')


def denied(failure: Failure, name: str) -> Advice:
    """A right that the login lacks: of a whole table, or of some of its columns."""
    _, plain = joins.parts(name.replace("`.`", "."))
    known = failure.table(plain)
    if known is None:
        return table(failure, name)
    readable = {c.name.lower() for t in failure.sources() for c in t.columns}
    named = {t.name for t in failure.anatomy.tokens if t.kind in "WQ"}
    owned = [t for t in failure.anatomy.tokens if t.kind in "WQ" and t.name not in readable]
    detail = available_columns(failure, [known])
    shown = ", ".join(c.name for c in known.columns)
    if "*" in {t.text for t in failure.anatomy.tokens} or not owned or not named:
        return Advice(f"name the columns: this login may read {shown}", detail)
    return Advice(f"this login may read only these columns of {known.name}: {shown}", detail)
