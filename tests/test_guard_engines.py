"""The guard beside real engines: they split the text as it does, and take what it sends."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pymysql
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pglast import parser
from pymysql.constants import CLIENT

from dbtools.guard import append_limit, check, segments
from dbtools.guard.lexer import Tokens, scan
from dbtools.guard.model import Refused
from servers import Server
from servers.mariadb import connect as connect_mariadb
from servers.postgres import connect as connect_postgres

CASES = Path(__file__).parent / "cases" / "guard"
PIECES = st.sampled_from(
    r"""'a' 'it''s' 'it\'s' "b" "c""d" `e` [f] ' " ` \ \\ $$ $a$ $b$ $a E' E'x' N' U&' U&" x'41' -- --/**/ # /* */
    /* /* */ */ - + * , ; ( ) 1 2.5 .5 1e3 0x1F 1_0 a as é null :: := @a ? | || < > = . : % & ~ ^ !""".split()
)
SPACES = st.sampled_from(["", "", " ", "\n", "\r\n", "\t", "\u00a0"])
TEXTS = st.lists(st.tuples(PIECES, SPACES), max_size=16).map(
    lambda pairs: "select " + "".join(piece + space for piece, space in pairs)
)
CALM = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def _gated(text: str, dialect: str) -> Tokens | None:
    try:
        return scan(text, dialect)
    except Refused:
        return None


def _spans(tokens: Tokens) -> list[str]:
    """The words, names, numbers and strings of the gated text, as PostgreSQL would list them."""
    found = []
    for kind, key, start in zip(tokens.kinds, tokens.keys, tokens.starts, strict=True):
        text = tokens.text[start : start + len(key)]
        if kind == "U":  # our token holds the UESCAPE clause, too
            found += re.findall(r"[uU]&\"(?:[^\"]|\"\")*\"|[uU][eE]\w+|'.'", text)
        elif kind == "S" and text[0] in "nN":  # NCHAR and a string, to PostgreSQL
            found += [text[0], text[1:]]
        elif kind != "P":
            found.append(text)
    return found


@pytest.mark.hypothesis
@given(TEXTS)
def test_postgresqls_lexer_splits_a_guarded_text_as_the_guard_does(text: str) -> None:
    tokens = _gated(text, "postgres")
    if tokens is None:
        return
    # A placeholder is a value by then.
    parts = segments(text, "postgres")
    sent = scan("".join(p if isinstance(p, str) else "$1" for p in parts), "postgres")
    try:
        theirs = list(parser.scan(sent.text))
    except parser.ParseError:
        return  # the server refuses it
    assert not [token for token in theirs if token.name in ("SQL_COMMENT", "C_COMMENT")]
    words = [sent.text[token.start : token.end + 1] for token in theirs]
    assert [w for w in words if re.match(r"[\w'\"$\x80-\U0010ffff]|\.\d", w)] == _spans(sent)


@pytest.fixture(scope="module")
def open_mariadb(mariadb: Server) -> Iterator[pymysql.Connection]:
    """A session that takes several statements a text, as no session of ours would."""
    connection = pymysql.connect(
        host=mariadb.host, port=mariadb.port, user=mariadb.owner.user, autocommit=True,
        password=mariadb.owner.password.encode(), charset="utf8mb4",
        client_flag=CLIENT.MULTI_STATEMENTS,
    )  # fmt: skip
    with connection:
        yield connection


def _mariadb_values(connection: pymysql.Connection, text: str) -> list[object] | None:
    """The rows of every result with columns; None for an error."""
    with connection.cursor() as cursor:
        try:
            cursor.execute(text)
            results: list[object] = []
            while True:
                if cursor.description:
                    results.append(cursor.fetchall())
                if not cursor.nextset():
                    return results
        except (pymysql.err.Error, UnicodeEncodeError):
            return None


@pytest.mark.hypothesis
@CALM
@given(TEXTS)
def test_mariadb_answers_the_gated_text_as_the_callers(
    open_mariadb: pymysql.Connection, text: str
) -> None:
    tokens = _gated(text, "mysql")
    if tokens is None or ";" in tokens.keys:
        return
    theirs = _mariadb_values(open_mariadb, text)
    if theirs is not None:
        assert _mariadb_values(open_mariadb, tokens.clean) == theirs


def _sqlite_values(connection: sqlite3.Connection, text: str) -> list[object] | None:
    try:
        return list(connection.execute(text))
    except (sqlite3.Error, sqlite3.Warning, ValueError):
        return None


@pytest.mark.hypothesis
@given(TEXTS)
def test_sqlite_answers_the_gated_text_as_the_callers(text: str) -> None:
    tokens = _gated(text, "sqlite")
    if tokens is None or ";" in tokens.keys:
        return
    connection = sqlite3.connect(":memory:")
    theirs = _sqlite_values(connection, text)
    if theirs is not None:
        assert _sqlite_values(connection, tokens.clean) == theirs
    connection.close()


def _allowed(dialect: str) -> list[str]:
    lines = (line for path in sorted(CASES.glob("*.jsonl")) for line in path.open(encoding="utf-8"))
    records = (json.loads(line) for line in lines)
    return [r["query"] for r in records if r["dialect"] == dialect and r["verdict"] == "allow"]


def _sent(query: str, dialect: str) -> tuple[str, str]:
    """The text sent without and with its LIMIT, placeholders as NULL."""
    verdict = check(query, dialect)
    assert verdict.allowed, verdict
    return _filled(verdict.statement, dialect), _filled(append_limit(verdict, 3), dialect)


def _filled(text: str, dialect: str) -> str:
    return "".join(part if isinstance(part, str) else "NULL" for part in segments(text, dialect))


# MySQL 8 and 9 know these, MariaDB 10.11 does not.
MYSQL_ONLY = re.compile(
    r"->|LATERAL|VALUES ROW|MEMBER OF|RETURNING|RANGE BETWEEN INTERVAL|^TABLE |^EXPLAIN (TABLE|ANALYZE)"
    r"|AS v \(a\)|VALUES\(a\)|^SHOW LOCALES"
)


def test_a_limit_line_never_breaks_a_statement_on_postgresql(postgres: Server) -> None:
    with connect_postgres(postgres) as connection:
        for query in _allowed("postgres"):
            plain, limited = _sent(query, "postgres")
            assert not _postgres_syntax(connection, plain), plain
            assert not _postgres_syntax(connection, limited), limited


def _postgres_syntax(connection: psycopg.Connection, text: str) -> bool:
    """Is it a syntax error? Nothing runs: the statement is only prepared."""
    result = connection.pgconn.prepare(b"", text.encode())
    state = result.error_field(psycopg.pq.DiagnosticField.SQLSTATE)
    return state == b"42601"


def test_a_limit_line_never_breaks_a_statement_on_mariadb(mariadb: Server) -> None:
    with connect_mariadb(mariadb) as connection:
        for query in _allowed("mysql"):
            plain, limited = _sent(query, "mysql")
            if not MYSQL_ONLY.search(query):
                assert not _mariadb_syntax(connection, plain), plain
                assert not _mariadb_syntax(connection, limited), limited


def _mariadb_syntax(connection: pymysql.Connection, text: str) -> bool:
    with connection.cursor() as cursor:
        try:
            cursor.execute(text)
        except pymysql.err.Error as error:
            return bool(error.args[0] == 1064)
    return False


def test_a_limit_line_never_breaks_a_statement_on_sqlite() -> None:
    connection = sqlite3.connect(":memory:")
    for query in _allowed("sqlite"):
        for text in _sent(query, "sqlite"):
            try:
                connection.execute(text)
            except sqlite3.Error as error:
                # 3.46 knows 1_000; older libraries do not.
                assert "syntax" not in str(error) or "1_0" in text, text
            except sqlite3.ProgrammingError:
                continue  # parameters without values
    connection.close()
