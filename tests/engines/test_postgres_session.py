"""Statements on real PostgreSQL: read-only whatever is sent, cut short in time, told apart."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from postgres_kit import cells, connection, execution, failure, query, session

from dbtools.drivers.base import Execution, Placeholder
from dbtools.drivers.postgres import connect as open_session
from servers import Login, Server
from servers.postgres import connect, create_database
from toolbelt.errors import ToolError


@pytest.fixture(scope="module")
def store(each_postgres: Server) -> Server:
    """A database with a table, a function that writes, and a sequence."""
    server = create_database(each_postgres, "store")
    with connect(server) as owner:
        owner.execute("""
            CREATE TABLE item (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text, at date);
            INSERT INTO item (name, at) VALUES ('one', '2024-01-01'), ('two', '2024-02-02');
            CREATE FUNCTION write_item() RETURNS int LANGUAGE plpgsql AS
              $$ BEGIN INSERT INTO item (name) VALUES ('x'); RETURN 1; END $$;
            CREATE FUNCTION loosen_and_write() RETURNS int LANGUAGE plpgsql AS
              $$ BEGIN SET LOCAL transaction_read_only = off;
                       INSERT INTO item (name) VALUES ('x'); RETURN 1; END $$;
        """)
    return server


# What the read-only transaction, the snapshot or the extended protocol refuses to a superuser.
REFUSED = {
    "INSERT INTO item (name) VALUES ('x')": "25006",
    "UPDATE item SET name = 'x'": "25006",
    "DELETE FROM item": "25006",
    "TRUNCATE item": "25006",
    "DROP TABLE item": "25006",
    "CREATE TABLE other (a int)": "25006",
    "CREATE TABLE other AS SELECT 1": "25006",
    "SELECT 1 INTO other": "25006",
    "CREATE TEMP TABLE other (a int)": "25006",
    "ALTER TABLE item ADD COLUMN b int": "25006",
    "GRANT SELECT ON item TO reader": "25006",
    "COMMENT ON TABLE item IS 'x'": "25006",
    "WITH gone AS (DELETE FROM item RETURNING id) SELECT * FROM gone": "25006",
    "SELECT * FROM item FOR UPDATE": "25006",
    "SELECT nextval('item_id_seq')": "25006",
    "SELECT setval('item_id_seq', 9)": "25006",
    "SELECT write_item()": "25006",
    "SELECT loosen_and_write()": "25001",
    "EXPLAIN ANALYZE INSERT INTO item (name) VALUES ('x')": "25006",
    "COPY item (name) FROM '/etc/hostname'": "25006",
    "REFRESH MATERIALIZED VIEW item": "25006",
    "SET TRANSACTION READ WRITE": "25001",
    "SET transaction_read_only = off": "25001",
    "SELECT set_config('transaction_read_only', 'off', true)": "25001",
    "VACUUM item": "25001",
    "CREATE DATABASE other": "25006",
    "SELECT 1; SELECT 2": "42601",
    "COMMIT; INSERT INTO item (name) VALUES ('x')": "42601",
    "SET TRANSACTION READ WRITE; DELETE FROM item": "42601",
}


@pytest.mark.parametrize("text", REFUSED)
def test_writes_are_refused_to_the_owner(store: Server, text: str) -> None:
    error = failure(store, text)
    assert error.detail["sqlstate"] == REFUSED[text]
    assert error.code == ("BLOCKED" if REFUSED[text] == "25006" else "QUERY_FAILED")
    with connect(store) as owner:
        rows = owner.execute("SELECT count(*), max(id) FROM item").fetchone()
    assert rows == (2, 2)


def test_a_session_that_was_committed_cannot_write_either(store: Server) -> None:
    """Even a transaction that somehow ended leaves a session whose next one is read-only."""
    with session(store) as opened:
        cells(opened.execute(execution("COMMIT")))
        with pytest.raises(ToolError, match="read-only transaction"):
            cells(opened.execute(execution("INSERT INTO item (name) VALUES ('x')")))


def test_copy_is_refused(store: Server) -> None:
    assert failure(store, "COPY item TO STDOUT").code == "BLOCKED"


def test_settings_are_pinned(store: Server) -> None:
    names = {
        "default_transaction_read_only": "on", "transaction_read_only": "on",
        "statement_timeout": "20s", "lock_timeout": "10s", "application_name": "sandbox-toolbelt",
        "idle_in_transaction_session_timeout": "80s", "standard_conforming_strings": "on",
        "client_encoding": "UTF8", "backslash_quote": "safe_encoding",
    }  # fmt: skip
    columns = ", ".join(f"current_setting('{name}')" for name in names)
    assert query(store, f"SELECT {columns}") == [list(names.values())]


def test_schema_sets_the_search_path(store: Server) -> None:
    with connect(store) as owner:
        owner.execute('CREATE SCHEMA "My ""odd\\ schema" CREATE TABLE t (a int)')
    with session(store, schema='My "odd\\ schema, public') as opened:
        result = opened.execute(
            execution("SELECT current_schemas(false), (SELECT count(*) FROM t)")
        )
        assert cells(result) == [[['My "odd\\ schema', "public"], 0]]


# -- columns and rows ---------------------------------------------------------------------------


def test_columns_without_rows_keep_names_and_types(store: Server) -> None:
    with session(store) as opened:
        result = opened.execute(execution("SELECT id, name, name AS id FROM item WHERE false"))
        assert [(c.name, c.type) for c in result.columns] == [
            ("id", "integer"), ("name", "text"), ("id", "text"),
        ]  # fmt: skip
        assert cells(result) == []


def test_no_columns(store: Server) -> None:
    with session(store) as opened:
        result = opened.execute(execution("SELECT FROM generate_series(1, 3)"))
        assert (result.columns, cells(result)) == ([], [[], [], []])


def test_nulls_only(store: Server) -> None:
    assert query(store, "SELECT NULL, NULL::bigint, NULL::float8, NULL::jsonb, NULL::int[]") == [
        [None] * 5
    ]


def test_as_many_columns_as_the_engine_takes(store: Server) -> None:
    (row,) = query(store, "SELECT " + ", ".join(f"{i} AS c{i}" for i in range(1600)))
    assert row == list(range(1600))
    error = failure(store, "SELECT " + ", ".join(["1"] * 1700))
    assert error.detail["sqlstate"] == "54011"


def test_a_cell_of_fifty_megabytes(store: Server) -> None:
    ((cell,),) = query(store, "SELECT repeat('x', 50000000)")
    assert cell == "x" * 50_000_000


@pytest.mark.parametrize("text", ["SHOW server_version", "EXPLAIN SELECT 1", "VALUES (1), (2)"])
def test_other_statements_with_rows(store: Server, text: str) -> None:
    assert len(query(store, text)) >= 1


def test_rows_stream_and_the_rest_is_given_up(store: Server) -> None:
    with session(store) as opened:
        result = opened.execute(execution("SELECT generate_series(1, 100000000)"))
        rows = iter(result.rows)
        assert [next(rows)[0] for _ in range(3)] == [1, 2, 3]
        started = time.monotonic()
        result.close()
        assert time.monotonic() - started < 5
        assert running(store) == []


def running(server: Server) -> list[str]:
    """What our sessions are executing on this database now."""
    with connect(server) as owner:
        rows = owner.execute(
            "SELECT query FROM pg_stat_activity WHERE application_name = 'sandbox-toolbelt'"
            " AND state = 'active' AND datname = current_database()"
        )
        return [row[0] for row in rows]


def wait_for(condition: Callable[[], bool], seconds: float = 10) -> bool:
    """Whether the condition comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


# -- round trips --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "trips"),
    [
        # Begin, snapshot, parse and describe in one; then the rows.
        ("SELECT 1, 'x', ARRAY[1.5], now()", 2),
        ("SELECT * FROM item LIMIT 0", 2),
        # A type that is not built in costs one question.
        ("SELECT i, ARRAY[i] FROM item i", 3),
    ],
)
def test_round_trips(store: Server, text: str, trips: int) -> None:
    with session(store) as opened:
        cells(opened.execute(execution(text)))
        assert opened._wire.round_trips == trips


# -- time ---------------------------------------------------------------------------------------


def test_the_server_ends_a_statement_in_time(store: Server) -> None:
    error = failure(store, "SELECT pg_sleep(30)", timeout=0.3)
    assert (error.code, error.detail["sqlstate"]) == ("TIMEOUT", "57014")
    assert error.detail["timeoutSeconds"] == 0.3


def test_the_limit_holds_for_the_whole_result(store: Server) -> None:
    """A cursor's limit would start anew at every fetch."""
    error = failure(store, "SELECT g, pg_sleep(0.2) FROM generate_series(1, 30) AS g", timeout=0.7)
    assert error.code == "TIMEOUT"


def test_cancel_from_another_thread_ends_it_on_the_server(store: Server) -> None:
    with session(store) as opened:
        timer = threading.Timer(0.3, opened.cancel)
        timer.start()
        with pytest.raises(ToolError) as caught:
            cells(opened.execute(execution("SELECT pg_sleep(30)")))
        timer.join()
        assert caught.value.code == "TIMEOUT"
        assert running(store) == []


def test_cancel_before_the_statement_holds_too(store: Server) -> None:
    with session(store) as opened:
        opened.cancel()
        with pytest.raises(ToolError) as caught:
            cells(opened.execute(execution("SELECT 1")))
        assert caught.value.code == "TIMEOUT"


def test_cancel_while_parsing_waits_for_a_lock(store: Server) -> None:
    with connect(store) as owner, owner.transaction():
        owner.execute("LOCK TABLE item IN ACCESS EXCLUSIVE MODE")
        with session(store) as opened:
            timer = threading.Timer(0.3, opened.cancel)
            timer.start()
            with pytest.raises(ToolError) as caught:
                opened.execute(execution("SELECT * FROM item"))
            timer.join()
    assert caught.value.code == "TIMEOUT"


def test_a_lock_is_not_waited_for_beyond_the_limit(store: Server) -> None:
    with connect(store) as owner, owner.transaction():
        owner.execute("LOCK TABLE item IN ACCESS EXCLUSIVE MODE")
        error = failure(store, "SELECT * FROM item", timeout=0.4)
    assert error.code == "TIMEOUT"


def test_closing_stops_what_runs(store: Server) -> None:
    opened = open_session(connection(store), 60)
    text = "SELECT repeat('x', 10000), pg_sleep(0.001) FROM generate_series(1, 99999)"
    result = opened.execute(execution(text))
    assert len(str(next(iter(result.rows))[0])) == 10_000
    opened.close()
    assert wait_for(lambda: running(store) == [])


def test_cancel_and_close_after_the_end_do_nothing(store: Server) -> None:
    opened = open_session(connection(store), 5)
    opened.close()
    opened.cancel()
    opened.close()


# -- failures -----------------------------------------------------------------------------------


def test_an_error_names_state_and_position(store: Server) -> None:
    error = failure(store, "SELECT id,\n nosuch FROM item")
    assert error.code == "QUERY_FAILED"
    assert error.detail["sqlstate"] == "42703"
    assert error.detail["position"] == 13
    assert "nosuch" in error.message
    assert "\n" not in error.message


def test_a_position_counts_in_the_callers_text(store: Server) -> None:
    segments = (
        "SELECT 'é🎉', ",
        Placeholder("long_name"),
        "::int + ",
        Placeholder("b"),
        ", nosuch",
    )
    error = failure(store, *segments, parameters={"long_name": 1, "b": 2})
    whole = Execution(segments).text()
    assert whole[int(str(error.detail["position"])) - 1 :].startswith("nosuch")


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("SELECT * FROM nosuch", "42P01"),
        ("SELECT 1/0", "22012"),
        ("SELEC 1", "42601"),
        ("SELECT nosuch(1)", "42883"),
        ("SELECT 'x'::int", "22P02"),
        ("SELECT 1/(g - 5000) FROM generate_series(1, 9999) g", "22012"),
    ],
)
def test_the_engines_errors(store: Server, text: str, state: str) -> None:
    error = failure(store, text)
    assert (error.code, error.detail["sqlstate"]) == ("QUERY_FAILED", state)


def test_no_right_to_read(store: Server) -> None:
    with connect(store) as owner:
        owner.execute("DROP ROLE IF EXISTS stranger")
        owner.execute("CREATE ROLE stranger LOGIN PASSWORD 'out'")
    with session(store, Login("stranger", "out")) as opened, pytest.raises(ToolError) as caught:
        cells(opened.execute(execution("SELECT * FROM item")))
    assert caught.value.detail["sqlstate"] == "42501"
    assert "GRANT SELECT" in caught.value.hint


def test_a_server_that_goes_away_in_mid_result(store: Server) -> None:
    with session(store) as opened:
        result = opened.execute(
            execution("SELECT repeat('x', 1000) FROM generate_series(1, 5000000)")
        )
        rows = iter(result.rows)
        next(rows)
        with connect(store) as owner:
            owner.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'sandbox-toolbelt' AND datname = current_database()"
            )
        with pytest.raises(ToolError) as caught:
            for _ in rows:
                pass
    assert caught.value.code == "CONNECTION_FAILED"
    assert "lost" in caught.value.message


# -- parameters ---------------------------------------------------------------------------------


HOSTILE = "O'Brien; DROP TABLE item; -- \\ % $1 :y"


def bound(server: Server, text: str, value: object) -> object:
    """One cell of a statement with `:x` bound."""
    before, _, after = text.partition(":x")
    ((cell,),) = query(server, before, Placeholder("x"), after, x=value)
    return cell


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("SELECT :x", HOSTILE, HOSTILE),
        ("SELECT :x", 5, 5),
        ("SELECT :x", 5_000_000_000, 5_000_000_000),
        ("SELECT :x", 2**70, str(2**70)),
        ("SELECT :x", 0.1, "0.1"),
        ("SELECT :x", True, True),
        ("SELECT :x", None, None),
        ("SELECT :x", {"a": [1, "é"]}, {"a": [1, "é"]}),
        ("SELECT :x", [1, 2], [1, 2]),
        ("SELECT :x", [1, 2.5, None], ["1", "2.5", None]),
        ("SELECT :x", [True, False], [True, False]),
        ("SELECT :x", [[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        ("SELECT :x", [1, "a"], [1, "a"]),
        ("SELECT :x", [[1], [2, 3]], [[1], [2, 3]]),
        ("SELECT :x", [{"a": 1}], [{"a": 1}]),
        ("SELECT cardinality(:x)", [], 0),
        ("SELECT count(*) FROM item WHERE at >= :x", "2024-02-01", 1),
        ("SELECT count(*) FROM item WHERE id = :x", "2", 1),
        ("SELECT count(*) FROM item WHERE id = :x", 2, 1),
        ("SELECT count(*) FROM item WHERE name = :x", 5, 0),
        ("SELECT count(*) FROM item WHERE at = ANY(:x)", ["2024-01-01", "2024-02-02"], 2),
        ("SELECT count(*) FROM item WHERE id = ANY(:x)", [1, 2, 3], 2),
        ("SELECT count(*) FROM item WHERE name = ANY(:x)", ["one", 'q"\\'], 1),
        ("SELECT count(*) FROM item WHERE name LIKE :x || '%'", "o", 1),
        ("SELECT count(*) FROM unnest(:x) AS u", ["a", "b"], 2),
        ("SELECT jsonb_build_object('k', :x)", "v", {"k": "v"}),
        ("SELECT round(:x, 1)", 2.25, "2.3"),
        ("SELECT 10 * :x", 1.5, "15.0"),
        ("SELECT (SELECT max(g) FROM generate_series(1, :x) g)", 7, 7),
        ("SELECT :x::date + 1", "2024-02-28", "2024-02-29"),
        ("SELECT to_jsonb(:x)", ["a"], ["a"]),
        ("SELECT 'a%b%s%%' || :x", "", "a%b%s%%"),
        ("SELECT date '2024-01-01' + :x", 1, "2024-01-02"),
        ("SELECT now() - :x::interval < now()", "1 day", True),
        ("EXPLAIN SELECT :x + 1", 1, "Result  (cost=0.00..0.01 rows=1 width=4)"),
    ],
)  # fmt: skip
def test_parameters(store: Server, text: str, value: object, expected: object) -> None:
    assert bound(store, text, value) == expected


def test_a_parameter_twice_and_others_between(store: Server) -> None:
    a, b = Placeholder("a"), Placeholder("b")
    segments = ("SELECT ", a, "::int, ", b, "::text, ", a, " + 1")
    assert query(store, *segments, a=1, b="x") == [[1, "x", 2]]


def test_a_parameter_of_the_wrong_kind_is_the_engines_error(store: Server) -> None:
    error = failure(
        store, "SELECT * FROM item WHERE at = ", Placeholder("x"), parameters={"x": "soon"}
    )
    assert (error.code, error.detail["sqlstate"]) == ("QUERY_FAILED", "22007")


@pytest.mark.parametrize("value", ["a\0b", "\ud800"])
def test_a_parameter_that_is_no_text(store: Server, value: str) -> None:
    error = failure(store, "SELECT ", Placeholder("x"), parameters={"x": value})
    assert error.code == "USAGE"
    assert ":x" in error.message


# -- a database that takes any bytes ------------------------------------------------------------


def test_bytes_that_are_no_text(each_postgres: Server) -> None:
    with connect(each_postgres) as owner:
        owner.execute(
            "CREATE DATABASE anybytes ENCODING 'SQL_ASCII' TEMPLATE template0"
            " LC_COLLATE 'C' LC_CTYPE 'C'"
        )
    server = each_postgres.with_database("anybytes")
    with connect(server) as owner:
        owner.execute("SET client_encoding = 'SQL_ASCII'")
        owner.execute(r"CREATE TABLE raw AS SELECT E'caf\xe9' AS a, E'\xc3\xa9' AS b")
    with session(server) as opened:
        text = "SELECT a, b, ARRAY[a, b], ROW(a, 1), 'ü', 1.5, raw FROM raw WHERE b = 'é'"
        ((a, b, array, row, literal, number, whole),) = cells(opened.execute(execution(text)))
    raw = "base64:Y2Fm6Q=="
    assert (a, b, array, row) == (raw, "é", [raw, "é"], [raw, "1"])
    assert (literal, number, whole) == ("ü", "1.5", {"a": raw, "b": "é"})
    with session(server) as opened:
        result = opened.execute(execution("SELECT a, b FROM raw", want_csv=True))
        assert result.native_csv is None
        assert cells(result) == [[raw, "é"]]
    assert list(result.warnings) == ["text that is not UTF-8 became base64"]


def test_a_database_in_another_encoding(each_postgres: Server) -> None:
    with connect(each_postgres) as owner:
        owner.execute(
            "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
        )
    assert query(each_postgres.with_database("latin"), "SELECT 'é' || chr(233)") == [["éé"]]
