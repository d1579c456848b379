"""What is in a database: catalog, choice of tables, and the way they are shown."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from dbtools import connection as connections
from dbtools.catalog import Catalog, Table
from dbtools.connection import Connection
from dbtools.deadline import Deadline, DeadlineReached
from dbtools.drivers import load
from dbtools.drivers.base import CatalogRequest, timeout_error
from dbtools.outline.choose import choose, is_glob
from dbtools.outline.dense import LEGEND, Knowledge, dense_json, dense_text
from dbtools.outline.joins import Graph, condition, connect, graph
from dbtools.outline.names import key_order, names_json, names_page, names_text
from dbtools.outline.seed import table_json
from dbtools.outline.size import ENVELOPE, how_many_fit, tokens
from dbtools.spelling import Naming
from toolbelt.envelope import document, dumps, write_stdout, write_success

DEFAULT_TOKENS = 8000


@dataclass(frozen=True, slots=True)
class SchemaRequest:
    """What the command line asked for.

    tables: names or globs, empty for all. detail: 'names', 'dense', 'full' or '' to choose by
    size. max_tokens: None for the default, 0 for no cap. after: the last table already seen.
    depth: how many references a diagram goes.
    """

    connection: str | None = None
    tables: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    timeout_seconds: float | None = None
    pretty: bool = False
    detail: str = ""
    format: str = "json"
    max_tokens: int | None = None
    after: str = ""
    depth: int = 1

    @property
    def cap(self) -> int:
        """Tokens an answer may have, 0 for any: who asks for all details gets them all."""
        if self.max_tokens is not None:
            return self.max_tokens
        return 0 if self.detail == "full" else DEFAULT_TOKENS


@dataclass(frozen=True, slots=True)
class View:
    """The tables to show, and all that is needed to show them."""

    request: SchemaRequest
    connection: Connection
    catalog: Catalog
    naming: Naming
    tables: Sequence[Table]
    graph: Graph
    knowledge: Knowledge = field(default_factory=Knowledge)


def run_describe(request: SchemaRequest) -> None:
    """Print the tables asked for."""
    view = look(request, connections.find(request.connection))
    if request.format == "mermaid":
        _print_mermaid(view)
    elif request.format == "json":
        _print_json(view)
    else:
        _print_text(view)


def look(request: SchemaRequest, connection: Connection) -> View:
    """The catalog and the tables chosen from it."""
    catalog = read_catalog(request, connection)
    naming = Naming(connection.engine, catalog.default_schema)
    tables = choose(catalog, request.tables, naming)
    return View(request, connection, catalog, naming, tables, graph(catalog.tables))


def read_catalog(request: SchemaRequest, connection: Connection) -> Catalog:
    """The whole catalog of the schemas asked for, within the connection's time limit."""
    seconds = connection.limits.query_timeout_ms / 1000
    if request.timeout_seconds is not None:
        seconds = min(seconds, request.timeout_seconds)
    # Only the seeds' shape tells nothing of other tables, so only there a part will do.
    alone = request.detail == "full" and request.format == "json"
    plain = not any(is_glob(t) or "." in t for t in request.tables)
    wanted = CatalogRequest(
        schemas=request.schemas,
        tables=request.tables if alone and plain else (),
        timeout_seconds=seconds,
    )
    session = load(connection.engine).connect(connection, seconds)
    try:
        with Deadline(seconds):
            catalog = session.catalog(wanted)
            if request.tables and not catalog.tables and wanted.tables:
                # Nothing of that name: read the rest, to say what there is.
                catalog = session.catalog(replace(wanted, tables=()))
            return catalog
    except DeadlineReached:
        session.cancel()
        raise timeout_error(seconds) from None
    finally:
        session.close()


def _print_json(view: View) -> None:
    detail = view.request.detail or _detail_that_fits(view)
    body = {"names": _names, "dense": _dense, "full": _full}[detail](view)
    body["detail"] = detail
    body["connection"] = view.connection.name
    if view.catalog.server:
        body["server"] = view.catalog.server
    if view.catalog.missing:
        body["warnings"] = list(view.catalog.missing)
    write_success(body, pretty=view.request.pretty, rows_key="tables")


def _detail_that_fits(view: View) -> str:
    """Tables named: densely. All of them: everything, else densely, else by name only."""
    if view.request.tables:
        return "dense"
    cap = view.request.cap
    for detail, tell in (("full", _full), ("dense", _dense)):
        if not cap:
            return detail
        # Far over the cap there is no need to write it all only to count it.
        if sum(len(t.columns) for t in view.tables) * 10 > cap * 3:
            continue
        whole = tell(replace(view, request=replace(view.request, max_tokens=0)))
        if tokens(document(whole, pretty=view.request.pretty, rows_key="tables")) < cap - ENVELOPE:
            return detail
    return "names"


def _names(view: View) -> dict[str, object]:
    request = view.request
    page = names_page(view.tables, view.naming, request.cap, request.after, view.knowledge.titles)
    body = names_json(page, view.naming)
    body |= {"total": len(view.tables), "returned": page.tables, "truncated": page.more > 0}
    if page.more:
        body["next"] = _command(view, detail="names", after=page.entries[-1].after)
    elif page.entries:
        body["next"] = _command(view, tables=("NAME", "NAME"), detail="")
    body["hint"] = _names_hint(view, page.more)
    return body


def _names_hint(view: View, more: int) -> str:
    if not view.tables:
        return "the login sees no tables in this database"
    read = "choose the tables you need by name and read their columns with --table, repeated"
    return f"{more} more entries: see next; {read}" if more else read


def _dense(view: View) -> dict[str, object]:
    cap = view.request.cap
    tables = _behind(view)
    bodies = [dense_json(t, view.naming, view.graph, view.knowledge) for t in tables]
    shown = how_many_fit(map(dumps, bodies), cap)
    if cap and shown == 1 and tokens(dumps(bodies[0])) > cap - ENVELOPE:
        bodies[0] = _cut(view, tables[0])
    body: dict[str, object] = {"tables": bodies[:shown], "legend": LEGEND}
    body |= _joins(view, tables[:shown])
    return body | _paging(view, tables, shown, "dense")


def _cut(view: View, table: Table) -> dict[str, object]:
    """One table too large for the cap: as many of its columns as fit."""
    lines = dense_json(table, view.naming, view.graph, view.knowledge)["columns"]
    assert isinstance(lines, list)  # noqa: S101 - what dense_json makes
    most = how_many_fit(map(dumps, lines), view.request.cap - ENVELOPE)
    return dense_json(table, view.naming, view.graph, view.knowledge, most)


def _joins(view: View, shown: Sequence[Table]) -> dict[str, object]:
    """The join path between tables that were asked for by name."""
    if not view.request.tables or len(shown) < 2:
        return {}
    links = connect(view.graph, [(t.schema, t.name) for t in shown])
    return {"joins": [condition(link, view.naming) for link in links]} if links else {}


def _full(view: View) -> dict[str, object]:
    tables = _behind(view)
    bodies = [table_json(t, view.catalog.default_schema) for t in tables]
    shown = how_many_fit(map(dumps, bodies), view.request.cap)
    return {"tables": bodies[:shown], **_paging(view, tables, shown, "full")}


def _behind(view: View) -> list[Table]:
    """The tables chosen, in the order of pages, without those already seen."""
    if not view.request.after:
        return sorted(view.tables, key=view.naming.order)
    seen = key_order(view.request.after, view.catalog.tables, view.naming)
    return sorted((t for t in view.tables if view.naming.order(t) > seen), key=view.naming.order)


def _paging(view: View, tables: Sequence[Table], shown: int, detail: str) -> dict[str, object]:
    """What was left out and the command that goes on; nothing where nothing was."""
    if shown >= len(tables):
        return {}
    last = view.naming.key(tables[shown - 1].schema, tables[shown - 1].name)
    return {
        "total": len(view.tables),
        "returned": shown,
        "truncated": True,
        "next": _command(view, detail=detail, after=last),
        "hint": "the rest did not fit --max-tokens",
    }


def _command(
    view: View, *, detail: str, after: str = "", tables: tuple[str, ...] | None = None
) -> str:
    """The command line to go on with."""
    request = view.request
    words = ["db-schema"]
    if request.connection:
        words += ["--connection", request.connection]
    for name in request.tables if tables is None else tables:
        words += ["--table", name]
    if not tables:
        for name in request.schemas:
            words += ["--schema", name]
        words += ["--detail", detail] if detail else []
        words += ["--format", request.format] if request.format != "json" else []
        if request.max_tokens is not None:
            words += ["--max-tokens", str(request.max_tokens)]
    words += ["--after", after] if after else []
    return " ".join(map(shlex.quote, words))


def _print_text(view: View) -> None:
    """dense, ddl and markdown: text for a prompt, paged like everything else."""
    names = view.request.detail == "names"
    if not names:
        write = _writer(view)
        tables = _behind(view)
        texts = [write(t, view.naming, view.graph, view.knowledge) for t in tables]
        shown = how_many_fit(texts, view.request.cap)
        if shown == len(texts) or view.request.tables or view.request.detail:
            text = "".join(t if t.endswith("\n") else f"{t}\n" for t in texts[:shown])
            paging = _paging(view, tables, shown, "dense")
            write_stdout(text + _remarks(view, paging.get("next")))
            return
    page = names_page(
        view.tables, view.naming, view.request.cap, view.request.after, view.knowledge.titles
    )
    body = _names(view)
    write_stdout(names_text(page, view.naming) + _remarks(view, body.get("next")))


def _writer(view: View) -> Callable[[Table, Naming, Graph, Knowledge], str]:
    if view.request.format == "ddl":
        from dbtools.outline.ddl import ddl

        return ddl
    if view.request.format == "markdown":
        from dbtools.outline.markdown import markdown

        return markdown
    return dense_text


def _remarks(view: View, following: object) -> str:
    """What could not be read and how to go on, as comments of the format."""
    lines = [*view.catalog.missing, *([f"next: {following}"] if following else [])]
    before, behind = ("<!-- ", " -->") if view.request.format == "markdown" else ("-- ", "")
    return "".join(f"{before}{line}{behind}\n" for line in lines)


def _print_mermaid(view: View) -> None:
    from dbtools.outline.mermaid import mermaid, neighbourhood, refuse_large

    chosen = [(t.schema, t.name) for t in view.tables]
    if view.request.tables:
        chosen = neighbourhood(view.graph, chosen, view.request.depth)
    refuse_large(len(chosen), chosen=bool(view.request.tables))
    by_key = {(t.schema, t.name): t for t in view.catalog.tables}
    write_stdout(mermaid([by_key[k] for k in chosen if k in by_key], view.graph))
