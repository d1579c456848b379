#!/bin/sh
# ClickHouse's first start: the shop, and a login that can only read.
set -eu
password=$(printf '%s' "$READER_PASSWORD" | sed "s/\\\\/\\\\\\\\/g; s/'/''/g")
client() {
    clickhouse-client --user "$CLICKHOUSE_USER" --password "$CLICKHOUSE_PASSWORD" --database shop "$@"
}
client --queries-file /seeds/clickhouse.sql
client --query "CREATE USER reader IDENTIFIED BY '$password' SETTINGS readonly = 1"
client --query "GRANT SELECT ON shop.* TO reader"
