"""`python -m dbtools.broker`: serve until SIGTERM."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path
from typing import NoReturn

import click

from dbtools.broker import operator, place
from dbtools.start import SOCKET
from toolbelt import cli, linux

HELP = """Run db-query and db-schema for users who must not see the database's secrets.

Reads DB_* from its environment (or --settings-fd), serves calls on a socket, one process a call.
"""


@click.command(context_settings=cli.CONTEXT, help=HELP)
@click.option("--socket", "path", default=SOCKET, show_default=True, metavar="PATH",
              help="Where to listen; the folder should be the broker's own.")  # fmt: skip
@click.option("--uid", "uids", type=click.IntRange(min=0), multiple=True, required=True,
              help="A user to serve. Repeatable.")  # fmt: skip
@click.option("--running", type=click.IntRange(1, 256), default=16, show_default=True,
              help="Calls that run at a time.")  # fmt: skip
@click.option("--waiting", type=click.IntRange(0, 1000), default=100, show_default=True,
              help="Further calls that wait; more are refused.")  # fmt: skip
@click.option("--settings-fd", type=click.IntRange(min=3), help="Read NAME=VALUE\\0... from here.")
@click.option("--ready-fd", type=click.IntRange(min=3), help="Write a byte here once it listens.")
@click.option("--debug", is_flag=True, help="Show tracebacks on stderr.")
def command(
    path: str,
    uids: tuple[int, ...],
    running: int,
    waiting: int,
    settings_fd: int | None,
    ready_fd: int | None,
    debug: bool,
) -> None:
    """The command; its help text is HELP."""
    del debug
    _keep_to_ourselves()
    configured = operator.take_from_process()
    if settings_fd is not None:
        configured = operator.take(_read(settings_fd))
    from dbtools.broker import child
    from dbtools.broker.preload import preload, rehearse
    from dbtools.broker.server import Broker, Rules

    engines = preload(configured)
    listener = place.listen(Path(path))
    rules = Rules(frozenset(uids), running, waiting)
    parent = os.getpid()
    broker = Broker(
        listener,
        rules,
        run_call=lambda request, streams: child.run(request, streams, configured, parent),
        rehearse=lambda: rehearse(engines),
    )
    sys.stderr.write(f"broker: serves {path} for uid {', '.join(map(str, uids))}; "
                     f"preloaded: {', '.join(engines) or 'no engine'}\n")  # fmt: skip
    if ready_fd is not None:
        os.write(ready_fd, b"+")
        os.close(ready_fd)
    broker.serve()
    Path(path).unlink(missing_ok=True)


def _keep_to_ourselves() -> None:
    """No other process of our user may look into this one, and no crash leaves its memory."""
    linux.prctl(linux.PR_SET_DUMPABLE, 0)
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read(descriptor: int) -> dict[str, str]:
    with open(descriptor, "rb") as source:
        pairs = os.fsdecode(source.read()).split("\0")
    found = (pair.partition("=") for pair in pairs if pair)
    return {key: value for key, _, value in found}


def main() -> NoReturn:
    """`python -m dbtools.broker`."""
    cli.run(command, "dbtools.broker")


if __name__ == "__main__":
    main()
