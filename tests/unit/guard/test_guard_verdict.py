"""What a verdict says: the text that may be sent, its kind, and a refusal one can act on."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dbtools.guard import MAX_BYTES, append_limit, check, segments, tables

SQL_DIALECTS = ("postgres", "mysql", "sqlite", "clickhouse", "bigquery", "tsql")


@pytest.mark.parametrize("dialect", SQL_DIALECTS)
@pytest.mark.parametrize("verb", ["DELETE", "INSERT", "UPDATE", "DROP", "CREATE", "GRANT"])
def test_a_guard_refusal_names_the_statement_as_the_seed_does(verb: str, dialect: str) -> None:
    verdict = check(f"{verb} something", dialect)
    assert not verdict.allowed
    assert verdict.kind == verb
    assert verdict.message == (
        f"Blocked: {verb} queries are not allowed. Only SELECT/WITH...SELECT/EXPLAIN permitted."
    )
    assert (verdict.token, verdict.position) == (verb, 1)
    assert verdict.hint


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("select 1", "SELECT"),
        ("with a as (select 1) select * from a", "SELECT"),
        ("(select 1) union (select 2)", "SELECT"),
        ("values (1)", "VALUES"),
        ("table t", "TABLE"),
        ("explain select 1", "EXPLAIN"),
        ("explain (analyze, buffers) select 1", "EXPLAIN"),
        ("show server_version", "SHOW"),
    ],
)
def test_the_guard_names_the_kind_of_a_read(statement: str, kind: str) -> None:
    verdict = check(statement, "postgres")
    assert (verdict.allowed, verdict.kind, verdict.reading) == (True, kind, "tokens")


@pytest.mark.parametrize(
    ("dialect", "statement", "sent"),
    [
        ("postgres", "select 1;", "select 1"),
        ("postgres", "  select /* a /* b */ c */ 1 -- end", "select   1"),
        ("postgres", ";;select 1 ; -- x\n;", "select 1"),
        ("postgres", "\ufeffselect 1", "select 1"),
        ("postgres", "SELECT  'A--b'  ,\n 1", "SELECT  'A--b'  ,\n 1"),
        ("mysql", "select /*+ NO_MERGE(t) */ 1", "select /*+ NO_MERGE(t) */ 1"),
        ("mysql", "select /*+ SET_VAR(sort_buffer_size=1) */ 1", "select   1"),
        ("mysql", "select 1 # x", "select 1"),
    ],
)
def test_the_guard_sends_the_callers_text_without_its_comments(
    dialect: str, statement: str, sent: str
) -> None:
    assert check(statement, dialect).statement == sent


@pytest.mark.parametrize("statement", ["", " \n\t", "-- only a comment", "/* x */ ;", ";;"])
@pytest.mark.parametrize("dialect", SQL_DIALECTS)
def test_the_guard_calls_an_empty_statement_a_usage_error(statement: str, dialect: str) -> None:
    verdict = check(statement, dialect)
    assert (verdict.allowed, verdict.code) == (False, "USAGE")
    assert "empty" in verdict.message


def test_the_guard_points_at_the_second_statement() -> None:
    verdict = check("SELECT 1;\nDROP TABLE t", "postgres")
    assert (verdict.token, verdict.position) == ("DROP", 11)
    assert "more than one statement" in verdict.message


def test_the_guard_counts_positions_in_the_callers_text() -> None:
    verdict = check("-- a comment\nSELECT pg_sleep(1)", "postgres")
    assert (verdict.token, verdict.position) == ("pg_sleep", 21)


@pytest.mark.parametrize("dialect", SQL_DIALECTS)
def test_the_guard_refuses_by_size_before_it_reads(dialect: str) -> None:
    verdict = check("select '" + "x" * MAX_BYTES + "'", dialect)
    assert (verdict.allowed, verdict.code) == (False, "STATEMENT_TOO_LONG")
    assert check("é" * (MAX_BYTES // 2 + 1), dialect).code == "STATEMENT_TOO_LONG"


@pytest.mark.parametrize("dialect", SQL_DIALECTS)
def test_a_long_honest_list_passes_the_guard(dialect: str) -> None:
    numbers = ", ".join(str(n) for n in range(100_000))
    assert check(f"select * from t where a in ({numbers})", dialect).allowed


@pytest.mark.parametrize("dialect", SQL_DIALECTS)
@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000,
        "(" * 10_000 + "select 1" + ")" * 10_000,
        "select " + "(" * 201 + "1" + ")" * 201,
        "select \x00 1",
        "select '\x00'",
        "select '\ud800'",
        "\udfff",
        "select 1\u200f",
        "select\u00a01; drop table t",
        "select \x1b[31m",
        "a" * 1_000_000,
        "'" * 999_999,
        "select " + "1," * 300_000,
        "select 'a' " + "-- " * 50_000,  # a pattern that may fail in many ways would never end
        "select 'a'\n" + "-- x\n" * 50_000 + "'b",
        "select 1 from t where x = 'ü' \r\n and y = 2 \r ; delete from t",
    ],
)
def test_hostile_text_gets_a_guard_refusal_not_a_traceback(text: str, dialect: str) -> None:
    verdict = check(text, dialect)
    assert verdict.allowed is bool(verdict.statement)
    tables(text, dialect)
    segments(text, dialect)


@pytest.mark.parametrize(
    ("dialect", "statement", "limited", "can_limit"),
    [
        ("postgres", "select a from t", False, True),
        ("postgres", "select a from t limit 5", True, False),
        ("postgres", "select a from t limit all", False, False),
        ("postgres", "select a from t limit :n", True, False),
        ("postgres", "select a from t offset 5", False, True),
        ("postgres", "select a from t fetch first 5 rows only", True, False),
        ("postgres", "(select a from t limit 5)", True, False),
        ("postgres", "(select a from t limit 5) union (select 1 limit 2)", False, True),
        ("postgres", "select * from (select a from t limit 5) x", False, True),
        ("postgres", "select a as limits, t.limit from t", False, True),
        ("postgres", "explain select a from t", False, False),
        ("postgres", "show all", False, False),
        ("postgres", "with x as (select 1 limit 1) (select * from x)", False, False),
        ("mysql", "select a from t limit 5, 10", True, False),
        ("mysql", "select a from t limit rows examined 100", False, False),
        ("mysql", "select a from t offset 2 rows", False, False),
        ("mysql", "show tables", False, False),
        ("sqlite", "values (1), (2)", False, False),
        ("sqlite", "select a from t union all values (2)", False, False),
        ("sqlite", "pragma table_info(t)", False, False),
        ("clickhouse", "select a from t limit 5", True, False),
        ("clickhouse", "select a from t limit 1 by a", False, False),
        ("clickhouse", "select a from t", False, False),
        ("bigquery", "select a from t limit 5", True, False),
        ("tsql", "select top 5 a from t", True, False),
        ("tsql", "select a from t", False, False),
    ],
)
def test_the_guard_knows_the_row_limit_of_the_root(
    dialect: str, statement: str, limited: bool, can_limit: bool
) -> None:
    verdict = check(statement, dialect)
    assert verdict.allowed, verdict
    assert (verdict.limited, verdict.can_limit) == (limited, can_limit)
    longer = f"{statement}\nLIMIT 10" if can_limit else statement
    assert append_limit(verdict, 10) == longer


@pytest.mark.parametrize(
    ("dialect", "statement", "parts"),
    [
        ("postgres", "select :a, :b_2", ["select ", ("a",), ", ", ("b_2",)]),
        ("postgres", "select ':a', \":a\", $$:a$$ -- :a", ["select ':a', \":a\", $$:a$$"]),
        ("postgres", "select x::int, a[1:n], a[:n]", ["select x::int, a[1:n], a[", ("n",), "]"]),
        ("postgres", ":a", [("a",)]),
        ("postgres", "select f(x := 1), (b):c", ["select f(x := 1), (b):c"]),
        ("sqlite", "select :a, @b, $c, ?1", ["select ", ("a",), ", @b, $c, ?1"]),
        ("mysql", "select ':a', :a", ["select ':a', ", ("a",)]),
        ("clickhouse", "select {x:UInt8}, a ? b:c", ["select {x:UInt8}, a ? b:c"]),
        ("tsql", "select json_object('a':1), :a", ["select json_object('a':1), ", ("a",)]),
        ("bigquery", "select @p, :p", ["select @p, ", ("p",)]),
        ("postgres", "select 'open", ["select 'open"]),
    ],
)
def test_the_guard_finds_placeholders_where_the_lexer_sees_them(
    dialect: str, statement: str, parts: list[str | tuple[str]]
) -> None:
    assert segments(statement, dialect) == parts


@pytest.mark.parametrize(
    ("dialect", "statement", "read"),
    [
        ("postgres", "select 1", []),
        ("postgres", 'select * from a, b.c x join "D e" on 1 = 1', ["a", "b.c", "D e"]),
        ("postgres", "with q as (select * from z), r(x) as (select 1) select * from q, r", ["z"]),
        ("postgres", "select * from f(1), lateral (select * from u) v", ["u"]),
        ("postgres", "table t", ["t"]),
        ("postgres", "select extract(day from d) from t where a is distinct from b", ["t"]),
        ("postgres", "select * from t where x in (select y from u)", ["t", "u"]),
        ("postgres", "select * from t union select * from t", ["t"]),
        ("mysql", "select * from `a b`.`c`, d", ["a b.c", "d"]),
        ("tsql", "select * from [my db]..[t] cross apply f(x)", ["my db..t"]),
        ("bigquery", "select * from `p.d.t`, unnest(t.xs)", ["p.d.t"]),
        ("clickhouse", "from t select a array join b", ["t"]),
        ("sqlite", "select * from main.t, json_each(t.x)", ["main.t"]),
    ],
)
def test_the_guard_lists_the_tables_read(dialect: str, statement: str, read: list[str]) -> None:
    assert tables(statement, dialect) == read


@pytest.mark.parametrize(
    ("dialect", "statement", "word"),
    [
        ("postgres", "select set_config('a', 'b', false)", "current_setting"),
        ("postgres", "select * into x from t", "-o"),
        ("postgres", "copy t to stdout", "--format csv"),
        ("postgres", "select * from t for update", "locking"),
        ("mysql", "select @a := 1", "window"),
        ("mysql", "use other", "database.table"),
        ("sqlite", "pragma journal_mode = delete", "table_info"),
        ("sqlite", "select load_extension('x')", "tables"),
        ("clickhouse", "select * from url('http://x')", "tables"),
        ("clickhouse", "select 1 settings readonly = 0", "max_threads"),
        ("tsql", "select 1 delete from t", "quote"),
        ("tsql", "select * from a.b.c.d", "database.schema.table"),
        ("bigquery", "select * from external_query('a', 'b')", "tables"),
    ],
)
def test_a_guard_refusal_teaches_the_honest_way(dialect: str, statement: str, word: str) -> None:
    verdict = check(statement, dialect)
    assert not verdict.allowed
    assert word in verdict.hint
    assert verdict.message.startswith("Blocked: ")
    assert verdict.position > 0


def test_the_guard_asks_sqlglot_only_on_doubt() -> None:
    assert check("select a update from t", "postgres").reading == "tree"
    assert check("select t.update, is_deleted from t", "postgres").reading == "tokens"
    code = (
        "import sys\nfrom dbtools.guard import check\n"
        "assert check('select a from t where b = 1', sys.argv[1]).allowed\n"
        "heavy = {'sqlglot', 'dataclasses', 'inspect', 'json', 'logging', 'tomllib', 'asyncio'}\n"
        "print(sorted(heavy & set(sys.modules)),"
        " sorted(m for m in sys.modules if m.startswith('dbtools.guard.tables_')))\n"
    )
    for dialect in SQL_DIALECTS:
        done = subprocess.run(
            [sys.executable, "-c", code, dialect], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == f"[] ['dbtools.guard.tables_{dialect}']"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("SELEC 1", "did you mean SELECT?"),
        ("SLECT 1", "did you mean SELECT?"),
        ("SELCET 1", "did you mean SELECT?"),
        ("WIHT x AS (SELECT 1) SELECT 1", "did you mean WITH?"),
        ("SHOW TABLES", "db-schema lists the tables"),
        (".tables", "db-schema lists the tables"),
        ("DESC orders", "db-schema --table"),
        ("SET x = 1", "options of db-query"),
        ("DELETE FROM t", "connections are read-only"),
    ],
)
def test_a_refusal_names_what_was_probably_meant(text: str, hint: str) -> None:
    assert hint in check(text, "sqlite").hint
