"""`safe-shell`: options in, one checked and confined command line, one JSON document out."""

from __future__ import annotations

from typing import NoReturn

import click

from safeshell.refusal import EXIT_CODES
from toolbelt import cli
from toolbelt.envelope import warn
from toolbelt.errors import ToolError

# What is known of the call so far, for the envelope of a failure.
_EXTRA: dict[str, object] = {}


class _Command(click.Command):
    """Tells a line from the words of one command: `--` before them says that they are words."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = list(args)
        rest = super().parse_args(ctx, args)
        words: tuple[str, ...] = ctx.params["words"]
        before = given[: len(given) - len(words)]
        ctx.meta["argv"] = bool(words) and before[-1:] == ["--"]
        if len(words) > 1 and not ctx.meta["argv"] and any(c.isspace() for c in words[0]):
            # No command has such a name: it is a line, with options behind it.
            ctx.params.clear()
            rest = super().parse_args(ctx, [*before, *words[1:], words[0]])
            if len(ctx.params["words"]) > 1:
                raise click.UsageError("A line is one word: put all of it in quotes.", ctx)
        return rest


@click.command(
    cls=_Command,
    context_settings=cli.CONTEXT | {"allow_interspersed_args": False},
    epilog="Exit codes: the command's own; 124 timed out, 125 safe-shell's own fault, 126 refused "
    "(nothing ran), 127 not installed, 2 usage.",
)
@click.option("--check", is_flag=True, help="Say whether the line may run; run nothing.")
@click.option("--explain", is_flag=True, help="Show each stage as it would run; run nothing.")
@click.option("--list", "list_", is_flag=True, help="What is allowed; of COMMANDS, with options.")
@click.option("--text", is_flag=True, help="Print stdout and stderr as they are, for people.")
@click.option("--timeout", type=float, metavar="SECONDS", help="Time limit of the line.")
@click.option("--cwd", metavar="FOLDER", help="Folder to start in, beneath the workspace.")
@click.option("--workspace", metavar="FOLDER", help="The folder that may be read.")
@click.option("--pretty", is_flag=True, help="Indent the JSON.")
@click.option("--debug", is_flag=True, help="Show where a failure came from.")
@cli.version_option
@click.argument("words", nargs=-1, metavar="LINE | -- COMMAND [ARGUMENT]...")
def command(
    words: tuple[str, ...],
    check: bool,
    explain: bool,
    list_: bool,
    text: bool,
    timeout: float | None,
    cwd: str | None,
    workspace: str | None,
    pretty: bool,
    debug: bool,
) -> int:
    """Run an allowlisted, read-only command LINE and answer in JSON.

    \b
    safe-shell 'git log --oneline | head -5'
    safe-shell 'cd src && rg -n "def main" | head'
    safe-shell -- rg 'a;b' src        one command, no line: nothing is special

    Pipes, && || ; newlines, quotes, globs, {a,b}, 2>&1, >/dev/null and < FILE work as in bash.
    Nothing is written, nothing is sent, no other program runs; what is refused says what to use.
    """
    from safeshell.call import Call, Options

    as_argv = bool(click.get_current_context().meta["argv"]) or len(words) > 1
    mode = "list" if list_ else "explain" if explain else "check" if check else "run"
    call = Call(Options(words, as_argv, mode, text, timeout, cwd, workspace, pretty))
    try:
        return call.answer()
    except ToolError as error:
        code = EXIT_CODES.get(error.code, error.exit_code)
        _EXTRA.update(call.failed(code))
        if not text:
            raise
        warn(f"{error.message} Hint: {error.hint}" if error.hint else error.message)
        return code


def main() -> NoReturn:
    """Console script."""
    cli.run(command, "safe-shell", exit_codes=EXIT_CODES, failure_extra=lambda: _EXTRA)
