"""`report-run`: reports, charts and tables from data; here are only options and the envelope."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final, NoReturn

import click

from toolbelt import cli
from toolbelt.envelope import write_success
from toolbelt.errors import ToolError, nearest

FORMATS: Final = ("pdf", "pptx", "png", "svg", "xlsx", "csv")
KINDS: Final = ("bar", "barh", "line", "area", "scatter", "pie", "donut")
INPUTS: Final = ("json", "ndjson", "csv", "tsv")
LANGUAGES: Final = ("python", "javascript", "py", "js", "node")
# What a failed script printed and made: keys beside `error`.
_beside_error: Final[dict[str, object]] = {}


@click.group(context_settings=cli.CONTEXT)
@cli.version_option
def command() -> None:
    """Make reports, charts and tables from data: JSON (as db-query prints it), NDJSON or CSV.

    \b
    db-query "select ..." | report-run chart --type bar --x region --y revenue
    db-query "select ..." | report-run generate --template data-summary
    report-run generate --template monthly --format pdf,xlsx --data month.json
    """


def _options(*wanted: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Options that several commands share."""
    known = {
        "data": click.option(
            "--data", default="-", show_default=True, metavar="FILE|-", help="The data."
        ),
        "input": click.option(
            "--input-format", type=click.Choice(INPUTS), help="Of the data; seen by itself."
        ),
        "output": click.option(
            "--output", "-o", metavar="PATH",
            help="A file for one format, a folder for several. [default: WORKSPACE/output]",
        ),
        "force": click.option("--force", is_flag=True, help="Replace files that exist."),
        "templates": click.option(
            "--templates", metavar="PATH", help="A template file of yours, or a folder of them."
        ),
        "workspace": click.option(
            "--workspace", metavar="DIR", help="Every path must lie beneath it."
        ),
        "lang": click.option(
            "--lang", default="", metavar="CODE",
            help="Of the report's own words: en, ru or de. [default: the data's, else en]",
        ),
        "pretty": click.option("--pretty", is_flag=True, help="Indent the JSON."),
        "debug": click.option("--debug", is_flag=True, help="Show tracebacks of failures."),
        "scale": click.option(
            "--scale", type=click.FloatRange(0.5, 4), default=2.0, show_default=True,
            help="Pixels of a PNG for each one of its nominal size.",
        ),
        "svg_text": click.option(
            "--svg-text", type=click.Choice(("text", "outline")), default="text",
            show_default=True, help="Letters of an SVG as text, or as shapes.",
        ),
        "bom": click.option(
            "--bom/--no-bom", default=True, show_default=True,
            help="Begin CSV with the mark by which Excel knows UTF-8.",
        ),
        "guard": click.option(
            "--guard/--no-guard", default=True, show_default=True,
            help="Keep CSV cells from being run as formulas.",
        ),
        "paper": click.option(
            "--page", type=click.Choice(("A4", "Letter"), case_sensitive=False), default="A4",
            show_default=True, help="The paper of a PDF.",
        ),
    }  # fmt: skip

    def add(function: Callable[..., object]) -> Callable[..., object]:
        for name in reversed(wanted):
            function = known[name](function)
        return function

    return add


@command.command("list-templates")
@click.option("--schema", "only", metavar="NAME", help="Print one template's JSON Schema only.")
@_options("templates", "workspace", "pretty", "debug")
def list_templates(
    only: str | None, templates: str | None, workspace: str | None, pretty: bool, debug: bool
) -> None:
    """List the report templates and the JSON Schemas of their data."""
    from reporttools.templates import every, find
    from toolbelt.workspace import Workspace

    place = Workspace.find(workspace)
    if only is not None:
        found = find(only, place, templates)
        write_success({"template": found.name, "schema": found.schema}, pretty=pretty)
        return
    listed = [
        {
            "name": template.name,
            "description": template.description,
            "formats": list(template.formats),
            "required": list(template.schema.get("required", ())),
            "schema": template.schema,
        }
        for template in every(place, templates)
    ]
    write_success({"templates": listed}, pretty=pretty)


@command.command()
@click.option("--template", required=True, metavar="NAME", help="See list-templates.")
@click.option(
    "--format", "formats", default="pdf", show_default=True, metavar="LIST",
    help=f"One or more of {', '.join(FORMATS)}, separated by commas.",
)  # fmt: skip
@_options(
    "data", "input", "output", "force", "paper", "scale", "svg_text", "bom", "guard", "templates",
    "lang", "workspace", "pretty", "debug",
)  # fmt: skip
def generate(template: str, formats: str, **options: Any) -> None:
    """Make a report from a template and data."""
    started = time.monotonic()
    from reporttools import generate as work

    found = work.template(template, options)
    wanted = format_list(formats, found.formats)
    made = work.report(found, wanted, options)
    _answer({"template": found.name, **made}, started, options)


@command.command()
@click.option("--template", required=True, metavar="NAME", help="See list-templates.")
@_options("data", "input", "templates", "workspace", "pretty", "debug")
def validate(template: str, **options: Any) -> None:
    """Check data against a template; every problem is told, nothing is written."""
    started = time.monotonic()
    from reporttools import generate as work

    found = work.template(template, options)
    _answer({"template": found.name, **work.validate(found, options)}, started, options)


@command.command()
@click.option("--type", "kind", type=click.Choice(KINDS), required=True, help="Of the chart.")
@click.option("--x", required=True, metavar="COLUMN", help="Labels, or the x of a scatter chart.")
@click.option("--y", "ys", multiple=True, metavar="COLUMN", help="Values; may be given again.")
@click.option("--series", default="", metavar="COLUMN", help="Splits the values into series.")
@click.option(
    "--agg", type=click.Choice(("sum", "avg", "min", "max", "count", "median")),
    help="How values under one label become one.",
)  # fmt: skip
@click.option("--title", default="", help="Of the chart.")
@click.option("--subtitle", default="", help="Under the title.")
@click.option(
    "--stacked", type=click.Choice(("sum", "percent")), help="Series on top of each other."
)
@click.option("--sort", type=click.Choice(("none", "asc", "desc")), default="none")
@click.option("--limit", type=click.IntRange(1), help="So many labels, the rest as Other.")
@click.option(
    "--number-format", type=click.Choice(("number", "percent", "currency", "duration", "bytes"))
)
@click.option("--unit", default="", help="A currency code, or a word after numbers.")
@click.option("--decimals", type=click.IntRange(0, 10), help="Of numbers.")
@click.option("--x-title", default="", help="Of the horizontal axis.")
@click.option("--y-title", default="", help="Of the vertical axis.")
@click.option("--size", default="960x540", show_default=True, help="Nominal pixels.")
@click.option("--theme", default="", help="navy, teal, plum or graphite.")
@click.option("--locale", default="", help="How numbers are written. [default: as in --lang]")
@click.option("--format", "form", default="png", show_default=True, help="png, svg or pdf.")
@_options(
    "data", "input", "output", "force", "scale", "svg_text", "lang", "workspace", "pretty", "debug"
)  # fmt: skip
def chart(form: str, **options: Any) -> None:
    """Draw one chart of rows."""
    started = time.monotonic()
    form = format_list(form, ("png", "svg", "pdf"), single=True)[0]
    from reporttools import generate as work

    _answer(work.one_chart(form, options), started, options)


@command.command()
@click.option("--title", default="", help="Of the table and its file. [default: Table]")
@click.option("--format", "form", default="xlsx", show_default=True, help="xlsx, csv or pdf.")
@click.option("--locale", default="", help="How numbers are written. [default: as in --lang]")
@_options(
    "data", "input", "output", "force", "paper", "bom", "guard", "lang", "workspace", "pretty",
    "debug",
)  # fmt: skip
def table(form: str, **options: Any) -> None:
    """Write rows as a table, a million of them if need be."""
    started = time.monotonic()
    form = format_list(form, ("xlsx", "csv", "pdf"), single=True)[0]
    from reporttools import generate as work

    _answer(work.one_table(form, options), started, options)


@command.command("execute-code")
@click.option(
    "--language",
    type=click.Choice(LANGUAGES, case_sensitive=False),
    required=True,
    help="python or javascript (py, js and node will do).",
)
@click.option("--code", required=True, metavar="FILE|-", help="The code.")
@click.option(
    "--dependency",
    "dependencies",
    multiple=True,
    metavar="NAME[==VERSION]",
    help="A package to install first (a wheel, or from npm); may be given again.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 600),
    default=60.0,
    show_default=True,
    help="Seconds the code may run.",
)
@click.option("--output", "-o", metavar="DIR", help="Its folder. [default: WORKSPACE/output]")
@click.option("--network", is_flag=True, help="Let the code reach the network.")
@_options("workspace", "pretty", "debug")
def execute_code(
    language: str,
    code: str,
    dependencies: tuple[str, ...],
    timeout: float,
    output: str | None,
    network: bool,
    workspace: str | None,
    pretty: bool,
    debug: bool,
) -> None:
    """Run Python or JavaScript that makes files, confined; tell what it printed and made.

    \b
    Ready: matplotlib, pandas, numpy, seaborn, openpyxl, reportlab, python-pptx;
           chart.js, chartjs-node-canvas, @napi-rs/canvas, d3, linkedom.
    """
    from reporttools.script import execute
    from reporttools.script_request import request

    result = execute(request(language, code, dependencies, timeout, output, workspace, network))
    if result.error is not None:
        _beside_error.update(result.body())
        raise result.error
    write_success(result.body(), pretty=pretty)


def format_list(text: str, allowed: tuple[str, ...], *, single: bool = False) -> list[str]:
    """The formats of a comma list, each once; UNKNOWN_FORMAT with the valid ones otherwise."""
    names = list(dict.fromkeys(n.strip().lower().lstrip(".") for n in text.split(",")))
    names = [name for name in names if name]
    for name in names:
        if name not in allowed:
            near = nearest(name, list(allowed), 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ToolError(
                "UNKNOWN_FORMAT", f"{name!r} is not a format of this.",
                hint=f"{hint}formats: {', '.join(allowed)}",
            )  # fmt: skip
    if not names or (single and len(names) > 1):
        raise ToolError(
            "USAGE", "--format takes one format." if single else "--format is empty.",
            hint=f"formats: {', '.join(allowed)}",
        )  # fmt: skip
    return names


def _answer(body: dict[str, Any], started: float, options: dict[str, Any]) -> None:
    """The success envelope."""
    duration = round((time.monotonic() - started) * 1000)
    write_success({**body, "durationMs": duration}, pretty=bool(options.get("pretty")))


def main() -> NoReturn:
    """Console script."""
    cli.run(command, "report-run", failure_extra=lambda: _beside_error)
