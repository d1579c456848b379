"""One call of `db-schema`: what was asked, of which database, in whose words."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dbtools.catalog import Table
from dbtools.connection import Connection
from dbtools.outline.choose import choose
from dbtools.schema_request import SchemaRequest
from dbtools.search.store import Listing
from dbtools.spelling import Naming
from dbtools.survey import Survey
from toolbelt.errors import ToolError

if TYPE_CHECKING:
    from dbtools.outline.dense import Knowledge
    from dbtools.search.domain import DomainFile


@dataclass(frozen=True, slots=True)
class Scene:
    """The request, the database's structure, and the domain file where there is one."""

    request: SchemaRequest
    connection: Connection
    survey: Survey
    file: DomainFile | None = None

    @property
    def listing(self) -> Listing:
        """All tables by name."""
        return self.survey.listing()

    @property
    def naming(self) -> Naming:
        """How names are written here."""
        return Naming(self.connection.engine, self.listing.default_schema)

    def knowledge(self) -> Knowledge:
        """What the domain file says of the tables there are."""
        if self.file is None:
            from dbtools.outline.dense import Knowledge

            return Knowledge()
        from dbtools.knowledge import knowledge

        return knowledge(self.file, self.listing.tables, self.naming)

    def titles(self) -> Mapping[str, str]:
        """The domain file's titles by the keys of tables."""
        return self.knowledge().titles if self.file is not None else {}


def chosen(scene: Scene) -> list[Table]:
    """The tables meant by --table, by name only; an unknown one is looked for once more."""
    try:
        return choose(scene.listing.tables, scene.request.tables, scene.naming)
    except ToolError:
        if not scene.survey.again():
            raise
        return choose(scene.listing.tables, scene.request.tables, scene.naming)


def facts(scene: Scene) -> dict[str, object]:
    """What every answer says of its database."""
    body: dict[str, object] = {"connection": scene.connection.name}
    if scene.listing.server:
        body["server"] = scene.listing.server
    warnings = [*scene.listing.missing, *_file_warnings(scene)]
    return body | ({"warnings": warnings} if warnings else {})


def _file_warnings(scene: Scene) -> list[str]:
    return [scene.file.warning] if scene.file is not None and scene.file.warning else []


def command(scene: Scene, *, detail: str = "", after: str = "", tables: Sequence[str] = ()) -> str:
    """The command line to go on with: other tables, or the same ones from another place."""
    request = scene.request
    words = ["db-schema"]
    if request.connection:
        words += ["--connection", request.connection]
    for name in tables or request.tables:
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


def remarks(scene: Scene, following: str) -> str:
    """What could not be read and how to go on, as comments of a text format."""
    body = facts(scene).get("warnings", [])
    warnings = body if isinstance(body, list) else []
    lines = [*warnings, *([f"next: {following}"] if following else [])]
    before, behind = ("<!-- ", " -->") if scene.request.format == "markdown" else ("-- ", "")
    return "".join(f"{before}{line}{behind}\n" for line in lines)
