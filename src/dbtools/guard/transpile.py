"""A statement of another dialect, rewritten for the one it was sent to. Only ever a suggestion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlglot import exp

# The dialects that agents mix up most come first.
_SOURCES: Final = ("postgres", "mysql", "tsql", "sqlite", "oracle", "bigquery", "snowflake",
                   "clickhouse", "duckdb")  # fmt: skip
_LONGEST: Final = 20_000
# What sqlglot stumbles over in texts of no dialect at all.
_STUMBLES: Final = (ValueError, AttributeError, TypeError)


def rewrites(statement: str, dialect: str) -> Iterator[str]:
    """The statement as each other dialect would mean it, in ours; only texts that differ.

    dialect: the guard's name. The likeliest source comes first; nothing is checked beyond that
    sqlglot can read what it wrote.
    """
    import logging

    import sqlglot

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    if len(statement) > _LONGEST:
        return
    told: set[str] = {_plain(statement)}
    for source in sorted(_SOURCES, key=lambda s: -_marks(statement, s)):
        if source == dialect:
            continue
        tree = _parse(statement, source)
        if tree is None:
            continue
        try:
            text = tree.sql(dialect=dialect, unsupported_level=sqlglot.ErrorLevel.IGNORE)
        except (sqlglot.errors.SqlglotError, RecursionError, *_STUMBLES):
            continue  # no rewrite from this dialect
        if _plain(text) not in told and _parse(text, dialect) is not None:
            told.add(_plain(text))
            yield text


def _parse(text: str, dialect: str) -> exp.Expr | None:
    import sqlglot

    try:
        trees = sqlglot.parse(text, read=dialect)
    except (sqlglot.errors.SqlglotError, RecursionError, LookupError, *_STUMBLES):
        return None  # not a text of this dialect
    found = [t for t in trees if t is not None]
    if len(found) != 1 or type(found[0]).__name__ in ("Command", "Alias", "Column"):
        return None
    return found[0]


def _plain(text: str) -> str:
    return "".join(text.split()).rstrip(";").lower()


# What only a text of the dialect is likely to hold; `~` stands for a space.
_TELLTALES: Final = {
    "mysql": "` ifnull( date_format( curdate( str_to_date( group_concat( unix_timestamp(",
    "tsql": "~top~ getdate( dateadd( datediff( isnull( len( [ convert( datepart(",
    "postgres": ":: ~ilike~ date_trunc( interval~' to_char( string_agg( now() distinct~on",
    "sqlite": "strftime( julianday( datetime(' date(' printf(",
    "oracle": "nvl( sysdate rownum decode( ~dual to_date( listagg( add_months(",
    "bigquery": "safe_divide( date_sub( format_date( parse_date( timestamp_trunc( countif(",
    "snowflake": "iff( dateadd( zeroifnull( qualify~",
    "clickhouse": "tostartof todate( countif( tostring( uniq( toyyyymm(",
    "duckdb": "strptime( epoch_ms(",
}


def _marks(statement: str, source: str) -> int:
    lowered = f" {' '.join(statement.lower().split())} "
    marks = _TELLTALES.get(source, "").split()
    return sum(mark.replace("~", " ") in lowered for mark in marks)
