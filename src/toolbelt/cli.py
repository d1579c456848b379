"""The face all five commands share: click outside, one envelope and one exit code inside."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import FrameType
from typing import NoReturn

import click

from toolbelt import __version__
from toolbelt.envelope import write_failure, write_stdout
from toolbelt.errors import ToolError

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Streaming:
    """Set when stdout is for rows only, so that a failure must not add a document to it."""

    active = False


class Terminated(KeyboardInterrupt):
    """SIGTERM, handled like Ctrl-C: cancel, clean up, leave."""


def _on_sigterm(_signum: int, _frame: FrameType | None) -> NoReturn:
    raise Terminated


def version_option(command: Callable[..., object]) -> Callable[..., object]:
    """`--version`, from a literal: importlib.metadata costs more than the whole answer."""

    def show(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            write_stdout(f"{ctx.find_root().info_name} {__version__}\n")
            ctx.exit()

    return click.option(
        "--version", is_flag=True, expose_value=False, is_eager=True, callback=show,
        help="Show the version and exit.",
    )(command)  # fmt: skip


def usage_error(error: click.ClickException, name: str) -> ToolError:
    """click's own complaint as our USAGE error, with the way to the help text."""
    ctx = getattr(error, "ctx", None)
    name = ctx.command_path if ctx is not None else name
    return ToolError("USAGE", error.format_message(), hint=f"{name} --help")


def run(
    command: click.Command,
    name: str,
    *,
    exit_codes: Mapping[str, int] | None = None,
    failure_extra: Callable[[], Mapping[str, object]] | None = None,
) -> NoReturn:
    """Run a click command as a console script; every failure becomes envelope and exit code.

    exit_codes: a command's own numbers for some codes (safe-shell: 126 refused).
    failure_extra: keys that this command puts beside `error` (file-convert's `format`).
    """
    signal.signal(signal.SIGTERM, _on_sigterm)
    debug = "--debug" in sys.argv[1:] or os.environ.get("TOOLBELT_DEBUG", "") not in ("", "0")
    try:
        code = _call(command, name)
    except BrokenPipeError:
        code = _reader_gone()
    except ToolError as error:
        code = (exit_codes or {}).get(error.code, error.exit_code)
        if debug:
            _show_traceback()
        code = _report(error, code, failure_extra() if failure_extra else {})
    except Exception as error:
        if debug:
            _show_traceback()
        internal = ToolError(
            "INTERNAL",
            f"{name} met a bug of its own: {type(error).__name__}.",
            hint=f"run it again with --debug to see where, and report it ({name} {__version__})",
        )
        code = (exit_codes or {}).get("INTERNAL", internal.exit_code)
        code = _report(internal, code, failure_extra() if failure_extra else {})
    _leave(code)


def _call(command: click.Command, name: str) -> int:
    # Not command.main(): it answers a closed pipe with an exit code of its own.
    try:
        with command.make_context(name, sys.argv[1:]) as ctx:
            result = command.invoke(ctx)
    except click.exceptions.Exit as left:
        return left.exit_code
    except click.ClickException as error:
        raise usage_error(error, name) from error
    except (click.Abort, KeyboardInterrupt) as stop:
        by = "SIGTERM" if isinstance(stop, Terminated) else "an interrupt"
        raise ToolError("CANCELLED", f"Stopped by {by}.") from stop
    return result if isinstance(result, int) else 0


def _report(error: ToolError, code: int, extra: Mapping[str, object]) -> int:
    try:
        write_failure(error, on_stderr=Streaming.active, extra=extra)
    except BrokenPipeError:
        return _reader_gone()
    return code


def leave_at_once(error: ToolError) -> NoReturn:
    """Answer from another thread and end the process: the main thread is held and will not."""
    code = _report(error, error.exit_code, {})
    with suppress(OSError):
        sys.stdout.flush()
    os._exit(code)


def _reader_gone() -> int:
    # Whatever is still buffered has no reader: give the interpreter's last flush a place to go.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 141


def _show_traceback() -> None:
    import traceback

    traceback.print_exc()


def _leave(code: int) -> NoReturn:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _reader_gone()
    except OSError:
        code = code or 70
    sys.exit(code)
