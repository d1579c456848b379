"""Which manifest is in force, and whether it may be trusted.

`--recipes`, else TOOLBELT_CONVERSIONS, else the built-in table. A manifest that is named replaces
the built-in one whole; one that is missing, malformed or writable by others is an error, never a
reason to fall back.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from convert.fields import Invalid
from convert.listing import BUILT_IN, VARIABLE
from convert.load import table
from convert.recipe import Table
from toolbelt.data import recipes
from toolbelt.errors import ToolError

_MAX_BYTES: Final = 1 << 20


def load(option: str | None, workspace: Path | None = None) -> Table:
    """The table in force; BAD_CONFIG for a manifest that cannot be used.

    workspace: where the caller may write; a manifest (or its scripts) beneath it is refused.
    """
    named = option if option is not None else os.environ.get(VARIABLE) or None
    if named is None:
        return builtin()
    if option is None and not named.startswith("/"):
        raise _bad(named, f"{VARIABLE} must be an absolute path", "export its absolute path")
    path = Path(os.path.abspath(named))  # noqa: PTH100 (Path.absolute keeps `..`)
    if workspace is not None:
        _check_place(path, workspace)
    return _parse(path, _read(path))


def builtin() -> Table:
    """The table that ships with the command."""
    from convert.builtin import MANIFEST

    return table(MANIFEST, recipes() / "conversions", BUILT_IN)


def _parse(path: Path, text: str) -> Table:
    import tomllib

    try:
        content = tomllib.loads(text)
        extends = builtin() if content.get("extends") == "builtin" else None
        return table(content, path.parent / "conversions", str(path), extends)
    except tomllib.TOMLDecodeError as error:
        raise _bad(str(path), f"it is not TOML: {error}", "mend that line") from error
    except Invalid as error:
        raise _bad(str(path), str(error), "see docs/file-convert.md for the rules") from error


def _read(path: Path) -> str:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        raise _bad(str(path), f"it cannot be read: {error.strerror}", "check the path") from error
    with os.fdopen(fd, "rb") as file:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise _bad(str(path), "it is not a regular file", "name a TOML file")
        if info.st_uid not in (0, os.geteuid()):
            raise _bad(str(path), "it belongs to another user", f"chown root {path}")
        if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise _bad(str(path), "others may write to it", f"chmod go-w {path}")
        raw = file.read(_MAX_BYTES + 1)
    if len(raw) > _MAX_BYTES:
        raise _bad(str(path), "it is larger than 1 MB", "shorten it")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _bad(
            str(path), f"it is not UTF-8 (byte {error.start})", "save it as UTF-8"
        ) from error


def _check_place(path: Path, workspace: Path) -> None:
    """Who may write a manifest may run any program; so it must not lie where the caller writes."""
    for place in (path, path.parent / "conversions"):
        if place.is_relative_to(workspace) or place.resolve().is_relative_to(workspace):
            raise _bad(
                str(path), f"{place.name!r} lies in the workspace, where the caller may change it",
                "keep the manifest and its scripts outside the workspace",
            )  # fmt: skip


def _bad(path: str, why: str, hint: str) -> ToolError:
    return ToolError("BAD_CONFIG", f"The manifest {path!r} cannot be used: {why}.", hint=hint)
