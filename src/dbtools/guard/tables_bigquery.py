"""Compiled from functions/bigquery.toml by dbtools.guard.generate."""

from __future__ import annotations

from dbtools.guard.model import Cause, Harmless, Names, Sequence, Tables

CAUSE_0 = Cause('runs SQL text on another database', 'only tables of BigQuery can be read here')
CAUSE_1 = Cause('reads or writes objects of a store through a connection', 'only tables of BigQuery can be read here')
CAUSE_2 = Cause('calls a model or a remote service', 'ML.EVALUATE, ML.WEIGHTS, ML.FEATURE_INFO and the scalers and bucketisers are allowed')
CAUSE_3 = Cause('makes new key material', 'drop the call')
CAUSE_4 = Cause('reaches another server', 'only tables of BigQuery can be read here')
TABLES = Tables(
    dialect='bigquery',
    checked_against='GoogleSQL reference, 2026-11',
    start=frozenset({'from', 'graph', 'select', 'with', }),
    explain=frozenset(),
    describe=frozenset(),
    show=None,
    refused=frozenset({'into', }),
    doubtful=frozenset({'delete', 'insert', 'merge', 'replace', 'update', }),
    sequences=(),
    harmless=(),
    denied=Names(frozenset({'external_object_transform', 'external_query', }), ('ai.', 'keys.new_', 'ml.', 'net.http', 'obj.', )),
    causes={'external_query': CAUSE_0, 'external_object_transform': CAUSE_1, 'obj.': CAUSE_1, 'ai.': CAUSE_2, 'ml.': CAUSE_2, 'keys.new_': CAUSE_3, 'net.http': CAUSE_4, },
    call_allowed=frozenset({'ml.advanced_weights', 'ml.arima_coefficients', 'ml.arima_evaluate', 'ml.bucketize', 'ml.centroids', 'ml.confusion_matrix', 'ml.describe_data', 'ml.distance', 'ml.entity_features_at_time', 'ml.evaluate', 'ml.explain_forecast', 'ml.feature_cross', 'ml.feature_importance', 'ml.feature_info', 'ml.features_at_time', 'ml.forecast', 'ml.global_explain', 'ml.hash_bucketize', 'ml.holiday_info', 'ml.imputer', 'ml.label_encoder', 'ml.lp_norm', 'ml.max_abs_scaler', 'ml.min_max_scaler', 'ml.ngrams', 'ml.normalizer', 'ml.one_hot_encoder', 'ml.polynomial_expand', 'ml.principal_component_info', 'ml.principal_components', 'ml.quantile_bucketize', 'ml.recommend', 'ml.reconstruction_loss', 'ml.robust_scaler', 'ml.roc_curve', 'ml.standard_scaler', 'ml.training_info', 'ml.trial_info', 'ml.validate_data_drift', 'ml.validate_data_skew', 'ml.weights', }),
    higher_order=frozenset(),
    from_allowed=frozenset({'appends', 'changes', 'gap_fill', 'graph_table', 'hop', 'lateral', 'pivot', 'range_sessionize', 'search', 'table', 'tumble', 'unnest', 'unpivot', 'vector_search', }),
    user_functions=True,
    system=Names(frozenset(), ()),
    notation={},
    arity={},
    settings=Names(frozenset(), ()),
    settings_refused=Names(frozenset(), ()),
    limit_settings=Names(frozenset(), ()),
    hints_blanked=(),
    pipes=frozenset({'aggregate', 'as', 'assert', 'call', 'cross', 'distinct', 'drop', 'except', 'extend', 'full', 'inner', 'intersect', 'join', 'left', 'limit', 'match_recognize', 'order', 'pivot', 'recursive', 'rename', 'right', 'select', 'set', 'static_describe', 'tablesample', 'union', 'unpivot', 'where', 'window', 'with', }),
    pragma_read=frozenset(),
    pragma_get=frozenset(),
)
