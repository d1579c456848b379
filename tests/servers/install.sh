#!/bin/sh
# Installs the system packages that `make test` needs and PyPI does not have. Says what and why;
# does nothing when everything is there. `make demo` never needs it.
set -eu

missing=""
need() { # need PROGRAM PACKAGE WHY
    for place in /usr/sbin /usr/bin /bin; do
        if [ -x "$place/$1" ]; then return 0; fi
    done
    missing="$missing $2"
    echo "make test needs $1: $3 (Debian package $2)"
}

need mariadbd mariadb-server-core "a real MariaDB server to run db-query against"
need my_print_defaults mariadb-client-core "the set-up program of the MariaDB server calls it"

for tool in git:git rg:ripgrep jq:jq tree:tree file:file column:bsdextrautils xxd:xxd diff:diffutils find:findutils; do
    need "${tool%%:*}" "${tool##*:}" "safe-shell runs it"
done

[ -n "$missing" ] || exit 0

root=""
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "Install them as root: apt-get install$missing" >&2; exit 2; }
    root="sudo"
fi
command -v apt-get >/dev/null || { echo "No apt-get here. Install by hand:$missing" >&2; exit 2; }

echo "Installing with ${root:+$root }apt-get:$missing"
export DEBIAN_FRONTEND=noninteractive
fetch="timeout 900 apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -q"
$root $fetch update >/dev/null || echo "apt-get update failed; trying with the old lists" >&2
# shellcheck disable=SC2086  # one word a package
$root env DEBIAN_FRONTEND=noninteractive $fetch install -y --no-install-recommends $missing >/dev/null
echo "Installed:$missing"
