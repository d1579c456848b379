"""What is in a database: everything where that is short, the names first where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbtools import connection as connections
from dbtools.connection import Connection
from dbtools.outline.names import NamesPage, names_json, names_page, names_text
from dbtools.scene import Scene, chosen, command, facts, remarks
from dbtools.schema_request import SchemaRequest
from dbtools.survey import Survey
from toolbelt.envelope import write_stdout, write_success

if TYPE_CHECKING:
    from dbtools.search.domain import DomainFile


def run_describe(request: SchemaRequest) -> None:
    """Print what was asked for."""
    scene = _scene(request, connections.find(request.connection))
    if request.check_domain:
        from dbtools.find import check_domain

        check_domain(scene)
    elif request.searches:
        from dbtools.find import run_search

        run_search(scene)
    elif request.format == "mermaid":
        from dbtools.showing import print_diagram

        print_diagram(scene)
    elif _only_names(scene):
        _print_names(scene)
    else:
        from dbtools.showing import print_tables

        if not print_tables(scene):
            _print_names(scene)


def _scene(request: SchemaRequest, connection: Connection) -> Scene:
    seconds = connection.limits.query_timeout_ms / 1000
    if request.timeout_seconds is not None:
        seconds = min(seconds, request.timeout_seconds)
    survey = Survey(connection, request.schemas, seconds, refresh=request.refresh)
    return Scene(request, connection, survey, _domain_file(request, connection))


def _domain_file(request: SchemaRequest, connection: Connection) -> DomainFile | None:
    import os

    named = request.domain or connection.options.get("domain_file")
    if not named and not os.environ.get("DB_DOMAIN_FILE"):
        return None
    from dbtools.search.domain import find

    return find(request.domain, request.workspace, connection)


def _only_names(scene: Scene) -> bool:
    """Whether there is no doubt that names are all that was asked for, or all that fits."""
    request = scene.request
    if request.detail or request.tables:
        return request.detail == "names"
    # Far over the cap there is no need to write it all only to count it.
    return bool(request.cap) and scene.listing.columns * 10 > request.cap * 3


def _print_names(scene: Scene) -> None:
    request = scene.request
    tables = chosen(scene)
    page = names_page(
        tables, scene.listing.shapes, scene.naming, request.cap, request.after, scene.titles()
    )
    if request.format != "json":
        write_stdout(names_text(page, scene.naming) + remarks(scene, _following(scene, page)))
        return
    body = names_json(page, scene.naming)
    body |= {"total": len(tables), "returned": page.tables, "truncated": page.more > 0}
    if following := _following(scene, page):
        body["next"] = following
    body |= {"hint": _hint(len(tables), page.more), "detail": "names", **facts(scene)}
    write_success(body, pretty=request.pretty, rows_key="tables")


def _following(scene: Scene, page: NamesPage) -> str:
    if page.more:
        return command(scene, detail="names", after=page.entries[-1].after)
    return command(scene, tables=("NAME", "NAME")) if page.entries else ""


def _hint(total: int, more: int) -> str:
    if not total:
        return "the login sees no tables in this database"
    read = "choose the tables you need by name and read their columns with --table, repeated"
    return f"{more} more entries: see next; {read}" if more else read
