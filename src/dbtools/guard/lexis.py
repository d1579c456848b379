"""How each dialect spells its tokens: regular expressions, tried in order at every position.

Kinds: W word, Q quoted name, S string, N number, V variable or placeholder, P punctuation,
C line comment, B block comment, D dollar quote, U unicode-escaped name, X refused, E end of text,
? no token at all.
Every alternative is one group without inner groups, so a match's group number names its kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

# Name characters, by the ASCII that is not among them: everything from \x80 on is a letter to
# PostgreSQL, MySQL and SQLite, and a class that lists it would take longest of all to compile.
START = r"[^\x00-@\[-^`{-\x7f]"
START_OR_DOLLAR = r"[^\x00-#%-@\[-^`{-\x7f]"
TAG_REST = r"[^\x00-/:-@\[-^`{-\x7f]"
REST = r"[^\x00-#%-/:-@\[-^`{-\x7f]"
VARIABLE_REST = r"[^\x00-#%-\-/:-@\[-^`{-\x7f]"

# Possessive quantifiers keep unterminated quotes linear.
PLAIN = r"'[^']*+(?:''[^']*+)*+'"
BITS = r"'[^']*+'"  # in a bit string of PostgreSQL, '' does not go on
ESCAPED = r"'[^'\\]*+(?:(?:''|\\[\s\S])[^'\\]*+)*+'"
ESCAPED_LINE = r"'[^'\\\n]*+(?:\\[\s\S][^'\\\n]*+)*+'"
TRIPLE = r"'''(?:[^'\\]|\\[\s\S]|'(?!''))*+'''"
NUMBER = (
    r"0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|"
    r"(?:\d[\d_]*+\.?[\d_]*+|\.\d[\d_]*+)(?:[eE][+-]?\d[\d_]*+)?"
)
BRACKETS = r"\[[^\]]*+(?:\]\][^\]]*+)*+\]"
DASHES = r"--[^\n]*+"

# `:name`; one that touches a name, a number, a bracket or a quote is a slice or a ternary.
PLACEHOLDER = (
    r"(?<![^\x00-!#%&(*-/:-@\[\\^{-\x7f]):[A-Za-z_][A-Za-z0-9_]*+"
    r"(?![^\x00-!#%&)-_a-\x7f]|&['\"])"
)


def _double(pattern: str) -> str:
    return pattern.replace("'", '"')


def _backtick(pattern: str) -> str:
    return pattern.replace("'", "`")


def _word(first: str, rest: str, not_before: str = "['\"]") -> str:
    """A word that no quote follows (it may be the prefix of a string)."""
    return rf"{first}{rest}*+(?!{not_before})"


_BIGQUERY_STRING = "(?:[rR][bB]?|[bB][rR]?)?(?:" + "|".join(
    (TRIPLE, _double(TRIPLE), ESCAPED_LINE, _double(ESCAPED_LINE))
)
_ASCII_START, _ASCII_REST = START, REST
_MYSQL_HEAD = [
    ("W", _word(START_OR_DOLLAR, _ASCII_REST)),
    ("C", r"#[^\n]*+|--(?=[ \t\n\r]|\Z)[^\n]*+"),
    ("B", r"/\*"),
    ("V", PLACEHOLDER),
    ("N", NUMBER),
    ("P", r":=|[-+*/<>=~!%^&|?()\[\],;:.{}]"),
    ("S", "[xXbB]'[0-9a-fA-F]*'"),
]
_MYSQL_TAIL = [
    ("Q", _backtick(PLAIN)),
    ("V", rf"@@?{VARIABLE_REST}*+"),
    ("W", rf"{START_OR_DOLLAR}{_ASCII_REST}*+"),
]

RULES: dict[str, list[tuple[str, str]]] = {
    "postgres": [
        ("W", _word(_ASCII_START, _ASCII_REST, "['\"]|&['\"]")),
        ("C", DASHES),
        ("B", r"/\*"),
        ("V", PLACEHOLDER),
        ("X", r"\.\."),  # one token here: no number may start at its second dot
        ("N", NUMBER.replace(r"\.?", r"(?:\.(?!\.))?")),
        ("P", r":=|::|[-+*/<>=~!@#%^&|`?()\[\],;:.]"),
        ("S", "[eE]" + ESCAPED),
        ("S", "[bBxX]" + BITS),
        ("S", "(?:[uU]&|[nN])?" + PLAIN),
        ("Q", _double(PLAIN)),
        (
            "U",
            "[uU]&" + _double(PLAIN) + r"(?:[ \t\n\r]+[uU][eE][sS][cC][aA][pP][eE][ \t\n\r]*'.')?",
        ),
        ("D", rf"\$(?:{START}{TAG_REST}*+)?\$"),
        ("V", r"\$\d+"),
        ("W", f"{_ASCII_START}{_ASCII_REST}*+"),
    ],
    "mysql": [
        *_MYSQL_HEAD,
        ("S", "[nN]?" + ESCAPED),
        ("Q", _double(ESCAPED)),
        *_MYSQL_TAIL,
    ],
    # The same text as a server in sql_mode NO_BACKSLASH_ESCAPES reads it.
    "mysql/no-backslash": [
        *_MYSQL_HEAD,
        ("S", "[nN]?" + PLAIN),
        ("Q", _double(PLAIN)),
        *_MYSQL_TAIL,
    ],
    "sqlite": [
        ("W", _word(_ASCII_START, _ASCII_REST)),
        ("C", DASHES),
        ("B", r"/\*"),
        ("N", NUMBER),
        ("P", r"[-+*/<>=~!%&|(),;.]"),
        ("S", "[xX]?" + PLAIN),
        ("Q", _double(PLAIN)),
        ("Q", _backtick(PLAIN)),
        ("Q", r"\[[^\]]*+\]"),
        ("V", rf"[@:#$](?:{REST}|::)++(?!\()|\?\d*+"),
        ("X", "[@:#$]"),  # `$a(...)` is one Tcl-style variable
        ("W", f"{_ASCII_START}{_ASCII_REST}*+"),
    ],
    # PostgreSQL's scanner, with structs, lambdas, `$name` and without unicode escapes.
    "duckdb": [
        ("W", _word(_ASCII_START, _ASCII_REST, "['\"]|&['\"]")),
        ("C", DASHES),
        ("B", r"/\*"),
        ("V", PLACEHOLDER),
        ("N", NUMBER),
        ("P", r":=|::|[-+*/<>=~!@#%^&|`?()\[\],;:.{}]"),
        ("S", "[eE]" + ESCAPED),
        ("S", "[bBxXnN]?" + PLAIN),
        ("Q", _double(PLAIN)),
        ("X", "[uU]&['\"]"),
        ("D", rf"\$(?:{START}{TAG_REST}*+)?\$"),
        ("V", rf"\$(?:\d+|{START}{TAG_REST}*+)"),
        ("W", f"{_ASCII_START}{_ASCII_REST}*+"),
    ],
    "clickhouse": [
        ("W", _word(r"[^\W\d]", r"[\w$]")),
        ("C", r"--[^\n]*+|#[ !][^\n]*+"),
        ("B", r"/\*"),
        ("V", PLACEHOLDER),
        ("N", NUMBER),
        ("P", r"::|->|[-+*/<>=!%|?()\[\],;:.{}^]"),
        ("S", "[xXbB]'[0-9a-fA-F]*'"),
        ("S", ESCAPED),
        ("Q", _double(ESCAPED)),
        ("Q", _backtick(ESCAPED)),
        ("D", r"\$\w*\$"),
        ("V", r"@@?\w+"),
        ("W", r"(?:[^\W\d]|\$)[\w$]*+"),
    ],
    "bigquery": [
        ("W", _word("[A-Za-z_]", "[A-Za-z0-9_]")),
        ("C", r"--[^\n]*+|#[^\n]*+"),
        ("B", r"/\*"),
        ("V", PLACEHOLDER),
        ("N", NUMBER.replace(r"|\.\d", r"|(?<![\w`)\]])\.\d")),
        ("P", r"\|>|=>|[-+*/<>=~!%^&|?()\[\],;:.{}]"),
        ("S", _BIGQUERY_STRING + ")"),
        ("Q", _backtick(ESCAPED)),
        ("V", r"@@?[A-Za-z_][\w.]*+"),
        ("P", "@"),
        ("W", "[A-Za-z_][A-Za-z0-9_]*+"),
    ],
    "tsql": [
        ("W", _word(r"[^\W\d]", r"[\w@#$]")),
        ("C", DASHES),
        ("B", r"/\*"),
        ("V", PLACEHOLDER),
        ("N", rf"0[xX][0-9a-fA-F]*+|\$?(?:{NUMBER})|\$\.?(?![a-zA-Z_])"),
        ("P", r"::|[-+*/<>=!%^&|~(),;:.{}]"),
        ("S", "[nN]?" + PLAIN),
        ("Q", _double(PLAIN)),
        ("Q", BRACKETS),
        ("V", r"@@?[\w@#$]+"),
        (
            "W",
            r"(?:[^\W\d]|##?)[\w@#$]*+|(?i:\$(?:action|identity|rowguid|node_id|edge_id|partition)\b)",
        ),
        ("N", r"\$\.?"),
    ],
}


class Lexis(NamedTuple):
    """One dialect's lexical rules, compiled.

    matches: token after token from an offset on, without a gap.
    nested: do block comments nest; None where versions differ (then refused).
    adjacent: may two strings stand side by side. digit_words: "no", "yes" (words may start with a
    digit) or "dash" (only after `word-` or `word.`, as in
    BigQuery's project and field names).
    """

    matches: Callable[[str, int], Iterator[re.Match[str]]]
    kinds: tuple[str, ...]
    nested: bool | None
    adjacent: bool
    digit_words: str
    ascii_words: bool


_GENERAL: dict[str, tuple[bool | None, bool, str, bool]] = {
    "postgres": (True, False, "no", False),
    "mysql": (False, True, "yes", False),
    "sqlite": (False, True, "no", False),
    "clickhouse": (None, True, "yes", False),
    "bigquery": (False, True, "dash", True),
    "tsql": (True, True, "no", False),
    "duckdb": (None, False, "no", False),
}
_COMPILED: dict[str, Lexis] = {}


def lexis(mode: str) -> Lexis:
    """The rules of a dialect (or `mysql/no-backslash`), compiled at first use."""
    found = _COMPILED.get(mode)
    if found is None:
        rules = [*RULES[mode], ("E", r"\Z"), ("?", r"[\s\S]")]
        pattern = r"[ \t\n\r]*+(?:" + "|".join(f"({regex})" for _, regex in rules) + ")"
        kinds = ("", *(kind for kind, _ in rules))
        found = Lexis(re.compile(pattern).finditer, kinds, *_GENERAL[mode.partition("/")[0]])
        _COMPILED[mode] = found
    return found
