"""From the options of a subcommand to its story and its envelope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolbelt import envelope
from toolbelt.errors import ToolError

if TYPE_CHECKING:
    from convert.request import Request


def one(target: str, source: str, output: str | None, **rest: Any) -> None:
    """`file-convert FORMAT INPUT`."""
    from convert import manifest
    from convert.job import convert
    from convert.request import PIPE
    from toolbelt.workspace import Workspace

    workspace = Workspace.find(rest["workspace"])
    table = manifest.load(rest["recipes"], workspace.root)
    done = convert(request(target, source, output, rest), table, workspace)
    if output == PIPE:
        envelope.warn_raw(envelope.dumps({"ok": True, **done.body()}))
    else:
        envelope.write_success(done.body(), pretty=rest["pretty"])


def request(target: str, source: str, output: str | None, rest: dict[str, Any]) -> Request:
    """One conversion from the options of the command line."""
    from convert.request import Request

    timeout = rest["timeout"]
    if timeout is not None and not 0 < timeout <= 86400:
        raise ToolError("USAGE", f"--timeout is {timeout}.", hint="seconds above 0, such as 30")
    return Request(
        target=target,
        input=source,
        output=output,
        preset=rest["preset"],
        options=_options(rest["options"]),
        source=rest["kind"],
        timeout=timeout,
        force=rest["force"],
        mkdirs=rest["mkdirs"],
        strict=rest["strict"],
    )


def _options(pairs: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise ToolError("USAGE", f"--opt {pair!r} is not of the form NAME=VALUE.")
        found[name] = value
    return found


def listing(**rest: Any) -> None:
    """`file-convert list`."""
    from convert.listing import listing as listed

    body = listed(rest["recipes"], rest["source"], rest["target"])
    envelope.write_success(body, pretty=rest["pretty"], rows_key="recipes")


def shown(**rest: Any) -> None:
    """`file-convert show FROM TO`."""
    from convert import manifest
    from convert.doctor import resolved

    table = manifest.load(rest["recipes"])
    envelope.write_success(
        resolved(table, rest["source"], rest["target"], rest["preset"]), pretty=rest["pretty"]
    )


def examine(**rest: Any) -> int:
    """`file-convert doctor`."""
    from convert import manifest
    from convert.doctor import examine as look

    table = manifest.load(rest["recipes"])
    return look(table, rest["source"], rest["target"], deep=rest["deep"], pretty=rest["pretty"])


def many(target: str, patterns: tuple[str, ...], **rest: Any) -> int:
    """`file-convert batch`."""
    from convert.batch import batch

    return batch(target, patterns, rest)
