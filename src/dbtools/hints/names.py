"""Wrong names: of columns, of tables, of tables that are not in FROM."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from dbtools.catalog import Table
from dbtools.guard.anatomy import Token
from dbtools.hints import candidates
from dbtools.hints.candidates import Candidate
from dbtools.hints.failure import Advice, Failure
from dbtools.outline.dense import Knowledge, dense_columns
from dbtools.outline.joins import Link, condition, graph, path
from dbtools.search.words import split
from dbtools.spelling import RESERVED, quoted

# From this likeness on a corrected statement is offered.
_SURE: Final = 0.55
_CLEAR_LEAD: Final = 0.02
_COLUMNS_SHOWN: Final = 40
_TABLES_SHOWN: Final = 4
_NAMES_SHOWN: Final = 30
_BEFORE_A_VALUE: Final = frozenset(
    "= <> != < > <= >= == like ilike in ( , between and then else".split()
)


def parts(name: str) -> tuple[str, str]:
    """(qualifier, name) of what an engine prints: `o.total`, `"o"."total"`, `total`."""
    pieces = [p.strip('"`[]') for p in name.split(".")]
    return pieces[-2] if len(pieces) > 1 else "", pieces[-1]


def column(failure: Failure, name: str) -> Advice:
    """A column that is not there."""
    qualifier, plain = parts(name)
    if qualifier and not failure.anatomy.alias_of(qualifier):
        return missing_from(failure, qualifier)
    token = next(iter(failure.tokens_named(plain)), failure.token_at())
    inside = failure.sources()
    if qualifier:
        own = failure.table(failure.anatomy.alias_of(qualifier))
        inside = [own] if own else inside
    found = candidates.columns(plain, inside, _near(failure, inside), failure.known.index())
    literal = _literal(failure, token, found)
    if literal is not None:
        return literal
    detail: dict[str, object] = {"identifier": plain}
    if found:
        detail["candidates"] = [_json(c, failure, inside) for c in found]
    detail |= available_columns(failure, inside or failure.sources())
    detail |= _corrected(failure, token, found)
    hint = _alias_hint(failure, plain) or _column_hint(failure, found, inside)
    return Advice(hint, detail, token.start if token else None)


def _near(failure: Failure, inside: Sequence[Table]) -> list[Table]:
    """Tables one foreign key away from those in FROM."""
    found = graph(failure.catalog.tables)
    own = {(t.schema, t.name) for t in inside}
    keys = {n for key in own for n in found.neighbours(key)} - own
    return [t for t in failure.catalog.tables if (t.schema, t.name) in keys]


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
        way = _join(failure, inside, best.table)
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


def _join(failure: Failure, inside: Sequence[Table], table: Table) -> str:
    """The condition that joins a table to one in FROM, with the aliases of the statement."""
    starts = [(t.schema, t.name) for t in inside]
    way = path(graph(failure.catalog.tables), starts, (table.schema, table.name), 1)
    if not way:
        return ""
    return _aliased(failure, way[0])


def _aliased(failure: Failure, link: Link) -> str:
    text = condition(link, failure.naming)
    for source in failure.anatomy.sources:
        known = failure.table(source.table)
        if known is not None and source.alias:
            text = text.replace(f"{failure.naming.of(known)}.", f"{source.alias}.")
    return text


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
    if candidate.elsewhere and (way := _join(failure, inside, candidate.table)):
        body["join"] = way
    return body


def _corrected(
    failure: Failure, token: Token | None, found: Sequence[Candidate]
) -> dict[str, object]:
    """`suggestedSql` where one candidate is clearly meant and the engine would run it."""
    if token is None or not found or found[0].elsewhere or found[0].score < _SURE:
        return {}
    if len(found) > 1 and found[0].score - found[1].score < _CLEAR_LEAD:
        return {}
    best = found[0]
    if best.column is not None:
        text = failure.replaced(token, failure.naming.column(best.column.name))
    else:
        text = _with_table(failure, token, best.table)
    return {"suggestedSql": text} if failure.runs(text) else {}


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
    _, plain = parts(name.replace("`.`", "."))
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


def missing_from(failure: Failure, name: str) -> Advice:
    """`c.email` without any `c` in FROM."""
    qualifier = parts(name)[1] if "." not in name else parts(name)[0]
    uses = [
        a
        for a, b in pairwise(failure.anatomy.tokens)
        if a.kind in "WQ" and a.name == qualifier.lower() and b.text == "."
    ]
    position = uses[0].start if uses else None
    detail: dict[str, object] = {"identifier": qualifier}
    for source in failure.anatomy.sources:
        if source.alias and source.table.lower().rpartition(".")[2] == qualifier.lower():
            text = failure.statement
            for use in reversed(uses):
                text = text[: use.start] + source.alias + text[use.end :]
            if failure.runs(text):
                detail["suggestedSql"] = text
            hint = (
                f"{qualifier} is called {source.alias} here: write {source.alias}. before columns"
            )
            return Advice(hint, detail, position)
    return _unjoined(failure, qualifier, detail, position)


def _unjoined(
    failure: Failure, qualifier: str, detail: dict[str, object], position: int | None
) -> Advice:
    """A table that FROM lacks: which one is meant, and how it joins."""
    meant = failure.table(qualifier)
    near = _near(failure, failure.sources())
    if meant is None:
        # An alias that was never given: a table near those in FROM with a word that starts so.
        short = qualifier.lower()
        meant = next((t for t in near if t.name.lower().startswith(short)), None) or next(
            (t for t in near if any(w.startswith(short) for w in split(t.name))), None
        )
    sources = [s.alias or s.table for s in failure.anatomy.sources]
    if meant is None:
        return Advice(f"FROM has only {', '.join(sources)}", detail, position)
    way = _join(failure, failure.sources(), meant)
    spelled = failure.naming.of(meant)
    alias = "" if qualifier.lower() == meant.name.lower() else f" {qualifier}"
    if alias and way:
        way = way.replace(f"{spelled}.", f"{qualifier}.")
    detail["candidates"] = [{"table": failure.naming.key(meant.schema, meant.name)}]
    hint = f"FROM lacks it: add JOIN {spelled}{alias}" + (f" ON {way}" if way else "")
    return Advice(hint, detail, position)


def reserved_word(failure: Failure, token: Token | None) -> Advice | None:
    """A table or column whose name is a word of the language."""
    words = [token] if token else []
    words += [t for t in failure.anatomy.tokens if t is not token]
    known = {t.name.lower(): t.name for t in failure.catalog.tables}
    for table_ in failure.sources() or failure.catalog.tables:
        known |= {c.name.lower(): c.name for c in table_.columns}
    for word in words:
        if word.kind != "W" or word.name not in RESERVED or word.name not in known:
            continue
        written = quoted(known[word.name], failure.engine)
        text = failure.replaced(word, written)
        if failure.runs(text):
            hint = f"{word.text} is a word of SQL: as a name it needs quotes: {written}"
            return Advice(hint, {"suggestedSql": text}, word.start)
    return None


def stray_comma(failure: Failure) -> Advice | None:
    """A comma with nothing behind it."""
    tokens = failure.anatomy.tokens
    for a, b in pairwise(tokens):
        if a.text == "," and (
            b.text == ")" or b.name in ("from", "where", "group", "order", "limit")
        ):
            text = failure.replaced(a, "")
            if failure.runs(text):
                hint = f"nothing follows the comma before {b.text}: take it out"
                return Advice(hint, {"suggestedSql": text}, a.start)
    return None
