"""Compiled from functions/duckdb.toml by dbtools.guard.generate."""

from __future__ import annotations

from dbtools.guard.model import Cause, Harmless, Names, Sequence, Tables

CAUSE_0 = Cause('reads files or web addresses past the tables given', 'the files configured for this connection are tables already: db-schema lists them')
CAUSE_1 = Cause('runs SQL text of its own, past this check', 'write that query as the statement itself')
CAUSE_2 = Cause("reads the process's environment or stored secrets", 'only tables can be read here')
CAUSE_3 = Cause('changes a sequence, a setting, a log or the database file', 'read settings from duckdb_settings() and sequences from duckdb_sequences()')
CAUSE_4 = Cause("reads another program's objects", 'only tables can be read here')
CAUSE_5 = Cause('waits', 'nothing here needs to wait; drop the call')
TABLES = Tables(
    dialect='duckdb',
    checked_against='DuckDB 2.0, and the extensions named in its documentation',
    start=frozenset({'from', 'pivot', 'select', 'summarize', 'table', 'unpivot', 'values', 'with', }),
    explain=frozenset({'analyze', }),
    describe=frozenset({'desc', 'describe', }),
    show=frozenset({'all', 'databases', 'schemas', 'tables', }),
    refused=frozenset({'into', }),
    doubtful=frozenset({'delete', 'insert', 'merge', 'replace', 'update', }),
    sequences=(Sequence((frozenset({'for', }), frozenset({'key', 'no', 'share', 'update', }), ), Cause('locks rows', 'leave the locking clause out')), ),
    harmless=(Harmless('*', 'into', 'name', '*'), ),
    denied=Names(frozenset({'add_grammar_extension', 'add_parquet_key', 'checkpoint', 'delta_scan', 'duckdb_secrets', 'force_checkpoint', 'getenv', 'glob', 'json_execute_serialized_sql', 'load_aws_credentials', 'nextval', 'open_prompt', 'pandas_scan', 'pg_sleep', 'python_map_function', 'query', 'query_table', 'read_gsheet', 'remove_grammar_extension', 'repeat_row_for_test', 'scan_arrow_ipc', 'setseed', 'sleep', 'sleep_ms', 'sniff_csv', 'sql_auto_complete', 'sqlite_attach', 'sqlite_query', 'sqlite_scan', 'st_drivers', 'to_arrow_ipc', 'truncate_duckdb_logs', 'which_secret', 'write_log', }), ('arrow_ipc', 'arrow_scan', 'avro_', 'create_', 'destroy_external_resource', 'disable_', 'drop_', 'ducklake_', 'enable_', 'excel_', 'execute_', 'from_substrait', 'get_substrait', 'gsheets', 'hnsw_', 'http_', 'iceberg_', 'lance_', 'mysql_', 'odbc_', 'parquet_', 'postgres_', 'python_arrow_scan', 'read_', 'register_external_resource', 'scan_', 'set_', 'spatial_index_', 'st_read', 'vortex_', 'vss_', 'webbed_', )),
    causes={'add_parquet_key': CAUSE_0, 'avro_': CAUSE_0, 'delta_scan': CAUSE_0, 'ducklake_': CAUSE_0, 'excel_': CAUSE_0, 'glob': CAUSE_0, 'gsheets': CAUSE_0, 'http_': CAUSE_0, 'iceberg_': CAUSE_0, 'lance_': CAUSE_0, 'load_aws_credentials': CAUSE_0, 'mysql_': CAUSE_0, 'odbc_': CAUSE_0, 'open_prompt': CAUSE_0, 'parquet_': CAUSE_0, 'postgres_': CAUSE_0, 'read_': CAUSE_0, 'read_gsheet': CAUSE_0, 'scan_': CAUSE_0, 'sniff_csv': CAUSE_0, 'sqlite_attach': CAUSE_0, 'sqlite_query': CAUSE_0, 'sqlite_scan': CAUSE_0, 'st_drivers': CAUSE_0, 'st_read': CAUSE_0, 'vortex_': CAUSE_0, 'webbed_': CAUSE_0, 'add_grammar_extension': CAUSE_1, 'destroy_external_resource': CAUSE_1, 'execute_': CAUSE_1, 'from_substrait': CAUSE_1, 'get_substrait': CAUSE_1, 'json_execute_serialized_sql': CAUSE_1, 'query': CAUSE_1, 'query_table': CAUSE_1, 'register_external_resource': CAUSE_1, 'remove_grammar_extension': CAUSE_1, 'sql_auto_complete': CAUSE_1, 'duckdb_secrets': CAUSE_2, 'getenv': CAUSE_2, 'which_secret': CAUSE_2, 'checkpoint': CAUSE_3, 'create_': CAUSE_3, 'disable_': CAUSE_3, 'drop_': CAUSE_3, 'enable_': CAUSE_3, 'force_checkpoint': CAUSE_3, 'hnsw_': CAUSE_3, 'nextval': CAUSE_3, 'set_': CAUSE_3, 'setseed': CAUSE_3, 'spatial_index_': CAUSE_3, 'truncate_duckdb_logs': CAUSE_3, 'vss_': CAUSE_3, 'write_log': CAUSE_3, 'arrow_ipc': CAUSE_4, 'arrow_scan': CAUSE_4, 'pandas_scan': CAUSE_4, 'python_arrow_scan': CAUSE_4, 'python_map_function': CAUSE_4, 'repeat_row_for_test': CAUSE_4, 'scan_arrow_ipc': CAUSE_4, 'to_arrow_ipc': CAUSE_4, 'pg_sleep': CAUSE_5, 'sleep': CAUSE_5, 'sleep_ms': CAUSE_5, },
    call_allowed=frozenset(),
    higher_order=frozenset(),
    from_allowed=None,
    user_functions=False,
    system=Names(frozenset(), ()),
    notation={},
    arity={},
    settings=Names(frozenset(), ()),
    settings_refused=Names(frozenset(), ()),
    limit_settings=Names(frozenset(), ()),
    hints_blanked=(),
    pipes=frozenset(),
    pragma_read=frozenset(),
    pragma_get=frozenset(),
)
