"""Tables that a statement leaves out of FROM, or joins in a way they do not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from dbtools.catalog import Table
from dbtools.guard.anatomy import Source, Token
from dbtools.hints.failure import Advice, Failure
from dbtools.outline.joins import Link, condition, graph, path
from dbtools.search.words import split


def parts(name: str) -> tuple[str, str]:
    """(qualifier, name) of what an engine prints: `o.total`, `"o"."total"`, `total`."""
    pieces = [p.strip('"`[]') for p in name.split(".")]
    return pieces[-2] if len(pieces) > 1 else "", pieces[-1]


def near(failure: Failure, inside: Sequence[Table]) -> list[Table]:
    """Tables one foreign key away from those in FROM."""
    found = graph(failure.catalog.tables)
    own = {(t.schema, t.name) for t in inside}
    keys = {n for key in own for n in found.neighbours(key)} - own
    return [t for t in failure.catalog.tables if (t.schema, t.name) in keys]


def join(failure: Failure, inside: Sequence[Table], table: Table) -> str:
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


def using(failure: Failure, token: Token | None) -> Advice | None:
    """`JOIN b USING (a_id)` where only one side has the column."""
    if token is None or not failure.anatomy.follows(token, "using", "("):
        return None
    at = failure.anatomy.tokens.index(token)
    before = [t for s in failure.anatomy.sources if s.at < at and (t := failure.table(s.table))]
    way = join(failure, before[:-1], before[-1]) if len(before) > 1 else ""
    if not way or failure.anatomy.tokens[at + 1].text != ")":
        return None
    start, end = failure.anatomy.tokens[at - 2].start, failure.anatomy.tokens[at + 1].end
    text = failure.mended(f"{failure.statement[:start]}ON {way}{failure.statement[end:]}")
    hint = f"USING needs a column that both tables have: write ON {way}"
    return Advice(hint, {"suggestedSql": text} if text else {}, token.start)


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
            text = failure.mended(_requalified(failure, uses, source.alias))
            if text:
                detail["suggestedSql"] = text
            hint = (
                f"{qualifier} is called {source.alias} here: write {source.alias}. before columns"
            )
            return Advice(hint, detail, position)
    unnamed = _unnamed(failure, qualifier, position)
    if unnamed is not None:
        return unnamed
    owner = _owner(failure, qualifier)
    if owner is not None:
        written = owner.alias or failure.naming.column(owner.table.rpartition(".")[2])
        text = failure.mended(_requalified(failure, uses, written))
        if text:
            detail["suggestedSql"] = text
        names = _in_from(failure, qualifier)
        hint = (
            f"FROM has no {qualifier}, but {names}: the column is one of {owner.table}, {written}"
        )
        return Advice(hint, detail, position)
    return _unjoined(failure, qualifier, detail, position)


def _requalified(failure: Failure, uses: Sequence[Token], written: str) -> str:
    text = failure.statement
    for use in reversed(uses):
        text = text[: use.start] + written + text[use.end :]
    return text


def _unnamed(failure: Failure, qualifier: str, position: int | None) -> Advice | None:
    """`t.n FROM (SELECT …)`: the only subquery in FROM was given no name."""
    anatomy = failure.anatomy
    nameless = [s for s in _around(failure, qualifier) if not s.table and not s.alias]
    if len(nameless) != 1 or anatomy.tokens[nameless[0].at].text != "(":
        return None
    end = anatomy.tokens[anatomy.closing(nameless[0].at)].end
    text = f"{failure.statement[:end]} AS {qualifier}{failure.statement[end:]}"
    text = failure.mended(text)
    hint = f"the subquery in FROM has no name: write (SELECT …) AS {qualifier}"
    return Advice(hint, {"suggestedSql": text} if text else {}, position)


def _around(failure: Failure, qualifier: str) -> list[Source]:
    """What FROM lists in the SELECT that uses a qualifier."""
    anatomy = failure.anatomy
    uses = [
        at
        for at, (a, b) in enumerate(pairwise(anatomy.tokens))
        if a.kind in "WQ" and a.name == qualifier.lower() and b.text == "."
    ]
    scope = anatomy.scope(uses[0]) if uses else -1
    return [s for s in anatomy.sources if anatomy.scope(s.at) == scope]


def _in_from(failure: Failure, qualifier: str) -> str:
    around = _around(failure, qualifier)
    return ", ".join(s.alias or s.table or "(a subquery)" for s in around) or "nothing of its own"


def _asked_of(failure: Failure, qualifier: str) -> set[str]:
    """The columns that the statement writes behind a qualifier, in lower case."""
    tokens = failure.anatomy.tokens
    return {
        c.name
        for a, b, c in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if a.kind in "WQ" and a.name == qualifier.lower() and b.text == "." and c.kind in "WQ"
    }


def _has(table: Table | None, columns: set[str]) -> bool:
    return table is not None and columns <= {c.name.lower() for c in table.columns}


def _owner(failure: Failure, qualifier: str) -> Source | None:
    """The only FROM item that has all columns written behind a qualifier that means nothing."""
    wanted = _asked_of(failure, qualifier)
    owners = [s for s in _around(failure, qualifier) if _has(failure.table(s.table), wanted)]
    return owners[0] if wanted and len(owners) == 1 else None


def _unjoined(
    failure: Failure, qualifier: str, detail: dict[str, object], position: int | None
) -> Advice:
    """A table that FROM lacks: which one is meant, and how it joins."""
    meant = failure.table(qualifier)
    if meant is None:
        meant = _meant(failure, qualifier.lower())
    if meant is None:
        return Advice(f"FROM has only {_in_from(failure, qualifier)}", detail, position)
    way = join(failure, failure.sources(), meant)
    spelled = failure.naming.of(meant)
    alias = "" if qualifier.lower() == meant.name.lower() else f" {qualifier}"
    if alias and way:
        way = way.replace(f"{spelled}.", f"{qualifier}.")
    detail["candidates"] = [{"table": failure.naming.key(meant.schema, meant.name)}]
    hint = f"FROM lacks it: add JOIN {spelled}{alias}" + (f" ON {way}" if way else "")
    return Advice(hint, detail, position)


def _meant(failure: Failure, alias: str) -> Table | None:
    """An alias that was never given: a table near those in FROM with a word that starts so."""
    wanted = _asked_of(failure, alias)
    around = near(failure, failure.sources())
    fitting = [t for t in around if any(w.startswith(alias) for w in split(t.name))]
    return min(
        fitting,
        key=lambda t: (not _has(t, wanted), not t.name.lower().startswith(alias), len(t.name)),
        default=None,
    )
