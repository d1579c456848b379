"""Every way a command can fail: one closed table of codes and one exception."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# code -> exit code. The table of architecture: callers may rely on both columns.
EXIT_CODES: Final[Mapping[str, int]] = {
    "BLOCKED": 1,
    "BAD_PATH": 1,
    "STATEMENT_TOO_LONG": 1,
    "USAGE": 2,
    "UNKNOWN_CONNECTION": 2,
    "UNKNOWN_FORMAT": 2,
    "UNKNOWN_PRESET": 2,
    "UNKNOWN_TEMPLATE": 2,
    "BAD_DATA": 2,
    "BAD_CONFIG": 2,
    "CONNECTION_FAILED": 3,
    "AUTH_FAILED": 3,
    "QUERY_FAILED": 4,
    "CONVERT_FAILED": 4,
    "RENDER_FAILED": 4,
    "CODE_FAILED": 4,
    "DEP_FAILED": 4,
    "OUTPUT_FAILED": 4,
    "MISSING_DEP": 5,
    "INTERNAL": 70,
    "TIMEOUT": 124,
    "CANCELLED": 130,
    "READER_GONE": 141,
}


class ToolError(Exception):
    """A failure a caller can act on.

    code: a key of EXIT_CODES. message: what happened, and to which value. hint: the next thing
    to type, or the valid values. detail: further JSON-ready keys of the envelope's `error` object
    (`reason`, `token`, `position`, `stage`, `stderrTail`, ...). exit_code: only where a command
    documents another number for this code (a shell's 126).
    """

    def __init__(
        self,
        code: str,
        message: str,
        hint: str = "",
        detail: Mapping[str, object] | None = None,
        exit_code: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.detail: dict[str, object] = dict(detail or {})
        self.exit_code = EXIT_CODES[code] if exit_code is None else exit_code

    def body(self) -> dict[str, object]:
        """The envelope's `error` object."""
        body: dict[str, object] = {"code": self.code, "message": self.message}
        if self.hint:
            body["hint"] = self.hint
        body.update(self.detail)
        return body


def missing_extra(what: str, extra: str) -> ToolError:
    """MISSING_DEP for a Python package that an extra of ours brings."""
    return ToolError(
        "MISSING_DEP",
        f"{what} is not installed.",
        hint=f"pip install 'sandbox-toolbelt[{extra}]'",
        detail={"extra": extra},
    )


def nearest(name: str, known: list[str], count: int = 3) -> list[str]:
    """The known names most like a mistyped one, best first."""
    from difflib import get_close_matches

    folded = {k.lower(): k for k in known}
    return [folded[m] for m in get_close_matches(name.lower(), list(folded), count, 0.6)]
