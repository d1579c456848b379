"""What the guard allows changes nothing on real engines, even for a login that may do anything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fuzz.campaign import Report, campaign, together
from fuzz.found import append, rows
from fuzz.grammar import choices
from fuzz.open import ENGINES, on
from fuzz.targets import MARKER, Target
from servers import Server, process

# Attacks that the canaries must notice when they are sent past the guard.
NOTICED = {
    "postgres": """
        delete from canary | select nextval('canary_seq') | select set_config('canary.x', 'y', false) |
        select pg_advisory_lock(77) | select lo_from_bytea(0, 'x') | create temp table evil (a int) |
        select pg_reload_conf() | select pg_switch_wal() | select pg_stat_reset() | listen canary | notify canary |
        select pg_terminate_backend({pid}) | prepare p as select 1 | declare c cursor with hold for select 1 |
        copy canary to '{dir}/new' | select pg_read_file('{file}') | select dblink_connect('{dsn}') | begin |
        select * from t for update | select txid_current() | set work_mem = '5MB' | create role evil |
        select pg_create_physical_replication_slot('canary_slot', true) | select 1; drop table canary""",
    "mysql": """
        delete from canary | select nextval(canary_seq) | set @canary = 1 | select last_insert_id(7) |
        select get_lock('canary', 0) | select load_file('{file}') | select 1 into outfile '{dir}/new' |
        create table evil (a int) | set sql_mode = 'ansi' | begin | kill {pid} | handler canary open |
        select @canary := 1 | use mysql | do 1 | select 1; drop table canary | flush tables""",
    "sqlite": """
        delete from canary | pragma user_version = 9 | attach '{dir}/new' as evil | vacuum into '{dir}/new' |
        create temp table evil (a int) | begin | pragma cache_size = 77 | select readfile('{file}') |
        select load_extension('x') | pragma journal_mode = wal | select 1; drop table canary""",
    "clickhouse": """
        insert into canary values (8, 'w') | select sleep(0.01) | select file('{file}') | drop table canary |
        select * from url('http://127.0.0.1:{port}/', 'LineAsString', 'x String') | create database evil |
        alter table canary delete where id = 1 settings mutations_sync = 1 | create function evil as (q) -> q |
        describe table url('http://127.0.0.1:{port}/') | insert into function file('{dir}/new', 'TSV') select 1 |
        select 1 into outfile '{dir}/new' | truncate table canary | rename table canary to evil""",
}
# Reads that once looked like changes: pg_trgm's `%` loads a library, which brings settings along.
UNNOTICED = {
    "postgres": """
        select 'a' % 'b' | select 'a' <% 'b' | select '[1,2]'::vector <-> '[3,4]' | select 'a=>1'::hstore |
        select * from pg_stat_activity | select count(*) from pg_class, pg_class b | explain analyze select 1""",
    "mysql": """
        select * from t, u, x order by rand() | explain select 1 | show tables | show status | select @@version |
        select * from information_schema.tables""",
    "sqlite": """
        select * from json_each('[1]') | select * from pragma_table_info('t') | pragma user_version |
        select count(*) from t, u, x | select name from sqlite_master""",
    "clickhouse": """
        select * from system.tables | select count() from t, u, x, numbers(1000) | describe table t | show tables |
        explain pipeline select 1 from t | select 1 from t settings max_threads = 2""",
}
SHORT = 1_500


@pytest.fixture(params=ENGINES)
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    """The canaries on a shared test server, in a database of their own where the engine has such."""
    name = str(request.param)
    server = None if name == "sqlite" else request.getfixturevalue(name)
    with _canaries(name, server) as made:
        yield made


@contextmanager
def _canaries(name: str, server: Server | None) -> Iterator[Target]:
    identity = process.unprivileged() if server else process.Identity()
    folder = process.scratch_folder(f"fuzz-{name}", identity)
    made = on(name, folder, server)
    try:
        yield made
    finally:
        made.close()
        process.remove_folder(folder)


def test_the_canaries_notice_what_the_guard_would_stop(target: Target) -> None:
    attacks = NOTICED[target.dialect]
    for name, value in target.fill().items():
        attacks = attacks.replace("{" + name + "}", value)
    for attack in choices(attacks):
        target.reset()
        before = target.fingerprint()
        answer = target.run(attack)
        told = MARKER in answer or answer in ("copy", "session lost")
        assert told or target.fingerprint() != before, attack
    target.reset()


def test_the_canaries_do_not_mind_what_only_reads(target: Target) -> None:
    before = target.fingerprint()
    for read in choices(UNNOTICED[target.dialect]):
        target.run(read)
        assert target.fingerprint() == before, read


def test_what_only_a_batch_does_is_shrunk_to_what_it_takes(target: Target) -> None:
    change = choices(NOTICED[target.dialect])[0]
    found = together(target, ["select 1", "select 2", change, "select 3"], "told")
    assert list(found) == [change]


def test_a_change_that_does_not_come_again_is_told_all_the_same(target: Target) -> None:
    assert list(together(target, ["select 1", "select 2"], "told").values()) == [
        "not seen again: told"
    ]


def test_a_finding_becomes_a_case(tmp_path: Path) -> None:
    report = Report("Postgres", 1, found={"select f('/tmp/scratch-1/x')": "files: a -> b"})
    found = rows(report, "postgres", {"dir": "/tmp/scratch-1"})
    assert append(tmp_path / "found.jsonl", found) == 1
    assert append(tmp_path / "found.jsonl", found) == 0
    [row] = map(json.loads, (tmp_path / "found.jsonl").read_text("utf-8").splitlines())
    assert row["query"] == "select f('/tmp/x')"
    assert (row["dialect"], row["verdict"], row["why"]) == ("postgres", "block", "files: a -> b")


def test_what_the_guard_allows_changes_nothing(target: Target) -> None:
    report = campaign(target, SHORT, seed=20260131)
    assert report.tried == SHORT
    assert report.executed > SHORT // 20
    assert not report.found, report.found
