SELECT '' AS database, version() AS name, currentDatabase() AS engine, '' AS engine_full,
  '' AS rows, '' AS comment, '' AS as_select, '' AS partition_key, '' AS sorting_key,
  '' AS primary_key, '' AS sampling_key
UNION ALL
SELECT database, name, engine, engine_full, ifNull(toString(total_rows), ''), comment, as_select,
  partition_key, sorting_key, primary_key, sampling_key
FROM system.tables
WHERE {where database name} AND NOT is_temporary AND NOT startsWith(name, '.inner')
