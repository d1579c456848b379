"""The strict token reading: which words, calls and FROM items a statement has, and what is refused.

It needs no grammar of expressions. A word with a meaning has handlers (see words), everything else
is passed over. FROM position is followed with one frame per bracket. Where a word could be a name
as well, it is noted as a doubt for the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dbtools.guard.calls import check_call, check_lambda, check_notation, refused_call
from dbtools.guard.lexer import Tokens
from dbtools.guard.model import Refused, Tables, words

MAX_DEPTH = 200  # nested brackets; deeper text is refused before any parser sees it

# A word before "(" that calls nothing.
NOT_CALLS = words(
    "from join lateral apply in on using as select where and or not exists any all some union "
    "except intersect case when then else over filter with by having distinct only table partition "
    "within group order top offset limit tablesample percent array struct values"
)
# ODBC escapes that only spell values, functions and joins: {d '...'}, {fn now()}, {oj a LEFT ...}.
TSQL_BRACES = words("d t ts fn oj guid escape interval")
TSQL_ASSIGNS = words("= += -= *= /= %= &= |= ^=")
TSQL_BEFORE_VALUES = words("select distinct all percent ties , )")
# Endings by which DuckDB takes the name of a table it does not know for that of a file.
DUCKDB_FILES = words(
    "csv tsv parquet json jsonl ndjson geojson xlsx avro arrow arrows shp gpkg fgb gz zst"
)
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
    """A word or variable that only the tree can clear."""

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
        self.harmless_members: set[str] = set()  # tokens after a dot, judged before

    def run(self) -> Reading:
        """Read every token; self, for chaining."""
        from dbtools.guard.words import word_handlers

        keys, marks, handled = self.tokens.keys, MARKS, word_handlers(self.tables)
        for i, key in enumerate(keys):
            mark = marks.get(key)
            if mark is not None:
                mark(self, i)
                continue
            handlers = handled.get(key)
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
        # Not of a placeholder, which a driver may send as a literal: `5.into` is a number and INTO.
        return tokens.kinds[i - 2] in "WQU" or tokens.keys[i - 2] in (")", "]", ".")

    def item(self, i: int) -> None:
        """Token i starts an item of a FROM list."""
        self.items.append(i)
        tokens, dialect = self.tokens, self.dialect
        kind = tokens.kind(i)
        if dialect in ("clickhouse", "duckdb") and is_file_name(tokens, dialect, i):
            raise self.refuse("file name as a table", i)
        if not kind or kind not in self.name_kinds:
            return
        if dialect == "sqlite":
            name = dotted(tokens, i)[-1]  # these tables need no parentheses, and any schema will do
            if self.tables.denies(name):
                cause = self.tables.cause(name)
                raise refused_call(f"table {name}", tokens.starts[i], name, cause)
        if dialect == "tsql" and len(dotted(tokens, i)) >= 4:
            raise self.refuse("four-part name", i)
        if tokens.keys[i] == "table" and tokens.key(i + 1) == "(":
            self.item(i + 1)

    def open_round(self, i: int) -> None:
        """`(`: a call, a FROM list or only a bracket."""
        tokens, before = self.tokens, i - 1
        if i and tokens.keys[before] == "." and self.dialect == "bigquery":
            raise self.refuse("chained call of a dotted name", i)
        call, plain = "", True
        if i and tokens.kinds[before] in self.name_kinds:
            call = tokens.name(before)
            plain = tokens.keys[before] in NOT_CALLS and not self.is_member(before)
        first, full = before, call
        if call:
            while first >= 2 and tokens.keys[first - 1] == "." and tokens.kinds[first - 2] in "QUW":
                first -= 2
                full = f"{tokens.name(first)}.{full}"
        is_item = bool(self.items) and self.items[-1] == (i if plain else first)
        in_from = self.top.in_from and is_item
        if call:
            check_call(tokens, self.tables, before, full, in_from and not plain)
            if call in self.tables.higher_order:
                check_lambda(tokens, self.tables, i + 1)
        self._push(Frame("(", i, "" if plain else call, in_from and plain))
        if self.top.in_from:
            self.item(i + 1)

    def _push(self, frame: Frame) -> None:
        self.top = frame
        self.stack.append(frame)
        if len(self.stack) > MAX_DEPTH:
            raise self.refuse("nesting too deep", frame.at)

    def open_other(self, i: int) -> None:
        """`[` or `{`."""
        after = self.tokens.key(i + 1)
        if self.dialect == "tsql" and self.tokens.kind(i + 1) != "N" and after not in TSQL_BRACES:
            raise self.refuse(f"escape {{{after}", i)
        joins = self.dialect == "tsql" and after == "oj"
        self._push(Frame(self.tokens.keys[i], i, "", joins))
        if joins:
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
            start, cause = self.tokens.starts[closed.at - 1], self.tables.causes[closed.call]
            raise refused_call(f"function {closed.call}", start, closed.call, cause)

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
        if self.dialect != "postgres":
            return
        name = self.tokens.key(i + 1)
        if name not in self.harmless_members:
            check_notation(self.tokens, self.tables, i + 1)
            self.harmless_members.add(name)

    def _assignments(self) -> None:
        """T-SQL `SELECT @x = ...` assigns; where no value of a list can start, it compares."""
        tokens = self.tokens
        if "V" not in tokens.kinds:
            return
        for i, kind in enumerate(tokens.kinds):
            if kind != "V" or tokens.keys[i][:1] != "@" or tokens.keys[i][1:2] == "@":
                continue
            follows = tokens.key(i + 1)
            if follows != "=":
                follows += tokens.key(i + 2)
            if follows not in TSQL_ASSIGNS:
                continue
            if tokens.key(i - 1) in TSQL_BEFORE_VALUES or tokens.kind(i - 1) == "N":
                raise self.refuse("variable assignment", i)


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


def is_file_name(tokens: Tokens, dialect: str, i: int) -> bool:
    """Does the FROM item at token i name a file instead of a table?"""
    kind = tokens.kind(i)
    if kind == "S" or (kind == "Q" and "/" in tokens.keys[i]):
        return True
    if dialect == "clickhouse" or kind not in ("Q", "W"):
        return False
    _, dot, ending = ".".join(dotted(tokens, i)).rpartition(".")
    return bool(dot) and ending in DUCKDB_FILES


MARKS: dict[str, Callable[[Reading, int], None]] = {
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
