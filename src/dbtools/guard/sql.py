"""The strict token reading: which words, calls and FROM items a statement has, and what is refused.

It needs no grammar of expressions. A word with a meaning has handlers, everything else is passed
over. FROM position is followed with one frame per bracket: FROM and JOIN open a list, WHERE and
the like close it. Where a word could be a name as well, it is noted as a doubt for the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dbtools.guard.lexer import Tokens
from dbtools.guard.limit import LIMIT_WORDS
from dbtools.guard.model import Harmless, Refused, Sequence, Tables, words

MAX_DEPTH = 200  # nested brackets; deeper text is refused before any parser sees it

# A word before "(" that calls nothing.
NOT_CALLS = words(
    "from join lateral apply in on using as select where and or not exists any all some union "
    "except intersect case when then else over filter with by having distinct only table partition "
    "within group order top offset limit tablesample percent array struct values"
)
CLOSES_FROM = words(
    "where prewhere group order having window qualify union intersect limit option format"
)
# EXTRACT(x FROM y) opens no FROM list.
SCALAR_FROM = words("extract substring substr mid trim ltrim rtrim overlay position")
BEFORE_SCALAR_FROM = frozenset(("fill", "system_time", "application_time", "business_time"))
CALLED_DML = frozenset(("insert", "replace"))  # INSERT(s, 1, 2, t) and REPLACE(s, a, b)
DML_FOLLOWS = {
    "delete": frozenset(("from",)),
    "insert": frozenset(("into",)),
    "merge": frozenset(("into",)),
    "replace": frozenset(("into",)),
}
# ODBC escapes that only spell values, functions and joins: {d '...'}, {fn now()}, {oj a LEFT ...}.
TSQL_BRACES = words("d t ts fn oj guid escape interval")
TSQL_ASSIGNS = words("= + - * / % & | ^")
CLOSERS = {")": "(", "]": "[", "}": "{"}


class Frame:
    """One level of brackets."""

    __slots__ = ("at", "call", "commas", "in_from", "opener", "selects")

    def __init__(self, opener: str, at: int, call: str, in_from: bool) -> None:
        self.opener = opener
        self.at = at  # its token, -1 for the statement itself
        self.call = call  # the function called, "" for other brackets
        self.in_from = in_from  # are we inside a FROM list
        self.selects = False
        self.commas = 0


class Doubt(NamedTuple):
    """A word, call or variable that only the tree can clear."""

    what: str
    at: int
    word: str


class Reading:
    """What one pass over the tokens found; `run` raises Refused."""

    def __init__(self, tokens: Tokens, tables: Tables, body: int = 0) -> None:
        self.tokens = tokens
        self.tables = tables
        self.body = body  # the first token of the query proper (after EXPLAIN)
        self.dialect = tables.dialect
        self.name_kinds = "QUWS" if self.dialect == "sqlite" else "QUW"
        self.top = Frame("", -1, "", False)
        self.stack = [self.top]
        self.items: list[int] = []  # first tokens of FROM items
        self.doubts: list[Doubt] = []
        self.clauses: list[tuple[int, int]] = []  # LIMIT and its like, and how deep

    def run(self) -> Reading:
        """Read every token; self, for chaining."""
        keys, marks, words = self.tokens.keys, MARKS, word_handlers(self.tables)
        for i, key in enumerate(keys):
            mark = marks.get(key)
            if mark is not None:
                mark(self, i)
                continue
            handlers = words.get(key)
            if handlers is not None and not self.is_member(i):
                for handler in handlers:
                    handler(self, i, key)
        if self.dialect == "tsql":
            self._assignments()
        if len(self.stack) > 1:
            raise self.refuse(f"unbalanced {self.top.opener}", self.top.at)
        return self

    def refuse(self, reason: str, at: int, *, hint: str = "", kind: str = "") -> Refused:
        """The refusal of token `at`."""
        tokens = self.tokens
        start = tokens.starts[at] if 0 <= at < len(tokens.starts) else -1
        return Refused(reason, start, shown=tokens.written(at), hint=hint, kind=kind)

    def is_member(self, i: int) -> bool:
        """Is token i the name after a dot (`t.delete`, `a..b`)?"""
        tokens = self.tokens
        if i < 2 or tokens.keys[i - 1] != ".":
            return False
        return tokens.kinds[i - 2] in "WQUV" or tokens.keys[i - 2] in (")", "]", ".")

    def item(self, i: int) -> None:
        """Token i starts an item of a FROM list."""
        self.items.append(i)
        tokens, dialect = self.tokens, self.dialect
        kind = tokens.kind(i)
        if dialect == "clickhouse" and kind == "S":
            raise self.refuse("file name as a table", i)
        if not kind or kind not in self.name_kinds:
            return
        if dialect == "sqlite" and self.tables.denies(tokens.name(i)):
            raise self.refuse(f"table {tokens.name(i)}", i)  # these tables need no parentheses
        if dialect == "tsql" and len(dotted(tokens, i)) >= 4:
            raise self.refuse("four-part name", i)

    # Punctuation.

    def open_round(self, i: int) -> None:
        """`(`: a call, a FROM list or only a bracket."""
        tokens, name_at = self.tokens, i - 1
        if i and tokens.keys[i - 1] == "." and self.dialect == "bigquery":
            raise self.refuse("chained call of a dotted name", i)
        call, word = "", ""
        if i and tokens.kinds[i - 1] in self.name_kinds:
            call = tokens.name(name_at)
            word = tokens.keys[name_at] if not self.is_member(name_at) else ""
        plain = not call or word in NOT_CALLS
        first = name_at if call else i
        full = call
        if call:
            while first >= 2 and tokens.keys[first - 1] == "." and tokens.kinds[first - 2] in "QUW":
                first -= 2
                full = f"{tokens.name(first)}.{full}"
        in_from = (
            self.top.in_from and bool(self.items) and self.items[-1] == (i if plain else first)
        )
        if call:
            self._call(name_at, call, full, in_from and not plain)
        self.top = Frame("(", i, "" if plain else call, in_from and plain)
        self.stack.append(self.top)
        if len(self.stack) > MAX_DEPTH:
            raise self.refuse("nesting too deep", i)
        if self.top.in_from:
            self.item(i + 1)

    def _call(self, at: int, call: str, full: str, in_from: bool) -> None:
        tables = self.tables
        if full == call and "." not in call and not in_from and not tables.denied.has(call):
            return
        parts = full.split(".")
        last, last_two = parts[-1], ".".join([p for p in parts if p != "safe"][-2:])
        for name in (call, last, last_two):
            if tables.denied.has(name) and tables.call_allowed.isdisjoint((call, last, last_two)):
                cause = tables.cause(name)
                raise Refused(
                    f"function {full}",
                    self.tokens.starts[at],
                    shown=full,
                    message=f"the function {full} {cause.why}",
                    hint=cause.hint,
                )
        allowed = tables.from_allowed
        if in_from and allowed is not None and last not in allowed:
            owned = tables.user_functions and len(parts) > 1 and parts[-2] != "sys"
            if not owned and last_two not in tables.call_allowed:
                self.doubts.append(Doubt(f"table function {full}", at, ""))

    def open_other(self, i: int) -> None:
        """`[` or `{`."""
        if self.dialect == "tsql" and self.tokens.kind(i + 1) != "N":
            after = self.tokens.key(i + 1)
            if after not in TSQL_BRACES:
                raise self.refuse(f"escape {{{after}", i)
        self.top = Frame(self.tokens.keys[i], i, "", False)
        self.stack.append(self.top)
        if len(self.stack) > MAX_DEPTH:
            raise self.refuse("nesting too deep", i)
        if self.dialect == "tsql" and self.tokens.key(i + 1) == "oj":
            self.top.in_from = True
            self.item(i + 2)

    def close(self, i: int) -> None:
        """A closing bracket: it must match, and the call's number of arguments is known now."""
        key, closed = self.tokens.keys[i], self.top
        if len(self.stack) < 2 or closed.opener != CLOSERS[key]:
            raise self.refuse(f"unbalanced {key}", i)
        self.stack.pop()
        self.top = self.stack[-1]
        counts = self.tables.arity.get(closed.call)
        if counts and (0 if i == closed.at + 1 else closed.commas + 1) in counts:
            cause = self.tables.causes[closed.call]
            raise Refused(
                f"function {closed.call}",
                self.tokens.starts[closed.at - 1],
                shown=closed.call,
                message=f"the function {closed.call} {cause.why}",
                hint=cause.hint,
            )

    def comma(self, i: int) -> None:
        """`,`: the next argument, or the next FROM item."""
        self.top.commas += 1
        if self.top.in_from:
            self.item(i + 1)

    def semicolon(self, i: int) -> None:
        """`;`: the gate has dropped the empty statements, so another one follows."""
        raise self.refuse("more than one statement", i + 1)

    def assign(self, i: int) -> None:
        """`:=`: an assignment in MySQL, the name of an argument elsewhere."""
        if self.dialect == "mysql":
            raise self.refuse("assignment", i)

    def pipe(self, i: int) -> None:
        """`|>`: only the operators on the list."""
        self.top.in_from = False
        after = self.tokens.key(i + 1)
        if after not in self.tables.pipes:
            raise self.refuse(f"pipe operator {after.upper()}", i + 1)
        if after == "call":
            self.top.in_from = True
            self.item(i + 2)

    def dot(self, i: int) -> None:
        """`.`: PostgreSQL's functional notation calls a function without parentheses."""
        if self.dialect != "postgres" or self.tokens.kind(i + 1) not in ("W", "Q", "U"):
            return
        if self.tokens.key(i + 2) != "(":
            name = self.tokens.name(i + 1)
            if self.tables.denies(name):
                cause = self.tables.cause(name)
                raise Refused(
                    f"function notation .{name}",
                    self.tokens.starts[i + 1],
                    shown=name,
                    message=f".{name} calls the function {name}, which {cause.why}",
                    hint=cause.hint,
                )

    # Words.

    def from_list(self, i: int, _word: str) -> None:
        """FROM opens a list, but not in IS DISTINCT FROM, EXTRACT(... FROM ...), WITH FILL FROM."""
        tokens, top = self.tokens, self.top
        before = tokens.key(i - 1)
        scalar = (
            (before == "distinct" and tokens.key(i - 2) in ("is", "not"))
            or (top.call in SCALAR_FROM and not top.selects)
            or before in BEFORE_SCALAR_FROM
        )
        top.in_from = not scalar
        if top.in_from:
            self.item(i + 1)

    def join(self, i: int, _word: str) -> None:
        """JOIN goes on with a FROM list; ARRAY JOIN lists arrays."""
        self.top.in_from = self.tokens.key(i - 1) != "array"
        if self.top.in_from:
            self.item(i + 1)

    def apply(self, i: int, _word: str) -> None:
        """CROSS APPLY (T-SQL)."""
        if self.dialect == "tsql":
            self.top.in_from = True
            self.item(i + 1)

    def goes_on(self, i: int, _word: str) -> None:
        """LATERAL or ONLY before the item proper."""
        if self.top.in_from:
            self.item(i + 1)

    def select(self, _i: int, _word: str) -> None:
        """SELECT closes the list of a FROM-first query."""
        self.top.selects = True
        self.top.in_from = False

    def limit_clause(self, i: int, _word: str) -> None:
        """LIMIT, FETCH, TOP, OFFSET, UNION: noted with their depth."""
        self.clauses.append((i, len(self.stack) - 1))

    def close_from(self, _i: int, _word: str) -> None:
        """A clause after FROM."""
        self.top.in_from = False

    def for_clause(self, i: int, _word: str) -> None:
        """FOR XML and the like end the list, FOR SYSTEM_TIME and FOR PATH belong to a table."""
        after = self.tokens.key(i + 1)
        if not after.startswith("system") and after != "path":
            self.top.in_from = False

    def settings(self, i: int, _word: str) -> None:
        """ClickHouse SETTINGS name = value, ...: names by allow list, limits not zero."""
        if self.tokens.key(i + 2) == "=":
            check_settings(self, i + 1)
            self.top.in_from = False

    def refused_word(self, i: int, word: str) -> None:
        """A word that starts a statement or writes, unless its neighbours make it harmless."""
        tokens = self.tokens
        if self.dialect == "postgres" and tokens.key(i - 1) == "as":
            return
        if not any(self._matches(h, i) for h in self.tables.harmless if h.word == word):
            raise self.refuse(f"word {word.upper()}", i, kind=word.upper())

    def _matches(self, rule: Harmless, i: int) -> bool:
        tokens = self.tokens
        then = rule.then == "*" or tokens.key(i + 2) == rule.then
        if rule.then == "#":
            then = tokens.kind(i + 2) in ("N", "V", "P")
        return (
            rule.before in ("*", tokens.key(i - 1))
            and rule.after in ("*", tokens.key(i + 1))
            and then
        )

    def doubtful_word(self, i: int, word: str) -> None:
        """INSERT, UPDATE, ...: a name or a write. Where only a write can stand, refused at once."""
        tokens = self.tokens
        after = tokens.key(i + 1)
        if i < self.body or (after == "(" and word in CALLED_DML):
            return
        if tokens.key(i - 1) in ("(", ")") and after in DML_FOLLOWS.get(word, ()):
            raise self.refuse(f"statement {word.upper()}", i, kind=word.upper())
        self.doubts.append(Doubt(f"word {word}", i, word))

    def sequence(self, i: int, word: str) -> None:
        """FOR UPDATE, NEXT VALUE FOR, ...: refused wherever the words follow each other."""
        key = self.tokens.key
        for rule in self.tables.sequences:
            if word in rule.words[0] and all(key(i + n) in w for n, w in enumerate(rule.words)):
                self._refuse_sequence(rule, i)

    def _refuse_sequence(self, rule: Sequence, i: int) -> None:
        text = " ".join(self.tokens.key(i + n) for n in range(len(rule.words))).upper()
        raise Refused(
            text,
            self.tokens.starts[i],
            shown=text,
            message=f"{text} {rule.cause.why}",
            hint=rule.cause.hint,
        )

    def _assignments(self) -> None:
        """T-SQL `SELECT @x = ...` assigns; a comparison looks the same to the tokens."""
        tokens = self.tokens
        for i, kind in enumerate(tokens.kinds):
            local = kind == "V" and tokens.keys[i][:1] == "@" and tokens.keys[i][1:2] != "@"
            if local and tokens.key(i + 1) in TSQL_ASSIGNS:
                self.doubts.append(Doubt("variable assignment", i, ""))


def dotted(tokens: Tokens, i: int) -> list[str]:
    """The parts of the dotted name that starts at token i; an empty part for `a..b`."""
    parts = [tokens.name(i)]
    while tokens.key(i + 1) == "." and i + 2 < len(tokens.keys):
        if tokens.keys[i + 2] == ".":
            parts.append("")
            i += 1
        else:
            parts.append(tokens.name(i + 2))
            i += 2
    return parts


def check_settings(reading: Reading, i: int) -> None:
    """Refuse a SETTINGS list that starts at token i and holds more than tuning."""
    tokens, tables = reading.tokens, reading.tables
    while tokens.key(i + 1) == "=":
        name = tokens.name(i)
        if not tables.settings.has(name):
            raise reading.refuse(f"setting {name}", i)
        if tables.limit_settings.has(name) and not tokens.key(i + 2).strip("'0."):
            raise reading.refuse(f"setting {name} without a limit", i)
        depth, i = 0, i + 2
        while i < len(tokens.keys) and (depth or tokens.keys[i] not in (",", ")")):
            key = tokens.keys[i]
            depth += (key in ("(", "[", "{")) - (key in (")", "]", "}"))
            i += 1
        i += 1


Mark = Callable[[Reading, int], None]
Word = Callable[[Reading, int, str], None]

MARKS: dict[str, Mark] = {
    "(": Reading.open_round,
    "[": Reading.open_other,
    "{": Reading.open_other,
    ")": Reading.close,
    "]": Reading.close,
    "}": Reading.close,
    ",": Reading.comma,
    ";": Reading.semicolon,
    ":=": Reading.assign,
    "|>": Reading.pipe,
    ".": Reading.dot,
}
_HANDLERS: dict[str, dict[str, tuple[Word, ...]]] = {}


def word_handlers(tables: Tables) -> dict[str, tuple[Word, ...]]:
    """word -> its handlers in this dialect."""
    found = _HANDLERS.get(tables.dialect)
    if found is None:
        lists: dict[str, list[Word]] = {}
        _add(lists, tables.refused, Reading.refused_word)
        _add(lists, tables.doubtful, Reading.doubtful_word)
        for rule in tables.sequences:
            _add(lists, rule.words[0], Reading.sequence)
        _add(lists, ("from",), Reading.from_list)
        _add(lists, ("join",), Reading.join)
        _add(lists, ("apply",), Reading.apply)
        _add(lists, ("lateral", "only"), Reading.goes_on)
        _add(lists, ("select",), Reading.select)
        _add(lists, CLOSES_FROM, Reading.close_from)
        _add(lists, LIMIT_WORDS, Reading.limit_clause)
        _add(lists, ("for",), Reading.for_clause)
        if tables.settings.prefixes:
            _add(lists, ("settings",), Reading.settings)
        found = {word: tuple(handlers) for word, handlers in lists.items()}
        _HANDLERS[tables.dialect] = found
    return found


def _add(
    lists: dict[str, list[Word]], words: frozenset[str] | tuple[str, ...], handler: Word
) -> None:
    for word in words:
        handlers = lists.setdefault(word, [])
        if handler not in handlers:
            handlers.append(handler)
