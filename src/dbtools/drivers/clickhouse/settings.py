"""What each request tells the server: read-only, its limits, and a name to be stopped by."""

from __future__ import annotations

import re
from typing import Final

from dbtools.drivers.clickhouse.wire import Refused

_READ_ONLY_CODE: Final = 164
_UNKNOWN_SETTING: Final = 115
_CONSTRAINT: Final = 452
_SETTING: Final = re.compile(r"(?:Cannot modify|Unknown setting|Setting) [`'\"]?(\w+)")
# Rows a block may have: its cells are all in memory at once, and they may be long.
_BLOCK_ROWS: Final = "8192"
_LIMITED: Final = ("SELECT", "WITH")


def of_statement(seconds: float, rows: int | None, kind: str, *, compress: bool) -> dict[str, str]:
    """The settings of one statement.

    readonly=1 goes with the others in one request, which sets them all or none. The row cap is the
    `limit` setting, which an EXPLAIN would show as if the statement had it.
    """
    made = {
        "readonly": "1",
        "max_execution_time": f"{max(seconds, 0.001):.3f}",
        "timeout_overflow_mode": "throw",
        "max_block_size": _BLOCK_ROWS,
        "cancel_http_readonly_queries_on_client_close": "1",
        "log_comment": "sandbox-toolbelt",
    }
    if rows is not None and kind.upper().split(" ")[0] in _LIMITED:
        made["limit"] = str(rows)
    if compress:
        made["enable_http_compression"] = "1"
    return made


def refused_setting(error: Refused) -> str:
    """The setting that a refusal is about, '' when it is about something else."""
    if error.code not in (_READ_ONLY_CODE, _UNKNOWN_SETTING, _CONSTRAINT):
        return ""
    found = _SETTING.search(error.text)
    return found[1] if found else ""


def is_optional(error: Refused) -> bool:
    """Whether it may go without: the server is too old to know it, or the login's limit binds."""
    return error.code in (_UNKNOWN_SETTING, _CONSTRAINT)
