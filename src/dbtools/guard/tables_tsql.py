"""Compiled from functions/tsql.toml by dbtools.guard.generate."""

from __future__ import annotations

from dbtools.guard.model import Cause, Harmless, Names, Sequence, Tables

CAUSE_0 = Cause('reaches another server or a file', 'only tables of this database can be read here')
CAUSE_1 = Cause('calls a model', 'only tables of this database can be read here')
CAUSE_2 = Cause('reads files of the server', 'only tables of this database can be read here')
CAUSE_3 = Cause('is a procedure or an internal function', 'only tables of this database can be read here')
TABLES = Tables(
    dialect='tsql',
    checked_against='Transact-SQL reference, SQL Server 2025',
    start=frozenset({'select', 'with', }),
    explain=frozenset(),
    describe=frozenset(),
    show=None,
    refused=frozenset({'add', 'alter', 'backup', 'begin', 'break', 'bulk', 'checkpoint', 'close', 'commit', 'continue', 'create', 'dbcc', 'deallocate', 'declare', 'delete', 'deny', 'drop', 'dump', 'exec', 'execute', 'fetch', 'goto', 'grant', 'holdlock', 'if', 'insert', 'into', 'kill', 'load', 'merge', 'open', 'print', 'raiserror', 'readtext', 'receive', 'reconfigure', 'repeatableread', 'restore', 'return', 'revert', 'revoke', 'rollback', 'save', 'serializable', 'set', 'setuser', 'shutdown', 'tablock', 'tablockx', 'truncate', 'update', 'updatetext', 'updlock', 'use', 'waitfor', 'while', 'writetext', 'xlock', }),
    doubtful=frozenset(),
    sequences=(Sequence((frozenset({'disable', 'enable', }), frozenset({'trigger', }), ), Cause('changes a trigger', 'sys.triggers shows whether it is disabled')), Sequence((frozenset({'send', }), frozenset({'on', }), frozenset({'conversation', }), ), Cause('sends a message', 'only tables of this database can be read here')), Sequence((frozenset({'end', 'move', }), frozenset({'conversation', }), frozenset({'@', }), ), Cause('changes a conversation', 'sys.conversation_endpoints shows them')), Sequence((frozenset({'get', }), frozenset({'conversation', }), frozenset({'group', }), ), Cause('locks a conversation group', 'sys.conversation_groups shows them')), Sequence((frozenset({'rename', }), frozenset({'database', 'object', }), ), Cause('renames it', 'use AS for another name in the answer')), Sequence((frozenset({'next', 'previous', }), frozenset({'value', }), frozenset({'for', }), ), Cause('moves a sequence', 'read sys.sequences for the current value')), ),
    harmless=(Harmless('*', 'merge', 'join', '*'), Harmless('*', 'merge', 'union', '*'), Harmless('(', 'use', 'hint', '('), Harmless(',', 'use', 'hint', '('), Harmless('(', 'use', 'plan', '*'), Harmless(',', 'use', 'plan', '*'), Harmless('*', 'fetch', 'next', '#'), Harmless('*', 'fetch', 'first', '#'), ),
    denied=Names(frozenset({'dm_os_file_exists', 'fn_trace_gettable', 'opendatasource', 'openquery', 'openrowset', 'predict', }), ('ai_generate', 'dm_os_enumerate', 'fn_dblog', 'fn_dump_dblog', 'fn_full_dblog', 'fn_get_audit_file', 'fn_ms', 'fn_xe_', 'sp_', 'xp_', )),
    causes={'opendatasource': CAUSE_0, 'openquery': CAUSE_0, 'openrowset': CAUSE_0, 'ai_generate': CAUSE_1, 'predict': CAUSE_1, 'dm_os_enumerate': CAUSE_2, 'dm_os_file_exists': CAUSE_2, 'fn_dblog': CAUSE_2, 'fn_dump_dblog': CAUSE_2, 'fn_full_dblog': CAUSE_2, 'fn_get_audit_file': CAUSE_2, 'fn_trace_gettable': CAUSE_2, 'fn_xe_': CAUSE_2, 'fn_ms': CAUSE_3, 'sp_': CAUSE_3, 'xp_': CAUSE_3, },
    call_allowed=frozenset(),
    higher_order=frozenset(),
    from_allowed=frozenset({'changetable', 'containstable', 'dm_db_incremental_stats_properties', 'dm_db_index_operational_stats', 'dm_db_index_physical_stats', 'dm_db_log_info', 'dm_db_log_stats', 'dm_db_missing_index_columns', 'dm_db_page_info', 'dm_db_stats_histogram', 'dm_db_stats_properties', 'dm_exec_cursors', 'dm_exec_describe_first_result_set', 'dm_exec_describe_first_result_set_for_object', 'dm_exec_input_buffer', 'dm_exec_plan_attributes', 'dm_exec_query_plan', 'dm_exec_query_plan_stats', 'dm_exec_query_statistics_xml', 'dm_exec_sql_text', 'dm_exec_text_query_plan', 'dm_fts_index_keywords', 'dm_fts_index_keywords_by_document', 'dm_fts_parser', 'dm_io_virtual_file_stats', 'dm_os_volume_stats', 'dm_sql_referenced_entities', 'dm_sql_referencing_entities', 'fn_builtin_permissions', 'fn_get_sql', 'fn_helpcollations', 'fn_listextendedproperty', 'fn_my_permissions', 'fn_translate_permissions', 'fn_virtualfilestats', 'fn_virtualservernodes', 'freetexttable', 'generate_series', 'nodes', 'openjson', 'openxml', 'regexp_matches', 'regexp_split_to_table', 'semantickeyphrasetable', 'semanticsimilaritytable', 'string_split', 'values', 'vector_search', }),
    user_functions=True,
    system=Names(frozenset({'predict', }), ('ai_', 'dm_', 'fn_', 'open', 'sp_', 'sys', 'xp_', )),
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
