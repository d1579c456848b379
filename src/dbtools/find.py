"""From a question to tables: `db-schema --search`, and the check of a domain file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dbtools.catalog import Table
from dbtools.knowledge import links, problems
from dbtools.outline.choose import by_name
from dbtools.outline.joins import condition, connect, graph
from dbtools.scene import Scene, command
from dbtools.search import semantic
from dbtools.search.domain import DomainFile
from dbtools.search.explain import matched_columns, reasons
from dbtools.search.index import Index, with_domain
from dbtools.search.model import Domain, Found, Group
from dbtools.search.rank import fuse, is_weak, rank
from dbtools.search.words import split, stem
from dbtools.spelling import Naming
from toolbelt.envelope import one_line, write_success

_HITS: Final = 10
_COLUMNS: Final = 3
# Tables of the join path: the best hits, as long as they are not far behind the first.
_JOINED: Final = 3
_FAR_BEHIND: Final = 0.5
_UNKNOWN_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found: hits, best first, and the question as it was understood."""

    hits: list[Found]
    groups: list[Group]
    index: Index
    weak: bool


def search(scene: Scene, domain: Domain) -> Answer:
    """All phrasings ranked and fused."""
    index = with_domain(scene.survey.index(), domain)
    rankings = [rank(text, index, domain) for text in scene.request.searches]
    groups = [g for ranking in rankings for g in ranking.groups]
    if semantic.available() and groups:
        tables = scene.survey.catalog().tables
        mark = scene.survey.mark()
        encoder = semantic.Encoder(index, tables, scene.survey.vectors_file(), mark)
        texts = scene.request.searches
        rankings = [encoder.lift(r, t) for r, t in zip(rankings, texts, strict=True)]
        hits = fuse(rankings, _HITS)
        return Answer(hits, groups, index, not hits or hits[0].score < semantic.WEAK)
    hits = fuse(rankings, _HITS)
    return Answer(hits, groups, index, is_weak(hits, groups))


def run_search(scene: Scene) -> None:
    """Print the tables that answer the question."""
    naming = scene.naming
    domain = Domain()
    if scene.file is not None:
        domain = scene.file.search_domain(by_name(scene.listing.tables, naming))
    answer = search(scene, domain)
    keys = [answer.index.keys[hit.doc] for hit in answer.hits]
    tables = {(t.schema, t.name): t for t in scene.survey.tables(set(keys))}
    titles = scene.titles()
    matches = [
        _match(hit, tables[answer.index.keys[hit.doc]], answer, naming, titles)
        for hit in answer.hits
    ]
    body: dict[str, object] = {"matches": matches}
    body |= _path(scene, answer)
    body |= _verdict(scene, answer)
    body |= {"connection": scene.connection.name}
    write_success(body, pretty=scene.request.pretty, rows_key="matches")


def _match(
    hit: Found, table: Table, answer: Answer, naming: Naming, titles: Mapping[str, str]
) -> dict[str, object]:
    key = naming.key(table.schema, table.name)
    body: dict[str, object] = {"table": key, "score": round(hit.score, 2)}
    pattern = answer.index.patterns.get(hit.doc)
    if pattern:
        body["family"] = pattern
    if table.kind != "table":
        body["kind"] = table.kind
    about = titles.get(key) or one_line(table.comment, 80)
    if about:
        body["about"] = about
    columns = matched_columns(table, answer.groups, answer.index)[:_COLUMNS]
    if columns:
        body["columns"] = columns
    why = reasons(hit.doc, answer.groups, answer.index)
    return body | ({"why": why} if why else {})


def _path(scene: Scene, answer: Answer) -> dict[str, object]:
    """How the best hits join."""
    if len(answer.hits) < 2:
        return {}
    best = answer.hits[0].score
    near = [h.doc for h in answer.hits[:_JOINED] if h.score >= best * _FAR_BEHIND]
    keys = answer.index.keys
    if scene.file is not None and scene.file.relations:
        tables = list(scene.survey.catalog().tables)
        relations = links(scene.file, tables, scene.naming)
    else:
        tables = scene.survey.tables({keys[doc] for doc in answer.index.between(near)})
        relations = []
    found = connect(graph(tables, relations), [keys[doc] for doc in near])
    return {"joins": [condition(link, scene.naming) for link in found][:4]} if found else {}


def _verdict(scene: Scene, answer: Answer) -> dict[str, object]:
    """Whether to trust the answer, the words nothing is known of, and how to go on."""
    unknown = list(dict.fromkeys(g.text for g in answer.groups if not g.known))
    weak = answer.weak
    body: dict[str, object] = {"weak": weak}
    if unknown:
        body["unknownWords"] = unknown[:_UNKNOWN_SHOWN]
        body["domainEntry"] = _entry(scene, unknown[0])
    if weak:
        body["next"] = command(scene, tables=()) + " --detail names"
        body["hint"] = "read the names and choose, or add --search with other words (English ones)"
    else:
        names = [scene.naming.key(*answer.index.keys[h.doc]) for h in answer.hits[:2]]
        body["next"] = command(scene, tables=names)
    return body


def _entry(scene: Scene, word: str) -> str:
    """A line for the domain file that teaches the word."""
    plain = one_line(word, 60).replace("\\", " ").replace('"', " ")
    return f'[{scene.connection.name}.synonyms]\n"{plain}" = "TABLE OR COLUMN"'


def check_domain(scene: Scene) -> None:
    """Print the entries of the domain file that name nothing."""
    file = scene.file or DomainFile()
    index = scene.survey.index()
    found = problems(file, scene.survey.catalog().tables, scene.naming, _unknown(file, index))
    counts: Sequence[int] = [
        len(file.synonyms), len(set(file.titles) | set(file.terms)), len(file.enums),
        len(file.relations),
    ]  # fmt: skip
    body: dict[str, object] = {
        "valid": not found,
        "problems": found,
        "file": file.path,
        "entries": sum(counts),
        "connection": scene.connection.name,
    }
    if file.warning:
        body["warnings"] = [file.warning]
    if not file.path:
        body["hint"] = "no domain file is configured: --domain FILE, or export DB_DOMAIN_FILE"
    write_success(body, pretty=scene.request.pretty, rows_key="problems")


def _unknown(file: DomainFile, index: Index) -> dict[str, list[str]]:
    """Phrases whose words stand nowhere in the schema, with those words."""
    found = {}
    for phrase, words in file.synonyms.items():
        missing = [w for w in split(words) if stem(w) not in index.postings]
        if missing:
            found[phrase] = missing
    return found
