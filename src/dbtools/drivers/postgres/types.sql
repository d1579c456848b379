-- Names of columns' types with their modifiers, and what is known of the types they are built of.
-- $1 oids, $2 type modifiers (-1 for none), one of each a column.
WITH RECURSIVE wanted(oid) AS (
    SELECT pg_catalog.unnest($1::pg_catalog.oid[])
  UNION
    SELECT related.oid
    FROM wanted
    JOIN pg_catalog.pg_type t ON t.oid = wanted.oid
    CROSS JOIN LATERAL (
        SELECT t.typelem WHERE t.typlen = -1
      UNION ALL
        SELECT t.typbasetype
      UNION ALL
        SELECT a.atttypid
        FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = t.typrelid AND t.typrelid <> 0 AND a.attnum > 0 AND NOT a.attisdropped
    ) AS related(oid)
    WHERE related.oid <> 0
)
SELECT 'name', p.oid::pg_catalog.text, pg_catalog.format_type(p.oid, nullif(p.modifier, -1)),
       p.modifier::pg_catalog.text, NULL, NULL, NULL
FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.int4[]))
     AS p(oid, modifier)
UNION ALL
SELECT 'type', t.oid::pg_catalog.text, t.typname::pg_catalog.text,
       CASE WHEN t.typlen = -1 AND t.typcategory = 'A' THEN t.typelem ELSE 0 END::pg_catalog.text,
       coalesce(e.typdelim, ',')::pg_catalog.text,
       t.typbasetype::pg_catalog.text,
       (SELECT pg_catalog.json_agg(pg_catalog.json_build_array(a.attname, a.atttypid::pg_catalog.int8)
                                   ORDER BY a.attnum)
        FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = t.typrelid AND t.typrelid <> 0 AND a.attnum > 0 AND NOT a.attisdropped
       )::pg_catalog.text
FROM wanted
JOIN pg_catalog.pg_type t ON t.oid = wanted.oid
LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem
