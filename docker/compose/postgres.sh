#!/bin/sh
# PostgreSQL's first start: the shop, and a login that can only read.
set -eu
export PGUSER="$POSTGRES_USER" PGDATABASE="$POSTGRES_DB"
psql -q -v ON_ERROR_STOP=1 -f /seeds/postgresql.sql
psql -q -v ON_ERROR_STOP=1 -v password="$READER_PASSWORD" <<'SQL'
CREATE ROLE reader LOGIN PASSWORD :'password';
ALTER ROLE reader SET default_transaction_read_only = on;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
SQL
