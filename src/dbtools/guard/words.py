"""What the words of a statement mean to the strict reading, dialect by dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dbtools.guard.calls import refused_call
from dbtools.guard.limit import LIMIT_WORDS
from dbtools.guard.model import Harmless, Refused, Sequence, Tables, words
from dbtools.guard.settings import check_settings
from dbtools.guard.sql import Doubt, Reading

_CLOSES_FROM = words(
    "where prewhere group order having window qualify union intersect limit option format"
)
# EXTRACT(x FROM y) opens no FROM list.
_SCALAR_FROM = words("extract substring substr mid trim ltrim rtrim overlay position")
_BEFORE_SCALAR_FROM = words("fill system_time application_time business_time")
_CALLED_DML = words("insert replace")  # INSERT(s, 1, 2, t) and REPLACE(s, a, b)
_BEFORE_NAMES = words(
    "as select distinct by and or not where on having when then else between like is case"
)
_DML_FOLLOWS = {"delete": "from", "insert": "into", "merge": "into", "replace": "into"}
_BEFORE_SELECT = words("union except intersect all")

Handler = Callable[[Reading, int, str], None]


def _from(reading: Reading, i: int, _word: str) -> None:
    """FROM opens a list, but not in IS DISTINCT FROM, EXTRACT(... FROM ...), WITH FILL FROM."""
    tokens, top = reading.tokens, reading.top
    before = tokens.key(i - 1)
    scalar = (
        (before == "distinct" and tokens.key(i - 2) in ("is", "not"))
        or (top.call in _SCALAR_FROM and not top.selects)
        or before in _BEFORE_SCALAR_FROM
    )
    top.in_from = not scalar
    if top.in_from:
        reading.item(i + 1)


def _join(reading: Reading, i: int, _word: str) -> None:
    """JOIN goes on with a FROM list; ARRAY JOIN lists arrays."""
    reading.top.in_from = reading.tokens.key(i - 1) != "array"
    if reading.top.in_from:
        reading.item(i + 1)


def _apply(reading: Reading, i: int, _word: str) -> None:
    """CROSS APPLY."""
    reading.top.in_from = True
    reading.item(i + 1)


def _goes_on(reading: Reading, i: int, _word: str) -> None:
    """LATERAL or ONLY before the item proper."""
    if reading.top.in_from:
        reading.item(i + 1)


def _named_table(reading: Reading, i: int, _word: str) -> None:
    """DuckDB's SUMMARIZE name, TABLE name, PIVOT name."""
    reading.item(i + 1)


def _in(reading: Reading, i: int, _word: str) -> None:
    """SQLite's `x IN name` reads a table."""
    if reading.tokens.key(i + 1) != "(":
        reading.item(i + 1)


def _select(reading: Reading, i: int, _word: str) -> None:
    """SELECT closes the list of a FROM-first query; in T-SQL a second one is a second statement."""
    top = reading.top
    again = top.selects and len(reading.stack) == 1 and reading.dialect == "tsql"
    if again and reading.tokens.key(i - 1) not in _BEFORE_SELECT:
        raise reading.refuse("more than one statement", i)
    top.selects = True
    top.in_from = False


def _limit(reading: Reading, i: int, _word: str) -> None:
    """LIMIT, FETCH, TOP, OFFSET, UNION: noted with their depth."""
    reading.clauses.append((i, len(reading.stack) - 1))


def _close_from(reading: Reading, _i: int, _word: str) -> None:
    """A clause after FROM."""
    reading.top.in_from = False


def _for(reading: Reading, i: int, _word: str) -> None:
    """FOR XML and the like end the list, FOR SYSTEM_TIME and FOR PATH belong to a table."""
    after = reading.tokens.key(i + 1)
    if not after.startswith("system") and after != "path":
        reading.top.in_from = False


def _settings(reading: Reading, i: int, _word: str) -> None:
    """ClickHouse SETTINGS name = value, ...: ends the FROM list."""
    if check_settings(reading.tokens, reading.tables, i):
        reading.top.in_from = False


def _applied(reading: Reading, i: int, _word: str) -> None:
    """ClickHouse's `* APPLY f` and `* APPLY(f)` call f without brackets of its own."""
    tokens, tables = reading.tokens, reading.tables
    at = i + 1
    while tokens.key(at) == "(":
        at += 1
    if tokens.kind(at) in ("W", "Q") and tables.denies(tokens.name(at)):
        name = tokens.name(at)
        raise refused_call(f"function {name}", tokens.starts[at], name, tables.cause(name))


def _refused(reading: Reading, i: int, word: str) -> None:
    """A word that starts a statement or writes, unless its neighbours make it harmless."""
    tokens = reading.tokens
    # After AS any word is a label, unless that AS is itself a label or a member.
    labels = tokens.key(i - 1) == "as" and tokens.key(i - 2) not in ("as", ".")
    if reading.dialect == "postgres" and labels:
        return
    if not any(_matches(reading, h, i) for h in reading.tables.harmless if h.word == word):
        raise reading.refuse(f"word {word.upper()}", i, kind=word.upper())


def _matches(reading: Reading, rule: Harmless, i: int) -> bool:
    tokens = reading.tokens
    then = rule.then in ("*", tokens.key(i + 2))
    if rule.then == "#":
        then = tokens.kind(i + 2) in ("N", "V", "P")
    around = rule.before in ("*", tokens.key(i - 1)) and rule.after in ("*", tokens.key(i + 1))
    return around and then


def _doubtful(reading: Reading, i: int, word: str) -> None:
    """INSERT, UPDATE, ...: a name or a write. Where only a write can stand, refused at once."""
    tokens = reading.tokens
    before, after = tokens.key(i - 1), tokens.key(i + 1)
    if i < reading.body or (after == "(" and word in _CALLED_DML):
        return
    inside = before in _BEFORE_NAMES or (tokens.kind(i - 1) == "P" and before not in ("(", ")"))
    if i > reading.body and inside:
        return  # no statement starts after a comma, an operator or one of these words
    if before in ("(", ")") and after == _DML_FOLLOWS.get(word):
        raise reading.refuse(f"statement {word.upper()}", i, kind=word.upper())
    reading.doubts.append(Doubt(f"word {word}", i, word))


def _sequence(reading: Reading, i: int, word: str) -> None:
    """FOR UPDATE, NEXT VALUE FOR, ...: refused wherever the words follow each other."""
    tokens = reading.tokens
    for rule in reading.tables.sequences:
        if word in rule.words[0] and all(
            tokens.key(i + n) in choices or ("@" in choices and tokens.kind(i + n) == "V")
            for n, choices in enumerate(rule.words)
        ):
            raise _refused_sequence(reading, rule, i)


def _refused_sequence(reading: Reading, rule: Sequence, i: int) -> Refused:
    text = " ".join(reading.tokens.key(i + n) for n in range(len(rule.words))).upper()
    return Refused(
        text,
        reading.tokens.starts[i],
        shown=text,
        message=f"{text} {rule.cause.why}",
        hint=rule.cause.hint,
    )


_COMPILED: dict[str, dict[str, tuple[Handler, ...]]] = {}


def word_handlers(tables: Tables) -> dict[str, tuple[Handler, ...]]:
    """word -> its handlers in this dialect."""
    found = _COMPILED.get(tables.dialect)
    if found is None:
        lists: dict[str, list[Handler]] = {}
        for handled, handler in _rules(tables):
            for word in handled:
                handlers = lists.setdefault(word, [])
                if handler not in handlers:
                    handlers.append(handler)
        found = {word: tuple(handlers) for word, handlers in lists.items()}
        _COMPILED[tables.dialect] = found
    return found


def _rules(tables: Tables) -> Iterable[tuple[Iterable[str], Handler]]:
    yield tables.refused, _refused
    yield tables.doubtful, _doubtful
    for rule in tables.sequences:
        yield rule.words[0], _sequence
    yield ("from",), _from
    yield ("join",), _join
    yield ("lateral", "only"), _goes_on
    yield ("select",), _select
    yield _CLOSES_FROM, _close_from
    yield LIMIT_WORDS, _limit
    yield ("for",), _for
    if tables.dialect == "tsql":
        yield ("apply",), _apply
    if tables.dialect == "sqlite":
        yield ("in",), _in
    if tables.dialect == "duckdb":
        yield ("summarize", "table", "pivot", "unpivot"), _named_table
    if tables.dialect == "clickhouse":
        yield ("apply",), _applied
    if tables.settings.prefixes:
        yield ("settings",), _settings
