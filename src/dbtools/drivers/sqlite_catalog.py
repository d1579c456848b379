"""SQLite's catalog: tables, columns, keys and indexes in one statement."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from dbtools.catalog import Catalog, ForeignKey, Index, Table, TableColumn
from dbtools.drivers.base import CatalogRequest

_COLUMNS = """
 (SELECT json_group_array(json_array(x.name, x.type, x."notnull", x.pk, x.dflt_value, x.hidden))
    FROM pragma_table_xinfo(m.name) AS x)"""
# A view's columns are asked for apart: one whose table is gone fails the whole statement.
_CATALOG = f"""
SELECT m.name, m.type, m.sql,
 iif(m.type = 'view', '[]', {_COLUMNS}),
 (SELECT json_group_array(json_array(f.id, f."table", f."from", f."to", f.on_delete,
      json((SELECT json_group_array(p.name) FROM
        (SELECT name FROM pragma_table_info(f."table") WHERE pk ORDER BY pk) AS p))))
    FROM pragma_foreign_key_list(m.name) AS f),
 (SELECT json_group_array(json_array(i.name, i."unique", i.partial, s.sql,
      json((SELECT json_group_array(c.name) FROM pragma_index_info(i.name) AS c))))
    FROM pragma_index_list(m.name) AS i LEFT JOIN sqlite_master AS s
      ON s.type = 'index' AND s.name = i.name)
FROM sqlite_master AS m
WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
  AND (:wanted IS NULL OR m.name IN (SELECT value FROM json_each(:wanted)))
ORDER BY m.name
"""  # noqa: S608

_VIEWS = f"""
SELECT m.name, {_COLUMNS} FROM sqlite_master AS m
WHERE m.type = 'view' AND m.name IN (SELECT value FROM json_each(?))
"""  # noqa: S608
_LISTED = "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main'"


def read(db: sqlite3.Connection, request: CatalogRequest) -> Catalog:
    """The whole catalog, or the tables asked for; in five statements whatever their number.

    A view that cannot be read costs one more for each view: it has no columns and is told of.
    """
    wanted = json.dumps(request.tables) if request.tables else None
    # Joined in SQL, the list would be made anew for every table.
    listed = {name.lower(): (kind, wr) for name, kind, wr in db.execute(_LISTED)}
    found = db.execute(_CATALOG, {"wanted": wanted}).fetchall()
    rows = [(*row[:2], *listed.get(row[0].lower(), (None, 0)), *row[2:]) for row in found]
    rows = [row for row in rows if row[2] != "shadow"]
    counts = _estimates(db, rows)
    views, missing = _view_columns(db, [row[0] for row in rows if row[1] == "view"])
    tables = tuple(_table(row, views.get(row[0], row[5]), counts) for row in rows)
    version = f"SQLite {sqlite3.sqlite_version}"
    trips = 3 + bool(rows) + bool(views)
    return Catalog(tables, missing=tuple(missing), round_trips=trips, server=version)


def _view_columns(db: sqlite3.Connection, names: list[str]) -> tuple[dict[str, str], list[str]]:
    """Each view's columns as JSON, and a line on each view that cannot be read."""
    if not names:
        return {}, []
    try:
        return dict(db.execute(_VIEWS, (json.dumps(names),)).fetchall()), []
    except sqlite3.OperationalError as error:
        if len(names) == 1:
            return {}, [f"the view {names[0]} cannot be read: {error}"]
    found: dict[str, str] = {}
    missing: list[str] = []
    for name in names:
        columns, broken = _view_columns(db, [name])
        found |= columns
        missing += broken
    return found, missing


def _primary_key(columns: list[list[Any]]) -> tuple[str, ...]:
    return tuple(c[0] for c in sorted((c for c in columns if c[3]), key=lambda c: int(c[3])))


def _estimates(db: sqlite3.Connection, rows: list[Any]) -> dict[str, int]:
    """Row estimates in one statement: ANALYZE's where it ran, else the highest rowid."""
    analysed: dict[str, int] = {}
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'").fetchone():
        for table, stat in db.execute("SELECT tbl, stat FROM sqlite_stat1"):
            first = str(stat or "").split(" ")[0]
            if first.isdigit():
                analysed[table] = max(int(first), analysed.get(table, 0))
    rowids = [r[0] for r in rows if r[1] == "table" and r[2] == "table" and not r[3]]
    missing = [name for name in rowids if name not in analysed][:1000]
    if missing:
        parts = ", ".join(f"(SELECT max(_rowid_) FROM {_quoted(n)})" for n in missing)  # noqa: S608
        found = db.execute(f"SELECT {parts}").fetchone()
        analysed |= {name: int(n or 0) for name, n in zip(missing, found, strict=True)}
    return analysed


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _table(row: Any, columns: str, counts: dict[str, int]) -> Table:
    name, kind, listed, _without_rowid, sql, _columns, foreign, indexes = row
    primary = _primary_key(json.loads(columns))
    kinds = {"virtual": "virtual table", "view": "view"}
    return Table(
        name=name,
        kind=kinds.get(listed, kind),
        columns=tuple(_column(c, primary, sql or "") for c in json.loads(columns) if c[5] != 1),
        indexes=_indexes(json.loads(indexes), primary, name),
        foreign_keys=_foreign_keys(json.loads(foreign)),
        row_count=counts.get(name),
        definition=sql or "" if kind == "view" else "",
    )


def _column(column: list[Any], primary: tuple[str, ...], sql: str) -> TableColumn:
    name, declared, not_null, _pk, default, hidden = column
    alone = primary == (name,) and (declared or "").upper() == "INTEGER"
    return TableColumn(
        name=name,
        type=declared or "any",
        nullable=not (not_null or alone),
        primary_key=name in primary,
        default=default,
        generated={2: "virtual", 3: "stored"}.get(hidden, ""),
        identity="auto increment" if alone and "AUTOINCREMENT" in sql.upper() else "",
    )


def _indexes(found: list[list[Any]], primary: tuple[str, ...], table: str) -> tuple[Index, ...]:
    made = [
        Index(
            name=name,
            columns=_index_columns(columns, sql or ""),
            unique=bool(unique),
            where=_where(sql) if partial else "",
        )
        for name, unique, partial, sql, columns in found
    ]
    if primary and not any(i.columns == primary and i.unique for i in made):
        # The rowid itself is the key: it has no entry of its own in index_list.
        made.append(Index(f"{table}_pkey", primary, unique=True))
    return tuple(sorted(made, key=lambda i: i.name))


def _index_columns(names: list[str | None], sql: str) -> tuple[str, ...]:
    """Column names; an expression, which has none, as its text in the CREATE INDEX statement."""
    texts: list[str] = []
    if None in names:
        depth, start = 0, sql.find("(") + 1
        for at in range(start - 1, len(sql)):
            depth += (sql[at] == "(") - (sql[at] == ")")
            if (sql[at] == "," and depth == 1) or depth == 0:
                texts.append(sql[start:at].strip())
                start = at + 1
            if depth == 0:
                break
    texts += ["(expression)"] * (len(names) - len(texts))
    return tuple(t if n is None else n for n, t in zip(names, texts, strict=False))


def _where(sql: str | None) -> str:
    import re

    match = re.search(r"(?is)\)\s*where\s+(.*)$", sql or "")
    return match[1].strip() if match else ""


def _foreign_keys(found: list[list[Any]]) -> tuple[ForeignKey, ...]:
    """In the order of their declaration; a target without columns means its primary key."""
    grouped: dict[int, list[list[Any]]] = {}
    for entry in found:
        grouped.setdefault(entry[0], []).append(entry)
    made = []
    for number, entries in sorted(grouped.items(), reverse=True):
        _, target, _, _, on_delete, implied = entries[0]
        to = tuple(e[3] for e in entries if e[3] is not None) or tuple(implied)
        action = "" if on_delete == "NO ACTION" else on_delete.lower()
        columns = tuple(e[2] for e in entries)
        made.append(ForeignKey(f"fk_{number}", columns, "", target, to, action))
    return tuple(made)
