"""Compiled from functions/clickhouse.toml by dbtools.guard.generate."""

from __future__ import annotations

from dbtools.guard.model import Cause, Harmless, Names, Sequence, Tables

CAUSE_0 = Cause('waits', 'drop the call')
CAUSE_1 = Cause('reads files of the server', 'only tables can be read here')
CAUSE_2 = Cause('reaches another server or a store', 'only tables of this server can be read here')
CAUSE_3 = Cause('reads a dictionary whose source may be a file, a command or another server', "use dictGet('name', 'attribute', key), which reads what is already loaded, or the system.dictionaries table")
CAUSE_4 = Cause('is not a plain read: it feeds the protocol, runs query text, or never ends', 'read a table, numbers(n) or values(...)')
CAUSE_5 = Cause('changes state on the server each time it is called', 'use rowNumberInAllBlocks() or generateUUIDv4()')
CAUSE_6 = Cause('writes to the log of the server', 'drop the call')
CAUSE_7 = Cause("looks into the server's own binary and memory", 'introspection functions are not reads of data')
CAUSE_8 = Cause('asks another server when it has more than three arguments', "hasColumnInTable('database', 'table', 'column')")
TABLES = Tables(
    dialect='clickhouse',
    checked_against='ClickHouse 26.9.2',
    start=frozenset({'from', 'select', 'with', }),
    explain=frozenset({'ast', 'estimate', 'pipeline', 'plan', 'query', 'syntax', 'tree', }),
    describe=frozenset({'desc', 'describe', 'exists', }),
    show=frozenset({'access', 'changed', 'cluster', 'clusters', 'columns', 'create', 'current', 'database', 'databases', 'dictionaries', 'dictionary', 'enabled', 'engines', 'extended', 'fields', 'full', 'functions', 'grants', 'index', 'indexes', 'indices', 'keys', 'merges', 'policies', 'processlist', 'profiles', 'quota', 'quotas', 'roles', 'row', 'setting', 'settings', 'table', 'tables', 'temporary', 'users', 'view', }),
    refused=frozenset(),
    doubtful=frozenset({'delete', 'insert', 'update', }),
    sequences=(Sequence((frozenset({'parallel', }), frozenset({'with', }), ), Cause('starts a second statement', 'send one statement at a time')), Sequence((frozenset({'into', }), frozenset({'outfile', }), ), Cause('writes a file', 'use db-query --format csv -o FILE')), ),
    harmless=(),
    denied=Names(frozenset({'addresstosymbol', 'arrowstream', 'bigquery', 'catboostevaluate', 'cluster', 'clusterallreplicas', 'dictionary', 'eval', 'file', 'filecluster', 'filesystem', 'hive', 'input', 'jdbc', 'kafka', 'logtrace', 'loop', 'mongodb', 'mysql', 'nats', 'odbc', 'postgresql', 'python', 'rabbitmq', 'redis', 'remote', 'remotesecure', 'reversednsquery', 'sleep', 'sleepeachrow', 'sqlite', 'trap', 'url', 'urlcluster', 'ytsaurus', }), ('addresstoline', 'ai', 'arrowflight', 'azureblob', 'bedrock', 'cosn', 'deltalake', 'executable', 'gcs', 'gdb', 'generateserialid', 'hdfs', 'hudi', 'hugging', 'iceberg', 'keeper', 'llm', 'openai', 'oss', 'paimon', 's3', 'zookeeper', )),
    causes={'sleep': CAUSE_0, 'sleepeachrow': CAUSE_0, 'catboostevaluate': CAUSE_1, 'executable': CAUSE_1, 'file': CAUSE_1, 'filecluster': CAUSE_1, 'filesystem': CAUSE_1, 'hive': CAUSE_1, 'ai': CAUSE_2, 'arrowflight': CAUSE_2, 'azureblob': CAUSE_2, 'bedrock': CAUSE_2, 'bigquery': CAUSE_2, 'cluster': CAUSE_2, 'clusterallreplicas': CAUSE_2, 'cosn': CAUSE_2, 'deltalake': CAUSE_2, 'gcs': CAUSE_2, 'hdfs': CAUSE_2, 'hudi': CAUSE_2, 'hugging': CAUSE_2, 'iceberg': CAUSE_2, 'jdbc': CAUSE_2, 'kafka': CAUSE_2, 'keeper': CAUSE_2, 'llm': CAUSE_2, 'mongodb': CAUSE_2, 'mysql': CAUSE_2, 'nats': CAUSE_2, 'odbc': CAUSE_2, 'openai': CAUSE_2, 'oss': CAUSE_2, 'paimon': CAUSE_2, 'postgresql': CAUSE_2, 'rabbitmq': CAUSE_2, 'redis': CAUSE_2, 'remote': CAUSE_2, 'remotesecure': CAUSE_2, 'reversednsquery': CAUSE_2, 's3': CAUSE_2, 'sqlite': CAUSE_2, 'url': CAUSE_2, 'urlcluster': CAUSE_2, 'ytsaurus': CAUSE_2, 'zookeeper': CAUSE_2, 'dictionary': CAUSE_3, 'arrowstream': CAUSE_4, 'eval': CAUSE_4, 'input': CAUSE_4, 'loop': CAUSE_4, 'python': CAUSE_4, 'generateserialid': CAUSE_5, 'logtrace': CAUSE_6, 'addresstoline': CAUSE_7, 'addresstosymbol': CAUSE_7, 'gdb': CAUSE_7, 'trap': CAUSE_7, 'hascolumnintable': CAUSE_8, },
    call_allowed=frozenset({'icebergbucket', 'iceberghash', 'icebergtruncate', 'zookeepersessionuptime', }),
    higher_order=frozenset({'arrayall', 'arrayavg', 'arraybottomk', 'arraycompact', 'arraycount', 'arraycumsum', 'arraycumsumnonnegative', 'arraydifference', 'arrayexists', 'arrayfill', 'arrayfilter', 'arrayfirst', 'arrayfirstindex', 'arrayfirstornull', 'arrayfold', 'arraylast', 'arraylastindex', 'arraylastornull', 'arraymap', 'arraymax', 'arraymin', 'arraypartialreversesort', 'arraypartialsort', 'arrayproduct', 'arrayreversefill', 'arrayreversesort', 'arrayreversesplit', 'arraysort', 'arraysplit', 'arraysum', 'arraytopk', 'mapall', 'mapapply', 'mapexists', 'mapfilter', 'mappartialreversesort', 'mappartialsort', 'mapreversesort', 'mapsort', }),
    from_allowed=frozenset({'format', 'fuzzjson', 'generate_series', 'generaterandom', 'generateseries', 'lateral', 'merge', 'mergetreeanalyzeindexes', 'mergetreeanalyzeindexesuuid', 'mergetreecodecblockcounts', 'mergetreeindex', 'mergetreeparts', 'mergetreeprojection', 'mergetreetextindex', 'null', 'numbers', 'numbers_mt', 'primes', 'prometheusquery', 'prometheusqueryrange', 'sqlstandardvalues', 'timeseriesdata', 'timeseriesmetricfamilies', 'timeseriesmetrics', 'timeseriessamples', 'timeseriesselector', 'timeseriestags', 'values', 'view', 'viewexplain', 'viewifpermitted', 'zeros', 'zeros_mt', }),
    user_functions=False,
    system=Names(frozenset(), ()),
    notation={},
    arity={'hascolumnintable': (4, 5, 6)},
    settings=Names(frozenset({'any_join_distinct_right_table_keys', 'cross_to_inner_join_rewrite', 'date_time_input_format', 'date_time_output_format', 'distributed_group_by_no_merge', 'distributed_product_mode', 'do_not_merge_across_partitions_select_final', 'except_default_mode', 'extremes', 'final', 'intersect_default_mode', 'join_algorithm', 'join_use_nulls', 'joined_subquery_requires_alias', 'limit', 'log_comment', 'offset', 'priority', 'read_overflow_mode', 'result_overflow_mode', 'rows_before_aggregation', 'session_timezone', 'skip_unavailable_shards', 'timeout_overflow_mode', 'totals_mode', 'transform_null_in', 'union_default_mode', }), ('allow_experimental_', 'asterisk_include_', 'cast_', 'compile_', 'convert_', 'count_', 'describe_', 'empty_result_for_', 'enable_', 'force_', 'format_', 'group_by_', 'input_format_', 'low_cardinality_', 'materialize_', 'max_', 'merge_tree_', 'min_', 'optimize_', 'output_format_', 'parallel_', 'partial_', 'prefer_', 'query_plan_', 'short_circuit_', 'use_', )),
    settings_refused=Names(frozenset({'enable_filesystem_cache_log', 'enable_s3_requests_logging', }), ('allow_experimental_insert_', 'enable_blob_storage_log', 'force_write_through', 'format_avro_schema_registry_', 'format_display_secrets', 'format_schema', 'format_template_', 'input_format_record_errors', 'output_format_schema', 'use_structure_from_insertion', )),
    limit_settings=Names(frozenset(), ('max_', 'timeout_before', )),
    hints_blanked=(),
    pipes=frozenset(),
    pragma_read=frozenset(),
    pragma_get=frozenset(),
)
