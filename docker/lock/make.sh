#!/bin/sh
# Writes the image's Python locks anew: every version pinned, every file's hash. UV is the resolver
# (PyPI's `uv`); the hashes are of all platforms, so one lock serves amd64 and arm64.
set -eu
cd "$(dirname "$0")/../.."
UV=${UV:-uv}

compile() { # compile NAME ARGUMENT...
    name=$1
    shift
    "$UV" --no-config pip compile --quiet --no-header --no-annotate --generate-hashes --universal \
        --python-version 3.13 ${UPGRADE:+--upgrade} --output-file "docker/lock/$name.txt" "$@"
    echo "docker/lock/$name.txt: $(grep -c '==' "docker/lock/$name.txt") packages"
}

compile build docker/lock/build.in
compile npm docker/lock/npm.in
compile slim pyproject.toml --extra all
compile full pyproject.toml --extra parquet --constraint docker/lock/slim.txt
compile tests docker/lock/tests.in --constraint docker/lock/slim.txt
