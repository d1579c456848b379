"""A failed statement, and what may be asked about its database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from dbtools.catalog import Catalog, Table
from dbtools.guard.anatomy import Anatomy, Token
from dbtools.search.index import Index
from dbtools.spelling import Naming
from toolbelt.errors import ToolError

# Plans a statement without running it: the error it would give, None for none.
Plans = Callable[[str], ToolError | None]
# What a second look makes of a statement and the error it still gives; '' for nothing better.
Again = Callable[[str, ToolError], str]


class Known(Protocol):
    """The structure of the database, read only when it is asked for."""

    def catalog(self) -> Catalog:
        """All tables in full."""

    def index(self) -> Index:
        """The search index over them."""

    def again(self) -> bool:
        """Forget what was kept from earlier calls; False when nothing was."""


@dataclass(frozen=True, slots=True)
class Failure:
    """error: as the driver raised it. statement: the caller's own text; position in it, 0-based.

    plans: the error that planning another statement gives, None where it would run. again: what
    becomes of a corrected statement that still gives an error, '' where nothing does.
    """

    error: ToolError
    statement: str
    dialect: str
    engine: str
    anatomy: Anatomy
    position: int | None
    catalog: Catalog
    known: Known
    plans: Plans
    again: Again

    @property
    def naming(self) -> Naming:
        """How names are written here."""
        return Naming(self.engine, self.catalog.default_schema)

    def sources(self) -> list[Table]:
        """The tables that the statement reads and that exist, each once."""
        return named(self.catalog, self.anatomy)

    def sources_around(self, token: Token | None) -> list[Table]:
        """The tables in FROM of the innermost SELECT around a token; none where all are made."""
        if token is None:
            return []
        scope = self.anatomy.scope(self.anatomy.tokens.index(token))
        near = [s for s in self.anatomy.sources if self.anatomy.scope(s.at) == scope]
        found = [self.table(s.table) for s in near if s.table]
        return list({(t.schema, t.name): t for t in found if t is not None}.values())

    def table(self, name: str) -> Table | None:
        """The table of a dotted name as engines find it: in any case, schema or not."""
        return find(self.catalog, name)

    def tokens_named(self, name: str, qualifier: str = "") -> list[Token]:
        """The tokens that spell a name, the one at the error's position first.

        qualifier: what must stand before it, as in `o.total`, where it does anywhere.
        """
        wanted = name.strip('"`[]').lower()
        found = [t for t in self.anatomy.tokens if t.kind in "WQU" and t.name == wanted]
        follows = self.anatomy.follows
        qualified = [t for t in found if qualifier and follows(t, qualifier.lower(), ".")]
        return sorted(qualified or found, key=lambda t: t.start != self.position)

    def tokens_spelled(self, text: str) -> list[Token]:
        """The tokens written so, in any case."""
        return [t for t in self.anatomy.tokens if t.text.lower() == text.lower()]

    def runs(self, text: str) -> bool:
        """Whether a corrected statement would run."""
        return self.plans(text) is None

    def mended(self, text: str) -> str:
        """A corrected statement that would run: this one, or what a second look makes of it."""
        error = self.plans(text)
        return text if error is None else self.again(text, error)

    def token_at(self) -> Token | None:
        """The token at the error's position."""
        if self.position is None:
            return None
        return next((t for t in self.anatomy.tokens if t.start <= self.position < t.end), None)

    def replaced(self, token: Token, text: str) -> str:
        """The caller's statement with one token written anew."""
        return self.statement[: token.start] + text + self.statement[token.end :]


@dataclass(frozen=True, slots=True)
class Advice:
    """hint: the next thing to type. detail: keys of the error object. position: 0-based.

    message: in place of the engine's own. hides: nothing may tell denied from unknown.
    """

    hint: str = ""
    detail: dict[str, object] = field(default_factory=dict)
    position: int | None = None
    message: str = ""
    hides: bool = False


def named(catalog: Catalog, anatomy: Anatomy) -> list[Table]:
    """The tables that a statement reads and that exist, each once."""
    found: dict[tuple[str, str], Table] = {}
    for source in anatomy.sources:
        table = find(catalog, source.table)
        if table is not None:
            found[table.schema, table.name] = table
    return list(found.values())


def find(catalog: Catalog, name: str) -> Table | None:
    """The table of a dotted name as engines find it: in any case, schema or not."""
    wanted = name.lower().split(".")
    best = None
    for table in catalog.tables:
        own = [table.schema.lower(), table.name.lower()]
        if table.holds(wanted[-1]):
            own[-1] = wanted[-1]
        if own[-len(wanted) :] != wanted[-2:]:
            continue
        if table.schema in ("", catalog.default_schema):
            return table
        best = best or table
    return best
