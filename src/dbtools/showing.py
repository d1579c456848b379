"""Chosen tables as the answer shows them: densely, in full, as text or as a diagram."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dbtools.catalog import Table
from dbtools.outline.dense import LEGEND, Knowledge, dense_json, dense_text
from dbtools.outline.joins import Graph, condition, connect, graph
from dbtools.outline.names import key_order
from dbtools.outline.seed import table_json
from dbtools.outline.size import ENVELOPE, how_many_fit, tokens
from dbtools.scene import Scene, chosen, command, facts, remarks
from dbtools.schema_request import SchemaRequest
from dbtools.spelling import Naming
from toolbelt.envelope import document, dumps, write_stdout, write_success

Rows = list[dict[str, object]]


def print_tables(scene: Scene) -> bool:
    """Print the chosen tables; False where they do not fit and nobody said how to show them."""
    view = _with_data(look(scene))
    if scene.request.format != "json":
        return _print_text(view)
    detail = scene.request.detail or _detail_that_fits(view)
    if detail == "names":
        return False
    body = {"dense": _dense, "full": _full}[detail](view)
    body |= {"detail": detail, **facts(scene)}
    write_success(body, pretty=scene.request.pretty, rows_key="tables")
    return True


def _detail_that_fits(view: View) -> str:
    """Tables named: densely. All of them: everything, else densely, else by name only."""
    request = view.request
    if request.tables:
        return "dense"
    if not request.cap:
        return "full"
    everything = replace(view.scene, request=replace(request, max_tokens=0))
    for detail, tell in (("full", _full), ("dense", _dense)):
        body = tell(replace(view, scene=everything))
        whole = document(body, pretty=request.pretty, rows_key="tables")
        if tokens(whole) < request.cap - ENVELOPE:
            return detail
    return "names"


@dataclass(frozen=True, slots=True)
class View:
    """The tables to show, in the order of pages, and all that is needed to show them.

    samples: rows by (schema, name) of a table.
    """

    scene: Scene
    tables: Sequence[Table]
    graph: Graph
    knowledge: Knowledge
    samples: Mapping[tuple[str, str], Rows] = field(default_factory=dict)

    @property
    def naming(self) -> Naming:
        return self.scene.naming

    @property
    def request(self) -> SchemaRequest:
        return self.scene.request


def look(scene: Scene) -> View:
    """The chosen tables in full, as they are now, and how all tables hang together."""
    wanted = chosen(scene)
    keys = {(t.schema, t.name) for t in wanted}
    whole = scene.survey.catalog().tables
    shown = [t for t in whole if (t.schema, t.name) in keys]
    if scene.request.tables:
        shown = scene.survey.live(keys)
        if len(shown) < len(keys) and scene.survey.again():
            # One was dropped since the catalog was kept: its name is unknown by now.
            return look(scene)
    relations = []
    if scene.file is not None and scene.file.relations:
        from dbtools.knowledge import links

        relations = links(scene.file, whole, scene.naming)
    shown.sort(key=scene.naming.order)
    return View(scene, shown, graph(whole, relations), scene.knowledge())


def _with_data(view: View) -> View:
    """The view with values and sample rows, where they were asked for."""
    request = view.request
    if not (request.samples or request.values):
        return view
    from dbtools.sampling import looked

    found = list(looked(view.scene, view.tables))
    samples = {(t.schema, t.name): rows for t, rows in found if rows}
    return replace(view, tables=[t for t, _ in found], samples=samples)


def _sampled(view: View, table: Table, body: dict[str, object]) -> dict[str, object]:
    rows = view.samples.get((table.schema, table.name))
    return body | ({"samples": rows} if rows else {})


def _dense(view: View) -> dict[str, object]:
    cap = view.request.cap
    tables = _behind(view)
    bodies = [
        _sampled(view, t, dense_json(t, view.naming, view.graph, view.knowledge)) for t in tables
    ]
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
    bodies = [_sampled(view, t, table_json(t, view.naming.default_schema)) for t in tables]
    shown = how_many_fit(map(dumps, bodies), view.request.cap)
    return {"tables": bodies[:shown], **_paging(view, tables, shown, "full")}


def _behind(view: View) -> list[Table]:
    """The tables without those already seen."""
    if not view.request.after:
        return list(view.tables)
    seen = key_order(view.request.after, view.tables, view.naming)
    return [t for t in view.tables if view.naming.order(t) > seen]


def _paging(view: View, tables: Sequence[Table], shown: int, detail: str) -> dict[str, object]:
    """What was left out and the command that goes on; nothing where nothing was."""
    if shown >= len(tables):
        return {}
    last = view.naming.key(tables[shown - 1].schema, tables[shown - 1].name)
    return {
        "total": len(view.tables),
        "returned": shown,
        "truncated": True,
        "next": command(view.scene, detail=detail, after=last),
        "hint": "the rest did not fit --max-tokens",
    }


def _print_text(view: View) -> bool:
    """dense, ddl and markdown: text for a prompt, paged like everything else."""
    request = view.request
    write = _writer(request.format)
    tables = _behind(view)
    texts = [write(t, view.naming, view.graph, view.knowledge) for t in tables]
    shown = how_many_fit(texts, request.cap)
    if shown < len(texts) and not (request.tables or request.detail):
        return False
    text = "".join(t if t.endswith("\n") else f"{t}\n" for t in texts[:shown])
    following = _paging(view, tables, shown, request.detail).get("next", "")
    write_stdout(text + remarks(view.scene, str(following)))
    return True


def _writer(format_: str) -> Callable[[Table, Naming, Graph, Knowledge], str]:
    if format_ == "ddl":
        from dbtools.outline.ddl import ddl

        return ddl
    if format_ == "markdown":
        from dbtools.outline.markdown import markdown

        return markdown
    return dense_text


def print_diagram(scene: Scene) -> None:
    """Print the neighbourhood of the chosen tables as Mermaid text."""
    from dbtools.outline.mermaid import mermaid, neighbourhood, refuse_large

    if not scene.request.tables:
        refuse_large(len(scene.listing.tables), chosen=False)
    view = look(scene)
    keys = [(t.schema, t.name) for t in view.tables]
    if scene.request.tables:
        keys = neighbourhood(view.graph, keys, scene.request.depth)
        refuse_large(len(keys), chosen=True)
    tables = {(t.schema, t.name): t for t in scene.survey.tables(set(keys))}
    write_stdout(mermaid([tables[k] for k in keys if k in tables], view.graph))
