"""`python -m dbtools.broker.launch -- PROGRAM ...`: the container's entry point, started as root.

Reads the secrets, starts the broker under its own user, and becomes the program under the client's,
without capabilities and without any DB_* variable. The secrets go to the broker through a pipe:
they stand in no command line, in no environment but root's own, which ends here, and in no file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import click

from dbtools.broker import identity, operator
from dbtools.broker.identity import User
from dbtools.start import SOCKET, VARIABLE
from toolbelt import cli
from toolbelt.errors import ToolError

HELP = """Start the broker with the secrets of DB_*, then become PROGRAM as an unprivileged user.

Without any DB_* variable no broker is started. Must be run as root.
"""
# What else the broker takes from root's environment; the program keeps all but the secret ones.
_KEPT = (
    "PATH", "LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy",
    "NO_PROXY", "no_proxy", "TOOLBELT_LEXICON", "BIGQUERY_EMULATOR_HOST",
)  # fmt: skip
_SECRET = ("GOOGLE_APPLICATION_CREDENTIALS",)


@click.command(context_settings={**cli.CONTEXT, "ignore_unknown_options": True}, help=HELP)
@click.option("--client", default="sandbox", show_default=True, metavar="USER",
              help="Who runs PROGRAM and is served: a name, uid or uid:gid.")  # fmt: skip
@click.option("--broker", "server", default="broker", show_default=True, metavar="USER",
              help="Who holds the secrets.")  # fmt: skip
@click.option("--socket", "path", default=SOCKET, show_default=True, metavar="PATH")
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def command(client: str, server: str, path: str, program: tuple[str, ...]) -> None:
    """The command; its help text is HELP."""
    if os.geteuid() != 0:
        raise ToolError("BAD_CONFIG", "This must be run as root.", hint="docker run --user 0 ...")
    asker, holder = identity.find(client), identity.find(server)
    if asker.uid == holder.uid:
        raise ToolError("BAD_CONFIG", "Client and broker are one user.", hint="name two")
    env = dict(os.environ)
    configured = operator.take(env)
    if configured.env:
        _start_broker(holder, asker, Path(path), configured.env, env)
        env[VARIABLE] = path
    for key in _SECRET:
        env.pop(key, None)
    _become_program(asker, program, env)


def _start_broker(
    holder: User, asker: User, path: Path, secrets: Mapping[str, str], env: Mapping[str, str]
) -> None:
    """Start it and wait until it listens; BAD_CONFIG if it ends instead (it has said why)."""
    _own_folder(path.parent, holder)
    (settings, fill), (ready, told) = os.pipe(), os.pipe()
    if os.fork() == 0:
        # A second fork: the broker belongs to init, not to the program that we become.
        os.setsid()
        if os.fork() == 0:
            os.close(fill)
            os.close(ready)
            _be_broker(holder, asker, path, env, settings, told)
        os._exit(0)
    os.wait()
    os.close(settings)
    os.close(told)
    with open(fill, "wb") as pipe:  # noqa: PTH123
        pipe.write(os.fsencode("\0".join(f"{key}={value}" for key, value in secrets.items())))
    if os.read(ready, 1) != b"+":
        raise ToolError("BAD_CONFIG", "The broker did not start.", hint="see its message above")
    os.close(ready)


def _be_broker(
    holder: User, asker: User, path: Path, env: Mapping[str, str], settings: int, told: int
) -> NoReturn:
    own = {key: env[key] for key in (*_KEPT, *_SECRET) if key in env}
    # A cache of its own; db-schema keeps structure there, never data.
    own |= {"HOME": str(path.parent), "XDG_CACHE_HOME": str(path.parent / "cache")}
    argv = [
        sys.executable, "-I", "-m", "dbtools.broker", "--socket", str(path),
        "--uid", str(asker.uid), "--settings-fd", str(settings), "--ready-fd", str(told),
    ]  # fmt: skip
    try:
        for fd in (settings, told):
            os.set_inheritable(fd, True)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(2, 1)
        identity.become(holder)
        os.umask(0o022)
        os.chdir("/")
        os.execve(sys.executable, argv, own)  # noqa: S606 - that is the purpose
    except BaseException as error:
        sys.stderr.write(f"broker: could not start: {error} {getattr(error, 'hint', '')}\n")
        sys.stderr.flush()
    finally:
        os._exit(70)


def _own_folder(folder: Path, holder: User) -> None:
    """The socket's folder, the broker's own and open to all for passing through."""
    try:
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        if folder.stat().st_uid != holder.uid:
            # In this order: what is another user's takes a further capability to change.
            folder.chmod(0o755)
            os.chown(folder, holder.uid, holder.gid)
    except OSError as error:
        raise ToolError(
            "BAD_CONFIG", f"{str(folder)!r} cannot be made the broker's: {error.strerror}.",
            hint=f"--tmpfs {folder} --cap-add CHOWN gives it a folder that it may own",
        ) from error  # fmt: skip


def _become_program(asker: User, program: tuple[str, ...], env: dict[str, str]) -> NoReturn:
    if asker.name:
        env |= {"HOME": asker.home, "USER": asker.name, "LOGNAME": asker.name}
    identity.become(asker)
    try:
        os.execvpe(program[0], program, env)  # noqa: S606 - that is the purpose
    except OSError as error:
        raise ToolError(
            "USAGE", f"{program[0]!r} cannot be run: {error.strerror}.", hint="name a program"
        ) from error


def main() -> NoReturn:
    """`python -m dbtools.broker.launch`."""
    cli.run(command, "dbtools.broker.launch")


if __name__ == "__main__":
    main()
