#!/bin/sh
# Run beside SQL Server, which starts no script of its own: the shop, and a login that can only read.
set -eu
password=$(printf '%s' "$READER_PASSWORD" | sed "s/'/''/g")
client() { # -x: no variables in the text
    /opt/mssql-tools18/bin/sqlcmd -C -b -x -f 65001 -S sqlserver -U sa -P "$MSSQL_SA_PASSWORD" "$@"
}
there=$(client -h -1 -Q "SET NOCOUNT ON; SELECT count(*) FROM sys.databases WHERE name = 'shop'")
[ "$((there))" -eq 0 ] || exit 0
client -Q "CREATE DATABASE shop"
client -d shop -i /seeds/sqlserver.sql
client -d shop -Q "CREATE LOGIN reader WITH PASSWORD = N'$password';
CREATE USER reader FOR LOGIN reader; ALTER ROLE db_datareader ADD MEMBER reader;"
