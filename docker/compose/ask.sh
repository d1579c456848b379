#!/bin/sh
# The same question to every server of compose.yaml, then what a write is told.
set -eu
db-query --list-connections
for name in postgres mysql clickhouse sqlserver; do
    echo "--- $name"
    db-query --connection "$name" --format table \
        -q "SELECT status_id, count(*) AS n FROM orders GROUP BY status_id ORDER BY n DESC"
done
echo "--- mongodb"
db-query --connection mongodb --format table \
    -q '{"collection": "orders", "pipeline": [{"$group": {"_id": "$status_id", "n": {"$sum": 1}}}, {"$sort": {"n": -1}}]}'
echo "--- a write"
! db-query --connection postgres -q "DELETE FROM orders"
