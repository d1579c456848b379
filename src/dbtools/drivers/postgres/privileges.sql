-- Why the login could write: one row a reason, as (kind, how many, an example); kind 'me' first.
WITH me AS (
    SELECT r.oid, r.rolname, r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolreplication,
           r.rolbypassrls
    FROM pg_catalog.pg_roles r
    WHERE r.rolname = current_user
), relations AS (
    SELECT c.oid, n.nspname, c.relname, c.relowner
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p')
      AND n.nspname NOT IN ('pg_catalog', 'information_schema')
      AND NOT pg_catalog.starts_with(n.nspname::pg_catalog.text, 'pg_')
), schemas AS (
    SELECT n.oid, n.nspname
    FROM pg_catalog.pg_namespace n
    WHERE n.nspname <> 'information_schema'
      AND NOT pg_catalog.starts_with(n.nspname::pg_catalog.text, 'pg_')
)
SELECT 'me', 1, rolname::pg_catalog.text, pg_catalog.current_database()::pg_catalog.text FROM me
UNION ALL SELECT 'superuser', 1, NULL, NULL FROM me WHERE rolsuper
UNION ALL SELECT 'createrole', 1, NULL, NULL FROM me WHERE rolcreaterole
UNION ALL SELECT 'createdb', 1, NULL, NULL FROM me WHERE rolcreatedb
UNION ALL SELECT 'replication', 1, NULL, NULL FROM me WHERE rolreplication
UNION ALL
SELECT 'member', 1, r.rolname::pg_catalog.text, NULL
FROM pg_catalog.pg_roles r CROSS JOIN me
WHERE r.rolname IN ('pg_write_server_files', 'pg_execute_server_program', 'pg_write_all_data',
                    'pg_read_server_files', 'pg_signal_backend', 'pg_maintain')
  AND NOT me.rolsuper AND pg_catalog.pg_has_role(me.oid, r.oid, 'MEMBER')
UNION ALL
SELECT 'owns', pg_catalog.count(*), pg_catalog.min(t.nspname || '.' || t.relname), NULL
FROM relations t CROSS JOIN me
WHERE pg_catalog.pg_has_role(me.oid, t.relowner, 'MEMBER') AND NOT me.rolsuper
HAVING pg_catalog.count(*) > 0
UNION ALL
SELECT right_name, pg_catalog.count(*), pg_catalog.min(t.nspname || '.' || t.relname), NULL
FROM relations t CROSS JOIN me
CROSS JOIN (VALUES ('INSERT'), ('UPDATE'), ('DELETE'), ('TRUNCATE')) AS rights(right_name)
WHERE pg_catalog.has_table_privilege(t.oid, right_name) AND NOT me.rolsuper
GROUP BY right_name
UNION ALL
SELECT 'create in schema', pg_catalog.count(*), pg_catalog.min(s.nspname::pg_catalog.text), NULL
FROM schemas s CROSS JOIN me
WHERE pg_catalog.has_schema_privilege(s.oid, 'CREATE') AND NOT me.rolsuper
HAVING pg_catalog.count(*) > 0
UNION ALL
SELECT 'create schema', 1, NULL, NULL FROM me
WHERE pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') AND NOT me.rolsuper
UNION ALL
SELECT 'schema', 1, s.nspname::pg_catalog.text, NULL
FROM schemas s
WHERE pg_catalog.has_schema_privilege(s.oid, 'USAGE')
