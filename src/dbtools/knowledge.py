"""What a domain file says of one catalog: titles, values and relations, by its real tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dbtools.catalog import Table
from dbtools.outline.choose import by_name
from dbtools.outline.dense import Knowledge
from dbtools.outline.joins import Link
from dbtools.search.domain import DomainFile
from dbtools.search.model import Key
from dbtools.spelling import Naming
from toolbelt.errors import nearest


def knowledge(file: DomainFile, tables: Iterable[Table], naming: Naming) -> Knowledge:
    """Titles and values by the keys of the tables that exist."""
    keys = by_name(tables, naming)
    titles = {naming.key(*keys[n]): title for n, title in file.titles.items() if n in keys}
    values = {}
    for reference, codes in file.enums.items():
        table, _, column = reference.rpartition(".")
        if table in keys:
            shown = tuple(f"{c}={label}" if label else c for c, label in codes.items())
            values[naming.key(*keys[table]), column] = shown
    return Knowledge(titles, values)


def links(file: DomainFile, tables: Iterable[Table], naming: Naming) -> list[Link]:
    """The relations whose both ends exist."""
    keys = by_name(tables, naming)
    found = []
    for source, target in file.relations:
        (table, _, column), (other, _, key) = source.rpartition("."), target.rpartition(".")
        if table in keys and other in keys:
            found.append(Link(keys[table], (column,), keys[other], (key,)))
    return found


def problems(
    file: DomainFile,
    tables: Iterable[Table],
    naming: Naming,
    unknown_words: Mapping[str, list[str]],
) -> list[dict[str, object]]:
    """Every entry that names nothing in the live schema, with the nearest name there is.

    unknown_words: phrase -> those of its words that stand nowhere in the schema.
    """
    tables = list(tables)
    keys = by_name(tables, naming)
    columns = {(t.schema, t.name): [c.name for c in t.columns] for t in tables}
    found: list[dict[str, object]] = [
        _problem(f"synonyms.{phrase}", f"no table or column has {', '.join(words)}", [])
        for phrase, words in unknown_words.items()
    ]
    for name in dict.fromkeys((*file.titles, *file.terms)):
        if name not in keys:
            found.append(_no_table(f"tables.{name}", name, keys))
    references = [(f"enums.{r}", r) for r in file.enums]
    for number, ends in enumerate(file.relations, start=1):
        references += [(f"relations {number}", end) for end in ends]
    for entry, reference in references:
        table, _, column = reference.rpartition(".")
        if table not in keys:
            found.append(_no_table(entry, table, keys))
        elif column not in columns[keys[table]]:
            close = nearest(column, columns[keys[table]])
            found.append(_problem(entry, f"{table} has no column {column!r}", close))
    return found


def _no_table(entry: str, name: str, keys: Mapping[str, Key]) -> dict[str, object]:
    return _problem(entry, f"no table is called {name!r}", nearest(name, list(keys)))


def _problem(entry: str, text: str, close: list[str]) -> dict[str, object]:
    return {"entry": entry, "problem": text} | ({"nearest": close} if close else {})
