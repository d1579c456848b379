"""Random statements of one dialect: honest queries with hostile parts dropped into any position."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

CASES = Path(__file__).parents[1] / "cases" / "guard"
TABLES = ("t", "orders", "customers", "u", "x", "docs")
COLUMNS = ("a", "b", "id", "total", "name", "x", "v")

# What an attacker wants to reach. {dir}, {port} and {file} are filled in by the target.
HOSTILE_CALLS = {
    "postgres": """
        pg_sleep(0.01) | set_config('canary.x','1',false) | nextval('canary_seq') | setval('canary_seq',99) |
        pg_advisory_lock(77) | pg_try_advisory_lock_shared(77) | pg_advisory_xact_lock(77) | lo_creat(-1) |
        lo_from_bytea(0,'x') | lo_import('{file}') | lo_unlink(1) | pg_read_file('{file}') | pg_ls_dir('{dir}') |
        pg_stat_file('{file}') | pg_read_binary_file('{file}') | pg_notify('canary','x') | txid_current() |
        pg_current_xact_id() | pg_stat_reset() | pg_stat_reset_shared('bgwriter') | pg_reload_conf() |
        pg_switch_wal() | pg_create_restore_point('x') | pg_terminate_backend({pid}) |
        query_to_xml('select secret from canary',true,false,'') | table_to_xml('canary',true,false,'') |
        database_to_xml(true,false,'') | ts_stat('select secret::tsvector from canary') |
        ts_rewrite('a'::tsquery,'select ''a''::tsquery, ''b''::tsquery') | dblink('{dsn}','select 1') |
        dblink_exec('{dsn}','delete from canary') | dblink_connect('{dsn}') | crosstab('select 1,2,3') |
        pg_logical_emit_message(true,'a','b') | pg_create_physical_replication_slot('canary_slot') |
        brin_summarize_new_values('canary_brin') | pg_stat_statements_reset() | pg_prewarm('canary') |
        pg_export_snapshot() | pg_import_system_collations('public') | pg_cancel_backend({pid}) |
        pg_clear_relation_stats('public','canary') | pg_file_write('{dir}/new','x',false) | setseed(0.5)""",
    "mysql": """
        sleep(0.01) | benchmark(10,1) | get_lock('canary',0) | release_lock('canary') | release_all_locks() |
        load_file('{file}') | last_insert_id(7) | nextval(canary_seq) | setval(canary_seq,99) |
        master_pos_wait('x',1,1) | is_used_lock('canary') | next value for canary_seq | @canary := 1 |
        lastval(canary_seq) | is_free_lock('canary') | last_insert_id(id)""",
    "sqlite": """
        load_extension('{file}') | readfile('{file}') | writefile('{dir}/new','x') | edit('x','y') |
        eval('delete from canary') | fsdir('{dir}') | zipfile('a','b') | exec('delete from canary') |
        fts3_tokenizer('x','y') | sqlar_compress('x') | shell_add_schema('x') | pragma_user_version(9) |
        pragma_cache_size(9) | pragma_journal_mode('off') | pragma_optimize()""",
    "clickhouse": """
        sleep(0.01) | sleepEachRow(0.01) | file('{file}') | url('http://127.0.0.1:{port}/','LineAsString','x String') |
        s3('http://127.0.0.1:{port}/b/k','LineAsString') | remote('127.0.0.1:{port}','system','one') |
        executable('cat','TSV','x String') | mysql('127.0.0.1:{port}','d','t','u','p') |
        postgresql('127.0.0.1:{port}','d','t','u','p') | sqlite('{file}','t') | mongodb('127.0.0.1:{port}','d','t','u','p') |
        redis('127.0.0.1:{port}','k','k String') | hdfs('hdfs://127.0.0.1:{port}/x','TSV','x String') |
        file('{file}','LineAsString','x String') | remoteSecure('127.0.0.1:{port}','system','one') |
        urlCluster('c','http://127.0.0.1:{port}/','LineAsString','x String') | generateSerialID('x') |
        fileCluster('c','{file}','LineAsString','x String') | azureBlobStorage('http://127.0.0.1:{port}/','c','k') |
        deltaLake('http://127.0.0.1:{port}/') | iceberg('http://127.0.0.1:{port}/') | input('x String') |
        dictionary('d') | loop(t) | cluster('c', system.one) | logTrace('x') | catboostEvaluate('{file}', 1)""",
}
HOSTILE_ITEMS = {
    "postgres": "(delete from canary returning *) | (values (1)) pg_sleep | pg_ls_dir('{dir}') | dblink('{dsn}','select 1') d(a int)",
    "mysql": "canary for update | canary lock in share mode | (select sleep(0.01)) s",
    "sqlite": "pragma_user_version | main.pragma_cache_size | fsdir | pragma_journal_mode | 'pragma_user_version'",
    "clickhouse": """
        file('{file}','LineAsString','x String') | url('http://127.0.0.1:{port}/','LineAsString','x String') | '{file}' |
        `{file}` | merge('system','one') | format(CSV,'a Int32','x') | numbers(3) | executable('id','TSV','x String') | view(select * from file('{file}'))""",
}
HOSTILE_HEADS = {
    "postgres": """
        with d as (delete from canary returning 1) | with d as (update canary set secret='y' returning 1) |
        with d as (insert into canary values (9,'z') returning 1) | explain analyze | explain (analyze) |
        with d as materialized (merge into canary using t on true when matched then delete) |
        with d (q) as (select 1) | with recursive d as (select 1)""",
    "mysql": """
        with d as (select 1) | explain | analyze | explain format=json | describe | explain extended |
        set statement max_statement_time=0 for | with recursive d as (select 1)""",
    "sqlite": "with d as (select 1) | explain | explain query plan | with d(q) as (values(1))",
    "clickhouse": """
        with d as (select 1) | explain | explain pipeline | explain ast | describe | describe table | desc (select 1) |
        with 1 as d | explain estimate | describe file('{file}') | exists table | with d as (select file('{file}'))""",
}
HOSTILE_BODIES = {
    "postgres": """
        delete from canary | insert into canary values (8,'w') | update canary set secret='q' |
        create table evil (a int) | drop table canary | truncate canary | copy canary to '{dir}/new' |
        select * into evil from t | set canary.x = '2' | reset all | begin | commit | listen canary |
        notify canary | lock table canary | vacuum canary | do $$begin delete from canary; end$$ |
        prepare p as delete from canary | execute p | declare c cursor with hold for select 1 | checkpoint |
        table canary for update | merge into canary using t on true when matched then delete | discard all |
        alter table canary add z int | call canary_proc() | analyze canary | reindex table canary""",
    "mysql": """
        delete from canary | insert into canary values (8,'w') | update canary set secret='q' | replace into canary values (1,'r') |
        create table evil (a int) | drop table canary | truncate canary | select 1 into outfile '{dir}/new' |
        select 1 into @canary | set @canary = 1 | set sql_mode = 'ansi' | begin | commit | flush tables | lock tables canary write |
        handler canary open | do sleep(0.01) | call canary_proc() | kill {pid} | use mysql | analyze table canary |
        prepare p from 'delete from canary' | execute immediate 'delete from canary' | alter table canary add z int |
        load data infile '{file}' into table canary | rename table canary to evil | optimize table canary""",
    "sqlite": """
        delete from canary | insert into canary values (8,'w') | update canary set secret='q' | replace into canary values (1,'r') |
        create table evil (a int) | drop table canary | attach '{dir}/new' as evil | vacuum into '{dir}/new' | vacuum |
        pragma user_version = 9 | pragma journal_mode = wal | pragma query_only = 1 | begin | savepoint s | analyze | reindex |
        create temp table evil (a int) | pragma cache_size(77) | alter table canary add z int | pragma writable_schema = 1""",
    "clickhouse": """
        insert into canary values (8,'w') | insert into function file('{dir}/new') select 1 | delete from canary where 1 |
        alter table canary delete where 1 | alter table canary update secret='q' where 1 | drop table canary |
        truncate table canary | create table evil (a Int32) engine=Memory | create function evil as (x) -> x |
        rename table canary to evil | optimize table canary final | attach table evil | detach table canary |
        create database evil | create view evil as select 1 | exchange tables canary and t | system reload config |
        describe table file('{file}') | describe url('http://127.0.0.1:{port}/') | kill query where 1 |
        backup table canary to File('{dir}/new') | create dictionary evil (a Int32) primary key a source(null()) layout(flat())""",
}
TAILS = {
    "postgres": """
        for update | for share of t | for no key update | into evil | into temp evil | ; delete from canary |
        ; commit; drop table canary | limit 1 for update | offset 0 | fetch first row only""",
    "mysql": """
        for update | lock in share mode | into outfile '{dir}/new' | into dumpfile '{dir}/new' | into @canary |
        procedure analyse() | ; delete from canary | limit 1 into @canary | for share""",
    "sqlite": "; delete from canary | ; pragma user_version = 9 | returning a | limit 1 | union select load_extension('x')",
    "clickhouse": """
        into outfile '{dir}/new' | into outfile '{dir}/new' truncate format TSV | format Null | settings readonly=0 |
        settings max_execution_time=0 | parallel with drop table canary | ; drop table canary | limit 1 by a |
        settings log_queries=1 | settings format_schema='{file}' |
        settings input_format_record_errors_file_path='{dir}/new', input_format_allow_errors_num=9 |
        format Template settings format_template_row='{file}' | format Protobuf settings output_format_schema='{dir}/new' |
        settings max_threads=1, output_format_json_quote_64bit_integers=0 | union all select file('{file}') | final""",
}
QUOTES = {"postgres": '"', "mysql": "`", "sqlite": "\"`'", "clickhouse": '"`'}
HONEST_CALLS = """
    lower('A') | abs(-1) | coalesce(null, 1) | replace('a','b','c') | count(*) | max(1) | length('x') | round(1.5) |
    upper(name) | nullif(1, 2) | trim('  x ') | cast(1 as char(3))"""
STRINGS = {
    "postgres": r"""'it''s' | E'it\'s' | $$a;b$$ | $q$'$q$ | 'a\' | U&'\0061' | '--' | '/*' | E'\\' | B'1' | 'a'""",
    "mysql": r"""'it''s' | 'it\'s' | "a;b" | "q\"q" | 'a\\' | '--' | '/*' | _utf8'x' | x'41' | 'a' 'b' | '#'""",
    "sqlite": r"""'it''s' | 'a\' | "q;q" | '--' | '/*' | x'41' | 'a' | [b;b] | `c;c`""",
    "clickhouse": r"""'it''s' | 'it\'s' | "q;q" | `c;c` | $$a;b$$ | $q$'$q$ | 'a\\' | '--' | '/*' | x'41' | 'a' | [1, 2]""",
}


def choices(text: str) -> list[str]:
    """The alternatives of a `|`-separated list."""
    return [part.strip() for part in text.split("|") if part.strip()]


def visible_cases(dialect: str) -> list[str]:
    """The statements of all case files for one dialect, attacks and honest ones."""
    lines = (line for path in sorted(CASES.glob("*.jsonl")) for line in path.open(encoding="utf-8"))
    records = (json.loads(line) for line in lines)
    return [record["query"] for record in records if record["dialect"] == dialect]


class Grammar:
    """Makes statements of one dialect from a seeded source of chance."""

    def __init__(self, dialect: str, chance: Random, fill: dict[str, str]) -> None:
        self.dialect = dialect
        self.chance = chance
        self.calls = self._filled(HOSTILE_CALLS, fill)
        self.items = self._filled(HOSTILE_ITEMS, fill)
        self.heads = self._filled(HOSTILE_HEADS, fill)
        self.bodies = self._filled(HOSTILE_BODIES, fill)
        self.tails = self._filled(TAILS, fill)
        self.strings = choices(STRINGS[dialect])
        self.honest = choices(HONEST_CALLS)

    def _filled(self, parts: dict[str, str], fill: dict[str, str]) -> list[str]:
        text = parts[self.dialect]
        for name, value in fill.items():
            text = text.replace("{" + name + "}", value)
        return choices(text)

    def statement(self) -> str:
        """One statement, hostile in about half of the cases."""
        chance = self.chance.random()
        if chance < 0.08:
            return self.chance.choice(self.bodies)
        text = self.query(0)
        if chance < 0.25:
            head = self.chance.choice(self.heads)
            body = text if self.chance.random() < 0.6 else self.chance.choice(self.bodies)
            text = f"{head} {body}"
        if self.chance.random() < 0.15:
            text = f"{text} {self.chance.choice(self.tails)}"
        return text

    def query(self, depth: int) -> str:
        """SELECT ... [FROM ...] [WHERE ...] [GROUP BY ...] [ORDER BY ...] [LIMIT ...]."""
        one = self.chance
        values = ", ".join(self.value(depth) for _ in range(one.randint(1, 3)))
        text = f"select {one.choice(('', '', 'distinct '))}{values}"
        if one.random() < 0.7:
            text += " from " + self.source(depth)
            if one.random() < 0.4:
                text += f" where {self.value(depth)} {one.choice(('=', '<>', 'is not'))} null"
            if one.random() < 0.15:
                text += f" group by {self.value(depth)}"
            if one.random() < 0.2:
                text += f" order by {self.value(depth)}"
        if one.random() < 0.2:
            text += f" limit {one.choice(('1', '5', '(select 1)', self.value(depth)))}"
        if depth < 2 and one.random() < 0.1:
            text = f"{text} union all {self.query(depth + 1)}"
        return f"({text})" if one.random() < 0.05 else text

    def source(self, depth: int) -> str:
        """A FROM list."""
        one = self.chance
        items = []
        for _ in range(one.choice((1, 1, 1, 2))):
            roll = one.random()
            if roll < 0.5:
                items.append(one.choice(TABLES))
            elif roll < 0.65 and depth < 2:
                items.append(f"({self.query(depth + 1)}) q{depth}")
            elif roll < 0.8:
                items.append(one.choice(self.items))
            else:
                items.append(one.choice(self.calls))
        return one.choice((", ", " cross join ", " join ")).join(items)

    def value(self, depth: int) -> str:
        """An expression."""
        one = self.chance
        roll = one.random()
        if roll < 0.3:
            return one.choice(COLUMNS)
        if roll < 0.45:
            return one.choice(self.strings)
        if roll < 0.55:
            return str(one.randint(0, 9))
        if roll < 0.68:
            return one.choice(self.honest)
        if roll < 0.83:
            return self.disguised(one.choice(self.calls))
        if roll < 0.9 and depth < 2:
            return f"({self.query(depth + 1)})"
        if roll < 0.95:
            return f"case when {self.value(depth)} is null then {self.value(depth)} end"
        return f"{self.value(depth)} {one.choice(('as', ''))} {one.choice(('delete', 'n', 'into'))}"

    def disguised(self, call: str) -> str:
        """A call spelled in another way the engine may accept."""
        one = self.chance
        name, _, rest = call.partition("(")
        if not rest:
            return call
        rest = "(" + rest
        roll = one.random()
        if roll < 0.4:
            return call
        if roll < 0.5:
            return f"{name} {rest}"
        if roll < 0.6:
            quote = one.choice(QUOTES[self.dialect])
            return f"{quote}{name}{quote}{rest}"
        if roll < 0.7:
            return f"lower({call})"
        if self.dialect not in ("postgres", "clickhouse") or roll < 0.75:
            return f"{name}/**/{rest}"
        argument = rest[1:].rsplit(")", 1)[0].split(",")[0] or "1"
        if self.dialect == "clickhouse":
            return one.choice(
                (f"arrayMap({name}, [{argument}])", f"arrayMap((`{name}`), [{argument}])")
            )
        return one.choice(
            (
                f"pg_catalog.{name}{rest}",
                f"({argument}).{name}",
                f'(({argument}))."{name}"',
                f"(array[{argument}])[1].{name}",
                f'U&"{name[:-1]}\\{ord(name[-1]):04x}"{rest}',
            )
        )
