"""What the guard's modules hand each other: the verdict, a refusal, the tables of a dialect."""

from __future__ import annotations

from typing import NamedTuple


def words(text: str) -> frozenset[str]:
    """A set of words from one string."""
    return frozenset(text.split())


class Verdict(NamedTuple):
    """The guard's answer about one statement; `allowed` decides, the rest explains.

    statement: the text that may be sent, "" when refused. kind: SELECT, EXPLAIN, ..., or the
    statement kind refused. reading: "tokens" or "tree" (sqlglot was asked). limited: the root has
    its own row limit. can_limit: a LIMIT line may be appended. position: 1-based character offset
    in the caller's text, 0 when unknown. code: BLOCKED, USAGE (nothing to run), STATEMENT_TOO_LONG.
    """

    allowed: bool
    statement: str = ""
    kind: str = ""
    reading: str = "tokens"
    limited: bool = False
    can_limit: bool = False
    reason: str = ""
    message: str = ""
    token: str = ""
    position: int = 0
    hint: str = ""
    code: str = "BLOCKED"


class Refused(Exception):
    """The text is refused. start: 0-based offset in the text being read; -1 when unknown."""

    def __init__(
        self,
        reason: str,
        start: int = -1,
        *,
        shown: str = "",
        kind: str = "",
        message: str = "",
        hint: str = "",
        code: str = "BLOCKED",
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.start = start
        self.shown = shown  # the offending word
        self.kind = kind
        self.message = message
        self.hint = hint
        self.code = code


class Cause(NamedTuple):
    """Why a name or a word sequence is refused, and the honest way to do it."""

    why: str
    hint: str


class Sequence(NamedTuple):
    """Words refused when they follow each other; each place lists its choices, "@" a variable."""

    words: tuple[frozenset[str], ...]
    cause: Cause


class Harmless(NamedTuple):
    """Neighbours between which a refused word is harmless; "*" is anything, "#" a value."""

    before: str
    word: str
    after: str
    then: str


class Names(NamedTuple):
    """A set of names: exact ones, and prefixes."""

    exact: frozenset[str]
    prefixes: tuple[str, ...]

    def has(self, name: str) -> bool:
        """Is this lower-case name in the set?"""
        return name in self.exact or name.startswith(self.prefixes)


class Tables(NamedTuple):
    """One dialect's tables, compiled from functions/<dialect>.toml."""

    dialect: str
    checked_against: str
    start: frozenset[str]
    explain: frozenset[str]
    describe: frozenset[str]
    show: frozenset[str] | None  # None: no SHOW; {"*"}: any setting name
    refused: frozenset[str]
    doubtful: frozenset[str]
    sequences: tuple[Sequence, ...]
    harmless: tuple[Harmless, ...]
    denied: Names
    causes: dict[str, Cause]  # the denied name or prefix -> why
    call_allowed: frozenset[str]
    higher_order: frozenset[str]  # functions whose first argument may name a function
    from_allowed: frozenset[str] | None  # None: the deny list covers FROM too
    user_functions: bool
    system: Names  # unqualified names that are the engine's own, not the user's
    notation: dict[str, str]  # `.name` calls only where this type is named
    arity: dict[str, tuple[int, ...]]
    settings: Names
    settings_refused: Names
    limit_settings: Names
    hints_blanked: tuple[str, ...]
    pipes: frozenset[str]
    pragma_read: frozenset[str]
    pragma_get: frozenset[str]

    def denies(self, name: str) -> bool:
        """Is a function of this lower-case name refused?"""
        return self.denied.has(name) and name not in self.call_allowed

    def cause(self, name: str) -> Cause:
        """Why `name` is refused."""
        found = self.causes.get(name)
        if found is None:
            prefix = next(p for p in self.denied.prefixes if name.startswith(p))
            found = self.causes[prefix]
        return found


def load(dialect: str) -> Tables:
    """The compiled tables of one dialect; only the one in use is imported."""
    module = __import__(f"dbtools.guard.tables_{dialect}", fromlist=["TABLES"])
    tables: Tables = module.TABLES
    return tables
