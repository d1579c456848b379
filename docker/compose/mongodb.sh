#!/bin/sh
# MongoDB's first start: the shop, and a login that can only read.
set -eu
for file in /seeds/mongodb/*.json; do
    mongoimport --quiet --username "$MONGO_INITDB_ROOT_USERNAME" --password "$MONGO_INITDB_ROOT_PASSWORD" \
        --authenticationDatabase admin --db shop --collection "$(basename "$file" .json)" --file "$file"
done
mongosh --quiet --username "$MONGO_INITDB_ROOT_USERNAME" --password "$MONGO_INITDB_ROOT_PASSWORD" \
    --authenticationDatabase admin shop --eval '
    db.createUser({user: "reader", pwd: process.env.READER_PASSWORD, roles: [{role: "read", db: "shop"}]})'
