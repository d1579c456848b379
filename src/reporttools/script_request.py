"""execute-code's options as a Request; all that is wrong with them is told before anything runs."""

from __future__ import annotations

import sys
from typing import Final

from reporttools.script import Request
from reporttools.script_deps import parse
from toolbelt.errors import ToolError
from toolbelt.workspace import Workspace

CODE_BYTES: Final = 5_000_000
_SHORT: Final = {"py": "python", "js": "javascript", "node": "javascript"}


def request(
    language: str, code: str, dependencies: tuple[str, ...], timeout: float, output: str | None,
    workspace: str | None, network: bool,
) -> Request:  # fmt: skip
    """See `report-run execute-code --help`."""
    language = _SHORT.get(language, language)
    wanted = parse(language, dependencies)
    place = Workspace.find(workspace)
    beside = None
    if "\n" in code or code.rstrip().endswith(")"):
        raise ToolError(
            "USAGE", "--code takes the name of a file, not the code itself.",
            hint="--code FILE, or --code - and the code on stdin",
        )  # fmt: skip
    if code == "-":
        content, name = _from_stdin(), "<code>"
    else:
        with place.resolve_input(code) as source:
            content, name = source.file.read(CODE_BYTES + 1), code
            beside = source.path.parent
    if len(content) > CODE_BYTES:
        raise ToolError(
            "USAGE", f"The code is larger than {CODE_BYTES} bytes.",
            hint="put data into a file of the workspace and read it",
            detail={"reason": "too_large"},
        )  # fmt: skip
    if not content.strip():
        raise ToolError("USAGE", "There is no code.", hint="--code FILE, or --code - and stdin")
    folder = place.folder(output if output is not None else str(place.root / "output"), create=True)
    return Request(
        language, content, name, wanted, timeout, folder, place.root, network=network,
        beside=beside,
    )  # fmt: skip


def _from_stdin() -> bytes:
    if sys.stdin.isatty():
        raise ToolError("USAGE", "No code came on stdin.", hint="--code FILE")
    return sys.stdin.buffer.read(CODE_BYTES + 1)
