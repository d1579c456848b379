"""Compiled from functions/postgres.toml by dbtools.guard.generate."""

from __future__ import annotations

from dbtools.guard.model import Cause, Harmless, Names, Sequence, Tables

CAUSE_0 = Cause('changes a setting, a sequence or a search threshold of the session', "read settings with current_setting('name'); read a sequence with SELECT last_value FROM its name")
CAUSE_1 = Cause('sends to other sessions, or hands a snapshot or a transaction id out', 'use txid_current_if_assigned() or pg_snapshot_xmax(pg_current_snapshot()) to look at transaction ids')
CAUSE_2 = Cause('waits', 'nothing here needs to wait; drop the call')
CAUSE_3 = Cause('takes or releases an advisory lock', 'look at held locks with SELECT * FROM pg_locks')
CAUSE_4 = Cause('acts on other sessions', 'look at sessions with SELECT pid, state, query FROM pg_stat_activity')
CAUSE_5 = Cause('writes to the log, replication, backup or recovery state of the server', 'read the state from pg_replication_slots, pg_stat_replication or pg_stat_wal')
CAUSE_6 = Cause('controls the server', 'read settings from pg_settings')
CAUSE_7 = Cause('resets, loads or overwrites statistics and caches', 'read pg_stat_* views instead')
CAUSE_8 = Cause('maintains an index, repairs a table or locks it', "index maintenance is the database owner's work")
CAUSE_9 = Cause('reads or writes files of the server', 'only tables can be read here')
CAUSE_10 = Cause('reads or writes large objects', 'only tables can be read here')
CAUSE_11 = Cause('runs SQL text of its own, past this check', 'write that query as the statement itself')
CAUSE_12 = Cause('reaches another server', 'only this database can be read here')
CAUSE_13 = Cause("sets the session's mode", 'isn_weak() without an argument reads it')
CAUSE_14 = Cause('runs its second argument as SQL', 'use the three-argument form ts_rewrite(query, target, substitute)')
TABLES = Tables(
    dialect='postgres',
    checked_against='PostgreSQL 15.18 and 18.6 with their extensions',
    start=frozenset({'select', 'table', 'values', 'with', }),
    explain=frozenset({'analyze', 'verbose', }),
    describe=frozenset(),
    show=frozenset({'*', }),
    refused=frozenset({'into', }),
    doubtful=frozenset({'delete', 'insert', 'merge', 'replace', 'update', }),
    sequences=(Sequence((frozenset({'for', }), frozenset({'key', 'no', 'share', 'update', }), ), Cause('locks rows', 'leave the locking clause out; a read sees a consistent snapshot without it')), ),
    harmless=(),
    denied=Names(frozenset({'bt_index_parent_check', 'http', 'http_delete', 'http_get', 'http_head', 'http_patch', 'http_post', 'http_put', 'http_reset_curlopt', 'http_set_curlopt', 'invoke', 'loread', 'lowrite', 'net.sendmail', 'nextval', 'pg_cancel_backend', 'pg_current_xact_id', 'pg_export_snapshot', 'pg_extension_config_dump', 'pg_logdir_ls', 'pg_nextoid', 'pg_notify', 'pg_prewarm', 'pg_promote', 'pg_qualstats_reset', 'pg_reload_conf', 'pg_start_backup', 'pg_stat_file', 'pg_stat_kcache_reset', 'pg_stat_plans_reset', 'pg_stat_statements_reset', 'pg_stop_backup', 'pg_terminate_backend', 'pg_wait_sampling_reset_profile', 'query_export_to_s3', 'set_config', 'set_limit', 'setval', 'table_import_from_s3', 'ts_stat', 'txid_current', 'xpath_table', }), ('autoprewarm_', 'aws_lambda', 'aws_s3', 'azure_ai.', 'azure_openai.', 'azure_storage.', 'binary_upgrade_', 'brin_desummarize_', 'brin_summarize_', 'connectby', 'cron.', 'crosstab', 'cursor_to_xml', 'database_to_xml', 'dblink', 'gin_clean_', 'google_ml.', 'heap_force_', 'hypopg_', 'lo_', 'net.http_', 'pg_advisory_', 'pg_background_', 'pg_backup_', 'pg_buffercache_evict', 'pg_buffercache_mark_', 'pg_clear_', 'pg_copy_', 'pg_create_', 'pg_drop_', 'pg_execute_', 'pg_file_', 'pg_import_', 'pg_log_', 'pg_logical_', 'pg_ls_', 'pg_read_', 'pg_replication_', 'pg_restore_', 'pg_rotate_', 'pg_set_', 'pg_signal_', 'pg_sleep', 'pg_stat_clear_', 'pg_stat_force_', 'pg_stat_reset', 'pg_stop_making_', 'pg_switch_', 'pg_sync_', 'pg_truncate_', 'pg_try_advisory_', 'pg_wal_replay_', 'pg_xlog_replay_', 'pgagent.', 'pgl_', 'pglogical.', 'pgmq.', 'postgres_fdw_disconnect', 'query_to_xml', 'schema_to_xml', 'sys_eval', 'sys_exec', 'table_to_xml', )),
    causes={'nextval': CAUSE_0, 'set_config': CAUSE_0, 'set_limit': CAUSE_0, 'setval': CAUSE_0, 'pg_current_xact_id': CAUSE_1, 'pg_export_snapshot': CAUSE_1, 'pg_nextoid': CAUSE_1, 'pg_notify': CAUSE_1, 'txid_current': CAUSE_1, 'pg_sleep': CAUSE_2, 'pg_advisory_': CAUSE_3, 'pg_try_advisory_': CAUSE_3, 'pg_cancel_backend': CAUSE_4, 'pg_log_': CAUSE_4, 'pg_signal_': CAUSE_4, 'pg_terminate_backend': CAUSE_4, 'pg_backup_': CAUSE_5, 'pg_copy_': CAUSE_5, 'pg_create_': CAUSE_5, 'pg_drop_': CAUSE_5, 'pg_logical_': CAUSE_5, 'pg_promote': CAUSE_5, 'pg_replication_': CAUSE_5, 'pg_start_backup': CAUSE_5, 'pg_stop_backup': CAUSE_5, 'pg_switch_': CAUSE_5, 'pg_sync_': CAUSE_5, 'pg_wal_replay_': CAUSE_5, 'pg_xlog_replay_': CAUSE_5, 'pgl_': CAUSE_5, 'pglogical.': CAUSE_5, 'binary_upgrade_': CAUSE_6, 'pg_extension_config_dump': CAUSE_6, 'pg_reload_conf': CAUSE_6, 'pg_rotate_': CAUSE_6, 'pg_set_': CAUSE_6, 'pg_stop_making_': CAUSE_6, 'autoprewarm_': CAUSE_7, 'hypopg_': CAUSE_7, 'pg_buffercache_evict': CAUSE_7, 'pg_buffercache_mark_': CAUSE_7, 'pg_clear_': CAUSE_7, 'pg_import_': CAUSE_7, 'pg_prewarm': CAUSE_7, 'pg_qualstats_reset': CAUSE_7, 'pg_restore_': CAUSE_7, 'pg_stat_clear_': CAUSE_7, 'pg_stat_force_': CAUSE_7, 'pg_stat_kcache_reset': CAUSE_7, 'pg_stat_plans_reset': CAUSE_7, 'pg_stat_reset': CAUSE_7, 'pg_stat_statements_reset': CAUSE_7, 'pg_truncate_': CAUSE_7, 'pg_wait_sampling_reset_profile': CAUSE_7, 'brin_desummarize_': CAUSE_8, 'brin_summarize_': CAUSE_8, 'bt_index_parent_check': CAUSE_8, 'gin_clean_': CAUSE_8, 'heap_force_': CAUSE_8, 'pg_file_': CAUSE_9, 'pg_logdir_ls': CAUSE_9, 'pg_ls_': CAUSE_9, 'pg_read_': CAUSE_9, 'pg_stat_file': CAUSE_9, 'lo_': CAUSE_10, 'loread': CAUSE_10, 'lowrite': CAUSE_10, 'connectby': CAUSE_11, 'cron.': CAUSE_11, 'crosstab': CAUSE_11, 'cursor_to_xml': CAUSE_11, 'database_to_xml': CAUSE_11, 'pg_background_': CAUSE_11, 'pg_execute_': CAUSE_11, 'pgagent.': CAUSE_11, 'query_to_xml': CAUSE_11, 'schema_to_xml': CAUSE_11, 'sys_eval': CAUSE_11, 'sys_exec': CAUSE_11, 'table_to_xml': CAUSE_11, 'ts_stat': CAUSE_11, 'xpath_table': CAUSE_11, 'aws_lambda': CAUSE_12, 'aws_s3': CAUSE_12, 'azure_ai.': CAUSE_12, 'azure_openai.': CAUSE_12, 'azure_storage.': CAUSE_12, 'dblink': CAUSE_12, 'google_ml.': CAUSE_12, 'http': CAUSE_12, 'http_delete': CAUSE_12, 'http_get': CAUSE_12, 'http_head': CAUSE_12, 'http_patch': CAUSE_12, 'http_post': CAUSE_12, 'http_put': CAUSE_12, 'http_reset_curlopt': CAUSE_12, 'http_set_curlopt': CAUSE_12, 'invoke': CAUSE_12, 'net.http_': CAUSE_12, 'net.sendmail': CAUSE_12, 'pgmq.': CAUSE_12, 'postgres_fdw_disconnect': CAUSE_12, 'query_export_to_s3': CAUSE_12, 'table_import_from_s3': CAUSE_12, 'isn_weak': CAUSE_13, 'ts_rewrite': CAUSE_14, },
    call_allowed=frozenset({'pg_replication_origin_oid', 'pg_replication_origin_progress', 'pg_replication_origin_session_is_setup', 'pg_replication_origin_session_progress', }),
    from_allowed=None,
    user_functions=False,
    system=Names(frozenset(), ()),
    notation={'http': 'http_request', 'invoke': 'aws_lambda'},
    arity={'ts_rewrite': (2,), 'isn_weak': (1,)},
    settings=Names(frozenset(), ()),
    limit_settings=Names(frozenset(), ()),
    hints_blanked=(),
    pipes=frozenset(),
    pragma_read=frozenset(),
    pragma_get=frozenset(),
)
