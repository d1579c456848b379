#!/bin/sh
# Start a real SQL Server, run tests/real/sqlserver.py on it, stop it. MSSQL_SA_PASSWORD is the
# password that the new server's sa gets.
set -eu
cd "$(dirname "$0")/.."
: "${MSSQL_SA_PASSWORD:?set it to a password of your own}"
export MSSQL_SA_PASSWORD
[ -e .venv/.installed ] || make .venv/.installed
compose="docker compose -f docker/compose.mssql.yaml"
trap '$compose down --volumes' EXIT
$compose up --detach --wait
.venv/bin/python -m pytest tests/real/sqlserver.py "$@"
