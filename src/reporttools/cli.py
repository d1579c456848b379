"""`report-run`: declared, not built yet."""

from __future__ import annotations

from typing import NoReturn

import click

from toolbelt import cli
from toolbelt.errors import ToolError


@click.command(context_settings=cli.CONTEXT | {"ignore_unknown_options": True})
@cli.version_option
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Not built yet."""
    raise ToolError("INTERNAL", "report-run is not built yet.", hint="use db-query and db-schema")


def main() -> NoReturn:
    """Console script."""
    cli.run(command, "report-run")
