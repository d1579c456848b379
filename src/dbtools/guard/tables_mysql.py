"""Compiled from functions/mysql.toml by dbtools.guard.generate."""

from __future__ import annotations

from dbtools.guard.model import Cause, Harmless, Names, Sequence, Tables

CAUSE_0 = Cause('reads files of the server', 'only tables can be read here')
CAUSE_1 = Cause('waits or burns time', 'drop the call')
CAUSE_2 = Cause('takes, frees or probes a named lock', 'look at locks with SELECT * FROM performance_schema.metadata_locks')
CAUSE_3 = Cause('moves a sequence', "read the sequence's table: SELECT next_not_cached_value FROM its name")
CAUSE_4 = Cause("runs commands, changes the server or reaches another one (a plugin's function)", 'only tables can be read here')
CAUSE_5 = Cause('calls a service or a model outside the database', 'only tables can be read here')
CAUSE_6 = Cause("reads or writes files of the server (the CONNECT engine's functions)", 'only tables can be read here')
CAUSE_7 = Cause("sets the session's last insert id", 'LAST_INSERT_ID() without an argument reads it')
TABLES = Tables(
    dialect='mysql',
    checked_against='MariaDB 10.11.19; names of MySQL 8.4 and 9 from its manual',
    start=frozenset({'select', 'table', 'values', 'with', }),
    explain=frozenset({'analyze', 'extended', 'format', 'json', 'partitions', 'traditional', 'tree', }),
    describe=frozenset({'desc', 'describe', 'explain', }),
    show=frozenset({'all', 'authors', 'binary', 'binlog', 'character', 'charset', 'client_statistics', 'collation', 'columns', 'contributors', 'count', 'create', 'databases', 'engine', 'engines', 'errors', 'events', 'extended', 'fields', 'full', 'function', 'geometry_columns', 'global', 'grants', 'index', 'index_statistics', 'indexes', 'innodb', 'keys', 'local', 'locales', 'master', 'mutex', 'open', 'package', 'plugin', 'plugins', 'privileges', 'procedure', 'processlist', 'profile', 'profiles', 'query_cache_info', 'query_response_time', 'relaylog', 'replica', 'replicas', 'schemas', 'session', 'slave', 'spatial_ref_sys', 'statistics', 'status', 'storage', 'system_variables', 'table', 'table_statistics', 'tables', 'triggers', 'user_statistics', 'user_variables', 'variables', 'warnings', }),
    refused=frozenset({'into', }),
    doubtful=frozenset({'delete', 'insert', 'merge', 'replace', 'update', }),
    sequences=(Sequence((frozenset({'for', }), frozenset({'key', 'no', 'share', 'update', }), ), Cause('locks rows', 'leave the locking clause out')), Sequence((frozenset({'lock', }), frozenset({'in', }), ), Cause('locks rows', 'leave LOCK IN SHARE MODE out')), Sequence((frozenset({'procedure', }), frozenset({'analyse', }), ), Cause('is not a plain read', 'SELECT from information_schema.columns to learn the types')), Sequence((frozenset({'next', 'previous', }), frozenset({'value', }), frozenset({'for', }), ), Cause('moves a sequence', "read the sequence's table: SELECT next_not_cached_value FROM its name")), ),
    harmless=(),
    denied=Names(frozenset({'bbin_file', 'benchmark', 'bson_file', 'flush_rewrite_rules', 'gen_dictionary_drop', 'gen_dictionary_load', 'get_lock', 'http_delete', 'http_get', 'http_post', 'http_put', 'is_free_lock', 'is_used_lock', 'jbin_file', 'json_file', 'lambda_async', 'lambda_sync', 'load_file', 'load_rewrite_rules', 'ml_embed_row', 'ml_explain_row', 'ml_predict_row', 'mle_session_reset', 'mle_set_session_state', 'mroonga_command', 'nextval', 'release_all_locks', 'release_lock', 'setval', 'sleep', 'source_pos_wait', }), ('asynchronous_', 'audit_api_', 'audit_log_', 'aws_', 'bfile_', 'do_exec', 'firewall_group_', 'gman_', 'group_replication_', 'innodb_redo_log_', 'jfile_', 'keyring_', 'lib_mysqludf', 'masking_dictionary', 'master_', 'memc_', 'ml_generate', 'mysql_firewall_', 'option_tracker_', 'read_firewall_', 'service_', 'set_firewall_', 'spider_', 'sys.ml_', 'sys_', 'version_tokens_', 'wait_', 'wsrep_sync_wait_', )),
    causes={'load_file': CAUSE_0, 'benchmark': CAUSE_1, 'master_': CAUSE_1, 'sleep': CAUSE_1, 'source_pos_wait': CAUSE_1, 'wait_': CAUSE_1, 'get_lock': CAUSE_2, 'is_free_lock': CAUSE_2, 'is_used_lock': CAUSE_2, 'release_all_locks': CAUSE_2, 'release_lock': CAUSE_2, 'service_': CAUSE_2, 'nextval': CAUSE_3, 'setval': CAUSE_3, 'asynchronous_': CAUSE_4, 'audit_api_': CAUSE_4, 'audit_log_': CAUSE_4, 'do_exec': CAUSE_4, 'firewall_group_': CAUSE_4, 'flush_rewrite_rules': CAUSE_4, 'gen_dictionary_drop': CAUSE_4, 'gen_dictionary_load': CAUSE_4, 'gman_': CAUSE_4, 'group_replication_': CAUSE_4, 'http_delete': CAUSE_4, 'http_get': CAUSE_4, 'http_post': CAUSE_4, 'http_put': CAUSE_4, 'innodb_redo_log_': CAUSE_4, 'keyring_': CAUSE_4, 'lib_mysqludf': CAUSE_4, 'load_rewrite_rules': CAUSE_4, 'masking_dictionary': CAUSE_4, 'memc_': CAUSE_4, 'mle_session_reset': CAUSE_4, 'mle_set_session_state': CAUSE_4, 'mroonga_command': CAUSE_4, 'mysql_firewall_': CAUSE_4, 'option_tracker_': CAUSE_4, 'read_firewall_': CAUSE_4, 'set_firewall_': CAUSE_4, 'spider_': CAUSE_4, 'sys_': CAUSE_4, 'version_tokens_': CAUSE_4, 'wsrep_sync_wait_': CAUSE_4, 'aws_': CAUSE_5, 'lambda_async': CAUSE_5, 'lambda_sync': CAUSE_5, 'ml_embed_row': CAUSE_5, 'ml_explain_row': CAUSE_5, 'ml_generate': CAUSE_5, 'ml_predict_row': CAUSE_5, 'sys.ml_': CAUSE_5, 'bbin_file': CAUSE_6, 'bfile_': CAUSE_6, 'bson_file': CAUSE_6, 'jbin_file': CAUSE_6, 'jfile_': CAUSE_6, 'json_file': CAUSE_6, 'last_insert_id': CAUSE_7, },
    call_allowed=frozenset({'sys_get_config', 'sys_guid', }),
    higher_order=frozenset(),
    from_allowed=None,
    user_functions=False,
    system=Names(frozenset(), ()),
    notation={},
    arity={'last_insert_id': (1,)},
    settings=Names(frozenset(), ()),
    settings_refused=Names(frozenset(), ()),
    limit_settings=Names(frozenset(), ()),
    hints_blanked=('set_var', 'resource_group', 'max_execution_time', ),
    pipes=frozenset(),
    pragma_read=frozenset(),
    pragma_get=frozenset(),
)
