-- Everything db-schema tells, one row a table, in one statement whatever their number.
-- $1 schemas, $2 tables (empty: all), $3 whether columns and more are wanted. The first four
-- columns repeat on every row; a row without a table name means that no table was found.
WITH listed AS (
    SELECT c.oid, n.nspname, c.relname, c.relkind, c.relrowsecurity, c.reltuples, c.relpages,
           pg_catalog.has_table_privilege(c.oid, 'SELECT') AS whole,
           pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND (
               pg_catalog.has_table_privilege(c.oid, 'SELECT')
               OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT')) AS readable
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p')
      AND NOT c.relispartition
      AND CASE WHEN pg_catalog.cardinality($1::pg_catalog.text[]) = 0
               THEN n.nspname NOT IN ('pg_catalog', 'information_schema')
                    AND NOT pg_catalog.starts_with(n.nspname::pg_catalog.text, 'pg_toast')
                    AND NOT pg_catalog.starts_with(n.nspname::pg_catalog.text, 'pg_temp_')
               ELSE n.nspname = ANY ($1::pg_catalog.text[]) END
      AND (pg_catalog.cardinality($2::pg_catalog.text[]) = 0
           OR c.relname = ANY ($2::pg_catalog.text[]))
), wanted AS (
    SELECT * FROM listed WHERE readable AND $3::pg_catalog.bool
), labels AS (
    SELECT e.enumtypid,
           pg_catalog.json_agg(e.enumlabel::pg_catalog.text ORDER BY e.enumsortorder) AS found
    FROM pg_catalog.pg_enum e
    GROUP BY e.enumtypid
), columns AS (
    SELECT a.attrelid, pg_catalog.json_agg(pg_catalog.json_build_array(
               a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),
               NOT (a.attnotnull OR (t.typtype = 'd' AND t.typnotnull)),
               pg_catalog.pg_get_expr(d.adbin, d.adrelid), about.description,
               a.attgenerated, a.attidentity, l.found,
               CASE WHEN t.typtype = 'd' THEN pg_catalog.format_type(t.typbasetype, t.typtypmod) END
           ) ORDER BY a.attnum) AS found
    FROM wanted w
    JOIN pg_catalog.pg_attribute a ON a.attrelid = w.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    LEFT JOIN pg_catalog.pg_description about ON about.objoid = a.attrelid
         AND about.objsubid = a.attnum AND about.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass
    -- An enum, a domain over one, or an array of one.
    LEFT JOIN labels l ON l.enumtypid = CASE
         WHEN t.typtype = 'd' THEN t.typbasetype
         WHEN t.typcategory = 'A' THEN t.typelem ELSE t.oid END
    WHERE w.whole OR pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
    GROUP BY a.attrelid
), indexes AS (
    SELECT i.indrelid, pg_catalog.json_agg(pg_catalog.json_build_array(
               x.relname,
               (SELECT pg_catalog.json_agg(
                           coalesce(a.attname::pg_catalog.text,
                                    pg_catalog.pg_get_indexdef(i.indexrelid, k.place, true))
                           ORDER BY k.place)
                FROM pg_catalog.generate_series(1, i.indnkeyatts) AS k(place)
                LEFT JOIN pg_catalog.pg_attribute a
                     ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k.place - 1]
                        AND a.attnum <> 0),
               i.indisunique, i.indisprimary, pg_catalog.pg_get_expr(i.indpred, i.indrelid, true),
               m.amname
           ) ORDER BY i.indisprimary DESC, x.relname) AS found
    FROM wanted w
    JOIN pg_catalog.pg_index i ON i.indrelid = w.oid AND i.indislive
    JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
    JOIN pg_catalog.pg_am m ON m.oid = x.relam
    GROUP BY i.indrelid
), keys AS (
    SELECT k.conrelid, pg_catalog.json_agg(pg_catalog.json_build_array(
               k.conname,
               (SELECT pg_catalog.json_agg(a.attname ORDER BY u.place)
                FROM pg_catalog.unnest(k.conkey) WITH ORDINALITY AS u(number, place)
                JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.number),
               n.nspname, c.relname,
               (SELECT pg_catalog.json_agg(a.attname ORDER BY u.place)
                FROM pg_catalog.unnest(k.confkey) WITH ORDINALITY AS u(number, place)
                JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.number),
               k.confdeltype
           ) ORDER BY k.conname) AS found
    FROM wanted w
    JOIN pg_catalog.pg_constraint k ON k.conrelid = w.oid AND k.contype = 'f' AND k.conparentid = 0
    JOIN pg_catalog.pg_class c ON c.oid = k.confrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    GROUP BY k.conrelid
), checks AS (
    SELECT k.conrelid, pg_catalog.json_agg(pg_catalog.json_build_array(
               a.attname, pg_catalog.pg_get_expr(k.conbin, k.conrelid)) ORDER BY k.conname) AS found
    FROM wanted w
    JOIN pg_catalog.pg_constraint k ON k.conrelid = w.oid AND k.contype = 'c'
         AND pg_catalog.cardinality(k.conkey) = 1
    JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
    GROUP BY k.conrelid
), partitions AS (
    SELECT l.oid, pg_catalog.count(*) FILTER (WHERE p.isleaf AND p.level > 0) AS number,
           pg_catalog.sum(c.reltuples) FILTER (WHERE p.isleaf AND c.reltuples >= 0) AS tuples
    FROM listed l
    CROSS JOIN LATERAL pg_catalog.pg_partition_tree(l.oid) AS p
    JOIN pg_catalog.pg_class c ON c.oid = p.relid
    WHERE l.relkind = 'p' AND l.readable
    GROUP BY l.oid
)
SELECT pg_catalog.current_schema()::pg_catalog.text, l.nspname::pg_catalog.text,
       l.relname::pg_catalog.text, l.readable::pg_catalog.text, l.relkind::pg_catalog.text,
       CASE WHEN l.relkind = 'p' THEN p.tuples
            -- Before version 14 an empty, never analysed table says 0 and not -1.
            WHEN l.reltuples < 0 OR (l.reltuples = 0 AND l.relpages = 0
                 AND pg_catalog.current_setting('server_version_num')::pg_catalog.int4 < 140000)
            THEN NULL
            WHEN l.relkind IN ('r', 'm', 'f') THEN l.reltuples END::pg_catalog.int8::pg_catalog.text,
       p.number::pg_catalog.text, about.description, l.relrowsecurity::pg_catalog.text,
       CASE WHEN l.relkind IN ('v', 'm') AND $3::pg_catalog.bool AND l.readable
            THEN pg_catalog.pg_get_viewdef(l.oid, true) END,
       c.found::pg_catalog.text, i.found::pg_catalog.text, k.found::pg_catalog.text,
       h.found::pg_catalog.text
FROM (SELECT 1) AS always(here)
LEFT JOIN listed l ON true
LEFT JOIN pg_catalog.pg_description about ON about.objoid = l.oid AND about.objsubid = 0
     AND about.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass
LEFT JOIN columns c ON c.attrelid = l.oid
LEFT JOIN indexes i ON i.indrelid = l.oid
LEFT JOIN keys k ON k.conrelid = l.oid
LEFT JOIN checks h ON h.conrelid = l.oid
LEFT JOIN partitions p ON p.oid = l.oid
ORDER BY l.nspname, l.relname
