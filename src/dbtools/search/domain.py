"""The domain file: what a company calls the things in its database. TOML, any language."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from dbtools import caller
from dbtools.connection import Connection
from dbtools.search.model import Domain, Key
from toolbelt.errors import ToolError

_PARTS: Final = ("synonyms", "tables", "enums", "relations")
_SHAPE: Final = "see docs/db-schema.md for the parts of a domain file"
# Column reference: (schema or '', table, column).
ColumnRef = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class DomainFile:
    """One connection's part of a domain file, names as written there.

    synonyms: phrase -> words. titles, terms: by table. enums: by 'table.column', code -> label.
    relations: ('table.column', 'table.column'). warning: why the file says nothing here.
    """

    path: str = ""
    synonyms: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    terms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    enums: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    relations: tuple[tuple[str, str], ...] = ()
    warning: str = ""

    def search_domain(self, keys: Mapping[str, Key]) -> Domain:
        """What the search needs; keys: the schema's tables by the names used here."""
        terms: dict[Key, list[str]] = {}
        for name, words in self.terms.items():
            if name in keys:
                terms.setdefault(keys[name], []).extend(words)
        for name, title in self.titles.items():
            if name in keys:
                terms.setdefault(keys[name], []).append(title)
        for column, values in self.enums.items():
            table = column.rpartition(".")[0]
            if table in keys:
                terms.setdefault(keys[table], []).extend([*values, *values.values()])
        return Domain(self.synonyms, {key: tuple(words) for key, words in terms.items()})


def find(option: str | None, workspace: str | None, connection: Connection) -> DomainFile:
    """The domain file of a connection, an empty one where none is configured."""
    if option is not None:
        with caller.current().input(option, workspace) as source:
            return parse(source.file.read(), option, connection.name)
    path = connection.options.get("domain_file", "") or os.environ.get("DB_DOMAIN_FILE", "")
    if not path:
        return DomainFile()
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ToolError(
            "BAD_CONFIG", f"The domain file {path!r} cannot be read: {error.strerror}.",
            hint="check DB_DOMAIN_FILE or DB_<n>_DOMAIN_FILE",
        ) from error  # fmt: skip
    return parse(data, path, connection.name)


def parse(data: bytes, path: str, connection: str) -> DomainFile:
    """The part of a file that concerns one connection; BAD_CONFIG for what cannot be meant."""
    import tomllib

    try:
        whole = tomllib.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ToolError(
            "BAD_CONFIG", f"The domain file {path!r} is not UTF-8 TOML: {error}.", hint=_SHAPE
        ) from error
    if whole.pop("version", 1) != 1:
        raise _wrong(path, "version", "must be 1")
    own: dict[str, Any] = {key: whole.pop(key) for key in _PARTS if key in whole}
    sections = {name: _table(path, name, part) for name, part in whole.items()}
    section = sections.get(connection, {})
    for key in section:
        if key not in _PARTS:
            raise _wrong(path, f"{connection}.{key}", f"is none of {', '.join(_PARTS)}")
    warning = ""
    if not own and not section and sections:
        warning = (
            f"the domain file has no part for connection {connection!r} (it has: "
            f"{', '.join(sections)})"
        )
    return _build(path, [own, section], warning)


def _build(path: str, parts: list[dict[str, Any]], warning: str) -> DomainFile:
    synonyms: dict[str, str] = {}
    titles: dict[str, str] = {}
    terms: dict[str, tuple[str, ...]] = {}
    enums: dict[str, Mapping[str, str]] = {}
    relations: list[tuple[str, str]] = []
    for part in parts:
        for phrase, words in _table(path, "synonyms", part.get("synonyms", {})).items():
            synonyms[phrase] = _text(path, f"synonyms.{phrase}", words)
        for name, about in _table(path, "tables", part.get("tables", {})).items():
            titles[name], terms[name] = _about(path, name, about)
        for column, about in _table(path, "enums", part.get("enums", {})).items():
            enums[column] = _values(path, column, about)
        relations += _relations(path, part.get("relations", []))
    titles = {name: title for name, title in titles.items() if title}
    return DomainFile(path, synonyms, titles, terms, enums, tuple(relations), warning)


def _about(path: str, name: str, about: object) -> tuple[str, tuple[str, ...]]:
    found = dict(_table(path, f"tables.{name}", about))
    title = found.pop("title", "")
    if isinstance(title, dict):
        title = " / ".join(_text(path, f"tables.{name}.title", t) for t in title.values())
    terms = found.pop("terms", [])
    if not isinstance(terms, list):
        raise _wrong(path, f"tables.{name}.terms", "must be a list of words")
    for key in found:
        raise _wrong(path, f"tables.{name}.{key}", "is none of title, terms")
    return (
        _text(path, f"tables.{name}.title", title),
        tuple(_text(path, f"tables.{name}.terms", term) for term in terms),
    )


def _values(path: str, column: str, about: object) -> Mapping[str, str]:
    found = _table(path, f"enums.{column}", about)
    if set(found) != {"values"}:
        raise _wrong(path, f"enums.{column}", "must hold `values = { code = 'label' }`")
    values = found["values"]
    if isinstance(values, list):
        values = {str(code): "" for code in values}
    table = _table(path, f"enums.{column}.values", values)
    return {code: _text(path, f"enums.{column}.{code}", label) for code, label in table.items()}


def _relations(path: str, entries: object) -> Iterator[tuple[str, str]]:
    if not isinstance(entries, list):
        raise _wrong(path, "relations", "must be written [[relations]]")
    for number, entry in enumerate(entries, start=1):
        found = _table(path, f"relations {number}", entry)
        if set(found) != {"from", "to"}:
            raise _wrong(path, f"relations {number}", "must hold `from` and `to`, no more")
        yield tuple(_text(path, f"relations {number}", found[k]) for k in ("from", "to"))  # type: ignore[misc]


def _table(path: str, key: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(path, key, "must be a table")
    return value


def _text(path: str, key: str, value: object) -> str:
    if not isinstance(value, str):
        raise _wrong(path, key, "must be text")
    return value


def _wrong(path: str, key: str, problem: str) -> ToolError:
    return ToolError("BAD_CONFIG", f"{path}: {key} {problem}.", hint=_SHAPE)
