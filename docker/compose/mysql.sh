#!/bin/sh
# MySQL's first start: the shop, and a login that can only read.
set -eu
export MYSQL_PWD="$MYSQL_ROOT_PASSWORD"
password=$(printf '%s' "$READER_PASSWORD" | sed "s/\\\\/\\\\\\\\/g; s/'/''/g")
mysql --user=root shop </seeds/mysql.sql
mysql --user=root <<SQL
CREATE USER reader IDENTIFIED BY '$password';
GRANT SELECT, SHOW VIEW ON shop.* TO reader;
SQL
