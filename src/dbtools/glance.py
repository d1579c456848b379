"""What hints may know where every look at the catalog is billed: what was kept, or what is free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dbtools.catalog import Catalog
from dbtools.search.index import Index, build
from dbtools.survey import Survey


@dataclass(slots=True)
class Glance:
    """Fills hints.failure.Known. names: dotted, of the tables at hand; empty: ask nothing."""

    survey: Survey
    names: Sequence[str]
    _catalog: Catalog | None = field(default=None, init=False)

    def catalog(self) -> Catalog:
        """The tables that are known, most of them by name only."""
        if self._catalog is None:
            self._catalog = self.survey.kept() or self._look()
        return self._catalog

    def _look(self) -> Catalog:
        return self.survey.glance(tuple(self.names)) if self.names else Catalog(())

    def index(self) -> Index:
        """The search index over them; not kept, for it holds no more than they do."""
        return build(self.catalog().tables)

    def again(self) -> bool:
        """Look anew rather than trust what was kept."""
        if not self.names:
            return False
        self._catalog = self._look()
        return True
