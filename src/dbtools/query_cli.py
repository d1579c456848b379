"""`db-query`: options into a QueryRequest."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import click

from dbtools import caller
from toolbelt import cli
from toolbelt.errors import ToolError

HELP = """Run one read-only statement and print its rows as JSON.

\b
Examples:
  db-query -q "SELECT status, count(*) FROM orders GROUP BY 1"
  db-query -c primary_db -q "SELECT * FROM orders WHERE id = :id" -p id=42
  db-query -q "SELECT * FROM orders" -o orders.csv
  echo "SELECT 1" | db-query -q -
  db-query --check -q "SELECT * FROM orders"
\b
Connections come from DB_TYPE, DB_HOST, DB_NAME, ... or DB_1_TYPE, DB_1_NAME, ...
"""
_FORMATS = ("json", "jsonl", "csv", "tsv", "table", "markdown")
# Names that promise another kind of file, and who makes it.
_MADE_ELSEWHERE = {
    **{f".{to}": f"file-convert {to} rows.csv" for to in ("xlsx", "pdf", "parquet")},
    **dict.fromkeys((".pptx", ".png", ".svg"), "report-run"),
    **dict.fromkeys((".xls", ".ods", ".docx", ".html", ".zip", ".gz"), "file-convert list"),
}
# Over this the guard refuses a statement unread; nothing longer is taken in.
_READ_LIMIT = 2_100_000


@click.command(context_settings=cli.CONTEXT, help=HELP)
@cli.version_option
@click.argument("statement", required=False)
@click.option("-c", "--connection", metavar="NAME", help="Which connection; needed if several.")
@click.option("-q", "--query", metavar="SQL", help="The statement, or - to read it from stdin.")
@click.option("-f", "--file", "file", metavar="PATH", help="Read the statement from a file.")
@click.option("-p", "--param", "params", multiple=True, metavar="NAME=VALUE",
              help="Bind :NAME; a value that is JSON keeps its type. Repeatable.")  # fmt: skip
@click.option("--params", "params_json", metavar="JSON", help="All parameters as one JSON object.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    help="At most this many rows (1000; with -o, csv, tsv, jsonl all).",
)
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
              help="Stop the statement after this time; may only lower QUERY_TIMEOUT.")  # fmt: skip
@click.option("--max-bytes", type=click.IntRange(min=1), help="Size of the JSON on stdout.")
@click.option("--format", "format_", type=click.Choice(_FORMATS),
              help="Default json, or what the suffix of -o says.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Write all rows to a file in the workspace.")
@click.option("--force", is_flag=True, help="Replace the output file if it exists.")
@click.option("--workspace", metavar="DIR", help="Folder that files must lie in.")
@click.option("--rows", type=click.Choice(("objects", "arrays")), default="objects",
              help="Shape of a JSON row.")  # fmt: skip
@click.option("--pretty", is_flag=True, help="Indent the JSON.")
@click.option("--numbers", type=click.Choice(("exact", "as-number")), default="exact",
              help="Decimals and integers beyond 2^53: as text, or as JSON numbers.")  # fmt: skip
@click.option("--extended-json", is_flag=True, help="MongoDB: relaxed extended JSON values.")
@click.option("--check", type=click.Choice(("static", "live")), is_flag=False, flag_value="static",
              help="Say whether it would run and what would be sent; run nothing.")  # fmt: skip
@click.option("--explain", is_flag=True, help="Show the plan instead of the rows.")
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
    from dbtools import parameters
    from dbtools.query import run_query
    from dbtools.request import QueryRequest

    request = QueryRequest(
        statement=_statement(options),
        connection=options["connection"],
        parameters=parameters.parse(options["params"], options["params_json"]),
        limit=options["limit"],
        timeout_seconds=options["timeout"],
        max_bytes=options["max_bytes"],
        format=options["format_"] or _format_of(options["output"]),
        output=options["output"],
        force=options["force"],
        workspace=options["workspace"],
        pretty=options["pretty"],
        arrays=options["rows"] == "arrays",
        check=options["check"] or "",
        explain=options["explain"],
        numbers_as_number=options["numbers"] == "as-number",
        extended_json=options["extended_json"],
    )
    # stdout is for rows only in the other formats: whatever fails is told on stderr.
    cli.Streaming.active = request.format != "json" and not (request.output or request.check)
    if cli.Streaming.active:
        caller.current().rows_only()
    run_query(request)


def _format_of(output: str | None) -> str:
    if output is None:
        return "json"
    from dbtools.writers import SUFFIXES

    _, dot, suffix = output.rpartition(".")
    suffix = (dot + suffix).lower()
    if suffix in _MADE_ELSEWHERE:
        raise ToolError(
            "USAGE", f"{output!r} would hold JSON: rows are not written as {suffix}.",
            hint=f"-o rows.csv, then {_MADE_ELSEWHERE[suffix]}; or say --format",
        )  # fmt: skip
    return SUFFIXES.get(suffix, "json")


def _statement(options: dict[str, Any]) -> str:
    """The statement from the one place it was given in."""
    given = [n for n in ("statement", "query", "file") if options[n] is not None]
    if len(given) > 1:
        raise ToolError("USAGE", "The statement is given more than once.", hint="use one of -q, -f")
    if not given:
        raise ToolError(
            "USAGE", "No statement is given.", hint='db-query -q "SELECT 1", or -q - for stdin'
        )
    text = options[given[0]]
    if given[0] == "file":
        return _from_file(text, options["workspace"])
    if text == "-":
        return _decoded(sys.stdin.buffer.read(_READ_LIMIT), "stdin")
    return str(text)


def _from_file(path: str, workspace: str | None) -> str:
    with caller.current().input(path, workspace) as source:
        return _decoded(source.file.read(_READ_LIMIT), path)


def _decoded(raw: bytes, source: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ToolError(
            "USAGE", f"The statement from {source} is not UTF-8 text (byte {error.start}).",
            hint="save it as UTF-8",
        ) from error  # fmt: skip


def main() -> NoReturn:
    """Console script."""
    cli.run(command, "db-query")
