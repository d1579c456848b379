# Sourced by build.sh and smoke.sh: which container engine this machine has.
# shellcheck shell=bash
BASE=localhost/toolbelt-base:trixie

cannot() { # loudly: nothing about the image is proven here
    {
        echo "=================================================================="
        echo "THE IMAGE CANNOT BE BUILT OR TESTED ON THIS MACHINE"
        echo "$1"
        echo "=================================================================="
    } >&2
    exit 3
}

install_tools() { # what the way without Docker needs
    local missing="" pair
    for pair in mmdebstrap:mmdebstrap buildah:buildah podman:podman runc:runc; do
        command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair##*:}"
    done
    [ -n "$missing" ] || return 0
    [ "$(id -u)" -eq 0 ] || cannot "There is no Docker, and buildah needs root. Run as root: apt-get install$missing"
    command -v apt-get >/dev/null || cannot "There is no Docker and no apt-get. Install by hand:$missing"
    echo "Installing with apt-get:$missing"
    export DEBIAN_FRONTEND=noninteractive
    local fetch="timeout 600 apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -q"
    $fetch update >/dev/null || echo "apt-get update failed; trying with the old lists" >&2
    # shellcheck disable=SC2086  # one word a package
    $fetch install -y --no-install-recommends $missing >/dev/null ||
        cannot "There is no Docker, and these could not be installed:$missing"
}

find_engine() { # sets ENGINE
    if command -v docker >/dev/null && docker info >/dev/null 2>&1; then
        ENGINE=docker
        return
    fi
    install_tools
    [ "$(id -u)" -eq 0 ] || cannot "There is no Docker, and buildah needs root."
    # shellcheck disable=SC2034  # read by those who source this
    ENGINE=buildah
}
