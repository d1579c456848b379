"""Texts that no engine reads: words in the place of names, commas and ends that lack something."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from dbtools.guard.anatomy import Token
from dbtools.hints import candidates, functions
from dbtools.hints.failure import Advice, Failure
from dbtools.hints.rewriting import rewritten
from dbtools.spelling import RESERVED, quoted

# Behind these a statement cannot end.
_OPEN_ENDS: Final = frozenset(
    "where and or on by not in like between select from join having as when then else case is "
    "limit offset set with using distinct , ( = < > <= >= <> != + - / || .".split()
)
# Engines that take other letters than Latin ones in quoted names only.
_LATIN_ONLY: Final = ("clickhouse", "bigquery")
_NO_CALLS: Final = ("interval", "~")
_OPERATORS: Final = {"==": "=", "&&": "AND", "!": "NOT"}


def syntax(failure: Failure, name: str) -> Advice:
    """Something that the engine cannot read at all."""
    token = failure.token_at() or next(iter(failure.tokens_spelled(name)), None)
    position = token.start if token else None
    for look in (_unfinished, _stray_comma):
        found = look(failure)
        if found is not None:
            return found
    reserved = _reserved_table(failure) or _reserved_word(failure, token)
    if reserved is not None:
        return reserved
    foreign = _foreign_letters(failure)
    if foreign is not None:
        return foreign
    text = rewritten(failure)
    if text:
        hint = "this reads like another dialect of SQL; the same in this one: see suggestedSql"
        return Advice(hint, {"suggestedSql": text}, position)
    other = _otherwise(failure)
    if other is not None:
        return other
    near = f" near {name!r}" if name and name.lower() in failure.statement.lower() else ""
    hint = f"look at the text{near}: a missing comma or bracket, or a word out of its order"
    return Advice(hint, {}, position)


def _unfinished(failure: Failure) -> Advice | None:
    """An end where something must follow."""
    tokens = [t for t in failure.anatomy.tokens if t.text != ";"]
    if tokens and (tokens[-1].name in _OPEN_ENDS or tokens[-1].text in _OPEN_ENDS):
        last = tokens[-1]
        hint = f"the statement ends behind {last.text}: write what follows, or take it out"
        return Advice(hint, {}, last.start)
    return None


def _reserved_word(failure: Failure, token: Token | None) -> Advice | None:
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
        text = failure.mended(failure.replaced(word, written))
        if text:
            hint = f"{word.text} is a word of SQL: as a name it needs quotes: {written}"
            return Advice(hint, {"suggestedSql": text}, word.start)
    return None


def _stray_comma(failure: Failure) -> Advice | None:
    """A comma with nothing behind it."""
    tokens = failure.anatomy.tokens
    for a, b in pairwise(tokens):
        if a.text == "," and (
            b.text == ")" or b.name in ("from", "where", "group", "order", "limit")
        ):
            text = failure.mended(failure.replaced(a, ""))
            if text:
                hint = f"nothing follows the comma before {b.text}: take it out"
                return Advice(hint, {"suggestedSql": text}, a.start)
    return None


def _reserved_table(failure: Failure) -> Advice | None:
    """`FROM order` where the table is called orders."""
    called_so = {t.name.lower() for t in failure.catalog.tables}
    for before, word in pairwise(failure.anatomy.tokens):
        if before.name not in ("from", "join") or word.kind != "W":
            continue
        if word.name not in RESERVED or word.name in called_so:
            continue
        found = candidates.tables(word.text, failure.catalog.tables, failure.known.index())
        if not found or found[0].score < candidates.SURE:
            continue
        written = failure.naming.of(found[0].table)
        text = failure.mended(failure.replaced(word, written))
        hint = (
            f"{word.text} is a word of SQL, and no table here is called so: did you mean {written}?"
        )
        return Advice(hint, {"suggestedSql": text} if text else {}, word.start)
    return None


def _foreign_letters(failure: Failure) -> Advice | None:
    """Names in other letters than Latin ones, which some engines take in quotes only."""
    bare = [t for t in failure.anatomy.tokens if t.kind == "W" and not t.text.isascii()]
    text = failure.statement
    for token in reversed(bare):
        text = text[: token.start] + quoted(token.text, failure.engine) + text[token.end :]
    text = failure.mended(text) if bare else ""
    if not text and not (bare and failure.engine in _LATIN_ONLY):
        return None
    hint = f"a name in these letters needs quotes here: {quoted(bare[0].text, failure.engine)}"
    return Advice(hint, {"suggestedSql": text} if text else {}, bare[0].start)


def _otherwise(failure: Failure) -> Advice | None:
    """A function or an operator that this engine has under another name."""
    for token, behind in pairwise(failure.anatomy.tokens):
        if behind.text != "(" and token.name not in _NO_CALLS:
            continue
        hint = functions.instead(failure.engine, token.text)
        if hint:
            return Advice(hint, {}, token.start)
    return None


def operators(failure: Failure) -> Advice | None:
    """`==` and `&&`, where the engine takes neither."""
    text, found = failure.statement, ""
    for token in reversed(failure.anatomy.tokens):
        pair = failure.statement[token.start : token.start + 2]
        if pair in _OPERATORS and token.kind == "P":
            text = f"{text[: token.start]}{_OPERATORS[pair]}{text[token.start + 2 :]}"
            found = pair
    text = failure.mended(text) if found else ""
    if not text:
        return None
    hint = f"{found} is no operator of SQL here: write {_OPERATORS[found]}"
    return Advice(hint, {"suggestedSql": text}, failure.statement.find(found))
