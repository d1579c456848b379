"""How tables hang together: foreign keys as a graph, and the shortest way between tables."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dbtools.catalog import Table
from dbtools.spelling import Naming

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Link:
    """One reference: columns of `source` point to columns of `target`. (schema, name) each."""

    source: Key
    columns: tuple[str, ...]
    target: Key
    target_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """Every reference of a catalog, by either end."""

    links: tuple[Link, ...]
    by_table: dict[Key, list[Link]] = field(default_factory=dict)

    def incoming(self, table: Key) -> list[Link]:
        """The references that point to a table, its own to itself left out."""
        return [k for k in self.by_table.get(table, ()) if k.target == table != k.source]

    def neighbours(self, table: Key) -> list[Key]:
        """The tables one reference away, in either direction."""
        found = {k.source if k.target == table else k.target: None for k in self.of(table)}
        return [t for t in found if t != table]

    def of(self, table: Key) -> list[Link]:
        """All references from or to a table."""
        return self.by_table.get(table, [])


def graph(tables: Iterable[Table], relations: Sequence[Link] = ()) -> Graph:
    """The graph of declared foreign keys and of relations known from elsewhere."""
    tables = list(tables)
    known = {(t.schema, t.name) for t in tables}
    links: dict[Link, None] = {}
    for table in tables:
        for key in table.foreign_keys:
            link = Link(
                (table.schema, table.name),
                key.columns,
                (key.schema or table.schema, key.table),
                key.target_columns,
            )
            if link.target in known:
                links[link] = None
    links |= dict.fromkeys(relations)
    by_table: dict[Key, list[Link]] = defaultdict(list)
    for link in links:
        by_table[link.source].append(link)
        if link.target != link.source:
            by_table[link.target].append(link)
    return Graph(tuple(links), dict(by_table))


def path(found: Graph, starts: Iterable[Key], goal: Key, longest: int = 6) -> list[Link] | None:
    """The fewest references between any of the starts and the goal; None where there are none."""
    queue: deque[tuple[Key, list[Link]]] = deque((s, []) for s in starts)
    seen = {s for s, _ in queue}
    while queue:
        table, way = queue.popleft()
        if table == goal:
            return way
        if len(way) == longest:
            continue
        for link in found.of(table):
            other = link.source if link.target == table else link.target
            if other not in seen:
                seen.add(other)
                queue.append((other, [*way, link]))
    return None


def connect(found: Graph, tables: Sequence[Key]) -> list[Link]:
    """References that join the tables, tables in between included, as few as a greedy walk finds.

    Tables that nothing connects stay apart.
    """
    if not tables:
        return []
    joined: dict[Link, None] = {}
    reached = [tables[0]]
    for goal in tables[1:]:
        way = path(found, reached, goal)
        if way is None:
            # An island of its own may still be where the next table hangs on.
            reached.append(goal)
            continue
        joined |= dict.fromkeys(way)
        reached += [end for link in way for end in (link.source, link.target)]
    return list(joined)


def condition(link: Link, naming: Naming) -> str:
    """`orders.customer_id = customers.id`, ready for ON."""
    left, right = naming.table(*link.source), naming.table(*link.target)
    pairs = zip(link.columns, link.target_columns, strict=False)
    return " AND ".join(f"{left}.{naming.column(a)} = {right}.{naming.column(b)}" for a, b in pairs)
