"""`file-convert`: one conversion, or `list`, `doctor`, `batch`, `show`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import click

from toolbelt import cli
from toolbelt.errors import ToolError

_EXAMPLES = """\b
  file-convert pdf report.md
  file-convert png page.html --preset desktop -o shots/page.png
  file-convert list --from md
  file-convert batch pdf 'docs/*.md' --out-dir out -j 2
"""
_DEFAULT = "convert"
# What the failure envelope says beside `error`.
_asked: dict[str, object] = {"format": None}


class Command(click.Command):
    """A command whose file names may begin with a dash: `-o.md` is a name, `-o x` an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options, names = self._sorted(args)
        return super().parse_args(ctx, [*options, "--", *names])

    def _sorted(self, args: list[str]) -> tuple[list[str], list[str]]:
        """The options with their values, and what is left: names."""
        takes = {
            name: isinstance(p, click.Option) and not p.is_flag and not p.count
            for p in self.get_params(click.Context(self))
            for name in p.opts
            if name.startswith("-")
        }
        options: list[str] = []
        names: list[str] = []
        rest = iter(args)
        for word in rest:
            if word == "--":
                names += rest
            elif word in takes or word.startswith("--"):
                options.append(word)
                if takes.get(word) and (value := next(rest, None)) is not None:
                    options.append(value)
            else:
                names.append(word)
        return options, names


class Face(click.Group):
    """A group whose first word may also be a format: then it is a conversion."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help", "--version"):
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)


@click.group(cls=Face, context_settings=cli.CONTEXT, no_args_is_help=False, epilog=_EXAMPLES,
             invoke_without_command=True)  # fmt: skip
@cli.version_option
@click.pass_context
def command(ctx: click.Context) -> None:
    """Convert a file of the workspace: file-convert FORMAT INPUT [-o OUTPUT] [--preset P].

    `file-convert convert --help` shows all options of a conversion.
    """
    if ctx.invoked_subcommand is None:
        raise ToolError("USAGE", "FORMAT and INPUT are missing.", hint="file-convert --help")


def _shared(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that every subcommand takes."""
    for option in (
        click.option("--recipes", metavar="FILE", help="The manifest to use instead of ours."),
        click.option("--pretty", is_flag=True, help="Indent the JSON."),
        click.option("--debug", is_flag=True, help="Show a traceback when something fails."),
    ):
        function = option(function)
    return function


def _settings(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of conversions."""
    for option in (
        click.option("--preset", metavar="P", help="One of the recipe's presets."),
        click.option("--opt", "options", metavar="K=V", multiple=True, help="One of its options."),
        click.option("--from", "kind", metavar="EXT", help="The input's format."),
        click.option("--timeout", type=float, metavar="S", help="Seconds, at most the recipe's."),
        click.option("--force", is_flag=True, help="Replace an existing output."),
        click.option("--mkdirs", is_flag=True, help="Make the output's folders."),
        click.option("--strict", is_flag=True, help="A warning is a failure."),
        click.option("--workspace", metavar="DIR", help="The folder that all paths lie in."),
    ):
        function = option(function)
    return function


@command.command(_DEFAULT, cls=Command)
@click.argument("words", nargs=-1, metavar="FORMAT INPUT")
@click.option("--format", "format_", metavar="FORMAT", help="The format wanted.")
@click.option("--input", "input_", metavar="INPUT", help="The file to convert; - for stdin.")
@click.option("-o", "--output", metavar="OUTPUT", help="Where to write; - for stdout.")
@_settings
@_shared
def convert_one(
    words: tuple[str, ...], format_: str | None, input_: str | None, output: str | None,
    **rest: Any,
) -> None:  # fmt: skip
    """Convert INPUT to FORMAT."""
    target, source = _named(words, format_, input_)
    _asked["format"] = target
    cli.Streaming.active = output == "-"
    from convert.faces import one

    one(target, source, output, **rest)


def _named(words: tuple[str, ...], target: str | None, source: str | None) -> tuple[str, str]:
    """FORMAT and INPUT, given by place or by name."""
    left = list(words)
    if target is None and left:
        target = left.pop(0)
    _asked["format"] = target
    if source is None and left:
        source = left.pop(0)
    if left:
        raise ToolError("USAGE", f"There is one word too many: {left[0]!r}.", hint="-o OUTPUT")
    if target is None or source is None:
        what = "FORMAT" if target is None else "INPUT"
        raise ToolError(
            "USAGE", f"{what} is missing.", hint="file-convert FORMAT INPUT [-o OUTPUT]"
        )
    return target, source


@command.command("list")
@click.option("--from", "source", metavar="EXT", help="Only conversions from this format.")
@click.option("--to", "target", metavar="EXT", help="Only conversions to this format.")
@_shared
def list_rows(**rest: Any) -> None:
    """Every conversion: available, degraded or unavailable, and why."""
    from convert.faces import listing

    listing(**rest)


@command.command("show")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--preset", metavar="P", help="One of the recipe's presets.")
@_shared
def show(**rest: Any) -> None:
    """What a conversion would run; nothing is run."""
    _asked["format"] = rest["target"]
    from convert.faces import shown

    shown(**rest)


@command.command("doctor")
@click.option("--deep", is_flag=True, help="Convert a small sample by every row and look at it.")
@click.option("--from", "source", metavar="EXT", help="Only conversions from this format.")
@click.option("--to", "target", metavar="EXT", help="Only conversions to this format.")
@_shared
def doctor(**rest: Any) -> int:
    """Look at every row; one line on stderr for each that does not work, exit code 5 if any."""
    from convert.faces import examine

    return examine(**rest)


@command.command("batch", cls=Command)
@click.argument("words", nargs=-1, metavar="FORMAT GLOB...")
@click.option("--out-dir", required=True, metavar="D", help="The folder for the outputs.")
@click.option("-j", "--jobs", type=click.IntRange(1, 64), default=1, help="At a time.")
@click.option("--from-file", metavar="LIST", help="File with one path a line; - for stdin.")
@click.option("--keep-going/--stop", default=True, help="After a failure (default: go on).")
@_settings
@_shared
def batch(words: tuple[str, ...], **rest: Any) -> int:
    """Convert many files; one JSON line a file on stdout, progress on stderr."""
    if not words:
        raise ToolError("USAGE", "FORMAT is missing.", hint="file-convert batch FORMAT GLOB...")
    _asked["format"] = words[0]
    from convert.faces import many

    return many(words[0], words[1:], **rest)


def main() -> NoReturn:
    """Console script."""
    cli.run(command, "file-convert", failure_extra=lambda: dict(_asked))
