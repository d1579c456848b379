SELECT database, table, name, type, expr
FROM system.data_skipping_indices
WHERE {where database table}
ORDER BY database, table, name
