"""What the guard allows changes nothing on real engines, even for a login that may do anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fuzz.campaign import campaign
from fuzz.open import on
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
}
ENGINES = ("postgres", "mariadb", "sqlite")
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
    for attack in (part.strip() for part in attacks.split("|")):
        target.reset()
        before = target.fingerprint()
        answer = target.run(attack)
        told = MARKER in answer or answer in ("copy", "session lost")
        assert told or target.fingerprint() != before, attack
    target.reset()


def test_what_the_guard_allows_changes_nothing(target: Target) -> None:
    report = campaign(target, SHORT, seed=20260131)
    assert report.tried == SHORT
    assert report.executed > SHORT // 20
    assert not report.found, report.found
