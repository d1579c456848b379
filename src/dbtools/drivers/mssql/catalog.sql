SELECT CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128)), SCHEMA_NAME();

SELECT s.name, o.name, o.type, CAST(p.value AS nvarchar(max)), m.definition, x.rows, x.partitions
FROM sys.objects AS o
JOIN sys.schemas AS s ON s.schema_id = o.schema_id
LEFT JOIN sys.extended_properties AS p
  ON p.class = 1 AND p.major_id = o.object_id AND p.minor_id = 0 AND p.name = N'MS_Description'
LEFT JOIN sys.sql_modules AS m ON m.object_id = o.object_id
LEFT JOIN (SELECT object_id, SUM(rows) AS rows, COUNT(*) AS partitions
           FROM sys.partitions WHERE index_id IN (0, 1) GROUP BY object_id) AS x
  ON x.object_id = o.object_id
WHERE o.type IN ('U', 'V', 'ET') AND o.is_ms_shipped = 0 AND {where s.name o.name}
ORDER BY s.name, o.name;

SELECT s.name, o.name, c.name, t.name, c.max_length, c.precision, c.scale, c.is_nullable,
  c.is_identity, d.definition, g.definition, g.is_persisted, CAST(p.value AS nvarchar(max))
FROM sys.columns AS c
JOIN sys.objects AS o ON o.object_id = c.object_id
JOIN sys.schemas AS s ON s.schema_id = o.schema_id
JOIN sys.types AS t ON t.user_type_id = c.user_type_id
LEFT JOIN sys.default_constraints AS d ON d.object_id = c.default_object_id
LEFT JOIN sys.computed_columns AS g ON g.object_id = c.object_id AND g.column_id = c.column_id
LEFT JOIN sys.extended_properties AS p
  ON p.class = 1 AND p.major_id = c.object_id AND p.minor_id = c.column_id
  AND p.name = N'MS_Description'
WHERE o.type IN ('U', 'V', 'ET') AND o.is_ms_shipped = 0 AND {where s.name o.name}
ORDER BY s.name, o.name, c.column_id;

SELECT s.name, o.name, i.name, i.is_unique, i.is_primary_key, i.type_desc, i.filter_definition,
  c.name
FROM sys.indexes AS i
JOIN sys.objects AS o ON o.object_id = i.object_id
JOIN sys.schemas AS s ON s.schema_id = o.schema_id
JOIN sys.index_columns AS k ON k.object_id = i.object_id AND k.index_id = i.index_id
JOIN sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
WHERE o.type IN ('U', 'V') AND o.is_ms_shipped = 0 AND i.type > 0 AND i.is_hypothetical = 0
  AND k.is_included_column = 0 AND {where s.name o.name}
ORDER BY s.name, o.name, i.index_id, k.key_ordinal, k.index_column_id;

SELECT s.name, o.name, f.name, c.name, rs.name, ro.name, rc.name, f.delete_referential_action_desc
FROM sys.foreign_keys AS f
JOIN sys.objects AS o ON o.object_id = f.parent_object_id
JOIN sys.schemas AS s ON s.schema_id = o.schema_id
JOIN sys.foreign_key_columns AS k ON k.constraint_object_id = f.object_id
JOIN sys.columns AS c ON c.object_id = k.parent_object_id AND c.column_id = k.parent_column_id
JOIN sys.objects AS ro ON ro.object_id = f.referenced_object_id
JOIN sys.schemas AS rs ON rs.schema_id = ro.schema_id
JOIN sys.columns AS rc
  ON rc.object_id = k.referenced_object_id AND rc.column_id = k.referenced_column_id
WHERE {where s.name o.name}
ORDER BY s.name, o.name, f.name, k.constraint_column_id
