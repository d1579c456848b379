"""What a session is told before it reads: read-only, its time limits, how text is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pymysql
from pymysql.converters import escape_string

from dbtools.drivers.mysql.wire import Wire

_UNKNOWN_VARIABLE: Final = 1193
_UNKNOWN_ZONE: Final = 1298

# The guard cuts text into words with backslash escapes on and double quotes around strings:
# ANSI_QUOTES, NO_BACKSLASH_ESCAPES, IGNORE_SPACE and ORACLE would change that, so they are off.
_PINNED_MODE: Final = ("STRICT_TRANS_TABLES", "ERROR_FOR_DIVISION_BY_ZERO")
# These change what an expression means, never where it ends: the server's choice stays.
_KEPT_MODE: Final = (
    "ONLY_FULL_GROUP_BY", "PIPES_AS_CONCAT", "NO_UNSIGNED_SUBTRACTION", "HIGH_NOT_PRECEDENCE",
    "PAD_CHAR_TO_FULL_LENGTH", "REAL_AS_FLOAT", "NO_ZERO_DATE", "NO_ZERO_IN_DATE",
    "TIME_ROUND_FRACTIONAL", "TIME_TRUNCATE_FRACTIONAL", "EMPTY_STRING_IS_NULL",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Setting:
    """A variable and its value as SQL, under the names of different servers, best first.

    needed: without it the session would not be what the caller must be able to rely on.
    """

    choices: tuple[tuple[str, str], ...]
    needed: bool = False

    def __str__(self) -> str:
        name, text = self.choices[0]
        return f"@@SESSION.{name} = {text}"


def _mode() -> str:
    parts = [f"'{name}'" for name in _PINNED_MODE]
    parts += [f"IF(FIND_IN_SET('{name}', @@sql_mode), '{name}', NULL)" for name in _KEPT_MODE]
    return f"CONCAT_WS(',', {', '.join(parts)})"


def apply(wire: Wire, seconds: float, rows: int | None, zone: str) -> None:
    """Set the session up in one statement and begin a read-only transaction in a second.

    seconds: the server's limit for a statement. rows: the most a plain SELECT may give, None for
    all. zone: the session's time zone, '' for the server's. Raises the library's errors.
    """
    settings = _settings(wire, seconds, rows, zone)
    while True:
        try:
            wire.rows("SET NAMES utf8mb4, " + ", ".join(map(str, settings)))
            break
        except pymysql.Error as error:
            if error.args[0] != _UNKNOWN_VARIABLE:
                raise
            settings = _without(settings, str(error.args[1]), error)
    wire.rows("START TRANSACTION READ ONLY")


def _settings(wire: Wire, seconds: float, rows: int | None, zone: str) -> list[_Setting]:
    milliseconds = max(1, round(seconds * 1000))
    limits = [
        ("max_execution_time", str(milliseconds)),
        ("max_statement_time", f"{milliseconds / 1000:.3f}"),
    ]
    read_only = [("transaction_read_only", "1"), ("tx_read_only", "1")]
    if wire.is_mariadb:
        limits.reverse()
        read_only.reverse()
    whole = str(-(-milliseconds // 1000))
    made = [
        _Setting(tuple(read_only), needed=True),
        _one("sql_mode", _mode(), needed=True),
        _Setting(tuple(limits)),
        _one("lock_wait_timeout", whole),
        _one("innodb_lock_wait_timeout", whole),
        _one("sql_select_limit", "DEFAULT" if rows is None else str(rows)),
        # MySQL cuts GROUP_CONCAT at 1024 bytes; this is MariaDB's limit.
        _one("group_concat_max_len", "1048576"),
    ]
    if zone:
        made.append(_one("time_zone", f"'{escape_string(zone)}'", needed=True))
    return made


def _one(name: str, text: str, *, needed: bool = False) -> _Setting:
    return _Setting(((name, text),), needed)


def _without(settings: list[_Setting], message: str, error: pymysql.Error) -> list[_Setting]:
    """The settings without the variable this server does not know, or with its other name."""
    kept: list[_Setting] = []
    for setting in settings:
        unknown = f"'{setting.choices[0][0]}'" in message
        if not unknown:
            kept.append(setting)
        elif setting.choices[1:]:
            kept.append(_Setting(setting.choices[1:], setting.needed))
        elif setting.needed:
            raise error
    if kept == settings:
        raise error
    return kept


def is_unknown_zone(error: pymysql.Error) -> bool:
    """Whether the server knows no such time zone."""
    return bool(error.args and error.args[0] == _UNKNOWN_ZONE)
