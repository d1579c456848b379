SELECT database, table, name, type, default_kind, default_expression, comment,
  toString(is_in_primary_key), compression_codec
FROM system.columns
WHERE {where database table}
ORDER BY database, table, position
