"""Compiled from functions/sqlite.toml by dbtools.guard.generate."""

from __future__ import annotations

from dbtools.guard.model import Cause, Harmless, Names, Sequence, Tables

CAUSE_0 = Cause('loads or runs code outside the database', 'only tables can be read here')
CAUSE_1 = Cause('reads or writes files', 'only tables can be read here')
CAUSE_2 = Cause('runs SQL text of its own, past this check', 'write that query as the statement itself')
CAUSE_3 = Cause('reaches another server', 'only tables can be read here')
CAUSE_4 = Cause('changes tables', 'only tables can be read here')
CAUSE_5 = Cause('rewrites the full-text index', "index maintenance is the database owner's work")
CAUSE_6 = Cause('is a PRAGMA that is not on the list of read-only ones', "pragma_table_info('t'), pragma_index_list('t') and the like are allowed")
TABLES = Tables(
    dialect='sqlite',
    checked_against='SQLite 3.40.1, and the extensions of its command line tool up to 3.50',
    start=frozenset({'select', 'values', 'with', }),
    explain=frozenset({'plan', 'query', }),
    describe=frozenset(),
    show=None,
    refused=frozenset({'into', }),
    doubtful=frozenset({'delete', 'insert', 'merge', 'replace', 'update', }),
    sequences=(),
    harmless=(),
    denied=Names(frozenset({'addgeometrycolumn', 'blobfromfile', 'blobio', 'blobtofile', 'clonetable', 'createspatialindex', 'createtopology', 'csv', 'csv_reader', 'define', 'disablespatialindex', 'discardgeometrycolumn', 'dropgeotable', 'droptable', 'droptopology', 'edit', 'eval', 'exec', 'exportdbf', 'exportdxf', 'exportshp', 'fsdir', 'fts3_tokenizer', 'fts5', 'importdbf', 'importgeojson', 'importshp', 'importxls', 'lines_read', 'load_extension', 'lsmode', 'optimize', 'parquet', 'readfile', 'recovergeometrycolumn', 'recoverspatialindex', 'rembed', 'renamecolumn', 'renametable', 'sequence_nextval', 'sequence_setval', 'sha1_query', 'sha3_query', 'sqlite_dbdata', 'sqlite_dbpage', 'sqlite_dbptr', 'sqlite_expert', 'tsv_reader', 'undefine', 'updatelayerstatistics', 'vec_npy_file', 'vsv', 'writeblob', 'writefile', 'xb_loadxml', 'xb_storexml', 'xsv', 'xsv_reader', }), ('exportgeojson', 'exportkml', 'fileio_', 'gpkgadd', 'gpkgcreate', 'gpkginsert', 'http_', 'importdxf', 'initspatialmetadata', 'lua_', 'pragma_', 'recover_', 'shell_', 'sqlar_', 'sqlite_log', 'sqlproc_execute', 'stmt_', 'storedproc_', 'zipfile', )),
    causes={'define': CAUSE_0, 'edit': CAUSE_0, 'eval': CAUSE_0, 'exec': CAUSE_0, 'fts3_tokenizer': CAUSE_0, 'fts5': CAUSE_0, 'load_extension': CAUSE_0, 'lua_': CAUSE_0, 'shell_': CAUSE_0, 'sqlite_log': CAUSE_0, 'stmt_': CAUSE_0, 'undefine': CAUSE_0, 'blobfromfile': CAUSE_1, 'blobio': CAUSE_1, 'blobtofile': CAUSE_1, 'csv': CAUSE_1, 'csv_reader': CAUSE_1, 'exportdbf': CAUSE_1, 'exportdxf': CAUSE_1, 'exportgeojson': CAUSE_1, 'exportkml': CAUSE_1, 'exportshp': CAUSE_1, 'fileio_': CAUSE_1, 'fsdir': CAUSE_1, 'importdbf': CAUSE_1, 'importdxf': CAUSE_1, 'importgeojson': CAUSE_1, 'importshp': CAUSE_1, 'importxls': CAUSE_1, 'lines_read': CAUSE_1, 'lsmode': CAUSE_1, 'parquet': CAUSE_1, 'readfile': CAUSE_1, 'sqlar_': CAUSE_1, 'sqlite_dbdata': CAUSE_1, 'sqlite_dbpage': CAUSE_1, 'sqlite_dbptr': CAUSE_1, 'tsv_reader': CAUSE_1, 'vec_npy_file': CAUSE_1, 'vsv': CAUSE_1, 'writeblob': CAUSE_1, 'writefile': CAUSE_1, 'xb_storexml': CAUSE_1, 'xsv': CAUSE_1, 'xsv_reader': CAUSE_1, 'zipfile': CAUSE_1, 'recover_': CAUSE_2, 'sha1_query': CAUSE_2, 'sha3_query': CAUSE_2, 'sqlite_expert': CAUSE_2, 'http_': CAUSE_3, 'rembed': CAUSE_3, 'xb_loadxml': CAUSE_3, 'addgeometrycolumn': CAUSE_4, 'clonetable': CAUSE_4, 'createspatialindex': CAUSE_4, 'createtopology': CAUSE_4, 'disablespatialindex': CAUSE_4, 'discardgeometrycolumn': CAUSE_4, 'dropgeotable': CAUSE_4, 'droptable': CAUSE_4, 'droptopology': CAUSE_4, 'gpkgadd': CAUSE_4, 'gpkgcreate': CAUSE_4, 'gpkginsert': CAUSE_4, 'initspatialmetadata': CAUSE_4, 'recovergeometrycolumn': CAUSE_4, 'recoverspatialindex': CAUSE_4, 'renamecolumn': CAUSE_4, 'renametable': CAUSE_4, 'sequence_nextval': CAUSE_4, 'sequence_setval': CAUSE_4, 'sqlproc_execute': CAUSE_4, 'storedproc_': CAUSE_4, 'updatelayerstatistics': CAUSE_4, 'optimize': CAUSE_5, 'pragma_': CAUSE_6, },
    call_allowed=frozenset({'pragma_collation_list', 'pragma_compile_options', 'pragma_database_list', 'pragma_foreign_key_check', 'pragma_foreign_key_list', 'pragma_function_list', 'pragma_index_info', 'pragma_index_list', 'pragma_index_xinfo', 'pragma_integrity_check', 'pragma_module_list', 'pragma_pragma_list', 'pragma_quick_check', 'pragma_table_info', 'pragma_table_list', 'pragma_table_xinfo', }),
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
    pragma_read=frozenset({'collation_list', 'compile_options', 'database_list', 'foreign_key_check', 'foreign_key_list', 'function_list', 'index_info', 'index_list', 'index_xinfo', 'integrity_check', 'module_list', 'pragma_list', 'quick_check', 'table_info', 'table_list', 'table_xinfo', }),
    pragma_get=frozenset({'analysis_limit', 'application_id', 'auto_vacuum', 'automatic_index', 'busy_timeout', 'cache_size', 'cache_spill', 'cell_size_check', 'checkpoint_fullfsync', 'count_changes', 'data_version', 'default_cache_size', 'defer_foreign_keys', 'encoding', 'foreign_keys', 'freelist_count', 'full_column_names', 'fullfsync', 'hard_heap_limit', 'ignore_check_constraints', 'journal_mode', 'journal_size_limit', 'legacy_alter_table', 'locking_mode', 'max_page_count', 'mmap_size', 'page_count', 'page_size', 'query_only', 'read_uncommitted', 'recursive_triggers', 'reverse_unordered_selects', 'schema_version', 'secure_delete', 'short_column_names', 'soft_heap_limit', 'synchronous', 'temp_store', 'threads', 'trusted_schema', 'user_version', 'wal_autocheckpoint', 'writable_schema', }),
)
