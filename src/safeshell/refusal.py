"""Why a line is refused: one closed list of reasons, one way to raise them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from toolbelt.errors import ToolError

# A shell's own numbers, where they differ from those of the other commands; 127 is a result.
EXIT_CODES: Final[Mapping[str, int]] = MappingProxyType(
    {
        "BLOCKED": 126,
        "BAD_PATH": 126,
        "TIMEOUT": 124,
        "BAD_CONFIG": 125,
        "MISSING_DEP": 125,
        "INTERNAL": 125,
    }
)
# reason -> what it means, in a word; `safe-shell` users may rely on the left column.
REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "EMPTY": "no command",
        "TOO_LONG": "a limit on bytes, words, stages, braces or file names",
        "BAD_CHARACTER": "a control, format or look-alike character",
        "SYNTAX": "shell language outside the grammar",
        "SUBSTITUTION": "$(...), backticks, <(...) or >(...)",
        "EXPANSION": "a variable, arithmetic, tilde or $'...'",
        "HEREDOC": "<< or <<<",
        "REDIRECT": "a redirection other than to /dev/null, between 1 and 2, or from a file",
        "BACKGROUND": "&",
        "ENV_ASSIGNMENT": "NAME=value before a command",
        "COMMAND_NAME": "not a bare tool name",
        "COMMAND_NOT_ALLOWED": "a program that is not on the list",
        "SUBCOMMAND_NOT_ALLOWED": "a subcommand that is not on the list",
        "FLAG_NOT_ALLOWED": "an option that is not on the tool's list",
        "BAD_VALUE": "a value of the wrong type",
        "TOO_MANY_OPERANDS": "more operands than the tool may have",
        "PATH_OUTSIDE": "a path that leaves the workspace",
        "SECRET_FILE": "a file whose name says that it holds secrets",
        "UNSAFE_REPOSITORY": "a git repository that reaches outside the workspace",
        "PROGRAM": "a jq or sed program that reads files, runs programs or never ends",
    }
)


def refuse(
    reason: str, message: str, hint: str, *, token: str = "", position: int | None = None
) -> ToolError:
    """BLOCKED with its reason; nothing of the line runs.

    token: the part of the line at fault. position: its index in the line, in characters.
    """
    if reason not in REASONS:
        raise AssertionError(reason)
    detail: dict[str, object] = {"reason": reason, "token": token}
    if position is not None:
        detail["position"] = position
    return ToolError("BLOCKED", message, hint=hint, detail=detail)
