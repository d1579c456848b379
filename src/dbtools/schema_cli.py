"""`db-schema`: options into a SchemaRequest."""

from __future__ import annotations

from typing import Any, NoReturn

import click

from dbtools import caller
from toolbelt import cli

HELP = """Say what is in a database: everything where that is short, else the names first.

\b
Examples:
  db-schema
  db-schema -c primary_db --table orders --table customers
  db-schema --table 'order_*' --format ddl
  db-schema --detail full
  db-schema --table orders --format mermaid
  db-schema --search "where is the order status" --search "status history"
"""


@click.command(context_settings=cli.CONTEXT, help=HELP)
@cli.version_option
@click.option("-c", "--connection", metavar="NAME", help="Which connection; needed if several.")
@click.option("-t", "--table", "tables", multiple=True, metavar="NAME",
              help="Only this table; a glob such as 'order_*' is fine. Repeatable.")  # fmt: skip
@click.option("-s", "--search", "searches", multiple=True, metavar="QUESTION",
              help="Find tables by a question in plain words, English or Russian. Repeat it with "
                   "other words: the answers are fused.")  # fmt: skip
@click.option("--schema", "schemas", multiple=True, metavar="NAME",
              help="Only this schema. Repeatable.")  # fmt: skip
@click.option("--detail", type=click.Choice(("names", "dense", "full")), metavar="LEVEL",
              help="names, dense or full; by default whatever fits --max-tokens.")  # fmt: skip
@click.option("--format", "format_", default="json", metavar="FORMAT",
              type=click.Choice(("json", "ddl", "dense", "markdown", "mermaid")),
              help="json (default), ddl, dense, markdown or mermaid.")  # fmt: skip
@click.option("--max-tokens", type=click.IntRange(min=0), metavar="N",
              help="Size of an answer: 8000 unless told, 0 for no limit.")  # fmt: skip
@click.option("--after", default="", metavar="NAME", help="Go on behind this table (see next).")
@click.option("--depth", type=click.IntRange(0, 5), default=1, metavar="N",
              help="mermaid: how many references to follow from --table.")  # fmt: skip
@click.option("--samples", type=click.IntRange(0, 20), default=0, metavar="N",
              help="Add N rows of each table; long cells are cut.")  # fmt: skip
@click.option("--values", is_flag=True, help="Add the values of columns that have few.")
@click.option("--domain", metavar="FILE", help="What your company calls things; see the manual.")
@click.option("--check-domain", is_flag=True, help="List entries of it that name nothing.")
@click.option("--refresh", is_flag=True, help="Read the catalog anew, not from the cache.")
@click.option("--workspace", metavar="DIR", help="Folder that FILE must lie in.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
              help="Stop after this time; may only lower QUERY_TIMEOUT.")  # fmt: skip
@click.option("--pretty", is_flag=True, help="Indent the JSON.")
@click.option("--list-connections", is_flag=True, help="Names, types and databases; no secrets.")
@click.option("--debug", is_flag=True, help="Show tracebacks on stderr.")
def command(**options: Any) -> None:
    """The command; its help text is HELP."""
    caller.current().begin(options["connection"])
    if options["list_connections"]:
        from dbtools.connection import list_all
        from toolbelt.envelope import write_success

        write_success({"connections": list_all()}, pretty=options["pretty"])
        return
    from dbtools.describe import run_describe
    from dbtools.schema_request import SchemaRequest

    run_describe(
        SchemaRequest(
            connection=options["connection"],
            tables=options["tables"],
            schemas=options["schemas"],
            timeout_seconds=options["timeout"],
            pretty=options["pretty"],
            detail=options["detail"] or "",
            format=options["format_"],
            max_tokens=options["max_tokens"],
            after=options["after"],
            depth=options["depth"],
            searches=options["searches"],
            samples=options["samples"],
            values=options["values"],
            domain=options["domain"],
            check_domain=options["check_domain"],
            refresh=options["refresh"],
            workspace=options["workspace"],
        )
    )


def main() -> NoReturn:
    """Console script."""
    cli.run(command, "db-schema")
